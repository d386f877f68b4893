"""Actions: a change of the store by the person before the screen, and the Problem in its way."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from concord.definitions import digest
from concord.messages import Problem
from concord.store.database import Store
from concord.ui.language import plain
from concord.ui.sign_in import own_store


@contextmanager
def changing(notice: str) -> Iterator[Store]:
    """Open the store to change it in a callback; `show_refused` shows a Problem in the next run.

    `notice` is the key in the session under which the Problem is kept.
    """
    try:
        with own_store() as store:
            yield store
    except Problem as problem:
        # A callback runs before the page, where nothing can be shown yet.
        st.session_state[notice] = problem.on_screen


def show_refused(notice: str) -> None:
    """Show, once, why a change was not made."""
    problem = st.session_state.pop(notice, None)
    if problem:
        st.error(plain(problem), icon=":material/error:")


def show_done(notice: str) -> None:
    """Show, once, the sentence on what was done that the session keeps.

    A screen that stays scrolled down is scrolled to it: keyboard_focus.js knows its key.
    """
    done = st.session_state.pop(notice, None)
    if done:
        with st.container(key=f"done-{digest(notice)}"):
            st.success(plain(done), icon=":material/check:")


@contextmanager
def refusals() -> Iterator[None]:
    """Catch a Problem and show it in place of the part of the screen that raised it."""
    try:
        yield
    except Problem as problem:
        st.error(plain(problem.on_screen), icon=":material/error:")
