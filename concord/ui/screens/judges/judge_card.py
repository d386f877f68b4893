"""The card of a judge: what it is, its run, and what goes to and fro.

The card of the baseline: what it needs, and running it, which makes no API calls.


The card of a combined judge: its members and rule, running it, and its frozen file.


The price of a judge whose grades came from a file: what was stated, and stating another.
"""

import streamlit as st

from concord.judges.baseline import run
from concord.judges.combined.run import freeze
from concord.judges.definition import prices as known_prices
from concord.judges.definition import registry, stated_price
from concord.judges.definition.model import Judge
from concord.judges.definition.stated_price import WITHDRAWN
from concord.judges.definition.toml import as_toml
from concord.judges.rubric_runs import session
from concord.messages import said
from concord.model import Grader, Sheet
from concord.reports.decision import combined_judge
from concord.reports.decision import cost as prices
from concord.reports.workflow.judges import Entry
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui import render, run_start
from concord.ui.actions import refusals
from concord.ui.frame import may_act, remember
from concord.ui.language import plain, say
from concord.ui.render import show
from concord.ui.widgets import action_button, pick_rubric, terms


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
        baseline_card(store, sheet, judge, entry)
        return None
    if judge.kind == "combined":
        combined_card(store, sheet, argument, judge, entry and entry.grader)
        return None
    run_start.retirement(judge)
    return judge


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


_BY = "app"
_USD, _TOKENS = "usd", "tokens"
_WAYS = {_USD: said("USD per 1,000 answers"), _TOKENS: said("Tokens per answer and model")}


def price_form(store: Store, judge: Grader) -> None:
    """Show what the judge costs per 1,000 answers, and the form that states it."""
    with st.container(border=True, key="judge-price"):
        found = stated_price.stated(judge)
        show(prices.document(stated_price.history(judge)), judge.name, folded=True)
        way = st.segmented_control(
            say("State it as"),
            list(_WAYS),
            default=_USD,
            format_func=lambda one: say(_WAYS[one]),
            required=True,
            key="price.way",
        )
        _fields(store, judge, way)
        with st.container(horizontal=True):
            if found and found.usd is not None:
                label, icon = say("Withdraw price"), ":material/undo:"
                if action_button(label, store.why_no_lead(), icon=icon, key="price.withdraw"):
                    _state(store, judge, WITHDRAWN)
            terms(said("stated price"))


def _fields(store: Store, judge: Grader, way: str) -> None:
    """The fields of one way to state a price, and the button that records it."""
    with st.form("price.form", border=False):
        if way == _USD:
            text = st.text_input(
                say("USD per 1,000 answers"),
                placeholder="2.50",
                key="price.usd",
                label_visibility="collapsed",
            )
        else:
            models = sorted({one.model for one in known_prices.load() if one.host is None})
            model = st.selectbox(say("Model (prices.toml)"), models, key="price.model")
            left, right = st.columns(2)
            given = left.text_input(
                say("Input tokens per answer"), placeholder="1200", key="price.input"
            )
            written = right.text_input(
                say("Output tokens per answer"), placeholder="80", key="price.output"
            )
            text = f"{model}:{given}/{written}"
        label, refused = say("Record price"), store.why_no_lead()
        why = plain(refused) if refused else None
        icon, is_off = ":material/sell:", refused is not None
        if st.form_submit_button(label, icon=icon, disabled=is_off, help=why):
            _state(store, judge, text)
        if why:
            st.caption(why)


def _state(store: Store, judge: Grader, text: str) -> None:
    with refusals():
        stated_price.state(store, judge.label(), text, _BY)
        st.rerun()
