"""The viewer of judges' or annotators' grades: kept in the URL, and warned what viewing implies."""

from collections.abc import Iterable

import streamlit as st

from concord.model import Grader
from concord.store import graders, grades
from concord.store.database import Store
from concord.store.permissions import LEAD
from concord.ui.frame import bar, recall, remember
from concord.ui.language import plain, say, word


def opened(store: Store, item_ids: Iterable[int], grader: Grader | None) -> None:
    """Record, before answers are shown, that someone sees judges' grades of them."""
    grades.open_items(store, item_ids, grader.id if grader else None)


_MENU = "you.menu"


def looker(store: Store) -> Grader | None:
    """Who is looking: a signed-in member, else whom the URL names; None where it names none."""
    if store.who and store.who.grader_id:  # who may be called otherwise since
        return graders.get(store, store.who.grader_id)
    name = recall("grader")
    return graders.find(store, "person", name) if name else None


def pick_person(store: Store, why: str, goes_on: bool = True) -> Grader | None:
    """Return the annotator working here, kept in the URL; None before one is picked.

    It is asked at the top of the screen, on every screen in the same place.

    `why` says in a sentence what a name is needed for; `goes_on` where the warning about viewing
    scores comes next.
    """
    if not store.may_lead():
        return None
    person = looker(store)
    known = [grader.name for grader in graders.of_kind(store, "person") if not grader.simulated]
    chosen = st.session_state.get("you") or (person.name if person else "")
    called = plain(chosen) if chosen else say("Your name")
    menu = {"icon": ":material/person:", "type": "tertiary", "key": _MENU, "on_change": "rerun"}
    with bar(), st.popover(called, **menu), st.container(key="asked"):
        name = st.selectbox(
            say("You"),
            known,
            index=known.index(person.name) if person and person.name in known else None,
            placeholder=say("Your name"),
            accept_new_options=True,
            key="you",
            on_change=_close,
            help=say(
                "{why} Choose your name, or type a new one and press Enter. Then read what seeing "
                "the scores means, and continue."
                if goes_on
                else "{why} Choose your name, or type a new one and press Enter.",
                why=word(why),
            ),
        )
    if not name or not name.strip():
        return None
    found = graders.annotator(store, name)
    if found and found.simulated:
        st.error(
            say(
                "“{name}” belongs to a simulated grader. Choose another name.",
                name=plain(found.name),
            )
        )
        return None
    grader = found or graders.ensure_annotator(store, name)
    remember(grader=grader.name)
    return grader


def _close() -> None:
    """Close the menu once a name is chosen, so that the next key goes to the screen."""
    st.session_state[_MENU] = False


def agreed(store: Store, looker: Grader | None, tags: bool = False) -> bool:
    """True where the annotator confirmed the warning about opening an answer, or gave no name.

    They did where they opened an answer of the sheet before. `tags` where a name was already given
    for tagging, so that this is the second step.
    """
    key = f"grades_shown.{looker.id}" if looker else ""
    if looker is None or st.session_state.get(key):
        return True
    if grades.has_opened_any(store, recall("sheet"), looker.id):  # a reload is a new session
        return True
    name = plain(looker.name)
    st.info(
        say(
            "You are viewing as {name}, and your tags are stored under this name. These answers "
            "show a judge's grades. If you grade one of them afterwards, your grade is stored as "
            "not blind and excluded from the figures."
            if tags
            else "You are viewing as {name}. These answers show a judge's grades. If you grade one "
            "of them afterwards, your grade is stored as not blind and excluded from the "
            "figures.",
            name=name,
        ),
        icon=":material/visibility:",
    )
    label = say("Continue as {name}", name=name) if tags else say("Show the answers")
    if st.button(label, key="beside.show", type="primary"):
        st.session_state[key] = True
        st.rerun()
    return False


def leads(store: Store) -> bool:
    """True for a signed-in lead, and for anyone where there is no sign-in."""
    return store.who is None or store.who.role == LEAD


def pick_lead(store: Store, why: str) -> Grader | None:
    """Return the lead working here: the signed-in one, else the one picked; None without either."""
    if store.who is None:
        return pick_person(store, why, goes_on=False)
    if store.who.role != LEAD:
        return None
    return looker(store) or graders.get(store, graders.ensure(store, "person", store.who.name))
