"""An opened answer: its texts, columns and origin, and its grades behind the blinding rules."""

from collections.abc import Iterable
from html import escape

import streamlit as st

from concord.language.grade_statuses import status_words
from concord.messages import Numeral, counted, day, joined, minute, said, spoken
from concord.model import Sheet
from concord.reports.panel.simulated import named
from concord.reports.units import answer_values
from concord.reports.units.answer_values import AnswerValue
from concord.sampling import splits
from concord.store import grades
from concord.store.answers import answer_record
from concord.store.answers.answer_record import Adjudicated, Corrected, GivenGrade, SourceFile
from concord.store.database import Store
from concord.store.items import Stored
from concord.text.display import visible
from concord.ui.language import called, plain, say, word
from concord.ui.looker import agreed, looker
from concord.ui.markup import LOOK, cause_of, comparison, grade_cell, table
from concord.ui.screens.data.answer_texts import TEXTS_LOOK, Mark, part, texts

_KINDS = {"person": said("annotator"), "judge": said("judge"), "metric": said("metric")}
_TRIGGERS = {
    "people": said("annotators differed"),
    "draw": said("random sample"),
    "judge": said("disagreement with a judge"),
    "practice": said("training round"),
}


def show(store: Store, sheet: Sheet, stored: Stored, annotator: str = "") -> None:
    """Show everything known about an answer; opened judges' grades are recorded as seen.

    The grades of `annotator` come first and are highlighted.
    """
    st.html(TEXTS_LOOK)
    above = st.container()
    st.subheader(say("Grades"), anchor=False)
    marked = _grades(store, sheet, stored, annotator) if _may_show(store, sheet, stored) else ()
    above.html(f'<dl class="concord-item">{"".join(texts(stored, marked))}</dl>')
    with st.expander(say("Origin")):
        st.html(f'<dl class="concord-item">{"".join(_origin(store, stored))}</dl>')


def _may_show(store: Store, sheet: Sheet, stored: Stored) -> bool:
    """True where the grades of an answer may be shown now; else it says why not."""
    if stored.question_id in splits.held_out(store, sheet.id) | splits.leaked(store, sheet.id):
        st.info(
            say(
                "This answer's question is held out or in the few-shot pool, so it cannot be shown "
                "with judges' grades."
            )
        )
        return False
    person = looker(store)
    if person and not agreed(store, person):
        return False
    waiting = answer_record.waiting(store, stored.id)
    key = f"browse.shown.{stored.id}"
    if store.who or not waiting or st.session_state.get(key):
        return True
    for_whom = joined(", ", waiting.annotators)
    ungraded = (
        said("This answer is still to be graded by {names}.", names=for_whom)
        if for_whom
        else said("This answer is in a grading set and not graded yet.")
    )
    warning = said("If you see these grades before you grade the answer, your grade is not blind.")
    st.info(
        plain(joined(" ", [ungraded, warning])),
        icon=":material/visibility_off:",
    )
    if st.button(say("Show grades"), icon=":material/visibility:", key=f"browse.show.{stored.id}"):
        st.session_state[key] = True
        st.rerun()
    return False


def _grades(store: Store, sheet: Sheet, stored: Stored, annotator: str) -> list[Mark]:
    """Show the grades of an answer; returns the passages that annotators marked."""
    given = answer_record.grades(store, stored.id)
    settled = answer_record.adjudications(store, stored.id)
    values = answer_values.read(store, stored.id)
    person = looker(store)
    if person or values or any(one.kind in ("judge", "metric") for one in given):
        with_name = person.id if person else None
        grades.open_item(store, stored.id, with_name)  # before anything is shown
    st.html(LOOK)
    if not (given or values or settled):
        st.caption(say("This answer has no grades yet."))
    if given:
        st.html(_grade_table(given, annotator))
    if values:
        st.markdown(f"**{say('Metrics')}**")
        st.html(_metric_table(values))
        st.page_link(
            "pages/review.py",
            label=say("Evidence of this answer"),
            icon=":material/find_in_page:",
            query_params={"list": "claims", "entry": f"claims.{stored.id}", "sheet": sheet.name},
        )
    if settled:
        st.markdown(f"**{say('Adjudications')}**")
        st.html(_adjudication_table(settled))
    corrected = answer_record.corrections(store, stored.id)
    if corrected:
        st.markdown(f"**{say('Corrected answers')}**")
        st.html(_correction_table(corrected))
    annotators = (one for one in given if one.kind == "person")
    return [Mark(passage, _whose(one)) for one in annotators for passage in one.marked]


def _whose(grade: GivenGrade) -> str:
    who = word(named(grade.grader, grade.simulated))
    return f"{who} · {word(spoken(grade.criterion))}"


