"""The metrics screen: all of them in one table, by model, and those left out."""

from collections.abc import Sequence

import streamlit as st

from concord.messages import counted, joined, said
from concord.metrics import title
from concord.model import Sheet
from concord.reports.cells import undefined
from concord.reports.metrics import metric_words, metrics, vera_composite
from concord.reports.metrics.metric_records import Readings, edited, edited_sentence
from concord.reports.metrics.metrics import MetricValues, of_row
from concord.reports.segments import metrics_by_segment, segment_column
from concord.store.database import Store
from concord.ui import render
from concord.ui.caching import kept
from concord.ui.language import plain, say
from concord.ui.widgets import select, terms


def whole(found: Readings, name: str) -> None:
    """Show every metric with values as a table; those without are listed with the reason."""
    rows = metrics.rows(found)
    known = [row for row in rows if row.n]
    if known:
        shown = metrics.table(known, title)
        render.show_table(shown, name, in_full=True)
        for why in undefined(shown):
            st.caption(plain(why))
        _all_by_model(known, name)
    none = [row for row in rows if not row.n]
    if none:
        with st.expander(say("Without a value ({n})", n=len(none))):
            for row in none:
                mine = of_row(found.records, row)
                why = joined("; ", metric_words.left_out(mine, row.items)[:2])
                of = f"**{plain(title(row.metric))}**"
                st.markdown(f"- {say('{title}: {text}', title=of, text=plain(why))}")


def by_column(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """Show every metric by the segments of a column, with the contrast of one of them."""
    columns = _offered(store, sheet)
    if not columns:
        st.info(say("No column puts these answers in two to twelve segments."))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        known = {one: segment_column.FIELDS.get(one, one) for one in columns}
        by = select(said("Column"), "by", known, columns[0])
        segments = {one: one for one in segment_column.read(store, sheet, by).values}
        topic = select(said("Compare"), "topic", segments, next(iter(segments)))
        terms(said("contrast of segments"), said("bootstrap of a mean"))
    shown = metrics_by_segment.document(_by_column(store, sheet, by, topic, found))
    render.show(shown, f"{name}-{by}", folded=True, in_full=True)


@kept()
def _offered(store: Store, sheet: Sheet) -> list[str]:
    return metrics_by_segment.offered(store, sheet)


@kept(said("Resampling questions…"))
def _by_column(store: Store, sheet: Sheet, by: str, topic: str, _found: Readings):
    column = segment_column.read(store, sheet, by)
    return metrics_by_segment.report(_found, column, topic)


def vera(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """Show the score of a cross-encoder that reads VERA's metrics with each answer."""
    render.show(vera_composite.document(_vera(store, sheet, found)), f"{name}-vera", folded=True)
    terms(said("cross-encoder"), said("bootstrap of a mean"))


@kept(said("Resampling questions…"))
def _vera(store: Store, sheet: Sheet, _found: Readings) -> vera_composite.VeraComposite:
    return vera_composite.report(_found)


def closed(found: Readings) -> None:
    """Show how many answers enter no statistic."""
    if found.closed:
        st.caption(
            say(
                "{answers} excluded: held-out questions and the few-shot pool.",
                answers=counted(found.closed, "answer"),
            )
        )
    if gone := edited_sentence(edited(found)):
        st.caption(plain(gone))


def _all_by_model(rows: Sequence[MetricValues], name: str) -> None:
    """Show each metric's mean by answering model, where there are several."""
    shown = metrics.model_table(rows, title)
    if not shown.rows:
        return
    st.subheader(say("By answering model"), anchor=False)
    if best := metrics.leaders(rows):
        st.markdown(plain(best))
    st.caption(say("Where confidence intervals overlap, a difference may be chance."))
    render.show_table(shown, name, metrics.means(rows, title), in_full=True)
