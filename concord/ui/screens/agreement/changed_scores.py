"""What flips: two variants, the answers they score differently, and the diff of their prompts."""

from html import escape

import streamlit as st

from concord.messages import joined, said, small
from concord.reports.cells import UNDEFINED
from concord.reports.comparison import variant_prompts
from concord.reports.comparison.changed_scores import Flip, Flips, both_beside, detail, title
from concord.reports.comparison.paired_variants import scale_name
from concord.reports.comparison.prompt_diff import SKIPPED, Line
from concord.store import grades
from concord.store.database import Store
from concord.ui import render
from concord.ui.assets import ASSETS
from concord.ui.cached_comparison import Comparison
from concord.ui.frame import recall, remember
from concord.ui.language import say
from concord.ui.localized_table import spoken, table_of
from concord.ui.markdown import plain
from concord.ui.screens.agreement import cell_answers
from concord.ui.screens.agreement.compare_pick import pick_target
from concord.ui.widgets import empty, finding, select

LOOK = ASSETS / "compare.css"
LIST = 470  # pixels, about as tall as the diff beside it
_SIDED = {
    "first": small(said("From")),
    "second": small(said("To")),
    "equal": said("neither"),
    "nobody": said("not graded"),
}


def what_flips(store: Store, found: Comparison, kind: str) -> None:
    """The whole view."""
    labels = [variant.label for variant in found.variants.every]
    if len(labels) < 2:
        empty(
            said("There is only one variant"),
            said("Run a second prompt, model or scale over this sheet to see which answers flip."),
            "pages/judges.py",
            said("To the judges"),
        )
        return
    top = st.container()
    with st.container(horizontal=True):
        names = {label: label for label in labels}
        first = select(said("From"), "first", names, labels[0])
        rest = {label: label for label in labels if label != first}
        second = select(said("To"), "second", rest, next(iter(rest)))
        target = pick_target(found, [first, second])
    flipped = found.flips(first, second, target, kind)
    if flipped is None:
        with top:
            finding(
                said(
                    "{first} and {second} do not both grade {target}",
                    first=first,
                    second=second,
                    target=target,
                )
            )
        return
    with top:
        finding(title(flipped), detail(flipped))
    tested = found.two_judges(store, flipped, kind)
    render.head(tested, folded=True)
    with st.expander(say("Where the two differ")):
        render.body(tested, f"two-judges-{first}-{second}")
    if not flipped.flips:
        for item_id in found.annotators.items.loc[found.annotators.open, "id"].head(1):
            _difference(store, flipped, int(item_id))
        return
    left, right = st.columns([6, 5], gap="medium")
    with left:
        item_id = _list(flipped)
    with right:
        _difference(store, flipped, item_id)
    _answer(store, found, flipped, item_id)


def _list(flipped: Flips) -> int:
    """The flips, worst first; the one that is marked, the first to begin with."""
    st.subheader(say("Answers that flip, worst first"), anchor=False)
    chosen = st.dataframe(
        spoken(_rows(flipped)),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        height=min(38 + 35 * len(flipped.flips), LIST),
        key=f"flips.{flipped.first.label}.{flipped.second.label}.{flipped.target}",
        alt=say("Table: answers that flip, worst first"),
    )
    ids = [flip.item_id for flip in flipped.flips]
    marked = chosen["selection"]["rows"]
    named = recall("item")
    if marked:
        item_id = ids[marked[0]]
    else:
        item_id = int(named) if named and named.isdecimal() and int(named) in ids else ids[0]
    remember(item=item_id)
    st.caption(say("Mark a row to see its answer, everybody's reasons and the prompts."))
    return item_id


def _rows(flipped: Flips) -> list[dict]:
    first, second = (scale_name(one.rubric.scale) for one in (flipped.first, flipped.second))
    heads = (said("from ({scale})", scale=first), said("to ({scale})", scale=second))
    return [_row(flip, *heads) for flip in flipped.flips]


def _row(flip: Flip, first: str, second: str) -> dict:
    return {
        first: f"{flip.first:.3g}",
        second: f"{flip.second:.3g}",
        said("annotators"): UNDEFINED if flip.annotator is None else f"{flip.annotator:.3g}",
        said("annotators nearer"): _SIDED[flip.nearer],
        said("apart"): f"{100 * flip.apart:+.0f}%",
        said("question"): flip.question + 1,
        said("answer by"): flip.answer_model,
    }


def _answer(store: Store, found: Comparison, flipped: Flips, item_id: int) -> None:
    """The answer beside both variants and the annotators; that it was opened is noted."""
    person = cell_answers.looker(store)
    if person and not cell_answers.agreed(person):
        return
    grades.open_item(store, item_id, person.id if person else None)
    st.html(cell_answers.LOOK)
    st.subheader(say("The answer"), anchor=False)
    for one in both_beside(store, flipped, found.annotators, [item_id]):
        cell_answers.answer(one, flipped.target)


def _difference(store: Store, flipped: Flips, item_id: int) -> None:
    """What the two requests about an answer differ in: settings first, then the messages."""
    st.subheader(say("What differs in the request"), anchor=False)
    sides = [
        variant_prompts.sent(store, variant, item_id) for variant in (flipped.first, flipped.second)
    ]
    unknown = [
        said("{variant}: {why}.", variant=variant.label, why=sent.why_none)
        for variant, sent in zip((flipped.first, flipped.second), sides, strict=True)
        if sent.why_none
    ]
    if unknown:
        st.info(plain(joined(" ", unknown)), icon=":material/help:")
        return
    settings = variant_prompts.setting_diff(*sides)
    heads = (flipped.first.label, flipped.second.label)
    if settings:
        names = (said("setting"), _SIDED["first"], _SIDED["second"])
        rows = [dict(zip(names, one, strict=True)) for one in settings]
        table_of(rows, "settings-that-differ")
    diff = variant_prompts.prompt_diff(*sides)
    if diff:
        st.html(LOOK)
        st.html(_html(diff, *heads))
    else:
        st.write(say("The messages are the same, word for word."))
    st.caption(
        say(
            "The messages about this answer, as stored; what is the same is left out."
            if all(sent.kept for sent in sides)
            else "The messages about this answer, as a run sends them; what is the same is left "
            "out."
        )
    )


def _html(diff: list[Line], first: str, second: str) -> str:
    lines = "".join(_line(line) for line in diff)
    label = escape(say("Diff of the two prompts"))
    return (
        f'<div class="concord-diff" role="region" aria-label="{label}">'
        f'<p class="out">− {escape(first)}</p><p class="in">+ {escape(second)}</p>{lines}</div>'
    )


def _line(line: Line) -> str:
    if line.kind == SKIPPED:
        same = say("{n:,} lines that are the same", n=int(line.text))
        return f'<div class="skipped">{escape(same)}</div>'
    words = "".join(
        f"<mark>{escape(text)}</mark>" if changed else escape(text) for text, changed in line.parts
    )
    sign = {"out": "−", "in": "+"}.get(line.kind, " ")
    return f'<div class="{line.kind}"><span>{sign}</span>{words or " "}</div>'
