"""What every judge's card has: its options, its run, its replies and what it has done."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from concord.judges.checks import canary, endpoint_check
from concord.judges.checks.endpoint_check import Report, SentRequest
from concord.judges.checks.request_preview import requests
from concord.judges.definition.model import as_toml
from concord.judges.run.estimate import Estimate
from concord.judges.run.job import Options
from concord.judges.run.metric import MetricJob
from concord.judges.run.progress import tokens, usd
from concord.judges.run.rubric import RubricJob
from concord.language.grade_statuses import status_words
from concord.messages import Said, joined, minute, said
from concord.model import Grader
from concord.reports.reliability import reply_distributions
from concord.reports.reliability.test_retest import by_reply
from concord.reports.workflow import judge_check, judges, runs
from concord.reports.workflow.runs import State
from concord.sampling import splits
from concord.store import grades, items
from concord.store import runs as runs_x
from concord.store import runs as store_runs
from concord.store.database import Row, Store
from concord.store.items import Stored
from concord.ui import render, run_progress
from concord.ui.frame import may_act, offer_download
from concord.ui.language import plain, say
from concord.ui.looker import agreed, looker
from concord.ui.render import show_table
from concord.ui.widgets import number_field, switch, url_number, url_toggle

WHY = said(
    "Tests the judge on small built-in items with undisputed verdicts, before a run costs money. "
    "Sends no data from the sheet."
)


_CHECK = said("Sends one small built-in item, no data from the sheet, and reports what works.")


class Trials(NamedTuple):
    """The trials of a judge: the one call that checks its endpoint, and the canaries.

    `check` prepares the call; None where there is nothing to ask, as `canaries` is.
    """

    check: Callable[[], SentRequest | Report] | None
    canaries: canary.Trials | None


def check_button(key: str, refused: Said | None) -> bool:
    """Show the button of the one request, disabled where it cannot be sent; True if clicked."""
    return st.button(
        say("Check with one request"),
        icon=":material/troubleshoot:",
        key=key,
        help=say(refused or _CHECK),
        disabled=refused is not None,
    )


def tried(store: Store, known: canary.Trials) -> None:
    """Show the judge's result on the canaries: the number right, and each failure in words."""
    store.must_lead()  # it costs money, and the key goes to the address
    with st.spinner(say("Running {n:,} canaries…", n=len(known.trials))):
        outcome = canary.send(*known)
    document = judge_check.of_canaries(outcome)
    box, icon = (st.success, "check") if outcome.holds else (st.error, "error")
    box(f"{plain(document.headline)}\n\n{_listed(*document.facts)}", icon=f":material/{icon}:")
    for note in document.notes:
        st.caption(plain(note))


def checked(store: Store, sent: SentRequest | Report) -> None:
    """Show the findings of a test call: what works, ignored options, and what to change."""
    store.must_lead()  # it costs money, and the key goes to the address
    with st.spinner(say("Sending one request…")):
        report = endpoint_check.send(sent)
    (st.success if report.holds else st.error)(_listed(*judge_check.of_check(report).facts))


def _listed(*facts: str) -> str:
    return "\n".join(f"- {plain(one)}" for one in facts)


def limits(job: RubricJob | MetricJob, place: str) -> Options:
    """Return the limits the user sets: number of answers, repeats, retries."""
    with st.expander(say("Subset, repeats, speed, retries")):
        limit = number_field(
            say("First answers only"),
            min_value=1,
            max_value=max(1, job.sheet.items),
            value=None,
            placeholder=say("all {n:,}", n=job.sheet.items),
            key=f"judge.limit.{place}",
        )
        repeats = 1
        if job.judge.model is not None:
            repeats = number_field(
                say("Replies per answer"),
                min_value=1,
                max_value=20,
                key=f"judge.repeats.{place}",
            )
        concurrency = run_progress.concurrency(f"judge.concurrency.{place}")
        retry = st.checkbox(
            say("Retry where a reply gave no score"),
            key=f"judge.retry.{place}",
        )
    return Options(
        job.sheet.name,
        limit=limit,
        repeats=repeats,
        concurrency=concurrency,
        retry_unscored=retry,
    )


