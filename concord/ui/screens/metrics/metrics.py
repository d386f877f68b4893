"""The metrics screen: all of them in one table, by model, and those left out."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from concord.messages import counted, joined, said
from concord.metrics import title
from concord.reports.metrics import (
    metric_notes,
    model_leaders,
)
from concord.reports.metrics import metrics as metrics_metrics
from concord.reports.metrics.metric_records import Readings, edited, edited_sentence
from concord.reports.metrics.metrics import MetricValues, of_row
from concord.ui.language import plain, say
from concord.ui.render import rows_of
from concord.ui.widgets import table_of

WIDTHS = {
    said("metric"): st.column_config.TextColumn(width=250),
    said("what to do"): st.column_config.TextColumn(width="large"),
}


def whole(found: Readings, name: str) -> None:
    """Show every metric with values as a table; those without are listed with the reason."""
    rows = metrics_metrics.rows(found)
    known = [row for row in rows if row.n]
    if known:
        shown = rows_of(metrics_metrics.table(known, title))
        table_of(shown, f"{name}-metrics", _numbers(rows), WIDTHS, height="content")
        _all_by_model(known, f"{name}-models")
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


def _all_by_model(rows: Sequence[MetricValues], name: str) -> None:
    """Show each metric's mean by answering model, where there are several."""
    lines = rows_of(metrics_metrics.model_table(rows, title))
    if not lines:
        return
    st.subheader(say("By answering model"), anchor=False)
    st.markdown(plain(model_leaders.leaders(rows)))
    st.caption(say("Where confidence intervals overlap, a difference may be chance."))
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
