"""One judge by a rubric: its run box, its prompt exactly as it is sent, and the replies to it."""

import streamlit as st

from concord.judges.checks.request_preview import preview
from concord.judges.definition.model import Judge
from concord.judges.prompting.prompt import parts
from concord.judges.rubric_runs import session
from concord.judges.rubric_runs.job import RubricJob
from concord.judges.rubric_runs.tasks import closed
from concord.messages import said
from concord.store.database import Store
from concord.store.items import Stored
from concord.ui.language import plain, say
from concord.ui.screens.judges.judge_options import overrides
from concord.ui.screens.judges.judge_replies import replies
from concord.ui.screens.judges.judge_run import run_box
from concord.ui.screens.judges.judge_start import ChosenJudge
from concord.ui.screens.judges.judge_views import one_of_views


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
