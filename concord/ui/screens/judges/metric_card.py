"""One judge for metrics: which it finds, what that takes, its run, and what goes to and fro.

The start of a judge for metrics: which metrics, and what they take.

Progress of a metric judge: values so far, cost of the rest, and missing inputs.
"""

from dataclasses import replace
from functools import partial

import streamlit as st

from concord.importing.fields import ITEM_FIELDS
from concord.judges.definition.model import Judge
from concord.judges.metric_runs.cost_estimate import MetricEstimate
from concord.judges.metric_runs.job import MetricJob, prepared
from concord.messages import quoted, said
from concord.metrics import title
from concord.metrics.framework.metric import NEEDS
from concord.metrics.selection import choice
from concord.model import Grader
from concord.reports.metrics import metric_records, metrics
from concord.reports.workflow import canaries, judge_check, runs
from concord.reports.workflow.runs import State
from concord.store.database import Store
from concord.ui import run_progress, run_start
from concord.ui.caching import once
from concord.ui.language import plain, say, word
from concord.ui.render import show_table
from concord.ui.screens.judges.judge_options import limits, overrides
from concord.ui.screens.judges.judge_replies import replies
from concord.ui.screens.judges.judge_start import ChosenJudge, Ready, run_box, start_row
from concord.ui.screens.judges.judge_trials import Trials
from concord.ui.screens.judges.judge_views import one_of_views, requests_view, runs_view


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
        if runs.is_all_done(expected):
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
            runs.run_label(expected, bool(job.settled))
            if expected.calls
            else said("Compute metrics, free"),
            run_start.why_no_key(job.judge) if asks_model else None,
            Trials(check if asks_model else None, known),
        )
        start_row(chosen, ready, place, found.budget)


def expected_of(store: Store, job: MetricJob, found: State) -> MetricEstimate:
    """The estimate; rehearsing takes a second or two, so it is kept while nothing changes."""
    versions = tuple(one.version for one in job.criteria.values())
    left = len(job.pending), job.settled, job.failed, job.retried, job.repeats
    wanted = job.sheet.id, job.fingerprint, versions, left, found.run_id, found.counts.calls
    compute = partial(job.estimate, store)
    return once("judge.metrics.expected", wanted, compute, said("Planning the requests…"))


def say_expected(store: Store, job: MetricJob, expected: MetricEstimate) -> None:
    """The estimate in words, what answers lack, and what is left out."""
    run_progress.expected(expected, closed=job.closed)
    lacking = job.remarks(store, title)
    if lacking and job.pending:
        st.warning("\n".join(f"- {plain(line)}" for line in [*lacking, *_columns(job)]))


def _columns(job: MetricJob) -> list[str]:
    """Return the columns of a file that supply the missing inputs."""
    lacked = {lack.what for lack in job.lacks}
    needed = [need for need, words in NEEDS.items() if words in lacked and need in ITEM_FIELDS]
    if not needed:
        return []
    names = quoted(needed)
    return [
        said("Import them in the columns {names}.", names=names)
        if len(needed) > 1
        else said("Import it in the column {names}.", names=names)
    ]


def numbers(store: Store, job: MetricJob, grader: Grader | None) -> None:
    """Show the values found so far: number of answers, and the mean."""
    values = metrics.rows(metric_records.read(store, job.sheet)) if grader else []
    mine = [row for row in values if row.judge == job.label]
    if mine:
        shown = sorted(mine, key=lambda row: not row.n)  # those without any value last
        show_table(metrics.table(shown, title), job.judge.name, height="content")
