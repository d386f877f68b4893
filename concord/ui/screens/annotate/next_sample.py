"""The next sample: which answers it takes, their effect on the figures, and creating the set."""

import streamlit as st

from concord.grading import grading_sets
from concord.messages import Problem, counted, joined, said
from concord.reports.planning import next_sample
from concord.reports.planning.next_sample import Proposal, raising
from concord.store.database import Store
from concord.ui import render
from concord.ui.actions import show_done
from concord.ui.language import plain, say
from concord.ui.screens.annotate.plan import PlanInput
from concord.ui.widgets import action_button, next_screen_link, number_field

USUAL = 40  # questions of a set, unless said otherwise
_EVEN, _ENRICHED = said("At random"), said("Oversample suspected failures")


def draw(store: Store, asked: PlanInput) -> None:
    """The next grading set: what it holds and means is said before it is made."""
    judges = list(raising(asked.panel))
    kinds = [_EVEN, _ENRICHED] if judges else [_EVEN]
    kind = st.radio(say("Sampling"), kinds, key="plan.kind", format_func=say, horizontal=True)
    if not judges:
        st.caption(
            say("Any judge that has graded, such as the baseline, can mark suspected failures.")
        )
    with st.container(horizontal=True):
        questions = number_field(say("Questions"), 1, 100_000, USUAL, key="plan.questions")
        seed = number_field(
            say("Seed"),
            0,
            999_999,
            asked.panel.sheet.seed(),
            key="plan.seed",
            help=say("The same seed gives the same questions."),
        )
    extra, raisers = _enriching(judges) if kind == _ENRICHED else (0.0, [])
    if kind == _ENRICHED and not raisers:
        st.caption(say("Choose the judges whose failing scores mark suspected failures."))
        return
    try:
        wanted = next_sample.wanted(
            asked.panel, asked.criterion, int(questions), int(seed), extra, raisers
        )
        proposal = next_sample.propose(store, asked.panel, asked.rubric_id, wanted)
    except Problem as problem:
        st.warning(plain(str(problem)), icon=":material/info:")
        return
    _proposed(proposal, bool(extra))
    sets = grading_sets.of_sheet(store, asked.panel.sheet.id)
    name = st.text_input(
        say("Name"), grading_sets.next_name(sets, say), key=f"plan.name.{len(sets)}"
    )
    label = say("Create grading set")
    if action_button(label, store.why_no_lead(), type="primary", key="plan.make"):
        kept = next_sample.create(store, asked.panel, asked.rubric_id, name, wanted)
        st.session_state["plan.made"] = kept.sentence()
        st.rerun()


def made() -> None:
    """Show the last sample, and where to go next."""
    if show_done("plan.made"):
        next_screen_link("pages/annotate.py", said("Send it to annotators"))


def _enriching(judges: list[str]) -> tuple[float, list[str]]:
    """Return the share for suspected questions, and the judges whose failing scores mark them."""
    percent = st.slider(
        say("Share of questions for suspected failures only, in %"), 5, 90, 33, key="plan.extra"
    )
    raisers = st.multiselect(
        say("Suspected failures: answers that one of these judges fails"),
        judges,
        default=judges,
        key=f"plan.raisers.{'|'.join(judges)}",
        placeholder=say("Choose judges"),
    )
    return percent / 100, raisers


def _proposed(proposal: Proposal, is_enriched: bool) -> None:
    """Show the contents of the sample, and its effect on the statistics."""
    holds = [
        said(
            "{questions} with {answers}, of which annotators have graded {graded:,} already.",
            questions=counted(proposal.questions, "question"),
            answers=counted(proposal.answers, "answer"),
            graded=proposal.graded,
        )
    ]
    if proposal.held:
        held = counted(proposal.held, "question")
        holds.append(
            said("Excluded because already graded or in other sets: {questions}.", questions=held)
        )
    if is_enriched:
        holds.append(next_sample.WEIGHED)
    st.info(plain(joined(" ", holds)), icon=":material/casino:")
    for warning in proposal.warnings():
        st.warning(plain(warning), icon=":material/warning:")
    with st.expander(say("Inclusion probabilities"), icon=":material/percent:"):
        render.show_table(next_sample.probabilities(proposal.strata), "sample")
