"""Grading sets as the lead sees them: who is how far, links to send, the draw."""

import streamlit as st

from concord.grading import assignments, campaigns, grading_sets, regrades, unit_assignments
from concord.grading.grading_sets import GradingSet
from concord.language.plurals import counted
from concord.messages import Said, joined, said
from concord.reports.planning import next_sample
from concord.reports.units import decomposition
from concord.rubrics.model import Rubric
from concord.sampling.sample import favours
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.sheets import Sheet
from concord.ui import render
from concord.ui.language import say
from concord.ui.markdown import plain
from concord.ui.screens.annotate.campaign import campaign
from concord.ui.screens.annotate.gold_items import known
from concord.ui.screens.annotate.offline_packages import fold
from concord.ui.screens.annotate.rubric_freeze import freeze, pilot
from concord.ui.screens.annotate.set_annotators import (
    Person,
    address_for_all,
    annotators,
    links,
    progress_line,
)
from concord.ui.widgets import finding


def graded_otherwise(store: Store, grading_set: GradingSet) -> int:
    """How many answers of a set annotators graded who did not begin it."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    return assignments.graded_otherwise(
        store, grading_set.id, list(rubric_versions.criteria(store, rubric))
    )


def headline(store: Store, sheet: Sheet, sets: list[GradingSet]) -> None:
    """The finding of the screen: how much is graded, by how many annotators."""
    if not sets:
        finding(
            said("Nobody has been asked to grade “{sheet}” yet", sheet=sheet.name),
            said("Make a grading set below and send each annotator a link, or grade yourself."),
        )
        return
    everyone = [person for one in sets for person in annotators(store, one)]
    graders = {person.name for person in everyone if person.progress.done}
    done = sum(person.progress.done for person in everyone)
    if not graders:
        otherwise = any(graded_otherwise(store, one) for one in sets)
        finding(
            said(
                "Nobody has begun a grading set yet"
                if otherwise
                else "Nobody has begun to grade yet"
            ),
            said("Send each annotator a link from below."),
        )
        return
    answers = said("one answer") if done == 1 else said("{n} answers", n=done)
    finding(
        said("One annotator has graded {answers} of “{sheet}”", answers=answers, sheet=sheet.name)
        if len(graders) == 1
        else said(
            "{n} annotators have graded {answers} of “{sheet}”",
            n=len(graders),
            answers=answers,
            sheet=sheet.name,
        ),
        said(
            "An answer counts once for each annotator who graded it, and once more for a hidden "
            "repeat."
        ),
    )


def card(store: Store, grading_set: GradingSet) -> None:
    """One set: its annotators, its links, its draw."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    with st.container(border=True):
        st.subheader(plain(grading_set.name), anchor=False)
        st.caption(
            say(
                "{kind}: {answers} to {questions} questions, graded by “{rubric}”. Made on {day}.",
                kind=_kind(store, grading_set),
                answers=_answers(store, grading_set),
                questions=grading_set.questions,
                rubric=plain(rubric.title),
                day=grading_set.created_at[:10],
            )
        )
        _units(store, grading_set, rubric)
        graders = annotators(store, grading_set)
        for person in graders:
            progress_line(person)
        otherwise = graded_otherwise(store, grading_set)
        if otherwise:
            st.write(plain(_otherwise(grading_set, otherwise)))
        if not graders:
            st.write(
                say(
                    "Nobody has begun its queue. Send a link, or grade yourself."
                    if otherwise
                    else "Nobody has begun. Send a link, or grade yourself."
                )
            )
        campaign(store, grading_set)
        if not regrades.is_one(store, grading_set.id):
            known(store, grading_set)
            freeze(store, grading_set)
            pilot(store, grading_set)
        _ways_in(store, grading_set, rubric, graders)


def _ways_in(store: Store, grading_set: GradingSet, rubric: Rubric, graders: list[Person]) -> None:
    """How annotators come to grade the set, and how it was drawn."""
    st.page_link(
        "pages/grade.py",
        label=say("Grade this set myself"),
        icon=":material/edit_note:",
        query_params={"set": str(grading_set.id)},
    )
    with st.expander(say("Links to send"), icon=":material/link:"):
        if store.who:
            address_for_all(grading_set)
        else:
            links(grading_set, graders)
    if not rubric.units:
        fold(store, grading_set)
    with st.expander(say("How it was drawn"), icon=":material/casino:"):
        _drawn(store, grading_set)
        if not assignments.annotators(store, grading_set.id) and st.button(
            say("Take this set back"), key=f"sets.remove.{grading_set.id}", icon=":material/undo:"
        ):
            grading_sets.remove(store, grading_set.id)
            st.rerun()


def _units(store: Store, grading_set: GradingSet, rubric: Rubric) -> None:
    """Of a set that goes unit by unit: how many answers can be graded, and what of the others."""
    if not rubric.units:
        return
    taken = unit_assignments.taken(store, grading_set.id, rubric.units)
    ready = said("{answers} can be graded unit by unit.", answers=counted(taken.ready, "answer"))
    st.write(say(joined(" ", [ready, decomposition.sentence(rubric.units, taken)])))


def _answers(store: Store, grading_set: GradingSet) -> Said:
    """How many answers; of a set that is graded again how many grades of them, as was asked."""
    answers = counted(grading_set.answers, "answer")
    asked = regrades.asked_in(store, grading_set.id)
    if not asked:
        return answers
    return said("{grades} of {answers}", grades=counted(asked, "grade"), answers=answers)


def _kind(store: Store, grading_set: GradingSet) -> Said:
    if regrades.is_one(store, grading_set.id):
        return said("To be graded again")
    if grading_set.kind == "whole":
        return said("The whole sheet")
    enriched = favours(grading_sets.strata(store, grading_set.id))
    return said("An enriched draw, with more suspected answers" if enriched else "A random draw")


def _otherwise(grading_set: GradingSet, answers: int) -> Said:
    return said(
        "Annotators graded {n:,} of its {answers} without its queue, before it was made or in a "
        "file. "
        "Agreement counts these.",
        n=answers,
        answers=counted(grading_set.answers, "answer"),
    )


def _drawn(store: Store, grading_set: GradingSet) -> None:
    if regrades.is_one(store, grading_set.id):
        st.write(
            say(
                "A criterion was worded anew. Everyone has the own answers whose grades stand "
                "under the old words, in an order of their own, and grades that criterion alone."
            )
        )
        return
    strata = grading_sets.strata(store, grading_set.id)
    seeded = said(
        "Seed {seed}, blocks of about {size} answers.",
        seed=grading_set.seed,
        size=grading_set.block_size,
    )
    followed = said(
        "Each annotator works through their own blocks; the order within a block is shuffled."
        if campaigns.find(store, grading_set.id)
        else "All annotators work through the blocks in the same order, so those who stop early "
        "overlap; the order within a block is shuffled."
    )
    hidden = said(
        "{share:.0%} of the answers come back hidden in the next block.",
        share=grading_set.repeat_share,
    )
    whole = said(
        "Questions are sampled with all their answers. Those that judges suspect to have a failing "
        "answer are oversampled at the inclusion probabilities below, and every figure is weighted "
        "by their inverse."
        if favours(strata)
        else "Questions are sampled with all their answers, stratified by answering models."
    )
    st.write(say(joined(" ", [seeded, followed, hidden, whole])))
    render.show_table(next_sample.probabilities(strata), f"draw-{grading_set.id}")
