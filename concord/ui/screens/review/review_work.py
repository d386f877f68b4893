"""Working through the list: the pane, and what changes with the entry.

The review in the browser: one component shows a page of a list and takes decisions on it.

The component binds every key to the entry it shows; see worklist/worklist.js. Here what it sends is
put on disk and the page it asks for is handed out, after noting who sees it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import streamlit as st
from pydantic import Field

from concord.messages import Problem
from concord.model import Grader
from concord.store import graders, items
from concord.store.database import Store
from concord.ui.actions import refusals
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
from concord.ui.components.review_list import ReviewList
from concord.ui.frame import recall
from concord.ui.language import say, word
from concord.ui.screens.review.kinds import Kind
from concord.ui.sign_in import own_store
from concord.ui.work_list import opened

_ROOM = """<style>
[data-stale="true"] { opacity: 1 !important; }
:root { --worklist-height: max(31rem, calc(100dvh - 20rem)); }
[data-testid="stMainBlockContainer"] { padding: .4rem 2rem 2rem; max-width: 110rem; }
@media (max-width: 640px) {
  :root { --worklist-height: max(38rem, calc(100dvh - 4.5rem)); }
  [data-testid="stMainBlockContainer"] { padding: 4.4rem .7rem 2rem; }
}
</style>"""


@st.fragment
def work(kinds: Sequence[Kind], name: str | None) -> None:
    """The pane and everything that changes with it; each of the kinds is read as it is now."""
    st.html(_ROOM)
    with refusals(), own_store() as store:
        listed = ReviewList([kind.source(store) for kind in kinds])
        grader = graders.find(store, "person", name) if name else None
        key = pane(store, listed, grader) if len(listed) else listed.nothing()
        listed.after(store, key, grader)


SIZE = 20
NAME = "review"
ENTRY = "entry"  # what names the current entry in the URL


class Press(Message):
    """A decision on an entry ('' withdraws it) with a note, by a grader, as the n-th press."""

    n: Whole
    id: Text
    decision: Text
    note: Text
    grader: Whole | None = None


class Batch(Message):
    """The list a message is about, the reader's position in it, and presses not stored yet."""

    token: Text = ""
    at: Text | None = None
    page: Annotated[Whole, Field(ge=1)] | None = None
    prompt: bool = False
    presses: list[Press] = Field(default_factory=list)


@dataclass(frozen=True)
class ReviewReply:
    """Result of key presses: the newest batch read, the newest press stored, and a problem."""

    heard: int = 0
    done: int = 0
    problem: str = ""


_PAGE = "worklist/worklist.html"
_OWN = tuple(FOLDER / f"worklist/{name}.js" for name in ("list", "units", "entry", "worklist"))
_SHARED = (FOLDER / "say.js", FOLDER / "grading_pane/dom.js", FOLDER / "grading_pane/keys.js")
_component = component(
    NAME, _PAGE, ("grading_pane/pane.css", "worklist/worklist.css"), (*_SHARED, *_OWN)
)


def pane(store: Store, listed: ReviewList, grader: Grader | None) -> str | None:
    """Show the pane with a list that is not empty.

    Returns:
        The name of the current entry; None where all of the page are gone.
    """
    batch = _batch(listed)
    page, keys, at = _page(listed, batch)
    opened(store, listed.item_ids(keys), grader)
    shown = listed.entries(store, keys)
    names = [one.id for one in shown]
    here = at if at in names else next(iter(names), None)
    place = names.index(here) if here else 0
    near = names[max(0, place - 1) : place + 2]
    _component(
        key=NAME,
        data={
            "token": listed.token,
            "page": page,
            "pages": items.pages(len(listed), SIZE),
            "before": (page - 1) * SIZE,
            "total": len(listed),
            "at": here,
            "entries": payload(shown),
            "more": {
                key: payload(listed.texts(store, key, batch.prompt and key == here)) for key in near
            },
            "criteria": payload(listed.criteria),
            "kinds": {one.name: payload(one.kind()) for one in listed.sources},
            "words": words_of((*_OWN, FOLDER / _PAGE)),
            "who": grader.name if grader else "",
            "locked": say(why_not) if (why_not := store.why_no_lead()) else "",
            "grader_id": grader.id if grader else None,
            **payload(_reply()),
        },
        default={"batch": None},
        on_batch_change=lambda: _save(listed),
    )
    return here


def _batch(listed: ReviewList) -> Batch:
    """Return the browser's last message where it is about this list; else the URL's state."""
    batch = sent(NAME, Batch)
    return batch if batch and batch.token == listed.token else Batch(at=recall(ENTRY))


def _page(listed: ReviewList, batch: Batch) -> tuple[int, Sequence[str], str | None]:
    """The number of the page (from 1), what is on it, and which of it is wanted."""
    place = listed.place(batch.at)
    page = min(batch.page or place // SIZE + 1, items.pages(len(listed), SIZE))
    begin = (page - 1) * SIZE
    keys = listed.keys(begin, begin + SIZE)
    if batch.page is None:
        return page, keys, keys[place - begin]
    return page, keys, keys[-1] if batch.at == "last" else batch.at


def _save(listed: ReviewList) -> None:
    """Put what the browser sent on disk, and note what became of it for the next data."""
    batch = sent(NAME, Batch)
    reply = replace(_reply(), heard=batch.seq if batch else 0, problem="")
    try:
        if batch is None:
            raise Problem(UNREADABLE)
        with own_store() as store:
            for press in sorted(batch.presses, key=lambda press: press.n):
                if press.n > reply.done:
                    problem = _decide(store, listed, press) or reply.problem
                    reply = replace(reply, done=press.n, problem=problem)
    except Problem as problem:
        reply = replace(reply, problem=word(str(problem)))
    st.session_state[f"{NAME}.reply"] = reply


def _decide(store: Store, listed: ReviewList, press: Press) -> str:
    """Keep one press; return why it could not be kept, '' where it was."""
    if press.grader is None:
        return ""
    try:
        listed.decide(store, press.id, press.decision, press.grader, press.note)
    except Problem as problem:
        return say("Not saved: {problem}", problem=str(problem))
    return ""


def _reply() -> ReviewReply:
    return st.session_state.get(f"{NAME}.reply") or ReviewReply()
