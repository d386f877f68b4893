"""The start of a judge for metrics: which metrics, and what they take."""

from dataclasses import replace
from functools import partial

import streamlit as st

from concord.judges.metric_runs.job import prepared
from concord.messages import said
from concord.metrics import title
from concord.metrics.selection import choice
from concord.reports.workflow import canaries, judge_check, run_offer
from concord.reports.workflow.runs import State
from concord.ui import run_start
from concord.ui.caching import once
from concord.ui.language import say, word
from concord.ui.screens.judges.judge_options import limits
from concord.ui.screens.judges.judge_start import ChosenJudge, Ready, start_row
from concord.ui.screens.judges.judge_trials import Trials
from concord.ui.screens.judges.metric_progress import (
    expected_of,
    numbers,
    say_expected,
)


def start(chosen: ChosenJudge, found: State) -> None:
    """Show the values so far, the choice of metrics, the estimate, limits and the button."""
    store, job, over = chosen.store, chosen.job, chosen.over
    numbers(store, job, chosen.grader)
    place = f"{job.sheet.id}.{job.judge.name}.{job.fingerprint}"
    names = [metric.name for metric in job.metrics]
    wanted = st.multiselect(
        say("Metrics"),
        names,
        default=names,
        format_func=lambda name: word(title(name)),
        key=f"judge.metrics.{place}",
        placeholder=say("Choose"),
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
    narrowed = prepared(store, job.judge, choice(job.judge, wanted), options)
    job = replace(narrowed, left_out=job.left_out)
    expected = expected_of(store, job, found)
    with top:
        say_expected(store, job, expected)
        if run_offer.is_all_done(expected):
            return
        asks_model = job.judge.model is not None
        names = tuple(metric.name for metric in job.metrics)
        prepare = partial(canaries.of_judge, job.judge, names)
        known = once("judge.metrics.canaries", (job.fingerprint, names), prepare)
        check = partial(judge_check.named, store, chosen.argument, over.model, over.base_url)
        ready = Ready(
            job,
            options,
            expected,
            run_offer.run_label(expected, bool(job.settled))
            if expected.calls
            else said("Compute metrics, free"),
            run_start.why_no_key(job.judge) if asks_model else None,
            Trials(check if asks_model else None, known),
        )
        start_row(chosen, ready, place, found.budget)
