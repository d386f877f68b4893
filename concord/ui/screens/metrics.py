"""Metrics: their numbers, one metric, its validity against annotators, and the diagnosis."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from concord import metrics
from concord.messages import capital
from concord.metrics import title
from concord.model import Sheet
from concord.reports import segments
from concord.reports.cells import written
from concord.reports.metrics import metric_validity, vera_composite
from concord.reports.metrics import metrics as report
from concord.reports.metrics.metric_records import Readings, short
from concord.reports.metrics.metric_validity import AgainstAnnotators
from concord.reports.metrics.metrics import MetricValues, word
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.store import items
from concord.store.database import Store
from concord.ui.caching import kept
from concord.ui.chart import show_chart
from concord.ui.frame import recall
from concord.ui.language import plain
from concord.ui.render import show, show_table
from concord.ui.reports import show_left_out
from concord.ui.widgets import TO_JUDGES, finding, next_screen_link, select, terms


def lead_on() -> None:
    """Show what to do where no metric was computed yet."""
    why = "“computed” is free; “rag-metrics” calls a model."
    finding("No metric has been computed on this sheet yet", why)
    next_screen_link(*TO_JUDGES, judge="computed")


def _link(metric: str, judge: str) -> None:
    """Link to the answers in Review, the worst by a metric first."""
    found = metrics.available().get(metric)
    query = {"list": "claims", "sheet": recall("sheet") or "", "sorted": f"{metric} {judge}"}
    query |= {"criterion": found.rubrics[0]} if found and found.rubrics else {}
    label, icon = f"Read the worst by {title(metric)}", ":material/find_in_page:"
    st.page_link("pages/review.py", label=plain(label), icon=icon, query_params=query)


def whole(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """Show every metric with values as a table, and the others."""
    rows = _rows(store, sheet, found)
    known, none = ([row for row in rows if bool(row.n) == has] for has in (True, False))
    show_table(report.table(known), name)
    if none:
        with st.expander(f"Without a value ({len(none)})"):
            show_table(report.table(none), f"{name}-without")


@kept("Computing the metrics…", 48)
def _computed(
    store: Store, sheet: Sheet, of: tuple[str | None, ...], _compute: Callable[[], Any]
) -> Any:
    """Return what a computation gives; `of` tells which."""
    return _compute()


def _rows(store: Store, sheet: Sheet, found: Readings) -> list[MetricValues]:
    return _computed(store, sheet, ("rows",), partial(report.rows, found))


def by_column(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """Show every metric by the segments of a column, with the contrast of one of them."""
    offered = partial(segments.offered, store, sheet)
    columns = _computed(store, sheet, ("columns",), offered)
    if not columns:
        st.info("No column puts these answers in two to twelve segments.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        known = {one: segments.FIELDS.get(one, one) for one in columns}
        by = select("Column", "by", known, columns[0])
        column = segments.read(store, sheet, by)
        topics = {one: one for one in column.values}
        topic = select("Compare", "topic", topics, next(iter(topics)))
        terms("contrast of segments", "bootstrap of a mean")
    valued = {one.metric for one in found.records if one.value is not None}
    kept_only = found._replace(records=[one for one in found.records if one.metric in valued])
    compute = partial(segments.metrics, kept_only, column, topic)
    shown = _computed(store, sheet, ("segments", by, topic), compute)
    show(segments.metrics_document(shown), f"{name}-{by}", folded=True)


def vera(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """Show the score of a cross-encoder that reads VERA's metrics with each answer."""
    shown = _computed(store, sheet, ("vera",), partial(vera_composite.report, found))
    show(vera_composite.document(shown), f"{name}-vera", folded=True)
    terms("cross-encoder", "bootstrap of a mean")


def closed(found: Readings) -> None:
    """Show how many answers enter no statistic."""
    if found.closed:
        st.caption(plain(report.closed_sentence(found.closed)))


