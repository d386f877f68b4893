"""Answers browser: search, filters, order and pages over all answers, kept in the URL.

An opened answer shows its texts, columns and origin, and its grades behind the blinding rules.
"""

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

import streamlit as st

from concord.definitions import digest
from concord.grading import sheet_progress
from concord.messages import capital, day, minute, spoken
from concord.metrics import title
from concord.model import Sheet, status_words
from concord.reports import lists
from concord.reports.panel import sheet_grading
from concord.reports.panel.wording import named
from concord.reports.units import evidence
from concord.reports.units.evidence import Part, segments
from concord.sampling import splits
from concord.store import answer_record, answer_search, grades, items
from concord.store.answer_record import GivenGrade
from concord.store.answer_search import (
    ANNOTATED,
    COLUMN,
    FILE,
    GOLD,
    JUDGED,
    LENGTH,
    MODEL,
    NOT_ANNOTATED,
    NOT_JUDGED,
    QUESTION,
    AnswerFilter,
)
from concord.store.database import Store
from concord.store.items import Stored
from concord.text.display import visible
from concord.text.marked_passages import Passage, span
from concord.ui.caching import kept
from concord.ui.frame import recall, recall_several, remember
from concord.ui.language import word
from concord.ui.looker import agreed, leads, looker
from concord.ui.markup import LOOK, cause_of, comparison, grade_cell, table
from concord.ui.render import picked_row, table_of, translated_rows
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


def texts(stored: Stored, marked: Sequence[Mark] = ()) -> Iterable[str]:
    """Yield the texts of an answer, each under its name, for a `dl` of the class `concord-item`.

    Passages are highlighted; one of which only the words are known where they occur first.
    """
    item, left = stored.item, list(marked)

    def of(name: str, text: str, part: str, number: int = 1, source: str | None = None) -> str:
        """A text with its part and number as in `Passage`; with a `source` it may be folded."""
        spans = {}
        for mark in [*left]:
            here = (part, number) == (mark.passage.part, mark.passage.number)
            if found := span(mark.passage, text) if here or not mark.passage.part else None:
                left.remove(mark)
                spans[mark] = found
        cut = tuple((*ends, at) for at, ends in enumerate(spans.values()))
        shown, titles = "", [mark.title for mark in spans]
        for piece in segments(Part("", text, cut)):
            whose = escape("; ".join(dict.fromkeys(titles[at] for at in piece["units"])))
            words = escape(piece["text"])
            shown += f'<mark title="{whose}">{words}</mark>' if whose else words
        if source is None:
            return _under(name, shown)
        return _folded(name, shown, len(text), source, bool(spans))

    yield of("Question", item.question, "question")
    if item.turns:
        yield of("Earlier turns", item.conversation, "turns")
    by = f"Answer: {item.answer_model}" if item.answer_model else "Answer"
    yield of(by, item.answer, "answer")
    number = 0
    for one in item.contexts:
        number += bool(one.text.strip())  # annotators do not see the others
        source = " · ".join(dict.fromkeys(name for name in (one.doc_id, one.id) if name))
        yield of(f"Context {one.rank}", one.text, "context", number, source)
    for at, text in enumerate(item.reference, 1):
        yield of("Reference answer", text, "reference", at)
    for at, text in enumerate(item.reference_contexts, 1):
        yield of("Reference context", text, "document", at, "")
    for name, value in item.metadata.items():
        text = answer_search.as_text(value)
        shown = escape(visible(text))
        yield _folded(name, shown, len(text)) if len(text) > _FOLDED else _under(name, shown)


def _under(name: str, shown: str) -> str:
    return f"<dt>{escape(name)}</dt><dd>{shown or '<i>(empty)</i>'}</dd>"


