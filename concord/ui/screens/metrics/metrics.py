"""The metrics screen: all of them in one table, by model, and those left out."""

from collections.abc import Sequence

import streamlit as st

from concord.messages import counted, joined
from concord.metrics import title
from concord.reports.cells import undefined
from concord.reports.metrics import metric_notes, model_leaders
from concord.reports.metrics import metrics as metrics_metrics
from concord.reports.metrics.metric_records import Readings, edited, edited_sentence
from concord.reports.metrics.metrics import MetricValues, of_row
from concord.ui import render
from concord.ui.language import plain, say


def whole(found: Readings, name: str) -> None:
    """Show every metric with values as a table; those without are listed with the reason."""
    rows = metrics_metrics.rows(found)
    known = [row for row in rows if row.n]
    if known:
        shown = metrics_metrics.table(known, title)
        render.show_table(shown, name, in_full=True)
        for why in undefined(shown):
            st.caption(plain(why))
        _all_by_model(known, name)
    none = [row for row in rows if not row.n]
    if none:
        with st.expander(say("Without a value ({n})", n=len(none))):
            for row in none:
                mine = of_row(found.records, row)
                why = joined("; ", metric_notes.left_out(mine, row.items)[:2])
                of = f"**{plain(title(row.metric))}**"
                st.markdown(f"- {say('{title}: {text}', title=of, text=plain(why))}")


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
    shown = metrics_metrics.model_table(rows, title)
    if not shown.rows:
        return
    st.subheader(say("By answering model"), anchor=False)
    if best := model_leaders.leaders(rows):
        st.markdown(plain(best))
    st.caption(say("Where confidence intervals overlap, a difference may be chance."))
    render.show_table(shown, name, metrics_metrics.means(rows, title), in_full=True)
