"""The frame of a screen: how every page is entered, and what lives in the URL.

Sheet, rubric, grader, judge and filters live in the query of the URL, so a link shows a colleague
the same thing. `session_state` is a cache and never the record.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import streamlit as st

from concord.store.database import Store
from concord.store.permissions import ADJUDICATOR, GRADER
from concord.ui.language import say, word

GRADE = "pages/grade.py"
ADJUDICATE = "pages/adjudicate.py"
OF_ANNOTATORS = {Path(GRADE).name, Path(ADJUDICATE).name}
_KEPT = ("sheet", "grader")
_OF_SHEET = ("rubric", "criterion", "judge", "reference")  # kept for each sheet
_FILTERS = "filters"  # in the session: the line of filters of the page that is drawn
_BELOW = "filters.below"  # in the session: the place below that line
_BAR = "bar"  # in the session: the row at the top of the page that is drawn
_DOWNLOADS = "downloads"  # in the session: what the page that is drawn offers, by file name
_CHOICES = "download.choices"  # in the session: what more the menu shows, on the page that is drawn
OPENER = "opener"  # in the session: opens the store for a page, as the person who is signed in


def enter(page: str) -> Store:
    """Open the store for a page; one that app.py did not frame (`middleware`) opens nothing.

    The store is closed when the page has run: a fragment or a callback opens its own.
    """
    st.session_state.pop(_FILTERS, None)
    if OPENER not in st.session_state:
        st.stop()
    if grading_only() and Path(page).name not in OF_ANNOTATORS:
        st.switch_page(GRADE, query_params=st.session_state.get("grading_only"))
    store = st.session_state[OPENER]()
    st.session_state["who"] = store.who
    if store.who and store.who.role == GRADER and Path(page).name != Path(GRADE).name:
        st.switch_page(GRADE)
    filters()  # above all else, so that it stands at the same place on every screen
    return store


def may_act(store: Store) -> bool:
    """Return False in a read-only app, whose screens leave out what would store something."""
    return not store.read_only


def take_bar(row) -> None:
    """Take a row as the one at the top of the page that is drawn."""
    st.session_state[_BAR] = row


def bar():
    """Return the row at the top of the screen: its tabs, who works here, and the downloads."""
    return st.session_state[_BAR]


def filters():
    """Return the filter bar: the pickers of a screen in one sticky row.

    It is placed at the first call in a run of a page.
    """
    if _FILTERS not in st.session_state:
        st.session_state[_FILTERS] = st.container(
            horizontal=True, key="filters", vertical_alignment="bottom", gap="small"
        )
        st.session_state[_BELOW] = st.container()
    return st.session_state[_FILTERS]


@contextmanager
def more_filters(*params: str) -> Iterator[None]:
    """Show in a popover at the end of the filter bar the filters that are rarely set.

    Its label counts those that are: their `params` are in the URL only then. It is drawn before
    they are read, so the page runs anew where one was set or removed.
    """
    n = sum(map(_is_in_address, params))
    label = say("More filters ({n})", n=n) if n else say("More filters")
    with filters(), st.popover(label, icon=":material/tune:", key=f"{_FILTERS}.more"):
        yield
    if sum(map(_is_in_address, params)) != n:
        st.rerun()


def _is_in_address(param: str) -> bool:
    return param in st.query_params


def below_filters():
    """Return the place below the filter bar, for what is to be said of a filter."""
    filters()
    return st.session_state[_BELOW]


def forget_downloads() -> None:
    """Forget what a run of a page offered that ended before its menu was shown."""
    for key in (_DOWNLOADS, _CHOICES):
        st.session_state.pop(key, None)


def offer_download(data: Callable[[], str | bytes], file: str, mime: str) -> None:
    """Add a file to the download menu of the screen; `data` is called when it is wanted."""
    st.session_state.setdefault(_DOWNLOADS, {})[file] = data, mime


def offer_download_choice(show: Callable[[], None]) -> None:
    """Add widgets below the files of the download menu; `show` may not use the page's store."""
    st.session_state.setdefault(_CHOICES, []).append(show)