def _folded(name: str, shown: str, length: int, source: str = "", is_open: bool = False) -> str:
    """Safe HTML with the length of its text, folded where it is long and not opened."""
    head = escape(" · ".join(filter(None, (source, f"{length:,} characters"))))
    if length <= _FOLDED:
        return _under(name, f'<span class="meta">{head}</span>\n{shown}')
    fold = f'<details{" open" * is_open}><summary class="meta">{head}</summary>{shown}</details>'
    return _under(name, fold)


PAGE = 50  # answers
ANY, DOWN = "*", "-"
MOST_VALUES = 200  # of a column, in the list to choose from
MOST_COLUMNS = 2  # of the file: no more have room beside the texts
_FILTERS = "answer_model", "graded", "annotator", "column", "value"
_GRADED = {
    ANNOTATED: "Graded by annotators",
    NOT_ANNOTATED: "Not graded by annotators",
    JUDGED: "Graded by a judge",
    NOT_JUDGED: "Not graded by a judge",
    GOLD: "Gold items",
}
_ORDERS = {
    FILE: "File order",
    QUESTION: "Question",
    MODEL: "Answering model",
    LENGTH: "Length ↑",
    f"{DOWN}{LENGTH}": "Length ↓",
}
_LOOK = """<style>
.st-key-browse-filters > * { flex: 1 1 8rem; min-width: 8rem; }
.st-key-browse-filters > :first-child { flex: 3 1 12rem; }
</style>"""


def browse(store: Store, sheet: Sheet) -> None:
    """The answers that pass the filters, a page at a time, and the opened one in full."""
    st.html(_LOOK)
    columns = _columns(store, sheet)
    wanted = _pick(store, sheet, columns)
    # The first page once search, filters or order changed; the opened answer need not be on it.
    token, asked = digest(wanted._asdict()), recall("page") or ""
    before = st.session_state.get(f"browse.wanted.{sheet.id}", token)
    st.session_state[f"browse.wanted.{sheet.id}"] = token
    if before != token:
        remember(item=None, page=None)
        asked = ""
    page = max(1, int(asked[:9])) if asked.isdecimal() else 1
    found = _page_of_answers(store, sheet, wanted, page)
    pages = items.pages(found.total, PAGE)
    if page > pages:  # a link from before the sheet or the filters changed
        page = pages
        found = _page_of_answers(store, sheet, wanted, page)
    if any(wanted._replace(order="", descending=False)):
        _summary(sheet, found.total)
    if wanted.graded == ANNOTATED:
        # Say why other screens count fewer answers as graded.
        for note in sheet_grading.not_counted(sheet_progress.graded(store, sheet.id)):
            st.caption(f"{capital(note)}.")
    if found.answers:
        _table(store, sheet, wanted, page, found.answers, columns)
    if pages > 1:
        chosen = st.pagination(pages, default=page, key=f"browse.page.{sheet.id}.{token}.{pages}")
        if chosen != page:
            remember(page=chosen)
            st.rerun()
    _opened(store, sheet, [one.id for one in found.answers], wanted.annotator)


