"""Grade: who grades, which set, and the cases to adjudicate."""

from typing import NamedTuple

import streamlit as st

from concord.clock import day_of
from concord.grading import (
    adjudications,
    annotators,
    assignments,
    campaigns,
    grading_sets,
    workspace,
)
from concord.grading.adjudications import ANNOTATORS
from concord.grading.assignments import Progress
from concord.grading.grading_sets import GradingSet
from concord.messages import N_, Problem, counted, joined, said
from concord.reports import adjudicate
from concord.reports.adjudicate import AdjudicationPick
from concord.reports.panel.panel import read
from concord.reports.units import decomposition
from concord.store import graders, sheets
from concord.store.database import Store, open_store
from concord.store.permissions import ADJUDICATOR, VIEWER
from concord.store.rubrics import rubric_versions
from concord.ui.frame import ADJUDICATE, GRADE, grading_only, link_of, may_act, recall, remember
from concord.ui.language import plain, say
from concord.ui.screens.new_set import offer_first
from concord.ui.sign_in import adjudicating_store, identity
from concord.ui.widgets import empty, finding, no_sheet, pick_rubric, pick_sheet

_MOST_DIGITS = 18  # of a number that the database can hold
_NEVER = "9999-12-31"  # after every deadline
_NONE_ASSIGNED = N_("No set is assigned to you yet. Ask the lead.")


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
        way = () if grading_only() else ("pages/annotate.py", said("Go to Grading sets"))
        way = (GRADE, said("Your grading sets")) if store.who and grading_only() else way
        empty(said("There is nothing to grade here"), say(str(problem)), *way)
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
    empty(said("There is nothing to grade yet"), say(_NONE_ASSIGNED) if store.who else by_link)
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


def whole(store: Store, one: GradingSet) -> str:
    """Return a set's name with the number of answers that its grading screen will count."""
    total = assignments.of_newcomer(store, one)
    if not total:
        return joined("", [one.name])  # a name is data
    return said("{name}: {what}", name=one.name, what=counted(total, "answer"))


def _line(store: Store, one: GradingSet, progress: Progress | None, due: str | None) -> str:
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


class ChosenSet(NamedTuple):
    """A grading set and the annotator who grades it."""

    grading_set: GradingSet
    grader_id: int


def may_grade(store: Store) -> bool:
    """Return False in a read-only app and for a viewer, who grade nothing."""
    return may_act(store) and not (store.who and store.who.role == VIEWER)


def choose(store: Store) -> ChosenSet | None:
    """The set and the grader that the URL names; None while they are being asked for."""
    own = own_id(store)
    if own and not recall("set") and annotators.pause_of(store, own):  # the pane says so itself
        st.info(say(workspace.PAUSED))
    grading_set = pick_set(store)
    if grading_set is None:
        return None
    name = recall("grader")
    if name:
        remember(grader=name)
        # Make the units that need no model, when an annotator opens a set of units.
        opened = st.session_state.setdefault("grader.opened", set())
        if grading_set.id not in opened:
            opened.add(grading_set.id)
            with open_store() as whole:  # what a rule makes is no annotator's grade
                decomposition.by_rule(whole, grading_set)
        own = store.who and store.who.grader_id
        return ChosenSet(grading_set, own or graders.ensure_annotator(store, name).id)
    _ask_name(store, grading_set)
    return None


def way_out(store: Store) -> None:
    """Show an annotator who signed in who that is, and the sign-out button.

    There is no sidebar for annotators, and the pane has a button of its own.
    """
    if store.who and grading_only():
        identity(store.who)


def _ask_name(store: Store, grading_set: GradingSet) -> None:
    claimed = st.session_state.get("grader.claimed")
    if claimed:
        _ask_whether(store, grading_set, claimed)
        return
    finding(
        said("Enter your name"),
        said(
            "{set}. Your name is recorded with your grades.",
            set=whole(store, grading_set),
        ),
    )
    with st.container(key="asked"), st.form("grader.name", border=False, enter_to_submit=True):
        name = st.text_input(say("Your name"), max_chars=80, key="grader.own").strip()
        if st.form_submit_button(say("Start grading"), type="primary") and name:
            known = graders.annotator(store, name)
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
    done = _progress(store, grading_set, known.id).done
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
        if st.button(say("Yes, continue"), type="primary", key="grader.yes"):
            _begin(name)
        if st.button(say("No, use another name"), key="grader.no"):
            del st.session_state["grader.claimed"]
            st.rerun()


def _begin(name: str) -> None:
    st.session_state.pop("grader.claimed", None)
    remember(grader=name)
    st.rerun()


# The pane of a grader takes the whole page but this line.
_LINE = "<style>html:root { --grading-height: calc(100dvh - 4rem); }</style>"


def is_assigned(store: Store) -> bool:
    """True for an annotator, whose store reaches only what a lead assigned to adjudicate."""
    return bool(store.who and store.who.role == ADJUDICATOR)


def to_adjudication(store: Store, grader_id: int | None) -> int:
    """Lead an annotator to the answers assigned to adjudicate; return how many are left.

    Nothing where none is assigned, or the annotator is paused.
    """
    if not grader_id or annotators.pause_of(store, grader_id):
        return 0
    if not adjudications.of_annotator(store, grader_id):
        return 0
    with adjudicating_store(link_of()) as own:
        left = adjudications.left_of(own, grader_id)
    st.html(_LINE)
    label = say("Your adjudicated answers")
    if left:
        label = say("Adjudicate {answers}", answers=counted(left, "answer"))
    icon = ":material/how_to_reg:"
    st.page_link(ADJUDICATE, label=label, icon=icon, query_params=_own_link())
    return left


def pick(store: Store) -> AdjudicationPick | None:
    """Return the assigned cases of a sheet under their headline; None without any."""
    label = say("Your grading sets")
    st.page_link(GRADE, label=label, icon=":material/arrow_back:", query_params=_own_link())
    sheet = pick_sheet(store)
    graded = rubric_versions.graded(store, sheet.id) if sheet else []
    found = _found(store, sheet, graded) if graded else None
    if found and found.cases:
        answers = counted(len(found.cases), "answer")
        finding(said("{answers} assigned to you to adjudicate", answers=answers))
        return found
    empty(said("Nothing to adjudicate"), _why_not(store))
    return None


def _found(store: Store, sheet, graded: list[str]) -> AdjudicationPick:
    _, rubric = pick_rubric(store, graded)
    panel, own = read(store, sheet, rubric), graders.get(store, store.who.grader_id)
    return AdjudicationPick(panel, ANNOTATORS, adjudicate.differing(panel), own, sheet.seed())


def _why_not(store: Store) -> str:
    if annotators.pause_of(store, store.who.grader_id):
        return say(workspace.PAUSED)
    return said("No answer is assigned to you to adjudicate.")


def _own_link() -> dict[str, str]:
    """What keeps a page that of an annotator without sign-in: the query of the link that came."""
    query = dict(st.session_state.get("grading_only", {}))
    return query | {"grader": recall("grader") or ""} if query else {}
