"""Diagnosis of low metrics on screen, with the failing answers behind each."""

from collections import Counter

import streamlit as st

from concord.messages import counted, said
from concord.metrics import title
from concord.model import Sheet
from concord.reports.cells import written
from concord.reports.metrics import metric_validity
from concord.reports.metrics.metric_records import Readings, short
from concord.reports.metrics.metric_validity import FailingAnswers
from concord.store.database import Store
from concord.ui.cached_metrics import failing
from concord.ui.frame import recall, remember
from concord.ui.language import plain, say
from concord.ui.render import offer
from concord.ui.screens.metrics.answer_links import links, may_list
from concord.ui.screens.metrics.metric_validity import against


def to_do(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """Show what to examine where metrics are low, with the failing answers behind each."""
    threshold = st.slider(
        say("An answer fails below this share of a metric's range"),
        0.05,
        0.95,
        _threshold(),
        0.05,
        key="metrics.threshold",
        help=say(
            "For a similarity, an answer fails below the 95th percentile of unrelated texts, where "
            "it is known."
        ),
    )
    remember(threshold=None if threshold == metric_validity.THRESHOLD else threshold)
    rows = metric_validity.by_validity(
        failing(store, sheet, found, threshold), against(store, sheet, found).rows
    )
    if not rows:
        good = say("No answer fails a metric for which there is advice.")
        st.success(good, icon=":material/check:")
        return
    if not may_list(store):
        return
    judges = short(row.judge for row in rows)
    readings: Counter[tuple[str, str]] = Counter()
    for row in rows:
        of = row.metric, row.judge
        readings[of] += 1
        _advice(store, row, judges[row.judge], f"{'.'.join(of)}.{readings[of]}")
    offer(
        metric_validity.diagnosis_table(
            metric_validity.named(store, sheet, rows), title, most=None
        ),
        name,
    )


def _advice(store: Store, row: FailingAnswers, judge: str, key: str) -> None:
    """Show what to examine; opening the expander records its failing answers as seen."""
    head = said(
        "{metric}: {failing:,} of {answers} fail ({judge})",
        metric=row.title,
        failing=row.failing,
        answers=counted(row.n, "answer"),
        judge=judge,
    )
    icon = ":material/healing:"
    with st.expander(plain(head), icon=icon, key=f"metrics.fold.{key}", on_change="rerun") as fold:
        st.markdown(f"**{plain(row.advice)}**")
        st.caption(
            say(
                "{share} fail; an answer passes with {passes}.",
                share=written(row.estimate, "share"),
                passes=metric_validity.passes(row),
            )
        )
        if fold.open:
            links(store, row.metric, row.judge, row.item_ids)


def _threshold() -> float:
    """Return the threshold of a failing answer, from the URL."""
    try:
        wanted = round(float(recall("threshold") or metric_validity.THRESHOLD), 2)
    except ValueError:
        return metric_validity.THRESHOLD
    return wanted if 0.05 <= wanted <= 0.95 else metric_validity.THRESHOLD