def _pick(store: Store, sheet: Sheet, columns: tuple[str, ...]) -> AnswerFilter:
    """Search, filters and order, in one row."""

    def one_of(label: str, key: str, options: Iterable[str] | dict[str, str]) -> str | None:
        """The option chosen, kept in the URL behind a dot; None for any."""
        names = options if isinstance(options, dict) else dict(zip(options, options, strict=True))
        offered = {ANY: "Any"} | {f".{name}": text for name, text in names.items()}
        chosen = select(label, key, offered, ANY, ANY)
        return None if chosen == ANY else chosen[1:]

    with st.container(horizontal=True, vertical_alignment="bottom", key="browse-filters"):
        words = st.text_input(
            "Search",
            recall("words") or "",
            max_chars=answer_search.MOST_LETTERS,
            placeholder="question, answer or id",
            icon=":material/search:",
            key=f"browse.words.{sheet.id}",
        ).strip()
        remember(words=words or None)
        models, annotators = sheet.answer_models, sheet_progress.annotators(store, sheet.id)
        model = one_of("Answering model", "answer_model", models) if len(models) > 1 else None
        graded = one_of("Grades", "graded", _GRADED)
        annotator = one_of("Annotator", "annotator", annotators) if annotators else None
        column = one_of("Column of the file", "column", columns) if columns else None
        value = None
        if column is None:
            remember(value=None)
        else:
            values = {
                one.text: f"{_cut(one.text) or '(empty)'} ({one.answers:,})"
                for one in _values(store, sheet, column)
            }
            asked = recall("value") or ANY  # which may be beyond those in the list
            values |= {asked[1:]: asked[1:]} if asked[0] == "." and asked[1:] not in values else {}
            value = one_of("Value", "value", values)
        orders = dict(_ORDERS)
        for one in columns:
            orders[f"{COLUMN}{one}"] = f"{one} ↑"
            orders[f"{DOWN}{COLUMN}{one}"] = f"{one} ↓"
        order = select("Sort by", "order", orders, FILE, FILE)
    where = () if value is None else ((column, value),)
    by, down = order.removeprefix(DOWN), order.startswith(DOWN)
    return AnswerFilter(words, model or "", graded or "", where, by, down, annotator or "")


def _cut(text: str) -> str:
    return text if len(text) < 60 else f"{text[:59]}…"


def _summary(sheet: Sheet, total: int) -> None:
    """Show how many answers pass, and the way back to all of them."""
    if not total:
        empty("No answer matches", "Try fewer filters.")
    with st.container(horizontal=True, vertical_alignment="center"):
        if total:
            st.markdown(f"**{total:,}** of {sheet.items:,} answers")
        icon = ":material/filter_alt_off:"
        label = "Clear search and filters"
        st.button(label, icon=icon, type="tertiary", key="browse.clear", on_click=_clear)


def _clear() -> None:
    """Set every filter to its first choice: a browser keeps showing what is only forgotten here."""
    remember(words=None, order=None, **dict.fromkeys(_FILTERS))
    first = {"browse.words.": "", "pick.order.": FILE} | {f"pick.{one}.": ANY for one in _FILTERS}
    for key in [*map(str, st.session_state)]:
        for beginning in filter(key.startswith, first):
            st.session_state[key] = first[beginning]


def _table(
    store: Store,
    sheet: Sheet,
    wanted: AnswerFilter,
    page: int,
    answers: tuple[answer_search.Answer, ...],
    columns: tuple[str, ...],
) -> None:
    """The answers of a page; a row selected just now opens its answer, or closes it."""
    asked = [column for column, _ in wanted.where]
    asked += [wanted.order.removeprefix(COLUMN)] if wanted.order.startswith(COLUMN) else []
    own = [*dict.fromkeys([*asked, *columns])][:MOST_COLUMNS]
    scores = listed_scores(store, sheet, wanted.annotator, answers)
    criteria = dict.fromkeys(name for cells in scores.values() for name in cells)
    lines = []
    for one in answers:
        facts = {"question": one.question, "answering model": one.answer_model}
        facts |= {"answer": one.answer, "characters": one.length, "contexts": one.contexts}
        if len(sheet.answer_models) < 2:
            del facts["answering model"]
        cells = scores.get(one.id, {})
        given = {spoken(name): cells.get(name, "") for name in criteria}
        # What is called as one of the columns before it is in the opened answer alone.
        more = {name: one.columns.get(name, "") for name in own if name not in facts | given}
        lines.append({"item": one.name} | given | facts | more)
    key = f"browse.answers.{sheet.id}.{digest(wanted._asdict())}.{page}"
    row = picked_row(translated_rows(lines), key, sheet.name)
    before = st.session_state.get("browse.selected")
    st.session_state["browse.selected"] = (key, row)
    if before != (key, row):
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
        st.info("The answer in this link is not of this sheet.")
        return
    at = ids.index(stored.id) if stored.id in ids else None
    after = [] if at is None else ids[at + 1 :]
    ways = {
        "arrow_upward": ("Previous answer", ids[at - 1] if at else None),
        "arrow_downward": ("Next answer", next(iter(after), None)),
        "close": ("Close", None),
    }
    with st.container(border=True):
        with st.container(horizontal=True):
            for icon, (label, other) in ways.items():
                st.button(
                    label,
                    icon=f":material/{icon}:",
                    disabled=other is None and icon != "close",
                    key=f"browse.{icon}",
                    on_click=remember,
                    kwargs={"item": other},
                )
        show(store, sheet, stored, annotator)


