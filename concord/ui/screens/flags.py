"""Flags: what annotators ask about an answer, beside the answer, and the lead's replies."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from concord.definitions import digest
from concord.grading import comments
from concord.grading.comments import FLAG, At, Remark
from concord.messages import counted, day
from concord.model import Sheet
from concord.reports.document import Table, table_of
from concord.store import items
from concord.store.database import Row, Store
from concord.ui import render
from concord.ui.actions import changing, show_done, show_refused
from concord.ui.frame import recall, remember
from concord.ui.language import plain
from concord.ui.looker import leads
from concord.ui.screens import browse

_NOTICE, _DONE = "flags.notice", "flags.done"
_LONGEST = 200  # characters of a text in the table


@dataclass(frozen=True)
class Flag:
    """The thread of one annotator on one answer.

    Attributes:
        at: The answer in its set, and the annotator.
        item: What the answer is called.
        annotator: Who flagged it.
        flagged_at: When it was last flagged, UTC.
        replied: A lead replied to the newest flag.
        thread: Flags and replies, oldest first.
    """

    at: At
    item: str
    set: str
    annotator: str
    flagged_at: str
    replied: bool
    thread: tuple[Remark, ...]


def of_sheet(store: Store, sheet_id: int) -> list[Flag]:
    """Return the flags of a sheet's sets, open ones first, then the newest."""
    rows = comments.of_sheet(store, sheet_id)
    names = items.names_of(store, sheet_id, [row["item_id"] for row in rows])
    threads: dict[At, list[Row]] = {}
    for row in rows:
        threads.setdefault(At(*row[:4]), []).append(row)
    found = [
        Flag(
            at,
            names[at.item_id],
            rows[0]["set_name"],
            rows[0]["name"],
            max(row["created_at"] for row in rows if row["kind"] == FLAG),
            rows[-1]["kind"] != FLAG,
            tuple(Remark(*row[4:7]) for row in rows),
        )
        for at, rows in threads.items()
    ]
    found.sort(key=lambda flag: flag.flagged_at, reverse=True)
    return sorted(found, key=lambda flag: flag.replied)


def headline(found: Sequence[Flag]) -> str:
    """Return how many flags have no reply."""
    waiting = sum(not one.replied for one in found)
    return counted(waiting, "flag without a reply", "flags without a reply")


def _table(found: Sequence[Flag]) -> Table:
    parts = [
        ("State", lambda one: "replied" if one.replied else "open"),
        ("Annotator", "annotator"),
        ("Flag", _newest),
        ("Item", "item"),
        ("Set", "set"),
        ("Day", lambda one: day(one.flagged_at)),
    ]
    return table_of("flags", found, parts)


def _newest(flag: Flag) -> str:
    return next(one.text for one in reversed(flag.thread) if one.kind == FLAG)[:_LONGEST]


def flagged(store: Store, sheet: Sheet) -> None:
    """Show leads the flags of a sheet, open ones first, and the opened one with its answer."""
    found = of_sheet(store, sheet.id) if leads(store) else []
    if not found:
        return
    by_key = {":".join(map(str, one.at)): one for one in found}
    keys, waiting = [*by_key], [key for key, one in by_key.items() if not one.replied]
    now, table = recall("flag"), _table(found)
    at = keys.index(now) if now in keys else None
    with st.expander(
        headline(found), expanded=bool(waiting) or at is not None, icon=":material/flag:"
    ):
        show_refused(_NOTICE)
        show_done(_DONE)
        key = f"flags.{digest([*keys, len(waiting), at])}"  # another one has another selection
        row = render.pick_row(table, sheet.name, key, at)
        if row != at:
            remember(flag=None if row is None else keys[row])
            st.rerun()
        left = [key for key in waiting if key != now]
        after = [key for key in left if at is not None and keys.index(key) > at]
        following = next(iter(after or left), None)
        if at is not None:
            _open(store, sheet, keys[at], found[at], following)
        elif following:
            _to(following)


def _to(key: str) -> None:
    """The button that opens a flag."""
    icon, go = ":material/arrow_forward:", {"on_click": remember, "kwargs": {"flag": key}}
    st.button("Next flag", icon=icon, key="flags.next", **go)


def _open(store: Store, sheet: Sheet, key: str, flag: Flag, following: str | None) -> None:
    """A flag with its thread, a field for the reply, and the grades, beside the answer."""
    texts, thread = st.columns([3, 2], gap="medium")
    with thread:
        for remark in flag.thread:
            who = remark.said_by if remark.kind == FLAG else "Reply"
            st.markdown(f"**{plain(who)}**: {plain(remark.text)}")
        name = f"flags.{key}"
        st.text_area("Reply to " + plain(flag.annotator), max_chars=10_000, height=80, key=name)
        send = {"type": "primary", "on_click": _reply, "args": (flag, name)}
        with st.container(horizontal=True):
            st.button("Send reply", key=f"{name}.send", **send)
            if following:
                _to(following)
    [stored] = items.items(store, [flag.at.item_id])
    with texts:
        browse.show(store, sheet, stored, flag.annotator, thread)


def _reply(flag: Flag, key: str) -> None:
    with changing(_NOTICE) as store:
        comments.reply(store, flag.at, store.by(), st.session_state[key])
        st.session_state[_DONE] = "Reply sent."
