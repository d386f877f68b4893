"""Grading pane: one component with everything an annotator needs to grade by keyboard.

The browser binds every key press to the place and criterion it shows, and keeps it until the server
confirms that it is on disk; see grading_pane/pane.js. This module stores the presses and hands out
the next places.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import streamlit as st
from pydantic import Field

from concord.grading import grading_sets, workspace
from concord.grading.keypress import read as read_key
from concord.grading.workspace import Saved
from concord.language.languages import LANGUAGES
from concord.messages import N_, Problem, counted, said
from concord.store import graders, sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.components import grading_data
from concord.ui.components.payload import (
    FOLDER,
    UNREADABLE,
    Message,
    Text,
    Whole,
    component,
    payload,
    sent,
    words_of,
)
from concord.ui.frame import grading_only, recall, remember
from concord.ui.language import choose_language, language, say
from concord.ui.server.security_middleware import LEAVE
from concord.ui.sign_in import lent_own_store

_PAGE = "grading_pane/pane.html"
_SCRIPTS = (
    *(
        "words",
        "dom",
        "clock",
        "outage",
        "storage",
        "keys",
        "help",
        "note",
        "remarks",
        "passages",
        "evidence",
        "causes",
    ),
    *("find", "reading", "training", "rubric", "screen", "pane"),
)
_OWN = tuple(FOLDER / f"grading_pane/{name}.js" for name in _SCRIPTS)
Opened = Callable[[], AbstractContextManager[Store]]
# A fragment that runs again by itself, however seldom, makes Streamlit's page ask a server that was
# restarted for its screen. Without it keys pressed meanwhile would wait there for a reload.
_RESUMES_S = 86_400


GRADING = component("grading", _PAGE, ("grading_pane/pane.css",), (FOLDER / "say.js", *_OWN))
SHARED = """<style>
[data-stale="true"] { opacity: 1 !important; }
body:has([data-test-connection-state]:not([data-test-connection-state="CONNECTED"]))
  > [data-testid="stDialog"] { display: none; }
"""
# The pane has the height of the window less what stands above it, which may be more than the tabs.
_FILLS = """
:root { --grading-height: 100%; }
[data-testid="stMainBlockContainer"] { display: flex; height: 100dvh; max-width: 110rem; }
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] { gap: 0; }
[data-testid="stLayoutWrapper"]:has([class*="st-key-grading-"]) { flex: 1 0 24rem; }
[data-testid="stLayoutWrapper"] > :has(> [class*="st-key-grading-"]),
[class*="st-key-grading-"] { flex: 1 1 0; min-height: 0; }
[class*="st-key-grading-"] :is(.stBidiComponent, [data-testid="stBidiComponentIsolated"]) {
  height: 100%; }
