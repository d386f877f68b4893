"""The frame of a screen: how every page is entered, and what lives in the URL.

Sheet, rubric, grader, judge and filters live in the query of the URL, so a link shows a colleague
the same thing. `session_state` is a cache and never the record.
"""

from contextvars import ContextVar
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from concord.problems import Problem
from concord.store.database import Store
from concord.store.permissions import GRADER, LEAD
from concord.ui.assets import ASSETS
from concord.ui.markdown import plain
from concord.ui.server.security_middleware import note
from concord.ui.sign_in import SignedOut, door, own_store, person, signed_in

ICON = ASSETS / "icon.png"
LOOK = ASSETS / "look.css"
GRADE = "pages/grade.py"
_KEPT = ("sheet", "rubric", "grader")
_opened: ContextVar[list[Store]] = ContextVar("opened")


def enter(page: str) -> Store:
    """Open the store for a page; a page that app.py did not frame goes through app.py first.

    The store is closed when the page has run: a fragment or a callback opens its own.

    Streamlit runs a file of `pages/` directly when a link to it is the first thing a new server
    sees; the wanted page and its query are kept across the detour.
    """
    only = grading_only()  # asked first: the detour through app.py drops the query
    if not st.session_state.get("framed"):
        st.session_state["wanted"] = (page, dict(st.query_params))
        st.switch_page("app.py")
    if only and Path(page).name != Path(GRADE).name:
        st.switch_page(GRADE, query_params=st.session_state.get("grading_only"))
    store = _open()
    st.session_state["who"] = store.who
    if store.who and store.who.role == GRADER and Path(page).name != Path(GRADE).name:
        st.switch_page(GRADE)
    _opened.get([]).append(store)
    return store


def _open() -> Store:
    """The store as the person before the screen may reach it; the door where nobody may."""
    try:
        store = own_store()
        _note_uploads(not store.who or store.who.role == LEAD)
        return store
    except SignedOut:
        _note_uploads(False)
        door()
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")
    st.stop()


def _note_uploads(may_upload: bool) -> None:
    context = get_script_run_ctx()
    if context:
        note(context.session_id, may_upload)


def framed(page) -> None:
    """Run the page that the navigation chose, or the one a cold link wanted; close its store."""
    st.session_state["framed"] = True
    st.html(LOOK)
    st.logo(str(ICON), size="large")
    _to_the_wanted(page)
    who = st.session_state.get("who")
    if who and who.role != GRADER:
        signed_in(who)
    stores: list[Store] = []
    _opened.set(stores)
    try:
        page.run()
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")
    finally:
        for store in stores:  # a connection can only be closed by the thread that opened it
            store.close()


def _to_the_wanted(page) -> None:
    """Go to the page that a cold link wanted; it is wanted until it is reached.

    A browser that finds its server again may ask for a second run while the first is on its way,
    and that run begins at the default page: it takes up the way where it was.
    """
    if "wanted" not in st.session_state:
        return
    path, query = st.session_state["wanted"]
    if Path(path).name != Path(page._page).name:
        st.switch_page(f"pages/{Path(path).name}", query_params=query)
    del st.session_state["wanted"]
    for key, value in query.items():
        st.query_params[key] = value


def is_closed() -> bool:
    """Whether there is nothing to walk through: for a grader, or before anybody signed in."""
    try:
        st.session_state["who"] = person()
    except SignedOut:
        return True
    except Problem:
        return False  # the page itself says what is wrong
    return grading_only()


def grading_only() -> bool:
    """Whether only the grading screen opens: for a grader who signed in, or by a grader's link."""
    who = st.session_state.get("who")
    if who and who.role == GRADER:
        return True
    if st.query_params.get("view") == "grader":
        st.session_state["grading_only"] = dict(st.query_params)
    return "grading_only" in st.session_state


def grader_link(set_id: int, grader: str = "") -> str:
    """The path and query of a link that opens the grading screen only."""
    from urllib.parse import urlencode

    query = {"view": "grader", "set": set_id} | ({"grader": grader} if grader else {})
    return f"/grade?{urlencode(query)}"


def remember(**chosen) -> None:
    """Keep what was chosen in the URL; None takes it out."""
    for key, value in chosen.items():
        if value is None:
            st.query_params.pop(key, None)
        elif st.query_params.get(key) != str(value):
            st.query_params[key] = str(value)
        if key in _KEPT:
            st.session_state[f"kept.{key}"] = value


def recall(key: str) -> str | None:
    """What the URL says, else what another page of this session chose last.

    Who grades is not chosen by those who signed in.
    """
    who = st.session_state.get("who")
    if key == "grader" and who:
        return who.name
    said = st.query_params.get(key)
    if said is None and key in _KEPT:
        said = st.session_state.get(f"kept.{key}")
    return said


def here() -> str:
    """The address without the screen, as `https://concord.example.org`; '' outside a browser."""
    url = urlsplit(st.context.url or "")
    folder = url.path.rpartition("/")[0]
    return f"{url.scheme}://{url.netloc}{folder}" if url.netloc else ""
