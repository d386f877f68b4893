"""A judge's run, of whatever kind: the box around it, and its start."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import streamlit as st

from concord.judges.metric_runs.job import MetricJob
from concord.judges.rubric_runs.job import RubricJob
from concord.judges.running.cost_estimate import Estimate
from concord.judges.running.job import Options
from concord.messages import Said
from concord.model import Grader
from concord.reports.workflow import judges, runs
from concord.reports.workflow.runs import State
from concord.store.database import Store
from concord.ui import run_progress, run_start
from concord.ui.frame import may_act
from concord.ui.language import say
from concord.ui.screens.judges.judge_trials import Trials, show_trials, trial_buttons


class ChosenJudge(NamedTuple):
    """A judge set up for a sheet, as its card shows it.

    Attributes:
        store: The open store.
        argument: What the verb `judge` calls the judge.
        job: The judge with the sheet and what is left to ask.
        grader: The judge as a grader; None where it never ran.
        over: The options chosen so far.
    """

    store: Store
    argument: str
    job: RubricJob | MetricJob
    grader: Grader | None
    over: Options


def run_box(
    chosen: ChosenJudge, lacking: Said, start: Callable[[ChosenJudge, State], None]
) -> None:
    """Show the judge's run on the sheet, in progress or ready to be started or resumed.

    `lacking` names what unusable replies lack; `start` shows what starts or resumes the run.
    """
    job, grader = chosen.job, chosen.grader
    rubric = job.rubric if isinstance(job, RubricJob) else None
    found = judges.state(chosen.store, job.sheet.id, grader, rubric)
    with st.container(border=True, key="judge-run"):
        if grader and found.is_live():
            look = partial(judges.state, sheet_id=job.sheet.id, grader=grader, rubric=rubric)
            run_progress.live(look, "judge", lacking)
            return
        run_progress.outcome(found, lacking)
        if may_act(chosen.store):
            start(chosen, found)


class Ready(NamedTuple):
    """A run that can be started, with the trials of its judge.

    Attributes:
        job: What would be asked.
        options: The options chosen, without the budget.
        expected: The estimate.
        label: Of the button that starts it.
        no_key: Why the key that the judge needs is missing; None where it is not.
        trials: What the judge can be tried with.
    """

    job: RubricJob | MetricJob
    options: Options
    expected: Estimate
    label: Said
    no_key: Said | None
    trials: Trials


def start_row(chosen: ChosenJudge, ready: Ready, place: str, before: float | None) -> None:
    """Show the budget and the buttons in a row, then do what was clicked.

    `place` is unique for the judge and sheet, `before` the budget of the previous run.
    """
    options = ready.options
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if not ready.expected.is_free() and ready.expected.cost is not None:
            options = replace(options, budget=run_start.budget(f"judge.budget.{place}", before))
        refused = chosen.store.why_no_lead() or ready.no_key
        all_done = runs.is_all_done(ready.expected)
        why = refused or (runs.ALL_SCORED if all_done else None)
        start = st.button(
            say(ready.label),
            type="primary",
            icon=":material/play_arrow:",
            key="judge.run",
            disabled=why is not None,
        )
        asked = trial_buttons(ready.trials, refused)
    if why:
        st.caption(say(why))
    show_trials(chosen.store, asked)
    if start:
        run_start.start(chosen.store, chosen.argument, [ready.job], options, [ready.expected])
