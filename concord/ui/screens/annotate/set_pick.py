"""Choice of the grading set: from the URL, from a list, or newly created."""

import streamlit as st

from concord.clock import day_of
from concord.grading import assignments, campaigns, grading_sets
from concord.grading.assignments import Progress
from concord.grading.grading_sets import GradingSet
from concord.messages import Problem, Said, counted, joined, said
from concord.store import graders, sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.frame import GRADE, grading_only, recall, remember
from concord.ui.language import plain, say
from concord.ui.screens.annotate.new_set import offer_first
from concord.ui.widgets import empty, finding, no_sheet, pick_sheet

_MOST_DIGITS = 18  # of a number that the database can hold
_NEVER = "9999-12-31"  # after every deadline
_NONE_ASSIGNED = said("No set is assigned to you yet. Ask the lead.")


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
        offer_first(store, sheet)
        return None
    return sets[0] if len(sets) == 1 else _listed(store, sets)


def _named(store: Store, set_id: int) -> GradingSet | None:
    """The set of that id; says what to do where it was deleted, or is of another sheet."""
    try:
        found = grading_sets.get(store, set_id)
        name = st.query_params.get("sheet")
        sheet = sheets.find(store, name) if name else None
        if name and (sheet is None or sheet.id != found.sheet_id):
            remember(sheet=name)  # whose sets are shown next
            raise Problem("The grading set in this link is not of “{sheet}”.", sheet=name)
        return found
    except Problem as problem:
        nothing = said("There is nothing to grade here")
        if store.who and grading_only():
            empty(nothing, say(str(problem)), GRADE, said("Your grading sets"))
        elif grading_only():
            empty(nothing, say(str(problem)))
        else:
            empty(nothing, say(str(problem)), "pages/annotate.py", said("Go to Grading sets"))
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
    by_link = said("Ask the sender of this link for a new one.")
    empty(said("There is nothing to grade yet"), _NONE_ASSIGNED if store.who else by_link)
    return None


def _listed(store: Store, sets: list[GradingSet]) -> None:
    """Offer the sets; who is known sees their own progress.

    What is due first comes first, and what is done last.
    """
    finding(said("Choose a grading set"))
    own = own_id(store)
    found = [
        (one, _progress(store, one, own), _deadline(store, one))
        for one in sets
        if own is None or _is_for(store, one, own)
    ]
    if not found:
        st.info(say(_NONE_ASSIGNED))
    for one, progress, due in sorted(found, key=lambda one: (_is_done(one[1]), one[2] or _NEVER)):
        icon = ":material/check_circle:" if _is_done(progress) else ":material/edit_note:"
        if st.button(plain(_line(store, one, progress, due)), key=f"set.{one.id}", icon=icon):
            remember(set=one.id)
            st.rerun()


def own_id(store: Store) -> int | None:
    """Return the annotator who signed in or whom the URL names; None while unknown."""
    if store.who:
        return store.who.grader_id
    known = graders.annotator(store, recall("grader") or "")
    return known.id if known else None


def _is_for(store: Store, grading_set: GradingSet, own: int) -> bool:
    """False for a campaign of others: there is nothing in it for this annotator to grade."""
    campaign = campaigns.find(store, grading_set.id)
    return campaign is None or grading_set.id in grading_sets.sets_of(store, own)


def _progress(store: Store, grading_set: GradingSet, own: int | None) -> Progress | None:
    if own is None:
        return None
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    return assignments.done(store, grading_set, own, list(rubric.versions().values()))


def _is_done(progress: Progress | None) -> bool:
    return progress is not None and 0 < progress.total <= progress.done


def _deadline(store: Store, one: GradingSet) -> str | None:
    found = campaigns.find(store, one.id)
    return found.deadline if found else None


def whole(store: Store, one: GradingSet) -> Said:
    """Return a set's name with the number of answers that its grading screen will count."""
    total = assignments.of_newcomer(store, one)
    if not total:
        return joined("", [one.name])  # a name is data
    return said("{name}: {what}", name=one.name, what=counted(total, "answer"))


def _line(store: Store, one: GradingSet, progress: Progress | None, due: str | None) -> Said:
    if progress is None:
        what = whole(store, one)
    elif _is_done(progress):
        return said("{name}: done, {n:,} graded", name=one.name, n=progress.done)
    else:
        done, total = progress
        what = said("{name}: {done:,} of {total:,} graded", name=one.name, done=done, total=total)
    if not due:
        return what
    if campaigns.is_past(due):
        return said("{what}, was due {day}", what=what, day=day_of(due))
    return said("{what}, due {day}", what=what, day=day_of(due))