@media (max-height: 30rem) {
  [data-testid="stLayoutWrapper"]:has([class*="st-key-grading-"]) { flex-basis: 14rem; }
}
"""
_ROOM = """
:root { --above: 1rem; --beside: 1.5rem; }
/* The button that opens the list of screens stands at the top: above the tabs, or beside them */
:root:has([data-testid="stExpandSidebarButton"]) { --above: 4.2rem; }
[data-testid="stMainBlockContainer"] { padding: var(--above) var(--beside) .2rem !important; }
@media (max-width: 640px) { :root { --beside: .7rem; } }
@media (max-width: 480px) {
  .st-key-tabs { gap: .1rem; }
  .st-key-tabs p { font-size: .82rem; }
}
@media (max-height: 480px) and (min-width: 560px) {
  :root:has([data-testid="stExpandSidebarButton"]) { --above: .6rem; }
  :root:has([data-testid="stExpandSidebarButton"]) .st-key-tabs { margin-left: 6rem;
    width: calc(100% - 6rem); }
  [data-testid="stHeader"] { background: none; pointer-events: none; }
  [data-testid="stHeader"] button { pointer-events: auto; }
}
</style>"""
_ALONE = """
[data-testid="stHeader"], [data-testid="stSkipToContent"], .st-key-language { display: none; }
[data-testid="stMainBlockContainer"] { padding: 1rem 1.5rem .7rem; }
@media (max-width: 640px) { [data-testid="stMainBlockContainer"] { padding: .7rem; } }
</style>"""


_LEFT = N_("Still assigned to you to adjudicate: {answers}. Open them at the top.")


class Batch(Message):
    """Key presses not saved yet, and what the pane shows and holds.

    Attributes:
        set: The token of what is graded.
        at: The place on screen.
        language: The language that was picked in the pane.
        have: The tokens of the texts that the browser holds.
        keys: The presses in any form (`keypress.read`), oldest first.
    """

    set: Text = ""
    at: Whole | None = None
    language: Text | None = None
    have: list[Text] = Field(default_factory=list)
    keys: list[Any] = Field(default_factory=list)


@dataclass(frozen=True)
class GradingReply:
    """Result of the key presses the browser sent.

    Attributes:
        heard: The number of the newest batch that was read.
        saved: Ids of the presses that are on disk.
        refused: Why a press can never be stored, by press id.
        problem: Why nothing could be stored; '' otherwise.
    """

    heard: int = 0
    saved: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True)
class Spoken:
    """The words of the pane; the languages and the way out where it is all there is on the page."""

    language: str
    words: dict[str, str]
    languages: Mapping[str, str] | None
    leave: str | None


# A fragment: a key press reruns only the pane, not the page with its queries.
@st.fragment(run_every=_RESUMES_S)
def pane(set_id: int, grader_id: int, to_adjudicate: int = 0) -> None:
    """The whole grading screen of one annotator in one grading set.

    `to_adjudicate` is how many answers a lead assigned to them for that, which are left.
    """
    st.html(SHARED + _FILLS + (_ALONE if grading_only() else _ROOM))
    name = f"grading.{set_id}.{grader_id}"
    batch = sent(name, Batch) or Batch()
    if batch.language in LANGUAGES and batch.language != language():
        choose_language(batch.language)
        remember(item=batch.at)
    at = batch.at or number(recall("item"))
    read = partial(_read, set_id=set_id, grader_id=grader_id, at=at, have={*batch.have})
    data = pane_data(name, read, at, only=grading_only())
    data |= (
        {"adjudicate": say(_LEFT, answers=counted(to_adjudicate, "answer"))}
        if to_adjudicate
        else {}
    )
    draw(name, data, partial(_saved, set_id=set_id, grader_id=grader_id))


def draw(
    name: str,
    data: dict[str, Any],
    save: Callable[[Store, Batch], Saved],
    opened: Opened = lent_own_store,
) -> None:
    """Show the pane; `save` puts the key presses of a batch on disk, in the store of `opened`."""
    kept = partial(_save, name, save, opened)
    GRADING(key=name, data=data, default={"batch": None}, on_batch_change=kept)


def pane_data(
    name: str,
    read: Callable[[Store], Any],
    at: int | None,
    only: bool,
    opened: Opened = lent_own_store,
) -> dict[str, Any]:
    """Return what the pane shows, with the reply to its last batch; `only` as in `spoken`."""
    words = payload(spoken(only))
    try:
        with opened() as store:
            found = read(store)
    except Problem as problem:
        return {"closed": say(str(problem)), **words}
    reply = st.session_state.get(f"{name}.reply") or GradingReply()
    session = st.session_state.setdefault("grading.session", uuid4().hex)
    return {**payload(found), **payload(reply), **words, "session": session, "at": at}


def spoken(only: bool) -> Spoken:
    """Return the words of the pane; `only`: it is all there is on the page."""
    leave = f"{LEAVE}?lang={language()}" if only and st.session_state.get("who") else None
    return Spoken(language(), words_of((FOLDER / _PAGE, *_OWN)), LANGUAGES if only else None, leave)


def _save(name: str, save: Callable[[Store, Batch], Saved], opened: Opened) -> None:
    """Put what the browser sent on disk, and note what became of it for the next data."""
    batch = sent(name, Batch)
    reply = GradingReply(heard=batch.seq if batch else 0)
    try:
        if batch is None:
            raise Problem(UNREADABLE)
        with opened() as store:
            saved = save(store, batch)
        refused = {press_id: say(why) for press_id, why in saved.refused.items()}
        reply = replace(reply, saved=saved.on_disk, refused=refused)
    except Problem as problem:
        reply = replace(reply, problem=say(str(problem)))
    st.session_state[f"{name}.reply"] = reply


def _saved(store: Store, batch: Batch, set_id: int, grader_id: int) -> Saved:
    keys = [read_key(one) for one in batch.keys]
    if not keys:
        return Saved([], {})
    _name(store, grader_id)
    grading_set = grading_sets.get(store, set_id)
    if batch.set != grading_data.set_token(grading_set):
        return Saved([], {key.press_id: said("its grading set was deleted") for key in keys})
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    return workspace.save(store, grading_set, grader_id, rubric, keys)


def _read(store: Store, set_id: int, grader_id: int, at: int | None, have: set[str]) -> Any:
    grading_set = grading_sets.get(store, set_id)
    grader = grader_id, _name(store, grader_id)
    rubric = rubric_versions.as_translated(store, rubric_versions.get(store, grading_set.rubric_id))
    data = grading_data.read(store, grading_set, grader, rubric, at, have)
    if store.who or grading_only():
        return data
    [sheet] = (one.name for one in sheets.all_sheets(store) if one.id == grading_set.sheet_id)
    about = {"sheet": sheet, "rubric": rubric.name, "lang": language()}
    return replace(data, agreement=f"agreement?{urlencode(about)}")


def _name(store: Store, grader_id: int) -> str:
    """The annotator's name; a Problem where the lead deleted or merged that annotator meanwhile."""
    for grader in graders.of_kind(store, "person"):
        if grader.id == grader_id:
            return grader.name
    raise Problem("This annotator was deleted or merged. Reload the grading screen.")


def number(text: str | None) -> int | None:
    """Return a number that the URL says; None for none."""
    return int(text) if text and text.isdecimal() and len(text) < 19 else None
