"""The card of a judge: what it is, its run, and what goes to and fro."""

import streamlit as st

from concord.judges.baseline import run
from concord.judges.definition import registry, stated_price
from concord.judges.definition.model import Judge
from concord.judges.rubric_runs import session
from concord.messages import said
from concord.model import Sheet
from concord.reports.workflow.judge_table import Entry
from concord.store.database import Store
from concord.ui import run_start
from concord.ui.frame import may_act
from concord.ui.language import plain, say
from concord.ui.screens.judges.combined_card import combined_card
from concord.ui.screens.judges.price_form import price_form


def begin_card(store: Store, sheet: Sheet, argument: str, entry: Entry | None) -> Judge | None:
    """Begin the card of a judge; `entry`: None for a judge from a file.

    Returns:
        The judge that the rest of the card is about; None where the card is complete: of the
        baseline, of a combined judge, and of a judge of which only the grades are known.
    """
    if entry is not None and entry.judge is None:
        _elsewhere(store, entry)
        return None
    judge = registry.named(store, argument)
    st.subheader(plain(judge.name), anchor=False)
    if judge.about:
        st.write(say(judge.about) if judge.is_preset() else plain(judge.about))
    if judge.kind == "baseline":
        _baseline(store, sheet, judge, entry)
        return None
    if judge.kind == "combined":
        combined_card(store, sheet, argument, judge, entry and entry.grader)
        return None
    run_start.retirement(judge)
    return judge


def _baseline(store: Store, sheet: Sheet, judge: Judge, entry: Entry) -> None:
    """Show the baseline: what it is, what it needs, and running it, which makes no API calls."""
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
        done = entry.state.phase == "done"
        text = st.session_state.pop("judge.baseline.said", "")
        if text or done:
            n = entry.state.counts.done
            answers = said("It has graded {n:,} answers of this sheet.", n=n)
            st.success(say(text or answers), icon=":material/check:")
        if not may_act(store) or not st.button(
            say("Retrain it on the current grades, free" if done else "Run the baseline now, free"),
            type="primary",
            icon=":material/play_arrow:",
            key="judge.baseline",
        ):
            return
        with st.spinner(say("Training on the annotators' grades…")):
            outcome = session.judge(
                store, judge.name, session.Options(sheet_name=sheet.name), lambda _: True
            )
        st.session_state["judge.baseline.said"] = outcome.said
        st.rerun()


def _elsewhere(store: Store, entry: Entry) -> None:
    """A judge of which only the grades are known."""
    st.subheader(plain(entry.argument), anchor=False)
    st.info(
        say(
            "The grades of this judge were imported. Its prompt is unknown, so it cannot be run. "
            "Agreement is computed as for any other judge."
        )
    )
    if entry.grader.simulated:
        st.warning(say("Simulated: no model gave these grades. They only demonstrate the screens."))
    if may_act(store) and stated_price.may_state(store, entry.grader):
        price_form(store, entry.grader)
