"""Answers browser: search, filters, order and pages over all answers, kept in the URL.

An opened answer shows its texts, columns and origin, and its grades behind the blinding rules.
"""

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

import streamlit as st

from concord.definitions import digest
from concord.grading import sheet_progress
from concord.language.grade_statuses import status_words
from concord.messages import Numeral, capital, counted, day, joined, minute, said, spoken
from concord.metrics import title
from concord.model import Sheet
from concord.reports.metrics.metric_records import Record
from concord.reports.panel import sheet_grading
from concord.reports.panel.provenance import named
from concord.reports.reliability import answer_scores
from concord.reports.units import answer_values
from concord.reports.units.evidence import Part, segments
from concord.sampling import splits
from concord.store import answer_record, answer_search, grades, items
from concord.store.answer_record import Adjudicated, Corrected, GivenGrade, SourceFile
from concord.store.answer_search import (
    COLUMN,
    FILE,
    GRADED,
    LENGTH,
    MODEL,
    QUESTION,
    Answer,
    AnswerFilter,
    as_text,
)
from concord.store.database import Store
from concord.store.items import Stored
from concord.text.display import visible
from concord.text.marked_passages import Passage, span
from concord.ui.caching import kept
from concord.ui.frame import recall, recall_several, remember
from concord.ui.language import called, plain, say, word
from concord.ui.looker import agreed, leads, looker
from concord.ui.markup import LOOK, cause_of, comparison, grade_cell, table
from concord.ui.render import picked_row, translated_rows
from concord.ui.widgets import empty, select, url_toggle

_FOLDED = 600  # characters from which a context is folded
TEXTS_LOOK = """<style>
.concord-item details summary { cursor: pointer; }
.concord-item mark { background: color-mix(in srgb, #0072b2 24%, transparent); color: inherit;
  box-shadow: inset 0 -2px #0072b2; }
:is(.concord-item, .concord-comparison) .meta {
  opacity: .65; font-size: .875rem; font-weight: 400; }
</style>"""


class Mark(NamedTuple):
    """A passage that is highlighted, and the title that says whose evidence it is."""

    passage: Passage
    title: str


class _Text(NamedTuple):
    """A text with its part and number as in `Passage`; a `source` where it may be folded."""

    name: str
    text: str
    part: str
    number: int = 1
    source: str | None = None


def texts(stored: Stored, marked: Sequence[Mark] = ()) -> Iterable[str]:
    """Yield the texts of an answer, each under its name, for a `dl` of the class `concord-item`.

    Passages are highlighted; one of which only the words are known where they occur first.
    """
    left = list(marked)
    for one in _texts(stored):
        here = {mark: found for mark in left if (found := _span(mark.passage, one))}
        left = [mark for mark in left if mark not in here]
        text = _highlighted(one.text, here)
        if one.source is None:
            yield _under(one.name, text)
        else:
            yield _folded(one.name, text, len(one.text), one.source, bool(here))
    for name, value in stored.item.metadata.items():
        text = as_text(value)
        if len(text) > _FOLDED:
            yield _folded(name, escape(visible(text)), len(text))
        else:
            yield part(name, text)


def _texts(stored: Stored) -> Iterable[_Text]:
    """Yield the texts in the order in which they are shown."""
    item = stored.item
    yield _Text(say("Question"), item.question, "question")
    if item.turns:
        yield _Text(say("Earlier turns"), item.conversation, "turns")
    by = say("Answer by {model}", model=item.answer_model) if item.answer_model else say("Answer")
    yield _Text(by, item.answer, "answer")
    number = 0
    for one in item.contexts:
        number += bool(one.text.strip())  # annotators do not see the others
        source = " · ".join(dict.fromkeys(name for name in (one.doc_id, one.id) if name))
        yield _Text(say("Context {rank}", rank=one.rank), one.text, "context", number, source)
    for at, text in enumerate(item.reference, 1):
        yield _Text(say("Reference answer"), text, "reference", at)
    for at, text in enumerate(item.reference_contexts, 1):
        yield _Text(say("Reference context"), text, "document", at, "")


def _span(passage: Passage, one: _Text) -> tuple[int, int] | None:
    is_here = (one.part, one.number) == (passage.part, passage.number)
    return span(passage, one.text) if is_here or not passage.part else None


def _highlighted(text: str, here: dict[Mark, tuple[int, int]]) -> str:
    """Return a text as safe HTML with passages highlighted, each with its titles."""
    titles = [mark.title for mark in here]
    spans = tuple((*found, at) for at, found in enumerate(here.values()))
    pieces = segments(Part("", text, spans))
    return "".join(_piece(one["text"], [titles[at] for at in one["units"]]) for one in pieces)


def _piece(text: str, titles: list[str]) -> str:
    shown, title = escape(text), escape("; ".join(dict.fromkeys(titles)))
    return f'<mark title="{title}">{shown}</mark>' if titles else shown