def pick_tool(label: str, titles: Mapping[str, str], key: str) -> None:
    """The picker of the tool to export for; `titles` say what each tool gets."""
    st.selectbox(
        label,
        [*titles],
        index=None,
        format_func=lambda name: say("{name}: {what}", name=name, what=word(titles[name])),
        placeholder=say("Choose a tool"),
        key=key,
    )


def download_menu() -> None:
    """Show at the top of the screen the one menu of all that it offers, if it offers anything."""
    offered = st.session_state.pop(_DOWNLOADS, {})
    choices = st.session_state.pop(_CHOICES, [])
    if not offered and not choices:
        return
    with bar(), st.popover(say("Download"), icon=":material/download:", type="tertiary"):
        for file, (data, mime) in offered.items():
            st.download_button(file, data, file, mime, key=f"download.{file}", type="tertiary")
        for show in choices:
            show()


def grading_only() -> bool:
    """True for a signed-in grader, or by a grader's link: only what annotators do opens."""
    who = st.session_state.get("who")
    if who and who.role in (GRADER, ADJUDICATOR):
        return True
    if st.query_params.get("view") == "grader":
        st.session_state["grading_only"] = dict(st.query_params)
    return "grading_only" in st.session_state


def link_of() -> str | None:
    """The annotator of a grader's link, '' where it names none; None where none was opened."""
    return (recall("grader") or "") if grading_only() else None


def grader_link(set_id: int, grader: str) -> str:
    """The path and query of a link that opens the grading screen only."""
    query = {"view": "grader", "set": set_id} | ({"grader": grader} if grader else {})
    return f"/grade?{urlencode(query)}"


def remember(**chosen) -> None:
    """Keep what was chosen in the URL; None takes it out."""
    for key, value in chosen.items():
        address(key, value)
        if key in _KEPT:
            st.session_state[f"kept.{key}"] = value
        elif key == "rubric":
            keep(key, value)


def address(key: str, value: object) -> None:
    """Write a choice into the URL, but keep it for no other page; None takes it out."""
    if value is None:
        st.query_params.pop(key, None)
    elif st.query_params.get(key) != str(value):
        st.query_params[key] = str(value)
    if key in _OF_SHEET:
        st.session_state[f"written.{key}"] = value


def linked(key: str) -> str | None:
    """Return the filter that a link to the page names, and no choice on a page wrote since."""
    named = st.query_params.get(key)
    is_ours = key not in _OF_SHEET or named == st.session_state.get(f"written.{key}")
    return None if is_ours else named


def keep(key: str, value: object) -> None:
    """Keep a filter that was chosen for the other pages of its sheet; any other is the page's."""
    if key in _OF_SHEET:
        st.session_state[f"kept.{recall('sheet')}.{key}"] = value


def kept(key: str) -> str | None:
    """Return the filter that was last chosen for the sheet in this session."""
    return st.session_state.get(f"kept.{recall('sheet')}.{key}")


def recall(key: str) -> str | None:
    """Return a choice from the URL, else the last one on another page of this session.

    A signed-in member cannot choose the grader.
    """
    who = st.session_state.get("who")
    if key == "grader" and who:
        return who.name
    said = st.query_params.get(key)
    if said is None and key in _KEPT:
        said = st.session_state.get(f"kept.{key}")
    return kept(key) if said is None and key == "rubric" else said


def recall_several(key: str) -> list[str]:
    """Return the names that the URL keeps as a list under a key; none where it is no list."""
    try:
        kept = json.loads(recall(key) or "[]")
    except ValueError:
        return []
    return kept if isinstance(kept, list) else []


def base_address() -> str:
    """The address without the screen, as `https://concord.example.org`; '' outside a browser."""
    url = urlsplit(st.context.url or "")
    folder = url.path.rpartition("/")[0]
    return f"{url.scheme}://{url.netloc}{folder}" if url.netloc else ""
