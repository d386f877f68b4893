"""Changed scores: answers that two variants score differently, and the diff of their prompts."""

from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from concord.messages import said
from concord.reports.comparison import variant_prompts
from concord.reports.comparison.changed_scores import Flips, both_answer_grades, document, table
from concord.reports.comparison.variant_prompts import SKIPPED, Line
from concord.resources import ASSETS
from concord.store import grades
from concord.store.database import Store
from concord.ui import render
from concord.ui.frame import recall, remember
from concord.ui.language import plain, say, word
from concord.ui.looker import agreed, looker
from concord.ui.markup import LOOK
from concord.ui.render import show_table
from concord.ui.screens.agreement import cell_answers
from concord.ui.screens.agreement.cached_comparison import ComparedSheet, flips
from concord.ui.screens.agreement.compare_pick import pick_target
from concord.ui.widgets import TO_JUDGES, empty, finding, select

PROMPT_DIFFERENCE_LOOK = ASSETS / "compare.css"


def difference(store: Store, flipped: Flips, item_id: int) -> None:
    """Show how two requests for an answer differ: settings first, then the messages."""
    st.subheader(say("Differences in the request"), anchor=False)
    sides = [
        variant_prompts.sent(store, variant, item_id) for variant in (flipped.first, flipped.second)
    ]
    heads = (flipped.first.label, flipped.second.label)
    unknown = [
        said("{variant}: {why}.", variant=label, why=sent.why_none)
        for label, sent in zip(heads, sides, strict=True)
        if sent.why_none
    ]
    for sentence in unknown:
        st.info(plain(sentence), icon=":material/help:")
    if unknown:
        return
    show_table(variant_prompts.settings(*sides), "prompts", in_full=True)
    diff = variant_prompts.prompt_diff(*sides)
    if diff:
        st.html(PROMPT_DIFFERENCE_LOOK)
        st.html(_html(diff, *map(word, heads)))
    else:
        st.write(say("The messages are identical."))
    st.caption(
        say(
            "The messages for this answer, as stored. Identical parts are omitted."
            if all(sent.kept for sent in sides)
            else "The messages for this answer, as a run sends them. Identical parts are omitted."
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
        same = say("{n:,} identical lines", n=int(line.text))
        return f'<div class="skipped">{escape(same)}</div>'
    words = "".join(
        f"<mark>{escape(text)}</mark>" if changed else escape(text) for text, changed in line.parts
    )
    sign = {"out": "−", "in": "+"}.get(line.kind, " ")
    return f'<div class="{line.kind}"><span>{sign}</span>{words or " "}</div>'


LIST = 330  # pixels, so that the difference of the chosen row is in sight below it


def what_flips(store: Store, found: ComparedSheet, kind: str, title: DeltaGenerator) -> None:
    """Show the whole view, its finding at `title`."""
    names = {variant.label: variant.label for variant in found.variants.every}
    if len(names) < 2:
        empty(
            said("There is only one variant"),
            said("Run a second prompt, model or scale on this sheet to see which answers flip."),
            *TO_JUDGES,
        )
        return
    with st.container(horizontal=True):
        first = select(said("From"), "first", names, next(iter(names)))
        rest = {label: label for label in names if label != first}
        second = select(said("To"), "second", rest, next(iter(rest)))
        target = pick_target(found, [first, second])
    flipped = flips(found, first, second, target, kind)
    if flipped is None:
        with title:
            finding(
                said(
                    "{first} and {second} do not both grade {target}",
                    first=first,
                    second=second,
                    target=target,
                )
            )
        return
    shown = document(flipped)
    with title:
        render.head(shown)
    render.body(shown, f"flips-{first}-{second}", in_full=True)
    if not flipped.flips:
        for item_id in found.annotators.items.loc[found.annotators.open, "id"].head(1):
            difference(store, flipped, int(item_id))
        return
    item_id = _list(flipped)
    difference(store, flipped, item_id)
    _answer(store, found, flipped, item_id)


def _list(flipped: Flips) -> int:
    """The flips, worst first; the one that is marked, the first to begin with."""
    st.subheader(say("Answers that flip, worst first"), anchor=False)
    row = render.picked_row(
        render.translated_rows(render.rows_of(table(flipped))),
        f"flips.{flipped.first.label}.{flipped.second.label}.{flipped.target}",
        said("Table: answers that flip, worst first"),
        height=LIST,
    )
    ids = [flip.item_id for flip in flipped.flips]
    named = recall("item")
    item_id = next((i for i in ids if str(i) == named), ids[0]) if row is None else ids[row]
    remember(item=item_id)
    st.caption(say("Select a row to see its answer, all graders' reasons and the prompts."))
    return item_id


def _answer(store: Store, found: ComparedSheet, flipped: Flips, item_id: int) -> None:
    """Show an answer with both variants' and the annotators' grades; record that it was opened."""
    person = looker(store)
    if not agreed(store, person):
        return
    grades.open_item(store, item_id, person.id if person else None)
    st.html(LOOK)
    st.subheader(say("The answer"), anchor=False)
    for one in both_answer_grades(store, flipped, found.annotators, [item_id]):
        cell_answers.answer(one, flipped.target)
