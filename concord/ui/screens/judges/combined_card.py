"""The card of a combined judge: its members and rule, running it, and its frozen file."""

import streamlit as st

from concord.judges.combined.run import freeze
from concord.judges.definition.model import Judge
from concord.judges.definition.toml import as_toml
from concord.judges.rubric_runs import session
from concord.messages import said
from concord.model import Grader, Sheet
from concord.reports.decision import combined_judge
from concord.store.database import Store
from concord.ui import render
from concord.ui.actions import refusals
from concord.ui.frame import may_act, remember
from concord.ui.language import plain, say
from concord.ui.widgets import action_button

_SAID = "judge.combined.said"


def combined_card(
    store: Store, sheet: Sheet, argument: str, judge: Judge, grader: Grader | None
) -> None:
    """Show the card; `grader` is None where the judge has not run."""
    with st.container(border=True, key="judge-run"):
        st.markdown(
            say(
                "It sends no request: it combines the stored grades of its members. A fitted rule "
                "scores each question by a fit to other questions, and questions without "
                "annotators' grades by one fit to all. New grades of annotators make a new judge."
            )
        )
        if text := st.session_state.pop(_SAID, ""):
            st.success(plain(text), icon=":material/check:")
        pressed = may_act(store) and action_button(
            say("Combine the stored grades, free"),
            store.why_no_lead(),
            type="primary",
            icon=":material/play_arrow:",
            key="judge.combined",
        )
        if pressed:
            with refusals():
                options = session.Options(sheet_name=sheet.name)
                outcome = session.judge(store, argument, options, lambda _: True)
                st.session_state[_SAID] = outcome.said
                st.rerun()
    with refusals():
        render.body(
            combined_judge.document(store, sheet, judge, grader), "combined-judge", in_full=True
        )
    if grader is not None:
        st.button(
            say("Edit a copy"),
            icon=":material/edit:",
            key="judge.edit",
            on_click=lambda: remember(add=grader.label()),
        )
        with st.expander(say(said("Frozen judge file")), key="judge.frozen"):
            st.caption(
                say(
                    "Contains the members as they were and the single fit to all graded questions. "
                    "On another sheet it applies that fit. It gives no score to the questions it "
                    "was fitted to."
                )
            )
            with refusals():
                st.code(as_toml(freeze(grader)), language="toml", wrap_lines=True)
