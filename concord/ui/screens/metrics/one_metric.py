"""One metric on its screen: definition and readings, figures, and its worst answers."""

from collections.abc import Mapping

import streamlit as st

from concord import metrics
from concord.messages import capital, said
from concord.reports.metrics import (
    metric_notes,
    metric_parts,
    metric_repeats,
    metric_variants,
    similarity_baseline,
)
from concord.reports.metrics import metrics as metrics_metrics
from concord.reports.metrics.metric_records import Readings, Record, short
from concord.reports.metrics.metric_words import word
from concord.store.database import Store
from concord.store.sheets import Sheet
from concord.ui.cached_metrics import title, unrelated
from concord.ui.charts import metrics_chart
from concord.ui.language import plain, say
from concord.ui.language import word as shown
from concord.ui.screens.metrics.answer_links import may_list, worst
from concord.ui.widgets import figure, select, terms


def one(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """One metric under any reading: its number, its definition, by answering model, its worst."""
    row = _pick(found)
    given = of_row(found, row)
    records, others = _reading(store, found, row, given)
    readings = found._replace(records=records)
    row = metrics_metrics.rows(readings)[0]
    called = title(row["metric"])
    st.subheader(
        say(
            "{metric}: {mean} on {n:,} of {items:,} answers",
            metric=plain(called),
            mean=metrics_metrics.valued(row),
            n=row["n"],
            items=row["items"],
        ),
        anchor=False,
    )
    if others:
        st.caption(say(":material/savings: From stored verdicts, at no cost."))
    if row["why_none"] and row["n"]:
        st.caption(plain(said("No interval: {why}.", why=row["why_none"])))
    _definition(row["metric"], row["switches"])
    null = unrelated(store, sheet, row["metric"], given[0].grader_id)
    if null:
        figures = similarity_baseline.figures(null, readings, row)
        st.info(plain(similarity_baseline.sentence(figures, row["metric"])))
        terms(said("unrelated texts"))
    again = None if others else metric_repeats.of(found.records, row)
    parts = metric_parts.means(records, row)
    beside = [metric_parts.sentence(parts, row["n"])] if parts else []
    beside += [metric_repeats.sentence(again)] if again else []
    for note in metric_notes.notes(records) + beside:
        st.markdown(f"- {plain(note)}")
    for why in metric_notes.left_out(records, row["items"]):
        st.caption(plain(said("Left out: {why}", why=why)))
    if row["n"]:
        _by_model(row, called, f"{name}-{row['metric']}")
        if may_list(store):
            worst(store, row, records)


def of_row(found: Readings, row: Mapping) -> list[Record]:
    """The records behind a row: the first numbers of one judge and reading."""
    place = row["judge"], row["version"]
    return [one for one in found.records if (one.judge, one.version) == place and one.repeat == 1]


def _pick(found: Readings) -> dict:
    """The row of the metric, judge and reading that the URL names; the first with a number."""
    rows = metrics_metrics.rows(found)
    judges = short(row["judge"] for row in rows)
    options = {f"{row['metric']} {row['judge']} {row['version']}": row for row in rows}
    names = {
        key: said("{metric} ({judge})", metric=title(row["metric"]), judge=judges[row["judge"]])
        for key, row in options.items()
    }
    first = next((key for key, row in options.items() if row["n"]), next(iter(options)))
    return options[select(said("Metric"), "metric", names, first)]


def _reading(
    store: Store, found: Readings, row: Mapping, given: list[Record]
) -> tuple[list[Record], dict[str, str]]:
    """The records under the readings that are chosen, and which choices differ from the stored."""
    metric = metrics.found().get(row["metric"])
    others = {}
    if metric and metric.switches:
        with st.container(horizontal=True):
            for switch in metric.switches:
                stored = row["switches"].get(switch.name, switch.choices[0])
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
    if not others:
        return given, others
    kept = found._replace(records=given)
    return metric_variants.under(store, kept, {row["metric"]: others}).records, others


def _definition(name: str, switches: Mapping) -> None:
    metric = metrics.found().get(name)
    if metric is None:
        st.caption(say("The file of this metric is gone."))
        return
    better = say(
        "Higher is better. Range {limits}."
        if metric.better == "higher"
        else "Lower is better. Range {limits}.",
        limits=metrics_metrics.limits(metric, switches),
    )
    st.markdown(f"{plain(metric.sentence)}  \n`{shown(metric.formula)}`  \n{better}")
    asked = metrics_metrics.asked(metric)
    st.caption(plain(said("Source: {source}. Asked: {who}.", source=metric.source, who=asked)))


def _by_model(row: Mapping, called: str, name: str) -> None:
    metric = metrics.found().get(row["metric"])
    means = {key: metrics_chart.as_estimate(o) for key, o in row["by_model"].items() if o["n"]}
    best = metrics_chart.model_title(row, called, metric.better if metric else "higher")
    figure(metrics_chart.by_model(row, say(best)), name, metrics_chart.alt(means))
    st.caption(say("Dashed: the mean of all answers."))
