"""The start of a judge by a rubric: what a run would take, live or as a batch, open batches."""

from dataclasses import replace
from functools import partial

import streamlit as st

from concord.judges.checks import check_request, rubric_canaries
from concord.judges.rubric_runs import session
from concord.judges.running.cost_estimate import Estimate
from concord.messages import joined, said
from concord.reports.workflow import run_offer
from concord.reports.workflow.runs import State
from concord.ui import run_progress, run_start
from concord.ui.language import plain, say
from concord.ui.screens.judges import judge_start
from concord.ui.screens.judges.judge_options import limits
from concord.ui.screens.judges.judge_start import ChosenJudge, Ready, start_row
from concord.ui.screens.judges.judge_trials import Trials
from concord.ui.widgets import next_screen_link

_FETCH = said("Results received so far are stored; the rest can then be requested again.")
_CANCEL = said(
    "Answers received until then are paid for and stored; the rest can be requested again."
)


def run_box(chosen: ChosenJudge) -> None:
    """Show the judge's run on the sheet."""
    judge_start.run_box(chosen, said("a score"), _start)


def _start(chosen: ChosenJudge, found: State) -> None:
    """Show open batches, estimate, limits and the button.

    The limits come last on screen although the rest depends on them, hence the container.
    """
    _waiting(chosen, found)
    store, job, over = chosen.store, chosen.job, chosen.over
    place = f"{job.sheet.id}.{job.fingerprint}"
    top = st.container()
    options = limits(over, job, place)
    job = session.prepared(store, job.judge, options)
    expected = job.estimate(store)
    with top:
        if run_offer.is_all_done(expected) and expected.in_batch:
            return
        if run_offer.is_all_done(expected) and found.phase == "done":
            next_screen_link("pages/agreement.py", said("Agreement with annotators"))
            return
        if elsewhere := job.without_annotators(store):
            st.warning(plain(elsewhere), icon=":material/warning:")
        run_progress.expected(expected, closed=job.closed)
        no_key = run_start.why_no_key(job.judge)
        if job.judge.kind != "decision":  # no provider takes those as a batch
            options = _with_way(options, expected, found, place)
        of_judge = job.judge, job.rubric, job.shots
        ready = Ready(
            job,
            options,
            expected,
            run_offer.run_label(expected, bool(job.settled), options.batch),
            no_key,
            Trials(partial(check_request.prepare, *of_judge), rubric_canaries.of_rubric(*of_judge)),
        )
        start_row(chosen, ready, place, found.budget)


def _with_way(
    options: session.Options, expected: Estimate, found: State, place: str
) -> session.Options:
    """Live or as a batch, where it makes a difference and no batch is open already."""
    if not expected.calls or expected.is_free() or found.waiting:
        return options
    batch = st.radio(
        say("Request mode"),
        [False, True],
        format_func=lambda batch: say(run_offer.mode_and_price(expected, batch)),
        key=f"judge.way.{place}",
        help=say(
            "Batch mode is for work that can wait. Self-hosted servers usually do not offer it."
        ),
    )
    return replace(options, batch=batch)


def _waiting(chosen: ChosenJudge, found: State) -> None:
    """The open batches of a judge over the sheet, where there are any."""
    job, over = chosen.job, chosen.over
    if not found.waiting:
        return
    lines = run_offer.batch_lines(found.waiting)
    st.info(plain(joined("\n\n", lines)), icon=":material/schedule:")
    why_not = chosen.store.why_no_lead() or run_start.why_no_key(job.judge, "batch")
    about = {"sheet_name": job.sheet.name, "model": over.model, "base_url": over.base_url}
    with st.container(horizontal=True):
        ask = st.button(
            say("Fetch results"),
            icon=":material/download:",
            key="judge.collect",
            help=say(why_not or _FETCH),
            disabled=why_not is not None,
        )
        end = st.button(
            say("Cancel batch"),
            icon=":material/cancel:",
            key="judge.cancel_batch",
            help=say(why_not or _CANCEL),
            disabled=why_not is not None,
        )
    if why_not:
        st.caption(say(why_not))
    if ask or end:
        options = session.Options(**about, batch=ask, cancel_batch=end)
        run_start.start(chosen.store, chosen.argument, [job], options)
