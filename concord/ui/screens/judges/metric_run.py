"""The run box of a judge for metrics: which metrics, what that takes, and the start."""

from dataclasses import replace
from functools import partial

import streamlit as st

from concord.judges.metric_runs import plan
from concord.messages import said
from concord.metrics.selection import choice
from concord.reports.workflow import judge_state, run_offer
from concord.reports.workflow.runs import State
from concord.ui import run_progress, run_start
from concord.ui.cached_metrics import title
from concord.ui.language import say, word
from concord.ui.screens.judges.judge_start import Chosen, go, limits, with_budget
from concord.ui.screens.judges.judge_trials import metric_buttons, metric_trials
from concord.ui.screens.judges.metric_progress import (
    expected_of,
    numbers,
    say_expected,
    start_label,
)

LACKING = said("a number")


def run_box(chosen: Chosen) -> None:
    """Show the judge's run on the sheet, in progress or ready to be started or resumed."""
    store, job, grader = chosen.store, chosen.job, chosen.grader
    found = judge_state.state(store, job.sheet.id, grader)
    with st.container(border=True, key="judge-run"):
        if grader and found.is_live():
            look = partial(judge_state.state, sheet_id=job.sheet.id, grader=grader)
            run_progress.live(look, "judge", LACKING)
            return
        run_progress.outcome(found, run_offer.done_sentence, LACKING)
        numbers(store, job, grader)
        _start(chosen, found)


def _start(chosen: Chosen, found: State) -> None:
    """Show the choice of metrics, the estimate, missing inputs, limits and the button."""
    store, job, over = chosen.store, chosen.job, chosen.over
    place = f"{job.sheet.id}.{job.judge.name}.{job.fingerprint}"
    names = [metric.name for metric in job.metrics]
    wanted = st.multiselect(
        say("Metrics"),
        names,
        default=names,
        format_func=lambda name: word(title(name)),
        key=f"judge.metrics.{place}",
        help=say(
            "Metrics share requests, so running all of them together costs less than one by one."
        ),
    )
    top = st.container()
    options = limits(over, job, place)
    if not wanted:
        top.info(say("Choose a metric."))
        return
    options = replace(options, metrics=tuple(wanted) if wanted != names else over.metrics)
    out = job.left_out
    job = plan.prepare(store, job.judge, choice(job.judge, wanted), options)
    job = replace(job, left_out=out)
    expected = expected_of(store, job, found)
    with top:
        say_expected(store, job, expected)
        if run_offer.is_all_done(expected):
            return
        ready = job.judge.model is None or run_start.has_key(job.judge)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            options = with_budget(options, expected, place, found.budget)
            start = st.button(
                start_label(expected, bool(job.settled)),
                type="primary",
                icon=":material/play_arrow:",
                key="judge.run",
                disabled=not ready,
            )
            asked = metric_buttons(job, ready)
        metric_trials(store, chosen.argument, over, asked)
        if start:
            go(chosen, plan.MetricPlan(job), options, expected)
