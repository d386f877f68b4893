"""Grading sets as the lead sees them: who is how far, links to send, the draw."""

import streamlit as st

from concord.clock import day_of
from concord.grading import assignments, grading_sets, regrades
from concord.grading.grading_sets import GradingSet
from concord.messages import Said, counted, joined, said
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.language import plain, say
from concord.ui.screens.annotate.campaign import campaign
from concord.ui.screens.annotate.gold.gold_items import known
from concord.ui.screens.annotate.rubric_freeze import freeze, pilot
from concord.ui.screens.annotate.set_annotators import (
    Person,
    annotators,
    graded_otherwise,
    progress_line,
    units_ready,
)
from concord.ui.screens.annotate.set_links import ways_in
from concord.ui.screens.annotate.set_sample import drawn, kind


def card(store: Store, grading_set: GradingSet) -> None:
    """One set: its annotators, its links, its draw."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    with st.container(border=True):
        st.subheader(plain(grading_set.name), anchor=False)
        _what(store, grading_set, rubric)
        units_ready(store, grading_set, rubric)
        graders = annotators(store, grading_set)
        for person in graders:
            progress_line(person)
        if _repeat_or_gold(grading_set, graders):
            st.caption(say("These totals include hidden repeats and gold items."))
        otherwise = graded_otherwise(store, grading_set)
        if otherwise:
            st.write(plain(_otherwise(grading_set, otherwise)))
        if not graders:
            st.write(say(_nobody(store, otherwise)))
            _ways_in(store, grading_set, rubric, graders)
        campaign(store, grading_set)
        if not regrades.is_one(store, grading_set.id):
            known(store, grading_set)
            freeze(store, grading_set)
            pilot(store, grading_set)
        if graders:
            _ways_in(store, grading_set, rubric, graders)
        _how_sampled(store, grading_set)
        _withdraw(store, grading_set)


def _repeat_or_gold(grading_set: GradingSet, graders: list[Person]) -> bool:
    """Return True where a total counts more than answers of the set, also of a part of it."""
    block = min(grading_set.block_size, grading_set.answers)
    if graders and grading_sets.repeats([block], grading_set.repeat_share):
        return True
    return any(person.progress.total > grading_set.answers for person in graders)


def _ways_in(store: Store, grading_set: GradingSet, rubric: Rubric, graders: list[Person]) -> None:
    if store.may_lead():
        ways_in(store, grading_set, rubric, graders)


def _what(store: Store, grading_set: GradingSet, rubric: Rubric) -> None:
    """Show what there is to grade, and the answers that the few-shot pool took out since."""
    what = said(
        "{kind}: {answers} to {questions}, rubric “{rubric}”. Created on {day}.",
        kind=kind(store, grading_set),
        answers=_answers(store, grading_set),
        questions=counted(grading_set.questions, "question"),
        rubric=rubric.title,
        day=day_of(grading_set.created_at),
    )
    apart = ""
    if grading_set.apart:
        apart = said(
            "Not counted: {answers} in the few-shot pool.",
            answers=counted(grading_set.apart, "answer"),
        )
    st.caption(plain(joined(" ", [what, apart] if apart else [what])))


def _nobody(store: Store, otherwise: int) -> Said:
    if not store.may_lead():
        return said("No annotator has begun to grade yet")
    return said(
        "No annotator has begun. Send a link, or grade yourself."
        if otherwise
        else "No annotator has begun yet. Send a link, or grade yourself."
    )


def _how_sampled(store: Store, grading_set: GradingSet) -> None:
    with st.expander(say("Sampling"), icon=":material/casino:"):
        drawn(store, grading_set)


def _withdraw(store: Store, grading_set: GradingSet) -> None:
    """Let a lead withdraw a set that no annotator has begun."""
    if not store.may_lead() or assignments.annotators(store, grading_set.id):
        return
    if st.button(
        say("Withdraw this set"), key=f"sets.remove.{grading_set.id}", icon=":material/undo:"
    ):
        grading_sets.remove(store, grading_set.id)
        st.rerun()


def _answers(store: Store, grading_set: GradingSet) -> Said:
    """Return the number of answers, or for a regrade set the number of grades requested."""
    answers = counted(grading_set.answers, "answer")
    asked = regrades.asked_in(store, grading_set.id)
    if not asked:
        return answers
    return said("{grades} of {answers}", grades=counted(asked, "grade"), answers=answers)


def _otherwise(grading_set: GradingSet, answers: int) -> Said:
    return said(
        "Annotators graded {n:,} of its {answers} outside its queue, either earlier or in a file. "
        "Agreement includes these grades.",
        n=answers,
        answers=counted(grading_set.answers, "answer"),
    )
