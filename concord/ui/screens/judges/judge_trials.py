"""Trying a judge before it runs: one call, and items whose right verdict is known."""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from concord.judges.checks import canary, endpoint_check
from concord.judges.checks.endpoint_findings import Report, SentRequest
from concord.messages import Said, said
from concord.reports.workflow import judge_check
from concord.store.database import Store
from concord.ui.language import plain, say

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


def trial_buttons(trials: Trials, refused: Said | None) -> Trials:
    """Show a button for each trial there is, disabled where `refused`; return those clicked."""
    checking = trials.check is not None and check_button("judge.check", refused)
    known = trials.canaries
    trying = bool(known.trials) and st.button(
        plain(said("Run canaries ({offer})", offer=canary.offer(known.trials))),
        icon=":material/flutter_dash:",
        key="judge.canaries",
        help=say(refused or WHY),
        disabled=refused is not None,
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
