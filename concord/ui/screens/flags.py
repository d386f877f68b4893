"""Flags: what annotators ask about an answer, beside the answer, and the lead's replies."""

import streamlit as st

from concord.definitions import digest
from concord.grading import comments
from concord.grading.comments import FLAG
from concord.model import Sheet
from concord.reports.workflow import flags
from concord.reports.workflow.flags import Flag
from concord.store import items
from concord.store.database import Store
from concord.ui import render
from concord.ui.actions import changing, show_done, show_refused
from concord.ui.frame import recall, remember
from concord.ui.language import plain
from concord.ui.looker import leads
from concord.ui.screens import browse

_NOTICE, _DONE = "flags.notice", "flags.done"


def flagged(store: Store, sheet: Sheet) -> None:
    """Show leads the flags of a sheet, open ones first, and the opened one with its answer."""
    found = flags.of_sheet(store, sheet.id) if leads(store) else []
    if not found:
        return
    by_key = {":".join(map(str, one.at)): one for one in found}
    keys, waiting = [*by_key], [key for key, one in by_key.items() if not one.replied]
    now, document = recall("flag"), flags.document(found)
    at = keys.index(now) if now in keys else None
    with st.expander(
        document.headline, expanded=bool(waiting) or at is not None, icon=":material/flag:"
    ):
        show_refused(_NOTICE)
        show_done(_DONE)
        key = f"flags.{digest([*keys, len(waiting), at])}"  # another one has another selection
        row = render.pick_row(*document.tables, sheet.name, key, at)
        if row != at:
            remember(flag=None if row is None else keys[row])
            st.rerun()
        left = [key for key in waiting if key != now]
        after = [key for key in left if at is not None and keys.index(key) > at]
        following = next(iter(after or left), None)
        if at is not None:
            _open(store, sheet, keys[at], found[at], following)
        elif following:
            _to("Open the next flag", following)


def _to(label: str, key: str) -> None:
    """The button that opens a flag."""
    icon, go = ":material/arrow_forward:", {"on_click": remember, "kwargs": {"flag": key}}
    st.button(label, icon=icon, key="flags.next", **go)


def _open(store: Store, sheet: Sheet, key: str, flag: Flag, following: str | None) -> None:
    """A flag with its thread, a field for the reply, and the grades, beside the answer."""
    texts, thread = st.columns([3, 2], gap="medium")
    with thread:
        for remark in flag.thread:
            # Without sign-in a change has no name.
            reply = f"{remark.said_by}, reply" if store.who else "Reply"
            who = remark.said_by if remark.kind == FLAG else reply
            st.markdown(f"**{plain(who)}**: {plain(remark.text)}")
        name = f"flags.{key}"
        st.text_area(f"Reply to {plain(flag.annotator)}", max_chars=10_000, height=80, key=name)
        send = {"type": "primary", "on_click": _reply, "args": (flag, name)}
        with st.container(horizontal=True):
            st.button("Send reply", key=f"{name}.send", **send)
            if following:
                _to("Next flag", following)
    [stored] = items.items(store, [flag.at.item_id])
    with texts:
        browse.show(store, sheet, stored, flag.annotator, thread)


def _reply(flag: Flag, key: str) -> None:
    with changing(_NOTICE) as store:
        comments.reply(store, flag.at, store.by(), st.session_state[key])
        st.session_state[_DONE] = f"Reply sent to {flag.annotator}."
