"""The run box of a judge for metrics: which metrics, what that takes, and the start."""

from dataclasses import replace

import streamlit as st

from concord.judges.checks import canary
from concord.judges.metric_runs import plan
from concord.judges.metric_runs.estimate import MeasureEstimate
from concord.judges.metric_runs.job import MeasureJob
from concord.judges.running.engine import Options
from concord.messages import said
from concord.metrics.selection import choice
from concord.reports.workflow import canaries, judge_check, judge_list
from concord.reports.workflow.runs import State
from concord.store.database import Store
from concord.store.graders import Grader
from concord.ui import run_progress
from concord.ui.cached_metrics import title
from concord.ui.language import say
from concord.ui.localized_table import word
from concord.ui.screens.judges.judge_start import go, limits, with_budget
from concord.ui.screens.judges.judge_trials import canary_button, check_button, checked, tried
from concord.ui.screens.judges.metric_progress import expected_of, numbers, say_expected

LACKING = said("a number")


def run_box(
    store: Store, argument: str, job: MeasureJob, grader: Grader | None, over: Options
) -> None:
    """How the judge stands with the sheet: at work, or ready to be started or resumed."""
    found = judge_list.state(store, job.sheet.id, grader)
    with st.container(border=True, key="judge-run"):
        if grader and found.is_live():
            run_progress.live(lambda s: judge_list.state(s, job.sheet.id, grader), "judge", LACKING)
            return
        run_progress.outcome(found, judge_list.done_sentence, LACKING)
        numbers(store, job, grader)
        _start(store, argument, job, over, found)


def _start(store: Store, argument: str, job: MeasureJob, over: Options, found: State) -> None:
    """Which measures, the estimate, what is lacking, limits and the button."""
    place = f"{job.sheet.id}.{job.judge.name}.{job.fingerprint}"
    names = [measure.name for measure in job.measures]
    wanted = st.multiselect(
        say("Measures"),
        names,
        default=names,
        format_func=lambda name: word(title(name)),
        key=f"judge.measures.{place}",
        help=say("Measures share what they ask, so that all together cost less than one by one."),
    )
    top = st.container()
    options = limits(over, job, place)
    if not wanted:
        top.info(say("Choose a measure."))
        return
    options = replace(options, measures=tuple(wanted) if wanted != names else over.measures)
    out = job.left_out
    job = plan.prepare(store, job.judge, choice(job.judge, wanted), options)
    job = job._replace(left_out=out)
    expected = expected_of(store, job, found)
    with top:
        say_expected(store, job, expected)
        if judge_list.is_all_done(expected):
            return
        ready = job.judge.model is None or judge_list.has_key(job.judge)
        if job.judge.model is not None:
            (st.caption if ready else st.warning)(say(judge_list.key_sentence(job.judge)))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            options = with_budget(options, expected, place, found.budget)
            start = st.button(
                _label(expected, bool(job.settled)),
                type="primary",
                icon=":material/play_arrow:",
                key="judge.run",
                disabled=not ready,
            )
            checking = job.judge.model is not None and check_button(ready)
            known = _canaries(job)
            trying = canary_button(known, ready)
        if checking:
            checked(store, judge_check.named(store, argument, over.model, over.base_url))
        if trying:
            tried(store, known)
        if start:
            go(store, argument, plan.MetricPlan(job), options, expected)


def _canaries(job: MeasureJob) -> canary.Trials:
    """What the judge is tried with; rehearsed once while nothing changes."""
    names = tuple(measure.name for measure in job.measures)
    place = job.fingerprint, names
    kept = st.session_state.get("judge.measures.canaries")
    if kept is None or kept[0] != place:
        kept = place, canaries.of_judge(job.judge, names)
        st.session_state["judge.measures.canaries"] = kept
    return kept[1]


def _label(expected: MeasureEstimate, begun: bool) -> str:
    if not expected.calls:
        return say("Find them, free")
    return say(judge_list.run_label(expected, begun))
