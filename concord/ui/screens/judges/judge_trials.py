"""Trying a judge before it runs: one call, and items whose right verdict is known."""

from typing import NamedTuple

import streamlit as st

from concord.judges.checks import canary, endpoint_check
from concord.judges.checks.canary import Trials
from concord.judges.checks.endpoint_check import Report
from concord.judges.checks.endpoint_findings import Sent
from concord.judges.metric_runs.job import MetricJob
from concord.judges.running.engine import Options
from concord.messages import said
from concord.reports.workflow import canaries, judge_check
from concord.store.database import Store
from concord.ui.language import plain, say

WHY = said(
    "Tests the judge on small built-in items with undisputed verdicts, none from the sheet. This "
    "finds a judge that fails them before a run costs money."
)
MARKS = {True: "✓", False: "✗", None: "–"}
CALLED = {"reached": said("connection")}  # what a finding is called here, where that differs


def canary_button(known: Trials, ready: bool) -> bool:
    """The button with what it takes, where there is something to ask; whether it was clicked."""
    if not known.trials:
        return False
    return st.button(
        plain(said("Run canaries ({offer})", offer=canary.offer(known.trials))),
        icon=":material/flutter_dash:",
        key="judge.canaries",
        help=say(WHY),
        disabled=not ready,
    )


def tried(store: Store, known: Trials) -> None:
    """Show the judge's result on the canaries: the number right, and each failure in words."""
    store.must_lead()  # it costs money, and the key goes to the address
    with st.spinner(say("Running {n:,} canaries…", n=len(known.trials))):
        outcome = canary.send(*known)
    told = plain(outcome.head())
    if outcome.holds:
        st.success(told, icon=":material/check:")
    else:
        wrong = [
            "\n".join([f"- ✗ {plain(first)}", *(f"  - {plain(line)}" for line in more)])
            for first, *more in outcome.failures()
        ]
        st.error("\n".join([told, "", *wrong]), icon=":material/error:")
    for line in known.untried:
        st.caption(plain(line))


def check_button(ready: bool) -> bool:
    """The button that asks once; whether it was clicked."""
    return st.button(
        say("Check with one call"),
        icon=":material/troubleshoot:",
        key="judge.check",
        help=say("Sends one small built-in item, no data from the sheet, and reports what works."),
        disabled=not ready,
    )


def checked(store: Store, sent: Sent | Report) -> None:
    """Show the findings of a test call: what works, ignored options, and what to change."""
    store.must_lead()  # it costs money, and the key goes to the address
    with st.spinner(say("Sending one request…")):
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


class MetricTrials(NamedTuple):
    """The button clicked, and the canaries to send."""

    checking: bool
    trying: bool
    known: Trials


def metric_buttons(job: MetricJob, ready: bool) -> MetricTrials:
    """Offer the trials of a judge for metrics, where there is something to ask."""
    checking = job.judge.model is not None and check_button(ready)
    known = _canaries(job)
    return MetricTrials(checking, canary_button(known, ready), known)


def metric_trials(store: Store, argument: str, over: Options, asked: MetricTrials) -> None:
    """Ask what was clicked, and show what came."""
    if asked.checking:
        checked(store, judge_check.named(store, argument, over.model, over.base_url))
    if asked.trying:
        tried(store, asked.known)


def _canaries(job: MetricJob) -> Trials:
    """Return the canaries of the judge; prepared once until something changes."""
    names = tuple(metric.name for metric in job.metrics)
    place = job.fingerprint, names
    kept = st.session_state.get("judge.metrics.canaries")
    if kept is None or kept[0] != place:
        kept = place, canaries.of_judge(job.judge, names)
        st.session_state["judge.metrics.canaries"] = kept
    return kept[1]