def _grade_table(given: tuple[GivenGrade, ...], annotator: str) -> str:
    """A row per grader and repeat, those of `annotator` first; a column per criterion."""
    wordings = list(dict.fromkeys((one.criterion, one.version) for one in given))
    names = [criterion for criterion, _ in wordings]
    heads = [
        word(spoken(criterion)) + (f" ({version[:8]})" if names.count(criterion) > 1 else "")
        for criterion, version in wordings
    ]
    by_grader: dict[tuple, dict[tuple[str, str], GivenGrade]] = {}
    for one in given:
        key = (one.kind, one.grader, one.fingerprint, one.repeat)
        by_grader.setdefault(key, {})[one.criterion, one.version] = one
    own = {key for key in by_grader if key[:2] == ("person", annotator)}
    rows = (
        f'<tr class="{"chosen" if not own or key in own else ""}">'
        + f"<th>{_grader(list(by_grader[key].values()))}</th>"
        + "".join(_graded(by_grader[key].get(wording)) for wording in wordings)
        + "</tr>"
        for key in sorted(by_grader, key=lambda key: key not in own)
    )
    return comparison(table(say("Grades"), (say("Grader"), *heads), rows))


def _graded(one: GivenGrade | None) -> str:
    return grade_cell(one, marked=one.marked if one else ())


def _grader(grades: list[GivenGrade]) -> str:
    one = grades[0]
    parts = [say(_KINDS[one.kind]), word(day(one.created_at))]
    if one.repeat > 1:
        parts.append(say("repeat {n}", n=one.repeat))
    if one.kind == "person" and one.blind is False:
        parts.append(say("not blind"))
    read = dict.fromkeys(grade.rubric_language for grade in grades if grade.rubric_language)
    parts += (say("rubric in {language}", language=called(code)) for code in read)
    name = word(named(one.grader, one.simulated))
    whole = " · ".join(f"<span>{escape(part)}</span>" for part in parts)
    meta = f'<small class="meta">{whole}</small>'
    return f"{escape(name)}<br>{meta}"


def _metric_table(values: list[AnswerValue]) -> str:
    rows = [
        (
            f"{word(one.title)}\n{one.record.judge}",
            "–" if one.record.value is None else word(Numeral(f"{one.record.value:.3f}")),
            word(status_words(one.record.status)),
            word(one.derivation),
        )
        for one in values
    ]
    return _rows(say("Metrics"), (say("Metric"), say("Value"), say("Status"), say("How")), rows)


def _adjudication_table(settled: tuple[Adjudicated, ...]) -> str:
    rows = [
        (
            word(spoken(one.criterion)),
            "–" if one.score is None else word(Numeral(f"{one.score:g}")),
            cause_of(one.cause),
            visible(one.note),
            word(_TRIGGERS.get(one.triggered_by, one.triggered_by)),
            f"{one.who} {word(day(one.created_at))}".strip(),
        )
        for one in settled
    ]
    heads = (
        say("Criterion"),
        say("Score"),
        say("Cause"),
        say("Note"),
        say("Adjudicated because"),
        say("By"),
    )
    return _rows(say("Adjudications"), heads, rows)


def _correction_table(corrected: tuple[Corrected, ...]) -> str:
    rows = [(f"{one.who} {word(day(one.created_at))}", visible(one.text)) for one in corrected]
    return _rows(say("Corrected answers"), (say("By"), say("Corrected answer")), rows)


def _rows(name: str, heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    cells = ("".join(f"<td><p>{escape(cell)}</p></td>" for cell in row) for row in rows)
    return comparison(table(name, heads, (f'<tr class="chosen">{line}</tr>' for line in cells)))


def _file(one: SourceFile) -> str:
    """A file of the answer: its name, the row where it is known, and the import."""
    known = {
        "file": one.name,
        "number": one.number,
        "time": minute(one.imported_at),
        "digest": one.sha256[:16],
    }
    if one.row is None:
        return say("{file}; import {number}, {time} UTC, SHA-256 {digest}", **known)
    return say(
        "{file}, row {row:,}; import {number}, {time} UTC, SHA-256 {digest}", row=one.row, **known
    )


def _origin(store: Store, stored: Stored) -> Iterable[str]:
    item, origin = stored.item, answer_record.origin(store, stored.id)
    for one in origin.files:
        name = say("Imported from" if one.brought else "Also in")
        yield part(name, _file(one))
    known = {
        say("Item id"): item.own_id or "",
        say("Question id"): origin.question_id,
        say("Cluster"): origin.cluster,
        say("Answering model"): item.answer_model or say("not said"),
        say("Question written by"): say("a model (synthetic)") if item.synthetic else "",
        say("Split"): say(splits.CALLED[origin.split]),
        say("Grading sets"): word(joined(", ", origin.sets)),
        say("Number in the database"): str(stored.id),
        say("Length"): word(counted(len(item.answer), "character")),
    }
    yield from (part(label, text) for label, text in known.items() if text)