def part(name: str, text: str) -> str:
    """A text under its name."""
    return _under(name, escape(visible(text)))


def _under(name: str, shown: str) -> str:
    shown = shown or f"<i>{escape(say('(empty)'))}</i>"
    return f"<dt>{escape(name)}</dt><dd>{shown}</dd>"


def _folded(name: str, shown: str, length: int, source: str = "", is_open: bool = False) -> str:
    """Safe HTML with the length of its text, folded where it is long and not opened."""
    characters = say("{n:,} characters", n=length)
    head = escape(" · ".join(part for part in (source, characters) if part))
    if length <= _FOLDED:
        return f'<dt>{escape(name)}</dt><dd><span class="meta">{head}</span>\n{shown}</dd>'
    opened = " open" if is_open else ""
    fold = f'<details{opened}><summary class="meta">{head}</summary>{shown}</details>'
    return f"<dt>{escape(name)}</dt><dd>{fold}</dd>"


PAGE = 50  # answers
ANY, EMPTY, DOWN = "*", "", "-"
MOST_VALUES = 200  # of a column, in the list to choose from
MOST_COLUMNS = 4  # of the file: no more have room beside the texts
_KEYS = (
    "words",
    "answer_model",
    "graded",
    "annotator",
    "column",
    "value",
    "order",
    "page",
    "scores",
    "criteria",
)
_GRADED = dict(
    zip(
        GRADED,
        (
            said("Graded by annotators"),
            said("Not graded by annotators"),
            said("Graded by a judge"),
            said("Not graded by a judge"),
            said("Gold items"),
        ),
        strict=True,
    )
)
_LOOK = """<style>
.st-key-browse-filters > * { flex: 1 1 8rem; min-width: 8rem; }
.st-key-browse-filters > :first-child { flex: 3 1 12rem; }
</style>"""


def browse(store: Store, sheet: Sheet) -> None:
    """The answers that pass the filters, a page at a time, and the opened one in full."""
    st.html(_LOOK)
    columns = _columns(store, sheet)
    wanted = _pick(store, sheet, columns)
    page = _first_page(sheet, wanted)
    found = _page_of_answers(store, sheet, wanted, page)
    pages = items.pages(found.total, PAGE)
    if page > pages:  # a link from before the sheet or the filters changed
        page = pages
        found = _page_of_answers(store, sheet, wanted, page)
    _summary(sheet, wanted, found.total)
    if wanted.graded == answer_search.ANNOTATED:
        # Say why other screens count fewer answers as graded.
        notes = sheet_grading.not_counted(sheet_progress.graded(store, sheet.id))
        if notes:
            st.caption(say("{sentence}.", sentence=capital(joined(", ", notes))))
    if found.answers:
        scores = listed_scores(store, sheet, wanted.annotator, found.answers)
        _table(sheet, wanted, page, found.answers, columns, scores)
    if pages > 1:
        key = f"browse.page.{sheet.id}.{_token(wanted)}.{pages}"
        chosen = st.pagination(pages, default=page, key=key)
        if chosen != page:
            remember(page=chosen)
            st.rerun()
    _opened(store, sheet, [one.id for one in found.answers], wanted.annotator)


