"""The values of metrics for one answer, and the judges to run again after an edit."""

import streamlit as st

from concord.messages import said
from concord.model import Sheet
from concord.reports.metrics import similarity_baseline
from concord.reports.metrics.metric_records import short
from concord.reports.units import answer_values
from concord.reports.units.answer_values import AnswerValue
from concord.store.database import Store
from concord.ui.cached_metrics import unrelated
from concord.ui.language import plain
from concord.ui.render import show_table


def values(store: Store, sheet: Sheet, found: list[AnswerValue], name: str) -> None:
    """Show each value with its derivation, its flags, and the values under other choices."""
    if not found:
        return
    above = [_above(store, sheet, one) for one in found]
    show_table(answer_values.table(found, above), name, in_full=True)
    judges = short(one.record.judge for one in found)
    for judge in dict.fromkeys(one.record.judge for one in found if one.is_stale):
        st.page_link(
            "pages/judges.py",
            label=plain(said("Run {judge} again", judge=judges[judge])),
            icon=":material/play_arrow:",
            query_params={"judge": judge.partition("@")[0], "sheet": sheet.name},
        )


def _above(store: Store, sheet: Sheet, one: AnswerValue) -> float | None:
    """The share of unrelated texts that are less alike than a likeness; None for other metrics."""
    record = one.record
    null = unrelated(store, sheet, record.metric, record.grader_id)
    value = similarity_baseline.bare_similarity(record) if null else None
    return None if value is None else null.percentile(value)
