"""One judge by a rubric: its run box, its prompt exactly as it is sent, and the replies to it.

The start of a judge by a rubric: what a run would take, live or as a batch, open batches.
"""

from dataclasses import replace
from functools import partial

import streamlit as st

from concord.judges.checks import check_request, rubric_canaries
from concord.judges.checks.request_preview import preview
from concord.judges.definition.model import Judge
from concord.judges.prompting.prompt import parts
from concord.judges.rubric_runs import session
from concord.judges.rubric_runs.job import RubricJob
from concord.judges.rubric_runs.tasks import closed
from concord.judges.running.cost_estimate import Estimate
from concord.messages import joined, said
from concord.reports.workflow import runs
from concord.reports.workflow.runs import State
from concord.store.database import Store
from concord.store.items import Stored
from concord.ui import run_progress, run_start
from concord.ui.language import plain, say
from concord.ui.screens.judges import judge_start
from concord.ui.screens.judges.judge_options import limits, overrides
from concord.ui.screens.judges.judge_replies import replies
from concord.ui.screens.judges.judge_start import ChosenJudge, Ready, start_row
from concord.ui.screens.judges.judge_trials import Trials
from concord.ui.screens.judges.judge_views import one_of_views
from concord.ui.widgets import next_screen_link


def rubric_card(store: Store, sheet_name: str, judge: Judge, argument: str) -> Judge:
    """Show the card of a judge by a rubric; return the judge with the overrides applied."""
    box = st.container()
    over = overrides(judge, argument, sheet_name)
    job = session.prepare(store, argument, over)
    grader = job.grader(store)
    with box:
        run_box(ChosenJudge(store, argument, job, grader, over))
    of_answer = {
        said("Prompt"): lambda stored: _prompt(store, job, stored),
        said("Replies"): lambda stored: replies(store, stored, grader, job.rubric.versions()),
    }
    one_of_views(store, job, grader, "judge.show", of_answer)
    return job.judge


def _prompt(store: Store, job: RubricJob, stored: Stored) -> None:
    """Show every message and the rest of the request, to read and to copy."""
    names = list(parts(job.judge, job.rubric))
    part = names[0]
    if len(names) > 1:
        part = st.segmented_control(
            say("Criterion of the request"), names, default=part, required=True, key="judge.part"
        )
    sent = preview(job.judge, job.rubric, stored.item, part, job.shots)
    st.caption(plain(sent.sentence()))
    if stored.question_id in closed(store, job, job.rubric):
        st.info(say("This answer is excluded: judges may have seen its question as an example."))
    for message in sent.messages:
        st.markdown(f"**{message['role']}**")
        st.code(message["content"], language=None, wrap_lines=True)
    st.markdown(f"**{say('Rest of the request')}**")
    st.code(sent.rest, language="json", wrap_lines=True)


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
        if runs.is_all_done(expected) and expected.in_batch:
            return
        if runs.is_all_done(expected) and found.phase == "done":
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
            runs.run_label(expected, bool(job.settled), options.batch),
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
        format_func=lambda batch: say(runs.mode_and_price(expected, batch)),
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
    lines = runs.batch_lines(found.waiting)
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
