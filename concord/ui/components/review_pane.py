"""The review in the browser: one component shows a page of a list and takes decisions on it.

The component binds every key to the entry it shows; see worklist/worklist.js. Here what it sends is
put on disk and the page it asks for is handed out, after noting who sees it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import streamlit as st

from concord.messages import Problem
from concord.model import Grader
from concord.reports.work_list import Listed
from concord.store import items
from concord.store.database import READ_ONLY_TEXT, Store
from concord.ui.components.payload import FOLDER, component, payload, words_of
from concord.ui.components.review_data import Decision, LongTexts, ReviewCriterion, ShownEntry
from concord.ui.frame import recall
from concord.ui.language import say, word
from concord.ui.sign_in import own_store
from concord.ui.work_list import opened

SIZE = 20
NAME = "review"


class Source:
    """A list to review, as it is now; each kind of list has its own.

    Attributes:
        param: What names an entry in the URL.
        decisions: What can be decided of an entry; without any it is only read.
        withdraw: What the key is called that takes a decision back.
        prompts: True where the prompt of an entry can be shown.
        token: Changes with the list and its filters.
        criteria: What the scores of an entry mean, by criterion.
        listed: The entries in order, for a list whose entries are all in memory.
    """

    param: ClassVar[str]
    decisions: ClassVar[tuple[Decision, ...]] = ()
    withdraw: ClassVar[str] = ""
    prompts: ClassVar[bool] = False
    token: str
    criteria: Mapping[str, ReviewCriterion] = {}
    listed: Listed

    def __len__(self) -> int:
        return len(self.listed)

    def place(self, key: str | None) -> int:
        """Return the index of an entry, else of the one to begin with."""
        return self.listed.place(key)

    def keys(self, begin: int, end: int) -> Sequence[str]:
        """Return the names of some entries."""
        return self.listed.keys[begin:end]

    def item_ids(self, keys: Sequence[str]) -> Iterable[int]:
        """Return the answers of entries, which count as seen once they are shown."""
        raise NotImplementedError

    def entries(self, store: Store, keys: Sequence[str]) -> list[ShownEntry]:
        """Return entries in full; one that is no more is left out."""
        raise NotImplementedError

    def texts(self, store: Store, key: str, prompt: bool) -> LongTexts:
        """Return the long texts of one of the entries that were read last."""
        raise NotImplementedError

    def decide(self, store: Store, key: str, decision: str, grader_id: int, note: str) -> None:
        """Store a decision ('' withdraws it) and a note; a Problem where it cannot be."""
        raise NotImplementedError

    def summary(self) -> None:
        """Show above the pane what the decisions so far say, or what the filters leave."""

    def nothing(self) -> None:
        """Show in place of the pane why the list is empty."""
        raise NotImplementedError

    def after(self, store: Store, key: str | None, grader: Grader | None) -> None:
        """Show below the pane what belongs to the list and its current entry."""


@dataclass(frozen=True)
class Batch:
    """The browser's last message: the list it is about, and the reader's position in it."""

    token: str = ""
    at: str | None = None
    page: int | None = None
    prompt: bool = False


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


def pane(store: Store, source: Source, grader: Grader | None) -> str | None:
    """Show the pane with a list that is not empty.

    Returns:
        The name of the current entry; None where all of the page are gone.
    """
    batch = _batch(source)
    page, keys, at = _page(source, batch)
    opened(store, set(source.item_ids(keys)), grader)
    shown = source.entries(store, keys)
    names = [one.id for one in shown]
    here = at if at in names else next(iter(names), None)
    place = names.index(here) if here else 0
    near = names[max(0, place - 1) : place + 2]
    _component(
        key=NAME,
        data={
            "token": source.token,
            "param": source.param,
            "page": page,
            "pages": items.pages(len(source), SIZE),
            "before": (page - 1) * SIZE,
            "total": len(source),
            "at": here,
            "entries": payload(shown),
            "more": {
                key: payload(source.texts(store, key, batch.prompt and key == here)) for key in near
            },
            "criteria": payload(source.criteria),
            "decisions": payload([replace(one, name=say(one.name)) for one in source.decisions]),
            "withdraw": say(source.withdraw) if source.withdraw else "",
            "prompts": source.prompts,
            "words": words_of((*_OWN, FOLDER / _PAGE)),
            "who": grader.name if grader else "",
            "locked": say(READ_ONLY_TEXT) if store.read_only else "",
            "grader_id": grader.id if grader else None,
            **payload(_reply()),
        },
        default={"batch": None},
        on_batch_change=lambda: _save(source),
    )
    return here


def _batch(source: Source) -> Batch:
    """Return the browser's last message where it is about this list; else the URL's state."""
    state = st.session_state.get(NAME)
    sent = (state and state.get("batch")) or {}
    if sent.get("token") != source.token:
        return Batch(at=recall(source.param))
    return Batch(source.token, sent.get("at"), sent.get("page"), bool(sent.get("prompt")))


def _page(source: Source, batch: Batch) -> tuple[int, Sequence[str], str | None]:
    """The number of the page (from 1), what is on it, and which of it is wanted."""
    place = source.place(batch.at)
    page = min(batch.page or place // SIZE + 1, items.pages(len(source), SIZE))
    begin = (page - 1) * SIZE
    keys = source.keys(begin, begin + SIZE)
    if batch.page is None:
        return page, keys, keys[place - begin]
    return page, keys, keys[-1] if batch.at == "last" else batch.at


def _save(source: Source) -> None:
    """Put what the browser sent on disk, and note what became of it for the next data."""
    batch = st.session_state[NAME]["batch"]
    if not batch:
        return
    reply = replace(_reply(), heard=batch["seq"], problem="")
    try:
        with own_store() as store:
            for press in sorted(batch["presses"], key=lambda press: press["n"]):
                if press["n"] > reply.done:
                    problem = _decide(store, source, press) or reply.problem
                    reply = replace(reply, done=press["n"], problem=problem)
    except Problem as problem:
        reply = replace(reply, problem=word(str(problem)))
    st.session_state[f"{NAME}.reply"] = reply


def _decide(store: Store, source: Source, press: Mapping[str, Any]) -> str:
    """Keep one press; return why it could not be kept, '' where it was."""
    if press["grader"] is None:
        return ""
    try:
        source.decide(store, press["id"], press["decision"], press["grader"], press["note"])
    except Problem as problem:
        return say("Not saved: {problem}", problem=str(problem))
    return ""


def _reply() -> ReviewReply:
    return st.session_state.get(f"{NAME}.reply") or ReviewReply()