class ChosenJudge(NamedTuple):
    """A judge set up for a sheet, as its card shows it.

    Attributes:
        store: The open store.
        argument: What the verb `judge` calls the judge.
        job: The judge with the sheet and what is left to ask.
        grader: The judge as a grader; None where it never ran.
    """

    store: Store
    argument: str
    job: RubricJob | MetricJob
    grader: Grader | None


def run_box(
    chosen: ChosenJudge, lacking: Said, start: Callable[[ChosenJudge, State], None]
) -> None:
    """Show the judge's run on the sheet, in progress or ready to be started or resumed.

    `lacking` names what unusable replies lack; `start` shows what starts or resumes the run.
    """
    job, grader = chosen.job, chosen.grader
    found = judges.state(chosen.store, job.sheet.id, grader)
    with st.container(border=True, key="judge-run"):
        if grader and found.is_live():
            look = partial(judges.state, sheet_id=job.sheet.id, grader=grader)
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
            options = replace(options, budget=run_progress.budget(f"judge.budget.{place}", before))
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
        # Show a button for each trial there is, disabled where `refused`; return those clicked.
        checking = ready.trials.check is not None and check_button("judge.check", refused)
        known = ready.trials.canaries
        trying = bool(known.trials) and st.button(
            plain(said("Run canaries ({offer})", offer=canary.offer(known.trials))),
            icon=":material/flutter_dash:",
            key="judge.canaries",
            help=say(refused or WHY),
            disabled=refused is not None,
        )
        asked = Trials(ready.trials.check if checking else None, known if trying else None)
    if why:
        st.caption(say(why))
    # Ask what was clicked, and show what came.
    if asked.check:
        checked(chosen.store, asked.check())
    if asked.canaries:
        tried(chosen.store, asked.canaries)
    if start:
        run_progress.start(chosen.store, chosen.argument, [ready.job], options, [ready.expected])


def replies(
    store: Store, stored: Stored, grader: Grader | None, versions: Mapping[str, str] | None = None
) -> None:
    """Show every reply to an answer; who looks has seen what judges said of it.

    Args:
        store: The open store.
        stored: The answer.
        grader: The judge; None where it never ran.
        versions: The versions of the criteria, by name, whose repeated scores are compared.
    """
    found = store_runs.of_item(store, stored.id, grader.id) if grader else []
    if not found:
        st.info(
            say("This judge has not replied to this answer yet. Run it, or choose another answer.")
        )
        return
    person = looker(store)
    if not agreed(store, person):
        return
    grades.open_item(store, stored.id, person.id if person else None)
    if versions:
        names = {version: name for name, version in versions.items()}
        given = grades.of_grader(store, grader.id, [stored.id], list(names))
        if again := by_reply(given, names):
            st.markdown(f"**{plain(again)}**")
        show_table(reply_distributions.table(store, stored.id, grader.id, versions), grader.name)
    for reply in found:
        with st.container(border=True):
            _reply(reply)


def _reply(reply: Row) -> None:
    about = [
        said("**{status}**", status=status_words(reply["status"])),
        *([said("for {part}", part=reply["part"])] if reply["part"] else []),
        said("repeat {n}, attempt {tries}", n=reply["repeat"], tries=reply["attempt"]),
        plain(reply["model"] or said("the server named no model")),
        tokens(reply["tokens_in"] or 0, reply["tokens_out"] or 0),
        said("cost unknown") if reply["cost"] is None else usd(reply["cost"]),
        said("{n:.1f} s", n=reply["latency"] or 0),
    ]
    st.markdown(say(joined(" · ", about)).replace("$", r"\$"))
    st.caption(plain(said("{time} UTC", time=minute(reply["created_at"]))))
    st.code(_laid_out(reply["raw"]), language="json", wrap_lines=True)
    with st.expander(say("The request as it was sent")):
        st.code(_laid_out(reply["request"]), language="json", wrap_lines=True)


