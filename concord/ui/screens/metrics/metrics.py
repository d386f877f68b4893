"""The metrics screen: all of them in one table, by model, and those left out."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from concord.messages import counted, joined, said
from concord.reports.document import Cell
from concord.reports.metrics import (
    metric_notes,
    model_leaders,
)
from concord.reports.metrics import metrics as metrics_metrics
from concord.reports.metrics.metric_records import Readings, edited, edited_sentence, short
from concord.reports.metrics.metric_words import word
from concord.reports.metrics.metrics import MetricValues, of_row
from concord.ui.cached_metrics import title
from concord.ui.language import plain, say
from concord.ui.widgets import table_of

WIDTHS = {
    said("metric"): st.column_config.TextColumn(width=250),
    said("what to do"): st.column_config.TextColumn(width="large"),
}


def whole(found: Readings, name: str) -> None:
    """Show every metric with values as a table; those without are listed with the reason."""
    rows = metrics_metrics.rows(found)
    judges = short(row.judge for row in rows)
    known = [row for row in rows if row.n]
    if known:
        lines = [_shown(row, judges[row.judge]) for row in known]
        table_of(lines, f"{name}-metrics", _numbers(rows), WIDTHS, height="content")
        _all_by_model(known, judges, f"{name}-models")
    none = [row for row in rows if not row.n]
    if none:
        with st.expander(say("Without a value ({n})", n=len(none))):
            for row in none:
                mine = of_row(found.records, row)
                why = joined("; ", metric_notes.left_out(mine, row.items)[:2])
                st.markdown(f"- **{plain(title(row.metric))}**: {plain(why)}")


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


def _shown(row: MetricValues, judge: str) -> dict[str, Cell]:
    return {
        said("metric"): title(row.metric),
        said("mean"): row.written(),
        said("better"): word(model_leaders.better(row.metric)),
        said("n"): row.n,
        said("of"): row.items,
        said("left out"): metrics_metrics.status_counts(row.left_out, row.not_asked),
        said("found by"): judge,
        said("reading"): metrics_metrics.reading(row.switches),
    }


def _all_by_model(rows: Sequence[MetricValues], judges: Mapping[str, str], name: str) -> None:
    """Show each metric's mean by answering model, where there are several."""
    models = sorted({model for row in rows for model in row.by_model})
    if len(models) < 2:
        return
    st.subheader(say("By answering model"), anchor=False)
    st.markdown(plain(model_leaders.leaders(rows)))
    st.caption(say("Where confidence intervals overlap, a difference may be chance."))
    lines = [
        {
            said("metric"): title(row.metric),
            said("better"): word(model_leaders.better(row.metric)),
            **{model: metrics_metrics.of_model(row, model) for model in models},
            said("found by"): judges[row.judge],
        }
        for row in rows
    ]
    table_of(lines, name, None, WIDTHS, height="content")


def _numbers(rows: Sequence[MetricValues]) -> pd.DataFrame:
    """Return every statistic as a number for the CSV, a row for all answers and for each model."""
    kept = ("n", "questions", "mean", "low", "high", "method", "why_none")
    lines = []
    for row in rows:
        shared = ("metric", "judge", "version", "items", "not_asked")
        about = {key: getattr(row, key) for key in shared}
        about["reading"] = metrics_metrics.reading(row.switches)
        for model, one_ in {"": row, **row.by_model}.items():
            lines.append(
                {**about, "answer_model": model, **{key: getattr(one_, key) for key in kept}}
            )
    return pd.DataFrame(lines)
