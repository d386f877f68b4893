"""Choice of the grading set: from the URL, from a list, or newly created."""

import streamlit as st

from concord.clock import day_of
from concord.grading import campaigns, grading_sets
from concord.grading.grading_sets import FIRST_QUESTIONS, GradingSet
from concord.importing import sheet_rubric
from concord.messages import Problem, said
from concord.model import Sheet
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.frame import grading_only, recall, remember
from concord.ui.language import plain, say
from concord.ui.widgets import empty, finding, no_sheet, pick_sheet

_MOST_DIGITS = 18  # of a number that the database can hold


def pick_set(store: Store) -> GradingSet | None:
    """Return the set that is graded; None while it is being asked for."""
    wanted = recall("set")
    if wanted and wanted.isdecimal() and len(wanted) <= _MOST_DIGITS:
        return _named(store, int(wanted))
    if grading_only():
        return _offered(store)
    sheet = pick_sheet(store)
    if sheet is None:
        no_sheet(said("then annotators can grade."))
        return None
    sets = grading_sets.of_sheet(store, sheet.id)
    if not sets:
        _offer_first(store, sheet)
        return None
    return sets[0] if len(sets) == 1 else _listed(store, sets)


def _named(store: Store, set_id: int) -> GradingSet | None:
    """The set of that id; says what to do where it was deleted."""
    try:
        return grading_sets.get(store, set_id)
    except Problem as problem:
        nothing = said("There is nothing to grade here")
        if grading_only():
            empty(nothing, say(str(problem)))
        else:
            empty(nothing, say(str(problem)), "pages/annotate.py", said("To the sets"))
        return None


def _offered(store: Store) -> GradingSet | None:
    """The set of a grader's link that names none."""
    every = [
        s for sheet in sheets.all_sheets(store) for s in grading_sets.of_sheet(store, sheet.id)
    ]
    if len(every) == 1:
        return every[0]
    if every:
        return _listed(store, every)
    empty(
        said("There is nothing to grade yet"),
        said("Ask the sender of this link for a new one."),
    )
    return None


def _listed(store: Store, sets: list[GradingSet]) -> None:
    finding(said("Which set do you want to grade?"))
    for one in sets:
        words = said(
            "{name}: {answers} answers to {questions} questions",
            name=plain(one.name),
            answers=one.answers,
            questions=one.questions,
        )
        found = campaigns.find(store, one.id)
        if found and found.deadline:
            words = said("{what}, due {day}", what=words, day=day_of(found.deadline))
        if st.button(say(words), key=f"set.{one.id}", icon=":material/edit_note:"):
            remember(set=one.id)
            st.rerun()


def _offer_first(store: Store, sheet: Sheet) -> None:
    rubric = sheet_rubric.to_begin_with(store, sheet)
    try:
        there = len(grading_sets.drawable(store, sheet.id))
    except Problem as problem:
        st.info(plain(str(problem)))
        return
    whole = there <= FIRST_QUESTIONS
    with st.container(border=True):
        st.subheader(say("Grade a first set"), anchor=False)
        st.write(plain(_first(sheet, there, rubric, whole)))
        if st.button(
            say("Start grading"), type="primary", icon=":material/play_arrow:", key="grader.first"
        ):
            rubric_id, _ = rubric_versions.named(store, rubric)
            made = grading_sets.create(
                store,
                sheet.id,
                rubric_id,
                grading_sets.next_name([]),
                None if whole else FIRST_QUESTIONS,
                sheet.seed(),
            )
            remember(set=made.id)
            st.rerun()
        st.page_link(
            "pages/annotate.py", label=say("Choose rubric and size"), icon=":material/tune:"
        )


def _first(sheet: Sheet, there: int, rubric: str, whole: bool) -> str:
    return said(
        "All {n} questions of “{sheet}” with all their answers, in random order, graded by the "
        "rubric {rubric}. One answer in ten is repeated later, unmarked, to measure how consistent "
        "your grades are."
        if whole
        else "{n} questions of “{sheet}” with all their answers, sampled at random and in random "
        "order, graded by the rubric {rubric}. One answer in ten is repeated later, unmarked, "
        "to measure how consistent your grades are.",
        n=there if whole else FIRST_QUESTIONS,
        sheet=sheet.name,
        rubric=rubric,
    )
