"""One judge for metrics: which it finds, what that takes, its run, and what goes to and fro."""

import streamlit as st

from concord.judges.definition.model import Judge
from concord.judges.metric_runs.job import MetricJob, prepared
from concord.messages import said
from concord.metrics.selection import choice
from concord.model import Grader
from concord.store.database import Store
from concord.ui.screens.judges.judge_options import overrides
from concord.ui.screens.judges.judge_replies import replies
from concord.ui.screens.judges.judge_start import ChosenJudge, run_box
from concord.ui.screens.judges.judge_views import one_of_views, requests_view, runs_view
from concord.ui.screens.judges.metric_run import start


def metric_card(store: Store, sheet_name: str, judge: Judge, argument: str) -> Judge:
    """Show the card of a judge for metrics; return the judge with the overrides applied."""
    box = st.container()
    over = overrides(judge, argument, sheet_name)
    if judge.model is not None:
        judge = judge.with_overrides(over.model, over.base_url)
    with box:
        job = prepared(store, judge, choice(judge), over)
        grader = job.grader(store)
        run_box(ChosenJudge(store, argument, job, grader, over), said("a number"), start)
    if job.judge.model is not None:
        _views(store, job, grader)
    else:
        runs_view(store, job, grader)
    return job.judge


def _views(store: Store, job: MetricJob, grader: Grader | None) -> None:
    """One of the views of a judge for metrics, as the URL says."""
    of_answer = {
        said("Requests"): lambda stored: requests_view(job, stored),
        said("Replies"): lambda stored: replies(store, stored, grader),
    }
    one_of_views(store, job, grader, "judge.metric.show", of_answer)
