"""One answer's evidence on screen: its numbers, its units beside the texts, and its list."""

from html import escape

import streamlit as st

from concord.language.grade_statuses import status_words
from concord.language.plurals import counted
from concord.messages import Said, joined, said
from concord.metrics.prompts.unit_kinds import KINDS
from concord.problems import Problem
from concord.reports.metrics import similarity_baseline
from concord.reports.metrics.metric_records import short
from concord.reports.metrics.metric_words import reason as as_kept
from concord.reports.metrics.metric_words import word as spoken
from concord.reports.metrics.metrics import reading as read_as
from concord.reports.panel.unit_words import noun
from concord.reports.units import evidence
from concord.reports.units.evidence import Evidence, Number
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.store import grades, items
from concord.store.database import Store
from concord.store.graders import Grader
from concord.store.sheets import Sheet
from concord.ui.cached_metrics import unrelated
from concord.ui.components.evidence_pane import pane
from concord.ui.language import say
from concord.ui.localized_table import word
from concord.ui.markdown import plain
from concord.ui.screens.agreement.cell_answers import LOOK
from concord.ui.screens.review.evidence_edit import edit


def show(store: Store, sheet: Sheet, item_id: int, rubric: Rubric | None, who: Grader | None):
    """The answer with all that was said of it; that it was opened is noted first."""
    try:
        stored = items.item(store, item_id)
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    if stored.question_id in splits.leaked(store, sheet.id) | splits.sealed(store, sheet.id):
        st.info(
            say("This answer's question is sealed or an example: nobody reads it beside a judge.")
        )
        return
    grades.open_item(store, item_id, who.id if who else None)
    st.html(LOOK)
    item = stored.item
    by = f" · {plain(item.answer_model)}" if item.answer_model else ""
    st.markdown(f"**{plain(item.question)}**{by}")
    name = rubric.name if rubric else ""
    found = evidence.numbers(store, item_id, name)
    _numbers(store, sheet, [one for one in found if evidence.rests_on(one.record.metric, name)])
    if rubric:
        whole = evidence.read(store, item_id, rubric)
        pane(whole, rubric.plural)
        _left_out(whole, rubric)
        if whole.cut:
            edit(store, whole.cut, noun(rubric.plural), who)
    _lists(store, item_id, rubric.units if rubric else "", who)
    rest = [one for one in found if not evidence.rests_on(one.record.metric, name)]
    if rest:
        with st.expander(
            say("Other numbers of this answer ({n})", n=len(rest)), expanded=not rubric
        ):
            _numbers(store, sheet, rest)
    if not rubric:
        with st.expander(say("The answer")):
            st.text(item.answer or say("(empty)"))


def _lists(store: Store, item_id: int, besides: str, who: Grader | None) -> None:
    """The other lists that metrics rest on, such as entities, one at a time."""
    lists = {one.kind: one for one in evidence.other_lists(store, item_id, besides)}
    if not lists:
        return
    chosen = st.pills(
        say("Other lists of this answer"),
        list(lists),
        format_func=lambda kind: say(
            "{units} ({n})", units=noun(KINDS[kind].plural), n=len(lists[kind].units)
        ),
        key=f"evidence.other.{besides}",
    )
    if chosen:
        edit(store, lists[chosen], noun(KINDS[chosen].plural), who, is_open=True)


def _left_out(found: Evidence, rubric: Rubric) -> None:
    told = []
    if found.gone:
        told.append(
            said(
                "{verdicts} on {units} that are no longer in the list: kept, and counted nowhere.",
                verdicts=counted(found.gone, "verdict"),
                units=noun(rubric.plural),
            )
        )
    if found.unplaced:
        told.append(
            said(
                "{quotes} stands in none of these texts word for word."
                if found.unplaced == 1
                else "{quotes} stand in none of these texts word for word.",
                quotes=counted(found.unplaced, "quote"),
            )
        )
    if told:
        st.caption(plain(joined(" ", told)))


def _above(store: Store, sheet: Sheet, one: Number) -> float | None:
    """The share of unrelated texts that are less alike than a likeness; None for other metrics."""
    record = one.record
    null = unrelated(store, sheet, record.metric, record.grader_id)
    value = similarity_baseline.likeness(record) if null else None
    return None if value is None else null.percentile(value)


def _numbers(store: Store, sheet: Sheet, found: list[Number]) -> None:
    """Each number with how it came about, its flags, and what other readings give."""
    if found:
        judges = short(one.record.judge for one in found)
        above = [_above(store, sheet, one) for one in found]
        rows = "".join(
            _row(one, judges[one.record.judge], share)
            for one, share in zip(found, above, strict=True)
        )
        names = say("metric"), say("value"), say("how"), say("by annotators, other readings")
        heads = "".join(f"<th>{name}</th>" for name in names)
        st.html(
            '<div class="concord-beside"><div class="scroll numbers"><table><thead><tr>'
            f"{heads}</tr></thead>{rows}</table></div></div>"
        )
        for judge in dict.fromkeys(one.record.judge for one in found if one.is_stale):
            st.page_link(
                "pages/judges.py",
                label=plain(said("Run {judge} again", judge=judges[judge])),
                icon=":material/play_arrow:",
                query_params={"judge": judge.partition("@")[0], "sheet": sheet.name},
            )


def _row(one: Number, judge: str, above: float | None) -> str:
    record = one.record
    value = "–" if record.value is None else f"{record.value:.3f}"
    reading = say(read_as(record.switches))
    chosen = f"<p>{escape(reading)}</p>" if reading else ""
    annotators = [
        said("by {name}: {value:.3f}", name=name, value=value)
        for name, value in one.by_annotators.items()
    ]
    others = "<br>".join(escape(say(other)) for other in annotators + _others(one))
    return (
        f"<tr><th>{escape(word(one.title))}<p>{escape(judge)}</p></th><td><b>{value}</b>{chosen}"
        f"</td><td><p>{escape(say(_about(one, above)))}</p></td><td>{others}</td></tr>"
    )


def _about(one: Number, above: float | None) -> Said:
    """How a number came about or why there is none, and what a reader must know beside it."""
    record = one.record
    told = [as_kept(record.reason)]
    if record.value is None:
        told.insert(0, said("{status}.", status=status_words(record.status)))
    if record.flags:
        told.append(said("Flags: {flags}.", flags=joined(", ", map(spoken, record.flags))))
    if one.is_stale:
        told.append(said("A list it rests on was edited since: run the judge again."))
    if above is not None:
        told.append(
            said(
                "More alike than {percent:.0f}% of unrelated questions of this sheet."
                if similarity_baseline.HELD[record.metric][0] == "question"
                else "More alike than {percent:.0f}% of unrelated references of this sheet.",
                percent=100 * above,
            )
        )
    return joined(" ", told)


def _others(one: Number) -> list[Said]:
    """What each other choice gives, or that it changes nothing."""
    told, same = [], []
    for (switch, choice), (value, asked) in one.others.items():
        if asked and value == one.record.value:
            same.append(spoken(choice))
            continue
        found = said("no number" if asked else "not asked yet")
        if value is not None:
            found = f"{value:.3f}"
        names = {"switch": spoken(switch), "choice": spoken(choice)}
        told.append(said("{switch} {choice}: {found}", **names, found=found))
    return told + ([said("the same: {choices}", choices=joined(", ", same))] if same else [])
