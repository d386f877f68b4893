"""The prompt of a judge exactly as it is sent, and the replies to it."""

import streamlit as st

from concord.judges.checks.request_preview import preview
from concord.judges.prompting.prompt import parts
from concord.judges.running import job as jobs
from concord.judges.running.job import Job
from concord.messages import said
from concord.reports.reliability.test_retest import by_reply
from concord.store import grades, runs
from concord.store.database import Store
from concord.store.graders import Grader
from concord.store.items import Stored
from concord.ui.language import say
from concord.ui.markdown import plain
from concord.ui.screens.judges.judge_replies import note_opening, reply_view
from concord.ui.screens.judges.judge_views import one_of_views

LONG = 2000  # characters; a longer message scrolls in its own box


def views(store: Store, job: Job, grader: Grader | None) -> None:
    """One of the views of a judge by a rubric, as the URL says."""
    of_answer = {
        said("Prompt"): lambda stored: _prompt(store, job, stored),
        said("Replies"): lambda stored: _replies(store, job, stored, grader),
    }
    one_of_views(store, job, grader, "judge.show", of_answer)


def _prompt(store: Store, job: Job, stored: Stored) -> None:
    """Every message and the rest of the request, to read and to copy."""
    names = list(parts(job.judge, job.rubric))
    part = names[0]
    if len(names) > 1:
        part = st.segmented_control(
            say("Criterion asked for"), names, default=part, required=True, key="judge.part"
        )
    sent = preview(job, stored.item, part)
    st.caption(plain(sent.sentence()))
    if stored.question_id in jobs.closed(store, job.judge, job.rubric, job.sheet, job.shots):
        st.info(say("This answer is never asked: judges may have seen its question as an example."))
    for message in sent.messages:
        st.markdown(f"**{message['role']}**")
        long = len(message["content"]) > LONG
        height = 460 if long else "content"
        st.code(message["content"], language=None, wrap_lines=True, height=height)
    st.markdown(say("**the rest of the request**"))
    st.code(sent.rest, language="json", wrap_lines=True, height=260)


def _replies(store: Store, job: Job, stored: Stored, grader: Grader | None) -> None:
    """Every reply to what the item holds, each with the request it answers."""
    found = runs.of_item(store, stored.id, grader.id) if grader else []
    if not found:
        st.info(
            say("This judge has not replied to this answer yet. Run it, or choose another answer.")
        )
        return
    note_opening(store, stored)
    names = {version: name for name, version in job.rubric.versions().items()}
    again = by_reply(grades.of_grader(store, grader.id, [stored.id], list(names)), names)
    if again:
        st.markdown(f"**{plain(again)}**")
    for reply in found:
        with st.container(border=True):
            reply_view(reply)