@kept("", 8)
def _columns(store: Store, sheet: Sheet) -> tuple[str, ...]:
    return answer_search.columns(store, sheet.id)


@kept()
def _values(store: Store, sheet: Sheet, column: str) -> tuple[answer_search.ColumnValue, ...]:
    return answer_search.values(store, sheet.id, column, MOST_VALUES)


@kept("Searching the answers…")
def _page_of_answers(
    store: Store, sheet: Sheet, wanted: AnswerFilter, page: int
) -> answer_search.AnswerPage:
    return answer_search.find(store, sheet.id, wanted, PAGE, PAGE * (page - 1))


def listed_scores(
    store: Store, sheet: Sheet, annotator: str, answers: Sequence[answer_search.Answer]
) -> dict[int, dict[str, str]]:
    """Return a cell by answer and criterion, where a lead asks for them.

    The criteria that a link names come first. Whoever still has to grade an answer grades it blind:
    it has no cells, and nor has one whose question is held out; judges' scores that are shown are
    recorded as seen.
    """
    why = "Annotators who still have to grade these answers are then no longer blind."
    key = f"browse.scores.{annotator}"
    if not leads(store) or not url_toggle("Scores", "scores", key=key, help=why):
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
    st.caption("Scores of annotators | of judges. Open an answer to see whose they are.")
    found = lists.score_cells(answer_record.scores(store, open_ids), annotator)
    first = recall_several("criteria")  # in a narrow window not all criteria have room
    return {
        one: dict(sorted(cells.items(), key=lambda cell: cell[0] not in first))
        for one, cells in found.items()
    }


_KINDS = {"person": "annotator"}


def show(store: Store, sheet: Sheet, stored: Stored, annotator: str = "", beside=None) -> None:
    """Show everything known about an answer; opened judges' grades are recorded as seen.

    The grades of `annotator` come first and are highlighted. They stand `beside` the texts where a
    container is given, else below.
    """
    st.html(TEXTS_LOOK)
    above = st.container()
    with beside or st.container():
        st.subheader("Grades", anchor=False)
        marked = _grades(store, sheet, stored, annotator) if _may_show(store, sheet, stored) else ()
    above.html(f'<dl class="concord-item">{"".join(texts(stored, marked))}</dl>')
    with st.expander("Origin"):
        known = (_under(name, escape(visible(text))) for name, text in _origin(store, stored))
        st.html(f'<dl class="concord-item">{"".join(known)}</dl>')


def _may_show(store: Store, sheet: Sheet, stored: Stored) -> bool:
    """True where the grades of an answer may be shown now; else it says why not."""
    if stored.question_id in splits.held_out(store, sheet.id) | splits.leaked(store, sheet.id):
        st.info(
            "This answer's question is held out or in the few-shot pool, so it cannot be shown "
            "with judges' grades."
        )
        return False
    person = looker(store)
    if person and not agreed(store, person):
        return False
    waiting, key = answer_record.waiting(store, stored.id), f"browse.shown.{stored.id}"
    if store.who or not waiting or st.session_state.get(key):
        return True
    st.info(
        "If you see these grades before you grade the answer, your grade is not blind.",
        icon=":material/visibility_off:",
    )
    if st.button("Show grades", icon=":material/visibility:", key=f"browse.show.{stored.id}"):
        st.session_state[key] = True
        st.rerun()
    return False


