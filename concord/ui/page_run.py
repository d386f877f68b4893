"""A run of the page that the navigation chose, as the person who is signed in; for app.py alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from html import escape
from pathlib import Path
from threading import BoundedSemaphore

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from concord.language.languages import ENGLISH
from concord.messages import Problem
from concord.resources import ASSETS
from concord.store.database import READ_ONLY_TEXT, Store
from concord.store.permissions import GRADER, LEAD
from concord.ui.components.payload import FOLDER
from concord.ui.frame import (
    ADJUDICATE,
    OF_ANNOTATORS,
    OPENER,
    download_menu,
    forget_downloads,
    grading_only,
    link_of,
)
from concord.ui.language import language, plain, say, say_in
from concord.ui.server.security_middleware import note
from concord.ui.sign_in import (
    VISITOR,
    SignedOut,
    adjudicating_store,
    door,
    own_store,
    person,
    signed_in,
)

AT_ONCE = 2
PATIENCE_S = 10  # then a screen opens all the same: a turn is a courtesy, not a lock
_turns = BoundedSemaphore(AT_ONCE)


@contextmanager
def limited(closed: bool) -> Iterator[None]:
    """Take turns with other screens that only grade; screens with reports do not wait."""
    # Reports never wait: one of them may take longer than any turn.
    has_turn = closed and _turns.acquire(timeout=PATIENCE_S)
    try:
        yield
    finally:
        if has_turn:
            _turns.release()


keyboard_focus = st.components.v2.component(
    "keyboard_focus",
    js=(FOLDER / "keyboard_focus.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


ICON = ASSETS / "icon.png"
LOOK = ASSETS / "look.css"


def framed(page) -> None:
    """Run the page that the navigation chose, and close its store."""
    st.html(LOOK)
    st.html(f'<h1 class="concord-title">{escape(page.title)}</h1>')  # for screen readers
    st.logo(str(ICON), size="large")
    who = st.session_state.get("who")
    if who == VISITOR:
        st.caption(f":material/lock: {say(READ_ONLY_TEXT)}")
    elif who and who.role != GRADER:
        signed_in(who)
    stores: list[Store] = []

    def opened() -> Store:
        adjudicates = Path(page._page).name == Path(ADJUDICATE).name
        open_it = partial(adjudicating_store, link_of()) if adjudicates else own_store
        stores.append(_open(open_it))
        return stores[-1]

    st.session_state[OPENER] = opened
    forget_downloads()
    say_in(language() if Path(page._page).name in OF_ANNOTATORS else ENGLISH)
    try:
        page.run()
    except Problem as problem:
        st.error(plain(problem.on_screen), icon=":material/error:")
    finally:
        for store in stores:  # a connection can only be closed by the thread that opened it
            store.close()
        download_menu()


def is_closed() -> bool:
    """True where there are no pages to navigate: for a grader, or before sign-in."""
    try:
        st.session_state["who"] = person()
    except SignedOut:
        return True
    except Problem:
        return False  # the page itself says what is wrong
    return grading_only()


def _open(opened: Callable[[], Store]) -> Store:
    """Return the store with the user's permissions, or show the sign-in page."""
    try:
        store = opened()
        _note_uploads(not store.who or store.who.role == LEAD)
        return store
    except SignedOut:
        _note_uploads(False)
        say_in(language())
        door()
    except Problem as problem:
        st.error(plain(problem.on_screen), icon=":material/error:")
    st.stop()


def _note_uploads(may_upload: bool) -> None:
    context = get_script_run_ctx()
    if context:
        note(context.session_id, may_upload)
