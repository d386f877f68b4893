"""Segment analysis on screen: which segments, and a chart per metric."""

import streamlit as st

from concord.messages import Numeral, Problem, joined, said
from concord.model import Sheet
from concord.reports.document import Document
from concord.reports.segments import segment_analysis, segments
from concord.reports.segments.segment_analysis import SegmentAnalysis
from concord.reports.segments.segments import Sets
from concord.stats.intervals.resampling import RESAMPLES, SEED, Draws
from concord.store import metric_values, sheets
from concord.store.database import Store
from concord.ui.caching import kept
from concord.ui.chart import show_chart
from concord.ui.frame import recall, remember
from concord.ui.language import plain, say
from concord.ui.render import show_table
from concord.ui.widgets import select, terms

SHEETS = "sheets"
NO_SETS = joined(
    " ",
    [
        said("This sheet names no segments, so the whole sheet is one segment."),
        segments.HOW,
        said(
            "Questions built from documents can be segments too: build one sheet per topic, "
            "approve the drafts, and name both here."
        ),
    ],
)
_SHOWN = 4
_MANY = (500, 1000, RESAMPLES, 5000, 10_000)


def choose(store: Store, sheet: Sheet) -> Sets | None:
    """Return the segments the user chose, by column or by sheet; None where the choice is invalid.

    A sheet without either is one segment, with nothing to compare; so is any without a metric.
    """
    if metric_values.is_empty(store):
        return _of_sheets(store, (sheet,))
    columns = _columns(store, sheet)
    others = [one.name for one in sheets.all_sheets(store) if one.name != sheet.name]
    ways = {column: said("by the column “{column}”", column=column) for column in columns}
    ways |= {SHEETS: said("each sheet is a segment")} if others else {}
    if not ways:
        st.info(plain(NO_SETS), icon=":material/contrast:")
        return _of_sheets(store, (sheet,))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = select(said("Segments"), "sets", ways, next(iter(ways)))
        return _by_sheets(store, sheet, others) if by == SHEETS else _by_column(store, sheet, by)


def report(store: Store, sheet: Sheet, found: Sets) -> SegmentAnalysis:
    """Return the analysis of the chosen segments, computed once per state of the store."""
    known = [record.judge for one in found.sets for record in one.records]
    judges = {name: name for name in dict.fromkeys(known)}
    judge, many, usual = None, {str(n): Numeral(f"{n:,}") for n in _MANY}, str(RESAMPLES)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(judges) > 1:
            judge = select(said("Judge"), "judge", judges, next(iter(judges)))
            found = segments.narrowed(found, judge=judge)
        resamples = int(select(said("Resamples (B)"), "resamples", many, usual, usual))
    names = [one.name for one in found.sets]
    of_sheets = [sheets.find(store, name) for name in names] if found.by == "sheet" else [sheet]
    asked = tuple(of_sheets), tuple(names), found.by, resamples, tuple(judges), judge
    return _report(store, *asked, found)


def pictures(shown: Document, name: str) -> None:
    """Show a chart per metric, those after the first few folded."""
    first, others = shown.charts[:_SHOWN], shown.charts[_SHOWN:]
    for place, chart in enumerate(first):
        show_chart(chart, f"{name}-{place}")
    if others:
        with st.expander(say("{n} more metrics", n=len(others))):
            for place, chart in enumerate(others, _SHOWN):
                show_chart(chart, f"{name}-{place}")


def errors(found: SegmentAnalysis, name: str) -> None:
    """Show, folded, how the standard errors settle with the resamples."""
    with st.expander(say("Convergence of the standard errors"), icon=":material/query_stats:"):
        show_chart(segment_analysis.errors(found.metrics), name)
        show_table(segment_analysis.convergence(found), name)


def explanations() -> None:
    """Explain the terms of the screen."""
    terms(said("topicality"), said("bootstrap of a mean"))


def _by_column(store: Store, sheet: Sheet, column: str) -> Sets:
    found = _of_column(store, sheet, column)
    names = {one.name: one.name for one in found.sets}
    return segments.with_topic(found, select(said("Topic"), "topic", names, next(iter(names))))


def _by_sheets(store: Store, sheet: Sheet, others: list[str]) -> Sets | None:
    named = [name for name in (recall("others") or "").split("\n") if name in others]
    first = named or others[:1]
    chosen = st.multiselect(
        say("Other segments"), others, default=first, key="pick.others", placeholder=say("Choose")
    )
    remember(others="\n".join(chosen) or None)
    try:
        return _of_sheets(store, (sheet, *(sheets.find(store, name) for name in chosen)))
    except Problem as problem:
        st.warning(plain(str(problem)))
        return None


@kept(said("Reading metric values…"), 4, shared=True)
def _of_sheets(store: Store, every: tuple[Sheet, ...]) -> Sets:
    return segments.of_sheets(store, every)


@kept(said("Reading metric values…"), 8, shared=True)
def _of_column(store: Store, sheet: Sheet, column: str) -> Sets:
    return segments.of_column(store, sheet, column)


@kept(said("Reading metric values…"), 8)
def _columns(store: Store, sheet: Sheet) -> list[str]:
    return segments.columns(store, sheet)


@kept(said("Resampling questions…"), 20)
def _report(
    store: Store,
    of_sheets: tuple[Sheet, ...],
    names: tuple[str, ...],
    by: str,
    resamples: int,
    judges: tuple[str, ...],
    judge: str | None,
    _found: Sets,
) -> SegmentAnalysis:
    return segment_analysis.report(_found, Draws(resamples, SEED))
