"""The views of a judge of any kind: of one answer, of its settings and of its runs."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from concord.judges.checks.request_preview import requests
from concord.judges.definition.toml import as_toml
from concord.judges.rubric_runs.job import RubricJob
from concord.messages import said
from concord.model import Grader
from concord.reports.workflow import judges
from concord.sampling import splits
from concord.store import items, runs
from concord.store.database import Store
from concord.store.items import Stored
from concord.ui import render
from concord.ui.frame import offer_download
from concord.ui.language import say
from concord.ui.widgets import switch, url_number, url_toggle


def one_of_views(
    store: Store,
    job: Any,
    grader: Grader | None,
    key: str,
    of_answer: Mapping[str, Callable[[Stored], None]],
) -> None:
    """The settings, the runs, or what is shown of one answer, unless its question is held out.

    Args:
        store: The open store.
        job: Of whatever kind of judge.
        grader: The judge as a grader; None where it never ran.
        key: Of the switch between the views.
        of_answer: What each view of an answer shows, by its name.
    """
    views = {name: name for name in (*of_answer, said("Settings"), said("Runs"))}
    first = next(iter(views))
    chosen = switch(said("Show"), "show", views, first, key=key, label_visibility="collapsed")
    if chosen == "Settings":
        settings_view(job)
    elif chosen == "Runs":
        runs_view(store, job, grader)
    else:
        failed = []
        if grader and chosen == "Replies":
            failed = runs.numbers_with_failed(store, job.sheet.id, grader.id)
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


def settings_view(job: RubricJob) -> None:
    """Show what the judge file sets, and offer the file."""
    render.show_table(judges.settings_table(job.judge), job.judge.name, in_full=True)
    offer_download(partial(as_toml, job.judge), f"{job.judge.name}.toml", "application/toml")
    st.caption(
        say(
            "Fingerprint {fingerprint}. Any change here makes it a new judge.",
            fingerprint=job.fingerprint,
        )
    )


def runs_view(store: Store, job: RubricJob, grader: Grader | None) -> None:
    """The judge's runs over the sheet."""
    found = judges.history(store, job.sheet, grader)
    if not found.rows:
        st.info(say("This judge has not been run on this sheet yet."))
        return
    render.show_table(found, job.judge.name, in_full=True)
