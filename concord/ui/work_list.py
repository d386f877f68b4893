"""The screen of a work list: its filters, the item that the URL names, and the ways to others."""

from collections.abc import Iterable
from typing import Any, TypeVar

import streamlit as st

from concord.messages import said
from concord.model import Grader
from concord.reports.work_list import Listed, WorkList
from concord.store import grades
from concord.store.database import Store
from concord.ui.frame import recall, remember
from concord.ui.language import say
from concord.ui.widgets import select

Item = TypeVar("Item")
ANY = "*"
_STEPS = (
    ("previous", said("Previous"), ":material/arrow_back:"),
    ("next", said("Next"), ":material/arrow_forward:"),
)


def filters(of: WorkList, scope: Any) -> dict[str, Any]:
    """Show the filters of a list that has choices; return their values, None for no restriction."""
    chosen: dict[str, Any] = {}
    for one in of.filters:
        choices = {choice.text: choice for choice in one.choices(scope, chosen)}
        chosen[one.name] = None
        if not choices:
            continue
        words = {choice.text: choice.words for choice in choices.values()}
        if one.first is None or len(choices) != 1:
            words = {ANY: one.every, **words}
        first = (one.first and one.first(scope)) or ANY
        text = select(one.label, one.name, words, first, None if one.first else ANY)
        if text != ANY:
            chosen[one.name] = choices[text].value
    return chosen


def opened(store: Store, item_ids: Iterable[int], grader: Grader | None) -> None:
    """Record, before answers are shown, that someone sees judges' grades of them."""
    grades.open_items(store, item_ids, grader.id if grader else None)


def current(listed: Listed[Item]) -> int:
    """Return the place of the item that the URL names, else of the first that is open."""
    return listed.place(recall(listed.list.param))


def go(listed: Listed[Item], place: int | None) -> None:
    """Name an item in the URL; None names none, so that the first open one is shown."""
    remember(**{listed.list.param: None if place is None else listed.keys[place]})


def steps(listed: Listed[Item], place: int, next_open: str) -> None:
    """Show the ways to the items before and behind; `next_open` names that to the next open one."""
    name = listed.list.name
    around = (place - 1 if place else None, place + 1 if place + 1 < len(listed) else None)
    ways = [(*step, to) for step, to in zip(_STEPS, around, strict=True)]
    ways.append(("open", next_open, ":material/skip_next:", listed.next_open(place)))
    for step, label, icon, to in ways:
        st.button(
            say(label),
            icon=icon,
            disabled=to is None,
            key=f"{name}.{step}",
            on_click=go,
            args=(listed, to),
        )
