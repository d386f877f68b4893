"""The views of a judge of any kind: of one answer, of its settings and of its runs."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from concord.judges.checks.request_preview import settings
from concord.judges.definition.toml import as_toml
from concord.judges.running.job import RubricJob
from concord.messages import said
from concord.model import Grader
from concord.reports.workflow import judge_state
from concord.sampling import splits
from concord.store import items
from concord.store.database import Store
from concord.store.items import Stored
from concord.ui import render
from concord.ui.frame import recall, remember
from concord.ui.language import say
from concord.ui.widgets import number_field, translated_rows


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
    chosen = _view((*of_answer, said("Settings"), said("Runs")), key)
    if chosen == "Settings":
        settings_view(job)
    elif chosen == "Runs":
        runs_view(store, job, grader)
    else:
        stored = shown_item(store, job)
        if stored.question_id in splits.held_out(store, job.sheet.id):
            st.info(
                say(
                    "This answer's question is held out, so it cannot be shown with a judge's "
                    "grades."
                )
            )
        else:
            of_answer[chosen](stored)


def _view(views: tuple[str, ...], key: str) -> str:
    """Return the current view: the one in the URL, or clicked."""
    wanted = recall("show")
    chosen = st.segmented_control(
        say("Show"),
        views,
        format_func=say,
        default=wanted if wanted in views else views[0],
        required=True,
        key=key,
        label_visibility="collapsed",
    )
    remember(show=None if chosen == views[0] else chosen)
    return chosen


def shown_item(store: Store, job: RubricJob) -> Stored:
    """The answer whose prompt and replies are shown: its number in the sheet, kept in the URL."""
    said = recall("item") or ""
    number = int(said) if said.isdecimal() and 1 <= int(said) <= job.sheet.items else 1
    number = number_field(
        say("Answer, 1 to {n:,}", n=job.sheet.items),
        min_value=1,
        max_value=job.sheet.items,
        value=number,
        key=f"judge.item.{job.sheet.id}",
        width=220,
    )
    remember(item=None if number == 1 else number)
    return items.page(store, job.sheet.id, number, 1)[0]


def settings_view(job: RubricJob) -> None:
    """Show the judge file, with a download."""
    rows = [
        {said("setting"): key, said("value"): value, said("what it is"): about}
        for key, value, about in settings(job.judge)
    ]
    st.table(translated_rows(rows).set_index(say("setting")))
    st.download_button(
        say("Download as TOML"),
        as_toml(job.judge),
        f"{job.judge.name}.toml",
        "application/toml",
        icon=":material/download:",
        key="judge.download",
    )
    st.caption(
        say(
            "Fingerprint {fingerprint}. Any change here makes it a new judge.",
            fingerprint=job.fingerprint,
        )
    )


def runs_view(store: Store, job: RubricJob, grader: Grader | None) -> None:
    """The judge's runs over the sheet."""
    found = judge_state.history(store, job.sheet, grader)
    if not found.rows:
        st.info(say("This judge has not been run over this sheet yet."))
        return
    render.show_table(found, job.judge.name)