def _laid_out(text: str) -> str:
    """JSON with indents; anything else as it is."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except ValueError:
        return text


def one_of_views(
    store: Store,
    job: Any,
    grader: Grader | None,
    key: str,
    of_answer: Mapping[str, Callable[[Stored], None]],
    edit: Callable[[], None],
) -> None:
    """What defines the judge, to edit; its runs; or what is shown of one answer, if not held out.

    Args:
        store: The open store.
        job: Of whatever kind of judge.
        grader: The judge as a grader; None where it never ran.
        key: Of the switch between the views.
        of_answer: What each view of an answer shows, by its name.
        edit: Shows what defines the judge.
    """
    views = {name: name for name in ("Edit", *of_answer, "Runs")}
    chosen = switch("Show", "show", views, "Edit", key=key, label_visibility="collapsed")
    if chosen == "Edit":
        edit()
        offer_download(partial(as_toml, job.judge), f"{job.judge.name}.toml", "application/toml")
        st.caption(f"Fingerprint {job.fingerprint}. Any change here makes it a new judge.")
    elif chosen == "Runs":
        runs_view(store, job, grader)
    else:
        failed = []
        if grader and chosen == "Replies":
            failed = runs_x.numbers_with_failed(store, job.sheet.id, grader.id)
        by_failure = _only_failed(len(failed))
        stored = _failed_item(store, job, failed) if by_failure else shown_item(store, job)
        if stored.question_id in splits.held_out(store, job.sheet.id):
            st.info(
                say(
                    "This answer's question is held out, so it cannot be shown with a judge's "
                    "grades."
                )
            )
        else:
            of_answer[chosen](stored)


def requests_view(job: Any, stored: Stored) -> None:
    """Show every request about an answer, one at a time."""
    sent = requests(job.judge, job.metrics, stored.item)
    if not sent:
        st.info(say("No request is sent for this answer."))
        return
    number = st.selectbox(
        say("Request ({n:,} shared by all metrics)", n=len(sent)),
        range(len(sent)),
        format_func=lambda place: f"{place + 1}. {sent[place].name}",
        key="judge.request",
        help=say(
            "Preview: the claims and verdicts are placeholders, because no model has "
            "produced them yet."
        ),
    )
    for message in sent[number].messages:
        st.markdown(f"**{message['role']}**")
        st.code(message["content"], language=None, wrap_lines=True)


def shown_item(store: Store, job: RubricJob) -> Stored:
    """The answer whose prompt and replies are shown: its number in the sheet, kept in the URL."""
    label, key = say("Answer, 1 to {n:,}", n=job.sheet.items), f"judge.item.{job.sheet.id}"
    number = url_number(label, "item", 1, job.sheet.items, 1, unsaid=1, key=key, width=220)
    return items.page(store, job.sheet.id, number, 1)[0]


def _only_failed(n: int) -> bool:
    """Offer to show answers with a failed reply alone, where there are any."""
    label = say("Only answers with a failed reply ({n:,})", n=n)
    return n > 0 and url_toggle(label, "failed", key="judge.failed")


def _failed_item(store: Store, job: RubricJob, numbers: list[int]) -> Stored:
    """The answer with a failed reply whose replies are shown: which of them, kept in the URL."""
    label = say("Answer with a failed reply, 1 to {n:,}", n=len(numbers))
    key = f"judge.failure.{job.sheet.id}.{job.fingerprint}"
    place = url_number(label, "failure", 1, len(numbers), 1, unsaid=1, key=key, width=280)
    number = numbers[place - 1]
    st.caption(say("Answer {n:,} of the sheet", n=number))
    return items.page(store, job.sheet.id, number, 1)[0]


def runs_view(store: Store, job: RubricJob, grader: Grader | None) -> None:
    """The judge's runs over the sheet."""
    found = judges.history(store, job.sheet, grader)
    if not found.rows:
        st.info(say("This judge has not been run on this sheet yet."))
        return
    render.show_table(found, job.judge.name, in_full=True)
