"""Trying a judge before it runs: one call, and items whose right verdict is known."""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from concord.judges.checks import canary, endpoint_check
from concord.judges.checks.endpoint_check import Report
from concord.judges.checks.endpoint_findings import Sent
from concord.messages import said
from concord.store.database import Store
from concord.ui.language import plain, say

WHY = said(
    "Tests the judge on small built-in items with undisputed verdicts, none from the sheet. This "
    "finds a judge that fails them before a run costs money."
)
MARKS = {True: "✓", False: "✗", None: "–"}
CALLED = {"reached": said("connection")}  # what a finding is called here, where that differs


class Trials(NamedTuple):
    """What a judge is tried with: the one call that checks its endpoint, and the canaries.

    `check` prepares the call; None where there is nothing to ask, as `canaries` is.
    """

    check: Callable[[], Sent | Report] | None
    canaries: canary.Trials | None


def trial_buttons(trials: Trials, ready: bool) -> Trials:
    """Show a button for each trial there is; return those clicked."""
    checking = trials.check is not None and st.button(
        say("Check with one call"),
        icon=":material/troubleshoot:",
        key="judge.check",
        help=say("Sends one small built-in item, no data from the sheet, and reports what works."),
        disabled=not ready,
    )
    known = trials.canaries
    trying = bool(known.trials) and st.button(
        plain(said("Run canaries ({offer})", offer=canary.offer(known.trials))),
        icon=":material/flutter_dash:",
        key="judge.canaries",
        help=say(WHY),
        disabled=not ready,
    )
    return Trials(trials.check if checking else None, known if trying else None)


def show_trials(store: Store, asked: Trials) -> None:
    """Ask what was clicked, and show what came."""
    if asked.check:
        checked(store, asked.check())
    if asked.canaries:
        tried(store, asked.canaries)


def tried(store: Store, known: canary.Trials) -> None:
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