def one(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """One metric under any reading: its number, its worst answers, and its definition."""
    row = _pick(_rows(store, sheet, found))
    if switches := _pick_switches(row):
        kept_only = found._replace(records=row.records)
        [row] = report.rows(report.under(store, kept_only, {row.metric: switches}))
    mean, metric = written(row.mean, "value"), metrics.available().get(row.metric)
    heading = f"{title(row.metric)}: {mean} on {row.n:,} of {row.items:,} answers"
    st.subheader(plain(heading), anchor=False)
    if row.n:
        _link(row.metric, row.judge)
    with st.expander("Details"):
        if metric:
            limits = report.limits(metric, row.switches)
            about = f"{capital(metric.better)} is better; {limits}; calls {report.asked(metric)}."
            st.markdown(f"{plain(metric.sentence)}  \n`{plain(metric.formula)}`  \n{about}")
            st.caption(f"Source: {plain(metric.source)}")
        show_table(report.part_table([row]), f"{name}-{row.metric}")
        for note in report.notes(row):
            st.caption(plain(note))


def _pick(rows: list[MetricValues]) -> MetricValues:
    """The row of the metric, judge and reading that the URL names; the first with a number."""
    judges = short(row.judge for row in rows)
    options = {f"{row.metric} {row.judge} {row.version}": row for row in rows}
    names = {key: f"{title(row.metric)} ({judges[row.judge]})" for key, row in options.items()}
    first = next((key for key, row in options.items() if row.n), next(iter(options)))
    return options[select("Metric", "metric", names, first)]


def _pick_switches(row: MetricValues) -> dict[str, str]:
    """Return the choices that differ from those of the run, by switch."""
    metric = metrics.available().get(row.metric)
    others = {}
    with st.container(horizontal=True):
        for switch in metric.switches if metric else ():
            stored = row.switches.get(switch.name, switch.choices[0])
            choices = {choice: word(choice) for choice in switch.choices}
            key = f"{metric.name}.{switch.name}"
            chosen = select(capital(word(switch.name)), key, choices, stored, stored)
            if chosen != stored:
                others[switch.name] = chosen
    return others


def headline(store: Store, sheet: Sheet, found: Readings) -> None:
    """Show the metric that correlates best with annotators, or why none can be named."""
    finding(against(store, sheet, found).sentence)


def annotators(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """Show the correlation of each metric with annotators' grades of a criterion."""
    panel = _panel(store, sheet)
    if panel is None:
        st.page_link("pages/annotate.py", label="Go to Grading sets", icon=":material/group:")
    else:
        show_left_out(panel.not_included)
        headings = panel.rubric.headings()
        names = {one: headings.get(one, one.capitalize()) for one in panel.criteria}
        names |= {COMPOSITE: "Composite"} if COMPOSITE in names else {}
        criterion = select("Criterion", "criterion", names, panel.rubric.heaviest().name)
        held = against(store, sheet, found, criterion)
        chart = metric_validity.chart(held.rows, held.called, held.sentence)
        if chart:
            show_chart(chart, name)
        if len(held.rows) > 1:
            st.caption("The best metric was selected on these answers: confirm it on others.")
        with st.expander("Details"):
            terms("metric validity", "spearman", "AUC", "fitted threshold")
            show_table(metric_validity.validity_table(held.rows), name)


def against(store: Store, sheet: Sheet, found: Readings, criterion: str = "") -> AgainstAnnotators:
    """Return metrics compared with annotators' grades of a criterion; '' for the heaviest."""
    panel = _panel(store, sheet)
    return _computed(
        store,
        sheet,
        ("against", criterion),
        lambda: metric_validity.against(found, panel, criterion),
    )


@kept("Reading the grades…", 4, shared=True)
def _panel(store: Store, sheet: Sheet) -> Panel | None:
    return metric_validity.panel(store, sheet)


def to_do(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """Show what to examine where metrics are low, with the failing answers behind each."""
    rows = _computed(
        store,
        sheet,
        ("diagnosis",),
        lambda: metric_validity.diagnosis(
            found, items.answer_names(store, sheet.id), against(store, sheet, found).rows
        ),
    )
    if not rows:
        st.success("No answer fails a metric for which there is advice.", icon=":material/check:")
        return
    show_table(metric_validity.diagnosis_table(rows), name)
    for row in rows:
        _link(row["metric"], row["judge"])
