"""Review: one list, one reader and one filter bar over what differs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import streamlit as st
from pydantic import Field

from concord.messages import Problem
from concord.model import Grader, Sheet
from concord.reports.work_list import ANY
from concord.store import graders, items
from concord.store.database import Store
from concord.ui.actions import refusals
from concord.ui.caching import kept
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
from concord.ui.components.review_list import Chosen, Kind, ReviewList
from concord.ui.frame import address, filters, more_filters, recall, remember
from concord.ui.language import say, word
from concord.ui.looker import opened
from concord.ui.sign_in import own_store
from concord.ui.widgets import finding, no_sheet, pick_sheet, select

_ALL = "all"


def pick(store: Store, title, every: Sequence[type[Kind]]) -> list[Kind] | None:
    """Show filters and headline; return the kinds that pass, None where there is nothing yet."""
    sheet = pick_sheet(store)
    if sheet is None:
        then = "this screen lists where a judge and annotators differ, worst first."
        no_sheet(f"annotators and judges grade them, and {then}")
        return None
    of_sheet = _of_sheet(store, sheet, every)
    with filters():
        shown = _pick_kinds(of_sheet, every[0])
        kinds = [kind(store, sheet) for kind in shown]
    there = [kind for kind in kinds if not kind.is_missing()]
    if not there:
        kinds[0].lead_on()
        return None
    passing = _narrow(store, sheet, there)
    with title:
        _headline(passing, [one.title for one in of_sheet if one not in shown])
    return passing


def _of_sheet(store: Store, sheet: Sheet, every: Sequence[type[Kind]]) -> Sequence[type[Kind]]:
    """Return the kinds that a sheet has, and the one that is linked; the first without any."""
    linked = recall("list")
    return [one for one in every if one.name == linked or one.is_on(store, sheet)] or every[:1]


def _pick_kinds(kinds: Sequence[type[Kind]], main: type[Kind]) -> Sequence[type[Kind]]:
    """Return the kind that is chosen, or all; the main one to begin with where the sheet has it."""
    if len(kinds) < 2:
        return kinds
    titles = {_ALL: "All", **{one.name: one.title for one in kinds}}
    first = main.name if main in kinds else _ALL
    before = recall("list") or first
    chosen = select("Show", "list", titles, first, first)
    if chosen != before:  # what another kind began with would leave out all that is chosen now
        for filter_of_kind in ("criterion", "judge"):
            address(filter_of_kind, ANY if chosen == _ALL else None)
    return [one for one in kinds if chosen in (_ALL, one.name)]


def _narrow(store: Store, sheet: Sheet, kinds: list[Kind]) -> list[Kind]:
    """Return the kinds with entries that all filters may let pass.

    What a filter says nothing of is left out where it is set.
    """
    with filters():
        criterion = _pick("Criterion", "criterion", "All criteria", kinds)
        judge = _pick("Judge", "judge", "All judges", kinds)
        words = st.text_input(
            "Search",
            recall("words") or "",
            placeholder="question, answer or id",
            key=f"review.words.{sheet.id}",
        ).strip()
        remember(words=words or None)
        found = _matching(store, sheet, words) if words else None
    kinds = [one for one in kinds if criterion in (None, *one.criterion)]
    kinds = [one for one in kinds if judge in (None, *one.judge)]
    params = [param for one in kinds for param in one.params]
    # Eight filters have no room beside one another on a laptop.
    with more_filters("answer_model", *params) if params else filters():
        chosen = Chosen(criterion, judge, _pick_model(store, sheet), found)
        kinds = [one for one in kinds if one.own_filters(chosen)] or kinds
    for one in kinds:
        one.narrow(chosen)
    return kinds


def _pick(label: str, name: str, every: str, kinds: Sequence[Kind]) -> str | None:
    """Return a criterion or a judge of any kind; None for all."""
    options = {key: words for kind in kinds for key, words in getattr(kind, name).items()}
    if not options:
        return None
    words = [*options.values()]  # of two judges of one name the label tells which
    options = {key: one if words.count(one) == 1 else key for key, one in options.items()}
    first, *others = kinds
    start = None if others else first.first.get(name)
    if not start or (len(options) > 1 and first.decisions):
        options = {ANY: every, **options}
    chosen = select(label, name, options, start or ANY)
    return None if chosen == ANY else chosen


def _pick_model(store: Store, sheet: Sheet) -> str | None:
    models = _models(store, sheet)
    if len(models) < 2:
        return None
    options = {ANY: "All models", **dict(zip(models, models, strict=True))}
    chosen = select("Answers by", "answer_model", options, ANY, ANY)
    return None if chosen == ANY else chosen


def _headline(kinds: Sequence[Kind], hidden: Sequence[str]) -> None:
    """Show how much there is to review, or what entries of one kind say; then what is hidden."""
    full = [one for one in kinds if one.keys] or kinds
    decided = [one for one in full if one.decisions]
    first, *others = decided or full or [None]
    if first is None:
        title, detail = "This list is empty", ""
    elif others:
        total = sum(len(one.keys) for one in decided)
        title = f"{total:,} to review: {', '.join(one.counted() for one in decided)}"
        detail = ""
    else:
        title, detail = first.headline()
    rest = [one.counted() for one in full if not one.decisions and one is not first]
    if hidden:
        rest.append(f"Not shown: {', '.join(hidden)}")
    finding(title, " · ".join(filter(None, [detail, *rest])))


@kept()
def _models(store: Store, sheet: Sheet) -> list[str]:
    """Return the answering models by name."""
    return sorted({model for *_, model in items.item_names(store, sheet.id).values() if model})


@kept("Searching…", 12)
def _matching(store: Store, sheet: Sheet, words: str) -> set[int]:
    """Return the answers whose text, question or id holds some words."""
    return items.matching(store, sheet.id, words)


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
        for kind in kinds:
            kind.refresh(store)
        listed = ReviewList(kinds)
        grader = graders.find(store, "person", name) if name else None
        key = pane(store, listed, grader) if listed.keys else listed.nothing()
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
    names = [one["id"] for one in shown]
    here = at if at in names else next(iter(names), None)
    place = names.index(here) if here else 0
    near = names[max(0, place - 1) : place + 2]
    _component(
        key=NAME,
        data={
            "token": listed.token,
            "page": page,
            "pages": items.pages(len(listed.keys), SIZE),
            "before": (page - 1) * SIZE,
            "total": len(listed.keys),
            "at": here,
            "entries": shown,
            "more": {key: listed.texts(store, key, batch.prompt and key == here) for key in near},
            "criteria": listed.criteria,
            "kinds": {one.name: payload(one.kind()) for one in listed.kinds},
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
    page = min(batch.page or place // SIZE + 1, items.pages(len(listed.keys), SIZE))
    begin = (page - 1) * SIZE
    keys = listed.keys[begin : begin + SIZE]
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
        return f"Not saved: {problem}"
    return ""


def _reply() -> ReviewReply:
    return st.session_state.get(f"{NAME}.reply") or ReviewReply()
