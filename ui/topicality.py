"""The parts of the screen Topicality: which sets, the pictures, the tables."""

import streamlit as st

from data import sheets
from data.sheets import Sheet
from data.state import state
from data.store import Store
from problems import Problem
from reports import question_sets, topicality
from reports import topicality_words as words
from reports.question_sets import Sets
from stats.draws import RESAMPLES, SEED, Draws
from ui.frame import recall, remember
from ui.language import say
from ui.markdown import plain
from ui.rows import table_of
from ui.spinner import spinning
from ui.terms import sentence
from ui.topicality_chart import chart, convergence
from ui.widgets import explained, figure, select
from words.said import joined, said

SHEETS = "sheets"
NO_SETS = joined(
    " ",
    [
        said("This sheet names no sets of questions, so it is one set by itself."),
        question_sets.HOW,
        said(
            "Questions that a model drafts on the screen Build are sets too: build one sheet for "
            "each topic, approve the drafts, and name both here."
        ),
    ],
)
_SHOWN = 4
_MANY = (500, 1000, RESAMPLES, 5000, 10_000)


def choose(store: Store, sheet: Sheet) -> Sets | None:
    """The sets the user chose, by a column or by sheet; None where those are no sets.

    A sheet without either is one set, whose means are drawn again with nothing to hold against.
    """
    columns = _columns(state(store, sheet), store, sheet)
    others = [one.name for one in sheets.all_sheets(store) if one.name != sheet.name]
    ways = {column: said("by the column “{column}”", column=column) for column in columns}
    ways |= {SHEETS: said("each sheet is a set")} if others else {}
    if not ways:
        st.info(plain(NO_SETS), icon=":material/contrast:")
        return _of_sheets(store, [sheet])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = select(said("Sets"), "sets", ways, next(iter(ways)))
        found = _by_sheets(store, sheet, others) if by == SHEETS else _by_column(store, sheet, by)
    return found


def report(store: Store, sheet: Sheet, found: Sets) -> dict:
    """The report on the chosen sets, computed once for a state of the store."""
    known = [record.judge for one in found.sets for record in one.records]
    judges = {name: name for name in dict.fromkeys(known)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(judges) > 1:
            judge = select(said("Found by"), "judge", judges, next(iter(judges)))
            found = question_sets.narrowed(found, judge=judge)
        resamples = _resamples()
    names = [one.name for one in found.sets]
    of_sheets = [sheets.find(store, name) for name in names] if found.by == "sheet" else [sheet]
    key = tuple(state(store, one) for one in of_sheets), tuple(names), found.by, resamples
    return _report((*key, tuple(judges)), recall("judge"), found, Draws(resamples, SEED))


def pictures(found: dict, name: str) -> None:
    """A chart for each measure, those that tell most first; beyond four folded."""
    rows = sorted(found["measures"], key=_most, reverse=True)
    for place, row in enumerate(rows[:_SHOWN]):
        _picture(row, f"{name}-{place}")
    if rows[_SHOWN:]:
        with st.expander(say("{n} more measures", n=len(rows) - _SHOWN)):
            for place, row in enumerate(rows[_SHOWN:], _SHOWN):
                _picture(row, f"{name}-{place}")


def tables(found: dict, name: str) -> None:
    """The contrasts, and folded the bootstrap of every mean with how it converges."""
    rows = found["measures"]
    if contrasts := words.contrast_rows(rows):
        st.subheader(say("The topic against the other sets"), anchor=False)
        table_of(contrasts, f"{name}-contrasts", column_config=_NUMBERS)
    for reason in words.reasons_of(rows):
        st.caption(plain(reason))
    with st.expander(say("The bootstrap of every mean"), icon=":material/query_stats:"):
        table_of(words.set_rows(rows), f"{name}-means", column_config=_NUMBERS)
        settled = words.convergence_title(rows)
        alt = said("{settled}. The table below has the numbers.", settled=settled)
        figure(convergence(rows), f"{name}-error", alt)
        table_of(words.convergence_rows(rows), f"{name}-convergence")


def explanations() -> None:
    """The terms of the screen, each one click away."""
    with st.container(horizontal=True):
        for term in (said("topicality"), said("bootstrap of a mean")):
            explained(term, sentence(term))


_NUMBERS = {
    **{
        name: st.column_config.NumberColumn(format="%.3f")
        for name in (
            *(said("mean"), said("difference"), said("P(above)"), said("overlap")),
            said("P(answer above)"),
        )
    },
    said("variance of the mean"): st.column_config.NumberColumn(format="%.6f"),
    said("standard error"): st.column_config.NumberColumn(format="%.4f"),
}


def _picture(row: dict, name: str) -> None:
    figure(chart(row), name, words.alt(row))
    for contrast in words.contrasts(row):
        st.caption(plain(contrast))


def _most(row: dict) -> float:
    told = [
        one["difference"]["value"]
        for one in row["contrasts"]
        if one["verdict"] != topicality.UNSURE
    ]
    return max(map(abs, told), default=-1.0)


def _by_column(store: Store, sheet: Sheet, column: str) -> Sets:
    key = state(store, sheet), column
    names = {one.name: one.name for one in _of_column(key, None, store, sheet).sets}
    topic = select(said("The topic's set"), "topic", names, next(iter(names)))
    return _of_column(key, topic, store, sheet)


def _by_sheets(store: Store, sheet: Sheet, others: list[str]) -> Sets | None:
    named = [name for name in (recall("beside") or "").split("\n") if name in others]
    first = named or others[:1]
    chosen = st.multiselect(say("Other sets"), others, default=first, key="pick.beside")
    remember(beside="\n".join(chosen) or None)
    try:
        return _of_sheets(store, [sheet, *(sheets.find(store, name) for name in chosen)])
    except Problem as problem:
        st.warning(plain(str(problem)))
        return None


def _resamples() -> int:
    asked = recall("resamples")
    first = int(asked) if asked and asked.isdecimal() and int(asked) in _MANY else RESAMPLES
    chosen = st.selectbox(
        say("Resamples (B)"),
        _MANY,
        index=_MANY.index(first),
        format_func="{:,}".format,
        key="pick.b",
    )
    remember(resamples=chosen if chosen != RESAMPLES else None)
    return chosen


def _of_sheets(store: Store, every: list[Sheet]) -> Sets:
    return _read_sheets(tuple(state(store, one) for one in every), store, every)


@spinning(said("Reading the measures…"))
@st.cache_resource(show_spinner=False, max_entries=4)
def _read_sheets(key: tuple, _store: Store, _every: list[Sheet]) -> Sets:
    return question_sets.of_sheets(_store, _every)


@spinning(said("Reading the measures…"))
@st.cache_resource(show_spinner=False, max_entries=8)
def _of_column(key: tuple, topic: str | None, _store: Store, _sheet: Sheet) -> Sets:
    return question_sets.of_column(_store, _sheet, key[1], topic)


@st.cache_data(show_spinner=False, max_entries=8)
def _columns(key: str, _store: Store, _sheet: Sheet) -> list[str]:
    return question_sets.columns(_store, _sheet)


@spinning(said("Drawing the questions again …"))
@st.cache_data(show_spinner=False, max_entries=20)
def _report(key: tuple, judge: str | None, _found: Sets, _draws: Draws) -> dict:
    return topicality.report(_found, _draws)
