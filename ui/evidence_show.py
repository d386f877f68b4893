"""One answer's evidence on screen: its numbers, its units beside the texts, and its list."""

from html import escape

import streamlit as st

from data import contents, grades, roles
from data.counted import counted
from data.graders import Grader
from data.sheets import Sheet
from data.store import Store
from metrics.frame.kinds import KINDS
from problems import Problem
from reports import evidence, unrelated_texts
from reports.evidence import Evidence, Number
from reports.measured import short
from reports.measures import reading as read_as
from rubrics.model import Rubric
from ui.beside import LOOK
from ui.evidence_edit import edit
from ui.evidence_pane import pane
from ui.markdown import plain
from ui.measures import unrelated


def show(store: Store, sheet: Sheet, item_id: int, rubric: Rubric | None, who: Grader | None):
    """The answer with all that was said of it; that it was opened is noted first."""
    try:
        stored = contents.item(store, item_id)
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    if stored.question_id in roles.leaked(store, sheet.id) | roles.sealed(store, sheet.id):
        st.info("This answer's question is sealed or an example: nobody reads it beside a judge.")
        return
    grades.open_item(store, item_id, who.id if who else None)
    st.html(LOOK)
    item = stored.item
    by = f" · {plain(item.answer_model)}" if item.answer_model else ""
    st.markdown(f"**{plain(item.question)}**{by}")
    name = rubric.name if rubric else ""
    found = evidence.numbers(store, item_id, name)
    _numbers(store, sheet, [one for one in found if evidence.rests_on(one.record.measure, name)])
    if rubric:
        whole = evidence.read(store, item_id, rubric)
        pane(whole, rubric.plural)
        _left_out(whole, rubric)
        if whole.cut:
            edit(store, whole.cut, rubric.plural, who)
    _lists(store, item_id, rubric.units if rubric else "", who)
    rest = [one for one in found if not evidence.rests_on(one.record.measure, name)]
    if rest:
        with st.expander(f"Other numbers of this answer ({len(rest)})", expanded=not rubric):
            _numbers(store, sheet, rest)
    if not rubric:
        with st.expander("The answer"):
            st.text(item.answer or "(empty)")


def _lists(store: Store, item_id: int, besides: str, who: Grader | None) -> None:
    """The other lists that measures rest on, such as entities, one at a time."""
    lists = {one.kind: one for one in evidence.other_lists(store, item_id, besides)}
    if not lists:
        return
    chosen = st.pills(
        "Other lists of this answer",
        list(lists),
        format_func=lambda kind: f"{KINDS[kind].plural} ({len(lists[kind].units)})",
        key=f"evidence.other.{besides}",
    )
    if chosen:
        edit(store, lists[chosen], KINDS[chosen].plural, who, is_open=True)


def _left_out(found: Evidence, rubric: Rubric) -> None:
    said = []
    if found.gone:
        said.append(
            f"{counted(found.gone, 'verdict')} on {rubric.plural} that are no longer in the list: "
            "kept, and counted nowhere."
        )
    if found.unplaced:
        stand = "stands" if found.unplaced == 1 else "stand"
        quotes = counted(found.unplaced, "quote")
        said.append(f"{quotes} {stand} in none of these texts word for word.")
    if said:
        st.caption(" ".join(said))


def _above(store: Store, sheet: Sheet, one: Number) -> float | None:
    """The share of unrelated texts that are less alike than a likeness; None for other measures."""
    record = one.record
    null = unrelated(store, sheet, record.measure, record.grader_id)
    value = unrelated_texts.likeness(record) if null else None
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
        names = ("measure", "value", "how", "by people, other readings")
        heads = "".join(f"<th>{name}</th>" for name in names)
        st.html(
            '<div class="concord-beside"><div class="scroll numbers"><table><thead><tr>'
            f"{heads}</tr></thead>{rows}</table></div></div>"
        )
        for judge in dict.fromkeys(one.record.judge for one in found if one.is_stale):
            st.page_link(
                "pages/judges.py",
                label=plain(f"Run {judges[judge]} again"),
                icon=":material/play_arrow:",
                query_params={"judge": judge.partition("@")[0], "sheet": sheet.name},
            )


def _row(one: Number, judge: str, above: float | None) -> str:
    record = one.record
    value = "–" if record.value is None else f"{record.value:.3f}"
    about = [record.reason] if record.reason else []
    if record.value is None:
        about.insert(0, f"{record.status.replace('_', ' ')}.")
    if record.flags:
        about.append(f"Flags: {', '.join(record.flags).replace('_', ' ')}.")
    if one.is_stale:
        about.append("A list it rests on was edited since: run the judge again.")
    reading = read_as(record.switches)
    said = f"<p>{escape(reading)}</p>" if reading else ""
    if above is not None:
        what = unrelated_texts.HELD[record.measure][0]
        about.append(f"More alike than {100 * above:.0f}% of unrelated {what}s of this sheet.")
    people = [f"by {name}: {value:.3f}" for name, value in one.by_people.items()]
    others = "<br>".join(escape(other) for other in people + _others(one))
    return (
        f"<tr><th>{escape(one.title)}<p>{escape(judge)}</p></th><td><b>{value}</b>{said}</td>"
        f"<td><p>{escape(' '.join(about))}</p></td><td>{others}</td></tr>"
    )


def _others(one: Number) -> list[str]:
    """What each other choice gives, or that it changes nothing."""
    said, same = [], []
    for (switch, choice), (value, asked) in one.others.items():
        if asked and value == one.record.value:
            same.append(choice)
        else:
            none = "no number" if asked else "not asked yet"
            found = none if value is None else f"{value:.3f}"
            said.append(f"{switch.replace('_', ' ')} {choice}: {found}")
    return said + ([f"the same: {', '.join(same)}"] if same else [])
