"""One metric on its screen: definition and readings, figures, and its worst answers."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from concord import metrics
from concord.messages import capital, said
from concord.metrics import title
from concord.model import Sheet
from concord.reports.metrics import metric_details
from concord.reports.metrics import metrics as model_leaders
from concord.reports.metrics.metric_records import Readings, short
from concord.reports.metrics.metric_words import word
from concord.reports.metrics.metrics import MetricValues
from concord.store.database import Store
from concord.ui.cached_metrics import unrelated
from concord.ui.chart import show_chart
from concord.ui.language import plain, say
from concord.ui.language import word as shown
from concord.ui.render import show_table
from concord.ui.screens.metrics.answer_links import may_list, worst
from concord.ui.widgets import select, terms


def one(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """One metric under any reading: its number, its definition, by answering model, its worst."""
    picked = _pick(found)
    switches = _pick_switches(picked)
    reading = metric_details.read(store, found, picked, switches, partial(unrelated, store, sheet))
    row = reading.row
    called = title(row.metric)
    heading = said(
        "{metric}: {mean} on {n:,} of {items:,} answers",
        metric=called,
        mean=row.written(),
        n=row.n,
        items=row.items,
    )
    st.subheader(plain(heading), anchor=False)
    if not reading.is_stored:
        st.caption(say(":material/savings: From stored verdicts, at no cost."))
    if row.why_none and row.n:
        st.caption(plain(said("No interval: {why}.", why=row.why_none)))
    _definition(row.metric, row.switches)
    for table in reading.tables:
        show_table(table, f"{name}-{row.metric}")
        if table.rows and table.name == "unrelated":
            terms(said("unrelated texts"))
    for note in reading.notes:
        st.markdown(f"- {plain(note)}")
    for why in reading.left_out:
        st.caption(plain(said("Left out: {why}", why=why)))
    if row.n:
        show_chart(model_leaders.chart(row, called), f"{name}-{row.metric}")
        st.caption(say("Dashed: the mean of all answers."))
        if may_list(store):
            worst(store, row, reading.records)


def _pick(found: Readings) -> MetricValues:
    """The row of the metric, judge and reading that the URL names; the first with a number."""
    rows = model_leaders.rows(found)
    judges = short(row.judge for row in rows)
    options = {f"{row.metric} {row.judge} {row.version}": row for row in rows}
    names = {
        key: said("{metric} ({judge})", metric=title(row.metric), judge=judges[row.judge])
        for key, row in options.items()
    }
    first = next((key for key, row in options.items() if row.n), next(iter(options)))
    return options[select(said("Metric"), "metric", names, first)]


def _pick_switches(row: MetricValues) -> dict[str, str]:
    """Return the choices that differ from those of the run, by switch."""
    metric = metrics.available().get(row.metric)
    others = {}
    if metric and metric.switches:
        with st.container(horizontal=True):
            for switch in metric.switches:
                stored = row.switches.get(switch.name, switch.choices[0])
                chosen = select(
                    capital(word(switch.name)),
                    f"{metric.name}.{switch.name}",
                    {choice: word(choice) for choice in switch.choices},
                    stored,
                    stored,
                )
                if chosen != stored:
                    others[switch.name] = chosen
        for switch in metric.switches:
            called = capital(word(switch.name))
            st.caption(plain(said("{switch}: {about}", switch=called, about=switch.sentence)))
    return others


def _definition(name: str, switches: Mapping) -> None:
    metric = metrics.available().get(name)
    if metric is None:
        st.caption(say("The file of this metric no longer exists."))
        return
    better = say(
        "Higher is better. Range {limits}."
        if metric.better == "higher"
        else "Lower is better. Range {limits}.",
        limits=model_leaders.limits(metric, switches),
    )
    st.markdown(f"{plain(metric.sentence)}  \n`{shown(metric.formula)}`  \n{better}")
    asked = model_leaders.asked(metric)
    st.caption(plain(said("Source: {source}. Calls {who}.", source=metric.source, who=asked)))
