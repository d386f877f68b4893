"""Choice of annotator and set: made once, then kept in the URL."""

from typing import NamedTuple

import streamlit as st

from concord.grading import annotators, assignments
from concord.grading.grading_sets import GradingSet
from concord.messages import said
from concord.model import Grader
from concord.reports.units import decomposition
from concord.store import graders
from concord.store.database import Store, open_store
from concord.store.permissions import VIEWER
from concord.store.rubrics import rubric_versions
from concord.ui.frame import grading_only, may_act, recall, remember
from concord.ui.language import plain, say
from concord.ui.screens.annotate.set_pick import own_id, pick_set, whole
from concord.ui.sign_in import identity
from concord.ui.widgets import finding


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
        st.info(say(annotators.PAUSED))
    grading_set = pick_set(store)
    if grading_set is None:
        return None
    name = recall("grader")
    if name:
        remember(grader=name)
        _take_apart(store, grading_set)
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


def _take_apart(store: Store, grading_set: GradingSet) -> None:
    """Make the units that need no model, when an annotator opens a set of units."""
    opened = st.session_state.setdefault("grader.opened", set())
    if grading_set.id not in opened:
        opened.add(grading_set.id)
        with open_store() as whole:  # what a rule makes is no annotator's grade
            decomposition.by_rule(whole, grading_set)


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
        if st.button(say("Yes, continue"), type="primary", key="grader.yes"):
            _begin(name)
        if st.button(say("No, use another name"), key="grader.no"):
            del st.session_state["grader.claimed"]
            st.rerun()


def _begin(name: str) -> None:
    st.session_state.pop("grader.claimed", None)
    remember(grader=name)
    st.rerun()


def _done(store: Store, grading_set: GradingSet, grader: Grader) -> int:
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    return assignments.done(store, grading_set, grader.id, list(rubric.versions().values())).done