def _grades(store: Store, sheet: Sheet, stored: Stored, annotator: str) -> list[Mark]:
    """Show the grades of an answer; returns the passages that annotators marked."""
    given = answer_record.grades(store, stored.id)
    values, person = evidence.metric_values_of(store, stored.id), looker(store)
    if person or values or any(one.kind != "person" for one in given):
        grades.open_item(store, stored.id, person and person.id)  # before anything is shown
    st.html(LOOK)
    further = {
        "Metrics": [
            {
                "metric": f"{title(one.metric)}, {one.judge}",
                "value": "–" if one.value is None else f"{one.value:.3f}",
                "status": status_words(one.status),
                "how": one.reason,
            }
            for one in values
        ],
        "Adjudications": [
            {
                "criterion": spoken(one.criterion),
                "score": "–" if one.score is None else f"{one.score:g}",
                "cause": cause_of(one.cause),
                "note": one.note,
                "by": f"{one.who} {day(one.created_at)}".strip(),
            }
            for one in answer_record.adjudications(store, stored.id)
        ],
        "Corrected answers": [
            {"by": f"{one.who} {day(one.created_at)}", "corrected answer": one.text}
            for one in answer_record.corrections(store, stored.id)
        ],
    }
    if given:
        st.html(_grade_table(given, annotator))
    elif not any(further.values()):
        st.caption("This answer has no grades yet.")
    for name, rows in further.items():
        if rows:
            st.markdown(f"**{name}**")
            table_of(rows, f"{stored.id}-{name.lower()}", title=name)
    if values:
        st.page_link(
            "pages/review.py",
            label="Evidence of this answer",
            icon=":material/find_in_page:",
            query_params={"list": "claims", "entry": f"claims.{stored.id}", "sheet": sheet.name},
        )
    return [
        Mark(passage, f"{word(named(one.grader, one.simulated))} · {word(spoken(one.criterion))}")
        for one in given
        if one.kind == "person"
        for passage in one.marked
    ]


def _grade_table(given: tuple[GivenGrade, ...], annotator: str) -> str:
    """A row per grader and repeat, those of `annotator` first; a column per criterion."""
    wordings = [*dict.fromkeys((one.criterion, one.version) for one in given)]
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
    rows = []
    for key in sorted(by_grader, key=lambda key: key not in own):
        one = next(iter(by_grader[key].values()))
        about = [_KINDS.get(one.kind, one.kind), word(day(one.created_at))]
        about += [f"repeat {one.repeat}"] if one.repeat > 1 else []
        about += ["not blind"] if one.kind == "person" and one.blind is False else []
        who = escape(word(named(one.grader, one.simulated)))
        cells = (by_grader[key].get(wording) for wording in wordings)
        shown = "".join(grade_cell(cell, marked=cell.marked if cell else ()) for cell in cells)
        rows.append(
            f'<tr class="{"chosen" if not own or key in own else ""}"><th>{who}<br>'
            f'<small class="meta">{escape(" · ".join(about))}</small></th>{shown}</tr>'
        )
    return comparison(table("Grades", ("Grader", *heads), rows))


def _origin(store: Store, stored: Stored) -> Iterable[tuple[str, str]]:
    """Yield what is known of where an answer is from, by name."""
    item, origin = stored.item, answer_record.origin(store, stored.id)
    for one in origin.files:
        row = "" if one.row is None else f":{one.row}"
        yield "File", f"{one.name}{row}, {minute(one.imported_at)}"
    known = {
        "Item id": item.own_id,
        "Question id": origin.question_id,
        "Cluster": origin.cluster,
        "Split": splits.CALLED[origin.split],
        "Grading sets": ", ".join(origin.sets),
    }
    yield from ((label, text) for label, text in known.items() if text)
