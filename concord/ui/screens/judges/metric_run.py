"""The run box of a judge for metrics: which metrics, what that takes, and the start."""

from dataclasses import replace

import streamlit as st

from concord.judges.metric_runs import plan
from concord.judges.metric_runs.estimate import MetricEstimate
from concord.judges.metric_runs.job import MetricJob
from concord.judges.running.engine import Options
from concord.messages import said
from concord.metrics.selection import choice
from concord.reports.workflow import judge_state, run_offer
from concord.reports.workflow.runs import State
from concord.store.database import Store
from concord.store.graders import Grader
from concord.ui import run_progress
from concord.ui.cached_metrics import title
from concord.ui.language import say
from concord.ui.localized_table import word
from concord.ui.screens.judges import metric_trials
from concord.ui.screens.judges.judge_start import go, limits, with_budget
from concord.ui.screens.judges.metric_progress import expected_of, numbers, say_expected

LACKING = said("a number")


def run_box(
    store: Store, argument: str, job: MetricJob, grader: Grader | None, over: Options
) -> None:
    """How the judge stands with the sheet: at work, or ready to be started or resumed."""
    found = judge_state.state(store, job.sheet.id, grader)
    with st.container(border=True, key="judge-run"):
        if grader and found.is_live():
            run_progress.live(
                lambda s: judge_state.state(s, job.sheet.id, grader), "judge", LACKING
            )
            return
        run_progress.outcome(found, run_offer.done_sentence, LACKING)
        numbers(store, job, grader)
        _start(store, argument, job, over, found)


def _start(store: Store, argument: str, job: MetricJob, over: Options, found: State) -> None:
    """Which metrics, the estimate, what is lacking, limits and the button."""
    place = f"{job.sheet.id}.{job.judge.name}.{job.fingerprint}"
    names = [metric.name for metric in job.metrics]
    wanted = st.multiselect(
        say("Metrics"),
        names,
        default=names,
        format_func=lambda name: word(title(name)),
        key=f"judge.metrics.{place}",
        help=say("Metrics share what they ask, so that all together cost less than one by one."),
    )
    top = st.container()
    options = limits(over, job, place)
    if not wanted:
        top.info(say("Choose a metric."))
        return
    options = replace(options, metrics=tuple(wanted) if wanted != names else over.metrics)
    out = job.left_out
    job = plan.prepare(store, job.judge, choice(job.judge, wanted), options)
    job = job._replace(left_out=out)
    expected = expected_of(store, job, found)
    with top:
        say_expected(store, job, expected)
        if run_offer.is_all_done(expected):
            return
        ready = job.judge.model is None or run_offer.has_key(job.judge)
        if job.judge.model is not None:
            (st.caption if ready else st.warning)(say(run_offer.key_sentence(job.judge)))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            options = with_budget(options, expected, place, found.budget)
            start = st.button(
                _label(expected, bool(job.settled)),
                type="primary",
                icon=":material/play_arrow:",
                key="judge.run",
                disabled=not ready,
            )
            asked = metric_trials.buttons(job, ready)
        metric_trials.show(store, argument, over, asked)
        if start:
            go(store, argument, plan.MetricPlan(job), options, expected)


def _label(expected: MetricEstimate, begun: bool) -> str:
    if not expected.calls:
        return say("Find them, free")
    return say(run_offer.run_label(expected, begun))
