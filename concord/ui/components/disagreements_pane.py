"""The work list in the browser: one component that shows a page of disagreements and takes causes.

The component binds every key to the disagreement it shows; see worklist/worklist.js. Here what it
sends is put on disk and the page it asks for is handed out, after noting who sees it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from concord.grading.adjudication.disagreement_causes import CAUSES
from concord.messages import Problem
from concord.model import Grader
from concord.reports.disagreements import disagreement, disagreements
from concord.reports.disagreements.disagreement import Disagreement
from concord.reports.disagreements.disagreements import Held, Key, Wanted, read_key
from concord.reports.panel.panel import Panel
from concord.store import items
from concord.store.database import Store
from concord.ui.components.disagreements_data import long_texts, shown_criteria, shown_entry
from concord.ui.components.payload import FOLDER, component, payload, words_of
from concord.ui.frame import recall
from concord.ui.language import say, word
from concord.ui.sign_in import own_store
from concord.ui.work_list import opened

SIZE = 20
NAME = "disagreements"


class Filtered(NamedTuple):
    """Contents of the pane: the grades, the filters, and all rows that pass them.

    `token` changes with them; `until` is the newest tag when they were set.
    """

    panel: Panel
    wanted: Wanted
    rows: pd.DataFrame
    token: str
    until: int


@dataclass(frozen=True)
class Batch:
    """The browser's last message: the list it is about, and the reader's position in it."""

    token: str = ""
    at: str | None = None
    page: int | None = None
    prompt: bool = False


@dataclass(frozen=True)
class Reply:
    """Result of key presses: the newest batch read, the newest press stored, and a problem."""

    heard: int = 0
    done: int = 0
    problem: str = ""


@dataclass(frozen=True)
class Several:
    """The list holds several criteria or judges, so that each entry names its own."""

    criteria: bool
    judges: bool


_PAGE = "worklist/worklist.html"
_OWN = tuple(FOLDER / f"worklist/{name}.js" for name in ("list", "entry", "worklist"))
_SHARED = (FOLDER / "say.js", FOLDER / "grading_pane/dom.js", FOLDER / "grading_pane/keys.js")
_component = component(
    NAME, _PAGE, ("grading_pane/pane.css", "worklist/worklist.css"), (*_SHARED, *_OWN)
)


def pane(
    store: Store,
    listed: Filtered,
    rows: pd.DataFrame,
    tags: dict[Key, list[Held]],
    grader: Grader | None,
) -> Disagreement | None:
    """Show the pane with those of the listed rows that have the wanted cause.

    Returns:
        The current disagreement; None where all of the page are gone.
    """
    batch = _batch(listed)
    page, keys, at = _page(listed.panel, rows, batch)
    opened(store, {key.item_id for key in keys}, grader)
    shown = disagreement.read(store, listed.panel, keys)
    here = next((one for one in shown if one.key == at), shown[0] if shown else None)
    _component(
        key=NAME,
        data={
            "token": listed.token,
            "page": page,
            "pages": items.pages(len(rows), SIZE),
            "before": (page - 1) * SIZE,
            "total": len(rows),
            "at": here.key.text() if here else None,
            "entries": payload(
                [shown_entry(listed.panel, one, tags.get(one.key)) for one in shown]
            ),
            "more": payload(long_texts(store, listed.panel, shown, here, batch.prompt)),
            "criteria": payload(shown_criteria(listed.panel)),
            "many": payload(_several(listed.wanted)),
            "causes": [{"key": key, "name": say(name)} for key, name in CAUSES.items()],
            "words": words_of((*_OWN, FOLDER / _PAGE)),
            "who": grader.name if grader else "",
            "grader_id": grader.id if grader else None,
            **payload(_reply()),
        },
        default={"batch": None},
        on_batch_change=lambda: _save(listed.panel),
    )
    return here


def _batch(listed: Filtered) -> Batch:
    """Return the browser's last message where it is about this list; else the URL's state."""
    state = st.session_state.get(NAME)
    sent = (state and state.get("batch")) or {}
    if sent.get("token") != listed.token:
        return Batch(at=recall("entry"))
    return Batch(listed.token, sent.get("at"), sent.get("page"), bool(sent.get("prompt")))


def _page(panel: Panel, rows: pd.DataFrame, batch: Batch) -> tuple[int, list[Key], Key | None]:
    """The number of the page (from 1), what is on it, and which of it is wanted."""
    wanted = batch.at or ""
    at = read_key(wanted)
    place = disagreements.place(panel, rows, at) if at else None
    page = batch.page or (1 if place is None else place // SIZE + 1)
    page = min(page, items.pages(len(rows), SIZE))
    keys = disagreements.keys(panel, rows.iloc[(page - 1) * SIZE : page * SIZE])
    if wanted == "last" and keys:
        at = keys[-1]
    return page, keys, at


def _save(panel: Panel) -> None:
    """Put what the browser sent on disk, and note what became of it for the next data."""
    batch = st.session_state[NAME]["batch"]
    if not batch:
        return
    reply = replace(_reply(), heard=batch["seq"], problem="")
    try:
        with own_store() as store:
            for press in sorted(batch["presses"], key=lambda press: press["n"]):
                if press["n"] > reply.done:
                    problem = _tag(store, panel, press) or reply.problem
                    reply = replace(reply, done=press["n"], problem=problem)
    except Problem as problem:
        reply = replace(reply, problem=word(str(problem)))
    st.session_state[f"{NAME}.reply"] = reply


def _tag(store: Store, panel: Panel, press: Mapping[str, Any]) -> str:
    """Keep one press; return why it could not be kept, '' where it was."""
    key = read_key(press["id"])
    if key is None or press["grader"] is None:
        return ""
    try:
        disagreement.tag(store, panel, key, press["cause"], press["grader"], press["note"])
    except Problem as problem:
        return say("Not saved: {problem}", problem=str(problem))
    return ""


def _several(wanted: Wanted) -> Several:
    return Several(criteria=wanted.criterion is None, judges=wanted.judge is None)


def _reply() -> Reply:
    return st.session_state.get(f"{NAME}.reply") or Reply()
