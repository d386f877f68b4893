"""The card of the baseline: what it needs, and running it, which makes no API calls."""

import streamlit as st

from concord.judges.baseline import run
from concord.judges.definition.model import Judge
from concord.judges.rubric_runs import session
from concord.messages import said
from concord.model import Sheet
from concord.reports.workflow.judge_table import Entry
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.frame import may_act
from concord.ui.language import say
from concord.ui.widgets import action_button, pick_rubric


def baseline_card(store: Store, sheet: Sheet, judge: Judge, entry: Entry) -> None:
    """Show the card.

    The baseline runs under the rubric that annotators use; where they use several, one is chosen.
    """
    used = rubric_versions.annotators_used(store, sheet.id)
    _, rubric = pick_rubric(store, used or [entry.judge.rubric])
    with st.container(border=True, key="judge-run"):
        st.markdown(
            say(
                "It uses surface features only: overlap of the answer with question and contexts, "
                "length, repetition and symbols. It is trained on annotators' grades and "
                "cross-validated: each question is graded by a model that has not seen it. A judge "
                "that does not beat it adds nothing over counting words. It needs {what}, and is "
                "retrained when there are more grades.",
                what=run.NEEDS,
            )
        )
        done = entry.state.phase == "done" and entry.judge.rubric == rubric.name
        text = st.session_state.pop("judge.baseline.said", "")
        if text or done:
            n = entry.state.counts.done
            answers = said("It has graded {n:,} answers of this sheet.", n=n)
            st.success(say(text or answers), icon=":material/check:")
        if not may_act(store) or not action_button(
            say("Retrain it on the current grades, free" if done else "Run the baseline now, free"),
            store.why_no_lead(),
            type="primary",
            icon=":material/play_arrow:",
            key="judge.baseline",
        ):
            return
        with st.spinner(say("Training on the annotators' grades…")):
            options = session.Options(sheet_name=sheet.name, rubric=rubric.name)
            outcome = session.judge(store, judge.name, options, lambda _: True)
        st.session_state["judge.baseline.said"] = outcome.said
        st.rerun()
