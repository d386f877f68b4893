"""The run box: what a run would take, the button that starts it, a run going on, open batches."""

from dataclasses import replace
from functools import partial

import streamlit as st

from concord.judges.checks import check_request, rubric_canaries
from concord.judges.running import session
from concord.judges.running.job import RubricJob
from concord.judges.running.rubric_estimate import Estimate, estimate
from concord.messages import joined, said
from concord.reports.workflow import judge_state, run_offer
from concord.reports.workflow.runs import State
from concord.ui import run_progress, run_start
from concord.ui.language import plain, say
from concord.ui.screens.judges.judge_start import Chosen, go, limits, with_budget
from concord.ui.screens.judges.judge_trials import canary_button, check_button, checked, tried

ARROW = ":material/arrow_forward:"
LACKING = said("a score")


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
        _waiting(chosen, found)
        _start(chosen, found)


def _start(chosen: Chosen, found: State) -> None:
    """Show estimate, limits and the button.

    The limits come last on screen although the rest depends on them, hence the container.
    """
    store, job, over = chosen.store, chosen.job, chosen.over
    place = f"{job.sheet.id}.{job.fingerprint}"
    top = st.container()
    options = limits(over, job, place)
    job = session.prepared(store, job.judge, options)
    expected = estimate(store, job)
    with top:
        if run_offer.is_all_done(expected) and expected.in_batch:
            return
        if run_offer.is_all_done(expected) and found.phase == "done":
            st.page_link(
                "pages/agreement.py", label=say("How far it agrees with annotators"), icon=ARROW
            )
            return
        st.markdown(_estimated(expected, job))
        ready = run_start.has_key(job.judge)
        options = _with_way(options, expected, found, place)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            options = with_budget(options, expected, place, found.budget)
            label = run_offer.run_label(expected, bool(job.settled), options.batch)
            start = st.button(
                say(label),
                type="primary",
                icon=":material/play_arrow:",
                key="judge.run",
                disabled=not ready or run_offer.is_all_done(expected),
            )
            checking = check_button(ready)
            known = rubric_canaries.of_rubric(job.judge, job.rubric, job.shots)
            trying = canary_button(known, ready)
        if checking:
            checked(store, check_request.prepare(job.judge, job.rubric, job.shots))
        if trying:
            tried(store, known)
        if start:
            go(chosen, session.RubricPlan(job), options, expected)


def _with_way(
    options: session.Options, expected: Estimate, found: State, place: str
) -> session.Options:
    """Live or as a batch, where it makes a difference and no batch is open already."""
    if not expected.calls or expected.is_free() or found.waiting:
        return options
    batch = st.radio(
        say("Request mode"),
        [False, True],
        format_func=lambda batch: say(run_offer.way(expected, batch)),
        key=f"judge.way.{place}",
        help=say(
            "Batch mode is for work that can wait. Self-hosted servers usually do not offer it."
        ),
    )
    return replace(options, batch=batch)


def _estimated(expected: Estimate, job: RubricJob) -> str:
    """The estimate, with what is never asked."""
    told = plain(expected.sentence())
    parts = [said("**{n:,} answers:** {estimate}", n=job.sheet.items, estimate=told)]
    if job.closed:
        parts.append(
            said(
                "{n:,} answers are excluded: judges may have seen their questions.",
                n=job.closed,
            )
        )
    return say(joined(" ", parts))


def _waiting(chosen: Chosen, found: State) -> None:
    """The open batches of a judge over the sheet, where there are any."""
    job, over = chosen.job, chosen.over
    if not found.waiting:
        return
    lines = run_offer.batch_lines(found.waiting)
    st.info(plain(joined("\n\n", lines)), icon=":material/schedule:")
    ready = run_offer.has_key(job.judge)
    about = {"sheet_name": job.sheet.name, "model": over.model, "base_url": over.base_url}
    with st.container(horizontal=True):
        ask = st.button(
            say("Fetch results"),
            icon=":material/download:",
            key="judge.collect",
            help=say("Results received so far are stored; the rest can then be requested again."),
            disabled=not ready,
        )
        end = st.button(
            say("Cancel batch"),
            icon=":material/cancel:",
            key="judge.cancel_batch",
            help=say(
                "Answers received until then are paid for and stored; the rest can be "
                "requested again."
            ),
            disabled=not ready,
        )
    if ask or end:
        options = session.Options(**about, batch=ask, cancel_batch=end)
        go(chosen, session.RubricPlan(job), options)
