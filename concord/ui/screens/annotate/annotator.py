"""Who grades which set: asked once, then kept in the URL."""

from typing import NamedTuple

import streamlit as st

from concord.grading import annotators, assignments, campaigns, grading_sets
from concord.grading.grading_sets import FIRST_QUESTIONS, GradingSet
from concord.importing import sheet_rubric
from concord.messages import said
from concord.problems import Problem
from concord.reports.units import decomposition
from concord.store import graders, sheets
from concord.store.database import Store, open_store
from concord.store.graders import Grader
from concord.store.permissions import VIEWER
from concord.store.rubrics import rubric_versions
from concord.store.sheets import Sheet
from concord.ui.frame import grading_only, recall, remember
from concord.ui.language import say
from concord.ui.markdown import plain
from concord.ui.widgets import empty, finding, no_sheet, pick_sheet

_MOST_DIGITS = 18  # of a number that the database can hold


class Chosen(NamedTuple):
    """A grading set and the annotator who grades it."""

    grading_set: GradingSet
    grader_id: int


def choose(store: Store) -> Chosen | None:
    """The set and the grader that the URL names; None while they are being asked for."""
    grading_set = _set(store)
    if grading_set is None:
        return None
    name = recall("grader")
    if name:
        remember(grader=name)
        _take_apart(store, grading_set)
        own = store.who and store.who.grader_id
        return Chosen(grading_set, own or _ensured(store, name))
    _ask_name(store, grading_set)
    return None


def _set(store: Store) -> GradingSet | None:
    wanted = recall("set")
    if wanted and wanted.isdecimal() and len(wanted) <= _MOST_DIGITS:
        return _named(store, int(wanted))
    if grading_only():
        return _offered(store)
    sheet = pick_sheet(store)
    if sheet is None:
        no_sheet(said("then grading can begin."))
        return None
    sets = grading_sets.of_sheet(store, sheet.id)
    if not sets:
        _offer_first(store, sheet)
        return None
    return sets[0] if len(sets) == 1 else _listed(store, sets)


def _take_apart(store: Store, grading_set: GradingSet) -> None:
    """Make the units that need no model, when an annotator who may grade opens a set of units."""
    if store.who and store.who.role == VIEWER:
        return
    opened = st.session_state.setdefault("grader.opened", set())
    if grading_set.id not in opened:
        opened.add(grading_set.id)
        with open_store() as whole:  # what a rule makes is nobody's grade
            decomposition.by_rule(whole, grading_set)


def _named(store: Store, set_id: int) -> GradingSet | None:
    """The set of that id; says what to do where it was deleted."""
    try:
        return grading_sets.get(store, set_id)
    except Problem as problem:
        nothing = said("There is nothing to grade here")
        if grading_only():
            empty(nothing, say(str(problem)))
        else:
            empty(nothing, say(str(problem)), "pages/grading.py", said("To the sets"))
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
        said("Ask the annotator who sent you this link for a new one."),
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
            words = said("{what}, to be done by {day}", what=words, day=found.deadline)
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
            "pages/grading.py", label=say("Choose rubric and size myself"), icon=":material/tune:"
        )


def _first(sheet: Sheet, there: int, rubric: str, whole: bool) -> str:
    """What a first set would be."""
    return said(
        "All {n} questions of “{sheet}” with all their answers, in random order, graded by the "
        "rubric {rubric}. One answer in ten comes back later without a word, to see how steady "
        "your grades are."
        if whole
        else "{n} questions of “{sheet}” with all their answers, drawn at random and in random "
        "order, graded by the rubric {rubric}. One answer in ten comes back later without a word, "
        "to see how steady your grades are.",
        n=there if whole else FIRST_QUESTIONS,
        sheet=sheet.name,
        rubric=rubric,
    )


def _ask_name(store: Store, grading_set: GradingSet) -> None:
    claimed = st.session_state.get("grader.claimed")
    if claimed:
        _ask_whether(store, grading_set, claimed)
        return
    finding(
        said("Who grades?"),
        said(
            "{name}: {answers} answers to {questions} questions. "
            "Your name stands beside your grades.",
            name=grading_set.name,
            answers=grading_set.answers,
            questions=grading_set.questions,
        ),
    )
    with st.form("grader.name", border=False, enter_to_submit=True):
        name = st.text_input(say("Your name"), max_chars=80, key="grader.own").strip()
        if st.form_submit_button(say("Start grading"), type="primary") and name:
            known = annotators.person(store, name)
            if known is None:
                _begin(name)
            elif known.simulated:
                st.error(
                    say(
                        "“{name}” belongs to a simulated grader. Choose another name.",
                        name=plain(known.name),
                    )
                )
            else:
                st.session_state["grader.claimed"] = known.name
                st.rerun()


def _ask_whether(store: Store, grading_set: GradingSet, name: str) -> None:
    known = graders.named(store, "person", name)
    done = _done(store, grading_set, known)
    finding(
        said("Is that you, {name}?", name=name),
        said(
            "{name} has graded {n} of the answers in {set}.",
            name=name,
            n=done,
            set=grading_set.name,
        ),
    )
    with st.container(horizontal=True):
        if st.button(say("Yes, go on"), type="primary", key="grader.yes"):
            _begin(name)
        if st.button(say("No, I take another name"), key="grader.no"):
            del st.session_state["grader.claimed"]
            st.rerun()


def _begin(name: str) -> None:
    st.session_state.pop("grader.claimed", None)
    remember(grader=name)
    st.rerun()


def _done(store: Store, grading_set: GradingSet, grader: Grader) -> int:
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    return assignments.done(store, grading_set, grader.id, list(rubric.versions().values())).done


def _ensured(store: Store, name: str) -> int:
    known = annotators.person(store, name)
    return known.id if known else graders.ensure(store, "person", name)