def _pick(store: Store, sheet: Sheet, columns: tuple[str, ...]) -> AnswerFilter:
    """Search, filters and order, in one row."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="browse-filters"):
        words = st.text_input(
            say("Search"),
            recall("words") or "",
            max_chars=answer_search.MOST_LETTERS,
            placeholder=say("question, answer or id"),
            icon=":material/search:",
            key=f"browse.words.{sheet.id}",
        ).strip()
        remember(words=words or None)
        model = ANY
        if len(sheet.answer_models) > 1:
            names = {ANY: said("All models"), **{one: one for one in sheet.answer_models}}
            model = select(said("Answering model"), "answer_model", names, ANY, ANY)
        graded = select(said("Grades"), "graded", {ANY: said("Any"), **_GRADED}, ANY, ANY)
        annotator = _pick_annotator(store, sheet)
        where = _pick_value(store, sheet, columns) if columns else ()
        order, descending = _pick_order(columns)
    return AnswerFilter(
        words,
        "" if model == ANY else model,
        "" if graded == ANY else graded,
        where,
        order,
        descending,
        annotator,
    )


def _pick_annotator(store: Store, sheet: Sheet) -> str:
    """An annotator who graded the answers; '' for any, and where there are none to choose from."""
    names = sheet_progress.annotators(store, sheet.id)
    if not names:
        return ""
    options = {ANY: said("Any"), **{f".{one}": one for one in names}}
    chosen = select(said("Annotator"), "annotator", options, ANY, ANY)
    return "" if chosen == ANY else chosen.removeprefix(".")


def _pick_value(
    store: Store, sheet: Sheet, columns: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """A column of the file and the value it must have."""
    names = {ANY: said("Any"), **{f".{one}": one for one in columns}}
    column = select(said("Column of the file"), "column", names, ANY, ANY).removeprefix(".")
    if column == ANY:
        remember(value=None)
        return ()
    options = {ANY: said("All values")}
    for one in _values(store, sheet, column):
        text = one.text if len(one.text) < 60 else f"{one.text[:59]}…"
        shown = said("{value} ({n:,})", value=text or said("(empty)"), n=one.answers)
        options[f".{one.text}"] = shown
    asked = recall("value") or ANY
    if asked.startswith(".") and asked not in options:  # beyond those in the list
        options[asked] = asked.removeprefix(".")
    value = select(said("Value"), "value", options, ANY, ANY)
    return () if value == ANY else ((column, value.removeprefix(".")),)


def _pick_order(columns: tuple[str, ...]) -> tuple[str, bool]:
    """The order, and whether it is descending."""
    orders = {FILE: said("File order"), QUESTION: said("Question")}
    orders |= {MODEL: said("Answering model"), LENGTH: said("Length, shortest first")}
    orders |= {f"{DOWN}{LENGTH}": said("Length, longest first")}
    for one in columns:
        orders[f"{COLUMN}{one}"] = said("{column}, ascending", column=one)
        orders[f"{DOWN}{COLUMN}{one}"] = said("{column}, descending", column=one)
    chosen = select(said("Sort by"), "order", orders, FILE, FILE)
    return chosen.removeprefix(DOWN), chosen.startswith(DOWN)


def _first_page(sheet: Sheet, wanted: AnswerFilter) -> int:
    """Return the page in the URL; the first one once search, filters or order changed."""
    token, key = _token(wanted), f"browse.wanted.{sheet.id}"
    changed = st.session_state.get(key, token) != token
    st.session_state[key] = token
    asked = recall("page") or ""
    if changed:  # the opened answer need not be among those found now
        remember(item=None)
    if changed or not asked.isdecimal():
        remember(page=None)
        return 1
    return max(1, int(asked[:9]))


def _summary(sheet: Sheet, wanted: AnswerFilter, total: int) -> None:
    """Show how many answers pass, and the way back to all of them."""
    if not (wanted.search or wanted.model or wanted.graded or wanted.annotator or wanted.where):
        return
    if not total:
        empty(
            say("No answer matches"),
            said(
                "The search finds answers that contain the text as typed, in upper or lower case "
                "(a-z). Try fewer filters."
            ),
        )
    with st.container(horizontal=True, vertical_alignment="center"):
        if total:
            st.markdown(say("**{n:,}** of {all:,} answers", n=total, all=sheet.items))
        st.button(
            say("Clear search and filters"),
            icon=":material/filter_alt_off:",
            type="tertiary",
            key="browse.clear",
            on_click=_clear,
        )


def _clear() -> None:
    """Set every filter to its first choice: a browser keeps showing what is only forgotten here."""
    for key in _KEYS:
        st.query_params.pop(key, None)
    for key in [*map(str, st.session_state)]:
        if key.startswith("browse.words."):
            st.session_state[key] = ""
        elif key.startswith(tuple(f"pick.{one}." for one in _KEYS)):
            st.session_state[key] = FILE if key.startswith("pick.order.") else ANY


def _table(
    sheet: Sheet,
    wanted: AnswerFilter,
    page: int,
    answers: tuple[Answer, ...],
    columns: tuple[str, ...],
    scores: dict[int, dict[str, str]],
) -> None:
    """The answers of a page; a row opens its answer."""
    asked = [column for column, _ in wanted.where]
    if wanted.order.startswith(COLUMN):
        asked.append(wanted.order.removeprefix(COLUMN))
    own = [*dict.fromkeys([*asked, *columns])][:MOST_COLUMNS]
    key = f"browse.answers.{sheet.id}.{_token(wanted)}.{page}"
    frame = translated_rows(
        _line(one, own, len(sheet.answer_models) > 1, scores) for one in answers
    )
    row = picked_row(
        frame,
        key,
        said("Page {number} of the answers of {name}", number=page, name=sheet.name),
        column_config={say("characters"): st.column_config.NumberColumn(format="localized")},
    )
    _follow(key, row, answers)


def _follow(key: str, row: int | None, answers: tuple[Answer, ...]) -> None:
    """Open the answer of a row selected just now; close it where the row was deselected."""
    before = st.session_state.get("browse.selected")
    st.session_state["browse.selected"] = (key, row)
    if before == (key, row):
        return
    if row is not None and row < len(answers):
        remember(item=answers[row].id)
    elif before and before[0] == key:
        remember(item=None)


def _opened(store: Store, sheet: Sheet, ids: list[int], annotator: str) -> None:
    """The answer that the URL names, with the ways to its neighbours."""
    asked = recall("item") or ""
    if not asked.isdecimal():
        return
    stored = next(iter(items.items(store, [int(asked[:18])])), None)
    if stored is None or stored.sheet_id != sheet.id:
        st.info(say("The answer in this link is not in {sheet}.", sheet=plain(sheet.name)))
        return
    with st.container(border=True):
        _walk(stored.id, ids)
        show(store, sheet, stored, annotator)


def _walk(item_id: int, ids: list[int]) -> None:
    at = ids.index(item_id) if item_id in ids else None
    before = ids[at - 1] if at else None
    after = ids[at + 1] if at is not None and at + 1 < len(ids) else None
    outside = None if item_id in ids else say("This answer is not on this page of the list.")
    with st.container(horizontal=True):
        for label, icon, other, end in (
            (
                say("Previous answer"),
                "arrow_upward",
                before,
                say("This is the first answer on this page."),
            ),
            (
                say("Next answer"),
                "arrow_downward",
                after,
                say("This is the last answer on this page."),
            ),
        ):
            st.button(
                label,
                icon=f":material/{icon}:",
                disabled=other is None,
                help=(outside or end) if other is None else None,
                key=f"browse.{icon}",
                on_click=remember,
                kwargs={"item": other},
            )
        st.button(
            say("Close"),
            icon=":material/close:",
            key="browse.close",
            on_click=remember,
            kwargs={"item": None},
        )


def _line(one: Answer, own: list[str], with_model: bool, scores: dict[int, dict[str, str]]) -> dict:
    line = {said("question"): one.question}
    if with_model:
        line |= {said("answering model"): one.answer_model}
    line |= {said("answer"): one.answer}
    line |= {said("characters"): one.length, said("contexts"): one.contexts}
    taken = {"item", *(str(head) for head in line)}

    def free(name: str) -> str:
        return f"{name} " if name in taken else name

    given = scores.get(one.id, {})
    criteria = dict.fromkeys(name for cells in scores.values() for name in cells)
    scored = {free(spoken(name)): given.get(name, "") for name in criteria}
    taken |= {*scored}
    line = {said("item"): one.name, **scored, **line}
    for column in own:
        line[free(column)] = one.columns.get(column, "")
    return line


def _token(wanted: AnswerFilter) -> str:
    return digest(wanted._asdict())


@kept(said("Reading the columns of the file…"), 8)
def _columns(store: Store, sheet: Sheet) -> tuple[str, ...]:
    return answer_search.columns(store, sheet.id)


@kept(said("Reading the values of the column…"))
def _values(store: Store, sheet: Sheet, column: str) -> tuple[answer_search.ColumnValue, ...]:
    return answer_search.values(store, sheet.id, column, MOST_VALUES)


@kept(said("Searching the answers…"))
def _page_of_answers(
    store: Store, sheet: Sheet, wanted: AnswerFilter, page: int
) -> answer_search.AnswerPage:
    return answer_search.find(store, sheet.id, wanted, PAGE, PAGE * (page - 1))


def listed_scores(
    store: Store, sheet: Sheet, annotator: str, answers: Sequence[Answer]
) -> dict[int, dict[str, str]]:
    """Return a cell by answer and criterion, where a lead asks for them.

    The criteria that a link names come first. Whoever still has to grade an answer grades it blind:
    it has no cells, and nor has one whose question is held out; judges' scores that are shown are
    recorded as seen.
    """
    if not leads(store):
        return {}
    shown = url_toggle(
        say("Scores"),
        "scores",
        key=f"browse.scores.{annotator}",
        help=say("Annotators who still have to grade these answers are then no longer blind."),
    )
    if not shown:
        return {}
    person = looker(store)
    closed = splits.held_out(store, sheet.id) | splits.leaked(store, sheet.id)
    open_ids = []
    for one in items.items(store, [one.id for one in answers]):
        waiting = answer_record.waiting(store, one.id)
        hidden = person.name in waiting.annotators if person else not store.who and bool(waiting)
        if not hidden and one.question_id not in closed:
            open_ids.append(one.id)
    grades.open_items(store, open_ids, person and person.id)  # before anything is shown
    st.caption(say("Scores of annotators | of judges. Open an answer to see whose they are."))
    found = answer_scores.read(store, open_ids, annotator)
    first = recall_several("criteria")  # in a narrow window not all criteria have room
    return {
        one: dict(sorted(cells.items(), key=lambda cell: cell[0] not in first))
        for one, cells in found.items()
    }


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


def _metric_table(values: list[Record]) -> str:
    rows = [
        (
            f"{word(title(one.metric))}\n{one.judge}",
            "–" if one.value is None else word(Numeral(f"{one.value:.3f}")),
            word(status_words(one.status)),
            word(one.reason),
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
