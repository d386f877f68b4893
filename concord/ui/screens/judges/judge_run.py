"""The run box: what a run would take, the button that starts it, and a run going on."""

from dataclasses import replace
from functools import partial

import streamlit as st

from concord.judges.checks import endpoint_check
from concord.judges.checks.endpoint_check import Report
from concord.judges.checks.endpoint_findings import Sent
from concord.judges.running import session
from concord.judges.running.job import Job
from concord.judges.running.rubric_estimate import Estimate, estimate
from concord.messages import joined, said
from concord.reports.workflow import canaries, judge_list
from concord.reports.workflow.runs import State
from concord.store.database import Store
from concord.store.graders import Grader
from concord.ui import run_fields, run_progress
from concord.ui.language import say
from concord.ui.markdown import plain
from concord.ui.screens.judges.canaries import canary_button, tried
from concord.ui.screens.judges.judge_batch import waiting_box
from concord.ui.screens.judges.judge_start import go
from concord.ui.widgets import number_field

ARROW = ":material/arrow_forward:"
LACKING = said("a score")
MARKS = {True: "✓", False: "✗", None: "–"}
CALLED = {"reached": said("connection")}  # what a finding is called here, where that differs


def run_box(
    store: Store, argument: str, job: Job, grader: Grader | None, over: session.Options
) -> None:
    """How the judge stands with the sheet: at work, or ready to be started or resumed."""
    found = judge_list.state(store, job.sheet.id, grader)
    with st.container(border=True, key="judge-run"):
        if grader and found.is_live():
            look = partial(judge_list.state, sheet_id=job.sheet.id, grader=grader)
            run_progress.live(look, "judge", LACKING)
            return
        run_progress.outcome(found, judge_list.done_sentence, LACKING)
        waiting_box(store, argument, job, over, found)
        _start(store, argument, job, over, found)


def _start(store: Store, argument: str, job: Job, over: session.Options, found: State) -> None:
    """Estimate, limits and the button; the limits stand last, though all the rest follows them."""
    place = f"{job.sheet.id}.{job.fingerprint}"
    top = st.container()
    options = limits(over, job, place)
    job = session.prepared(store, job.judge, options)
    expected = estimate(store, job)
    with top:
        if judge_list.is_all_done(expected) and expected.in_batch:
            return
        if judge_list.is_all_done(expected) and found.phase == "done":
            st.page_link(
                "pages/agreement.py", label=say("How far it agrees with people"), icon=ARROW
            )
            return
        st.markdown(_estimated(expected, job))
        ready = judge_list.has_key(job.judge)
        (st.caption if ready else st.warning)(say(judge_list.key_sentence(job.judge)))
        options = _with_way(options, expected, found, place)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            options = with_budget(options, expected, place, found.budget)
            label = judge_list.run_label(expected, bool(job.settled), options.batch)
            start = st.button(
                say(label),
                type="primary",
                icon=":material/play_arrow:",
                key="judge.run",
                disabled=not ready or judge_list.is_all_done(expected),
            )
            checking = check_button(ready)
            known = canaries.of_rubric(job.judge, job.rubric, job.shots)
            trying = canary_button(known, ready)
        if checking:
            checked(store, endpoint_check.prepare(job.judge, job.rubric, job.shots))
        if trying:
            tried(store, known)
        if start:
            go(store, argument, session.RubricPlan(job), options, expected)


def check_button(ready: bool) -> bool:
    """The button that asks once; whether it was clicked."""
    return st.button(
        say("Check with one call"),
        icon=":material/troubleshoot:",
        key="judge.check",
        help=say("Sends one small built-in item, nothing of the sheet, and says what works."),
        disabled=not ready,
    )


def checked(store: Store, sent: Sent | Report) -> None:
    """What one call finds: what works, what the server ignored, what to change."""
    store.must_lead()  # it costs money, and the key goes to the address
    with st.spinner(say("Asking once…")):
        report = endpoint_check.send(sent)
    lines = [
        f"- {MARKS[one.holds]} "
        + say(
            "**{what}**: {sentence}",
            what=CALLED.get(one.what, one.what),
            sentence=plain(one.sentence),
        )
        for one in report.findings
    ]
    (st.success if report.holds else st.error)("\n".join(lines))


def limits(over: session.Options, job: Job, place: str) -> session.Options:
    """What the user limits: how many answers, how often, and whether to ask again."""
    with st.expander(say("Only some answers, repeats, speed, asking again")):
        limit = number_field(
            say("Only the first answers"),
            min_value=1,
            max_value=max(1, job.sheet.items),
            value=None,
            placeholder=say("all {n:,}", n=job.sheet.items),
            key=f"judge.limit.{place}",
            help=say("A few first show whether the prompt works, for a little money."),
        )
        repeats = _repeats(place) if job.judge.model is not None else 1
        concurrency = run_fields.concurrency(f"judge.concurrency.{place}")
        retry = st.checkbox(
            say("Ask again where a reply gave no score"),
            key=f"judge.retry.{place}",
            help=say("Replies that were refused or could not be read are settled otherwise."),
        )
    return session.Options(
        sheet_name=job.sheet.name,
        model=over.model,
        base_url=over.base_url,
        limit=limit,
        repeats=repeats,
        concurrency=concurrency,
        retry_unscored=retry,
    )


def _repeats(place: str) -> int:
    """How many replies to each answer are wanted."""
    return number_field(
        say("Replies per answer"),
        min_value=1,
        max_value=20,
        key=f"judge.repeats.{place}",
        help=say("More than one shows how steady the judge is; agreement uses the first."),
    )


def _with_way(
    options: session.Options, expected: Estimate, found: State, place: str
) -> session.Options:
    """Live or as a batch, where it makes a difference and no batch is open already."""
    if not expected.calls or expected.is_free() or found.waiting:
        return options
    batch = st.radio(
        say("How to ask"),
        [False, True],
        format_func=lambda batch: say(judge_list.way(expected, batch)),
        key=f"judge.way.{place}",
        help=say(
            "A provider's batch mode is made for work that can wait. Servers of your own mostly "
            "have none."
        ),
    )
    return replace(options, batch=batch)


def with_budget(
    options: session.Options, expected: Estimate, place: str, before: float | None
) -> session.Options:
    """The budget field, where there is something to pay and the price is known."""
    if expected.is_free() or expected.cost is None:
        return options
    return replace(options, budget=run_fields.budget(f"judge.budget.{place}", before))


def _estimated(expected: Estimate, job: Job) -> str:
    """The estimate, with what is never asked."""
    told = plain(expected.sentence())
    parts = [said("**{n:,} answers:** {estimate}", n=job.sheet.items, estimate=told)]
    if job.closed:
        parts.append(
            said(
                "{n:,} answers are never asked: judges may have seen their questions.",
                n=job.closed,
            )
        )
    return say(joined(" ", parts))
