"""Answers browser: search, filters, order and pages over all answers, kept in the URL."""

from dataclasses import asdict

import streamlit as st

from concord.definitions import digest
from concord.grading import sheet_progress
from concord.messages import Said, capital, joined, said, spoken
from concord.model import Sheet
from concord.reports.panel import sheet_grading
from concord.store import items
from concord.store.answers import answer_search
from concord.store.answers.answer_search import (
    COLUMN,
    FILE,
    GRADED,
    LENGTH,
    MODEL,
    QUESTION,
    Answer,
    AnswerFilter,
)
from concord.store.database import Store
from concord.ui.caching import kept
from concord.ui.frame import recall, remember
from concord.ui.language import plain, say
from concord.ui.render import picked_row, translated_rows
from concord.ui.screens.data.browsed_answer import show
from concord.ui.screens.data.listed_scores import listed_scores
from concord.ui.widgets import empty, select

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
        _in_no_figure(store, sheet)
    if found.answers:
        scores = listed_scores(
            store, sheet.name, wanted.annotator, [one.id for one in found.answers]
        )
        _table(sheet, wanted, page, found.answers, columns, scores)
    if pages > 1:
        _turn(sheet, wanted, page, pages)
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


def _in_no_figure(store: Store, sheet: Sheet) -> None:
    """Say why other screens count fewer answers as graded."""
    notes = sheet_grading.not_counted(sheet_progress.graded(store, sheet.id))
    if notes:
        st.caption(say("{sentence}.", sentence=capital(joined(", ", notes))))


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
    scores: dict[int, dict[str, Said]],
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
    question = say("question")
    scored = frame.columns[1 : frame.columns.get_loc(question)]
    row = picked_row(
        frame,
        key,
        said("Page {number} of the answers of {name}", number=page, name=sheet.name),
        first=[*scored[:1], question, *scored[1:], say("answer"), *asked],
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


def _turn(sheet: Sheet, wanted: AnswerFilter, page: int, pages: int) -> None:
    key = f"browse.page.{sheet.id}.{_token(wanted)}.{pages}"
    chosen = st.pagination(pages, default=page, key=key)
    if chosen != page:
        remember(page=chosen)
        st.rerun()


def _opened(store: Store, sheet: Sheet, ids: list[int], annotator: str) -> None:
    """The answer that the URL names, with the ways to its neighbours."""
    asked = recall("item") or ""
    if not asked.isdecimal():
        if ids:
            st.caption(say("Select a row to read it in full."))
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


def _line(
    one: Answer, own: list[str], with_model: bool, scores: dict[int, dict[str, Said]]
) -> dict:
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
    return digest(asdict(wanted))


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
