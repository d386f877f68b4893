"""Trying a judge for metrics before it runs: one call, and the canaries of its metrics."""

from typing import NamedTuple

import streamlit as st

from concord.judges.checks.canary import Trials
from concord.judges.metric_runs.job import MetricJob
from concord.judges.running.engine import Options
from concord.reports.workflow import canaries, judge_check
from concord.store.database import Store
from concord.ui.screens.judges.judge_trials import canary_button, check_button, checked, tried


class Asked(NamedTuple):
    """Which of the two buttons was clicked, and the canaries that would be asked."""

    checking: bool
    trying: bool
    known: Trials


def buttons(job: MetricJob, ready: bool) -> Asked:
    """The buttons, where there is something to ask."""
    checking = job.judge.model is not None and check_button(ready)
    known = _canaries(job)
    return Asked(checking, canary_button(known, ready), known)


def show(store: Store, argument: str, over: Options, asked: Asked) -> None:
    """Ask what was clicked, and show what came."""
    if asked.checking:
        checked(store, judge_check.named(store, argument, over.model, over.base_url))
    if asked.trying:
        tried(store, asked.known)


def _canaries(job: MetricJob) -> Trials:
    """What the judge is tried with; rehearsed once while nothing changes."""
    names = tuple(metric.name for metric in job.metrics)
    place = job.fingerprint, names
    kept = st.session_state.get("judge.metrics.canaries")
    if kept is None or kept[0] != place:
        kept = place, canaries.of_judge(job.judge, names)
        st.session_state["judge.metrics.canaries"] = kept
    return kept[1]
