"""Flags: what annotators ask the lead about an answer, listed for leads and replied to."""

import streamlit as st

from concord.grading import comments
from concord.grading.comments import FLAG, At
from concord.messages import said
from concord.model import Sheet
from concord.reports.workflow import flags
from concord.reports.workflow.flags import Flag
from concord.store.database import Store
from concord.ui import render
from concord.ui.actions import changing, show_done, show_refused
from concord.ui.language import plain, say
from concord.ui.looker import leads

_NOTICE, _DONE = "flags.notice", "flags.done"


def flagged(store: Store, sheet: Sheet) -> None:
    """Show leads the flags of a sheet, open ones first, with a reply to the chosen one."""
    if not leads(store):
        return
    found = flags.of_sheet(store, sheet.id, sheet.name)
    if not found.flags:
        return
    document = flags.document(found)
    with st.expander(
        say(document.headline), expanded=found.open > 0, icon=":material/flag:", key="flags"
    ):
        show_refused(_NOTICE)
        show_done(_DONE)
        [table] = document.tables
        row = render.pick_row(table, sheet.name, f"flags.{sheet.id}.{found.n}.{found.open}")
        if row is None:
            st.caption(say("Select a row to read the answer and reply."))
        else:
            _opened(store, sheet, found.flags[row])


def _opened(store: Store, sheet: Sheet, one: Flag) -> None:
    """The answer of a flag, what was written about it, and a field for the reply."""
    with st.container(border=True):
        st.markdown(f"**{plain(one.question)}**")
        st.write(plain(one.answer))
        st.page_link(
            "pages/data.py",
            label=say("Open the answer with its contexts and grades"),
            icon=":material/table_view:",
            query_params={"sheet": sheet.name, "item": str(one.at.item_id)},
        )
        for remark in one.thread:
            who = remark.said_by
            if remark.kind != FLAG:
                # Without sign-in a change has no name.
                who = said("{name}, reply", name=who) if store.who else said("Reply")
            bold = f"**{plain(who)}**"
            st.markdown(say("{title}: {text}", title=bold, text=plain(remark.text)))
        key = f"flags.{':'.join(map(str, one.at))}"
        st.text_area(
            say("Reply to {name}", name=plain(one.annotator)),
            max_chars=10_000,
            help=say("Only {name} sees it, below the answer.", name=plain(one.annotator)),
            key=key,
        )
        st.button(
            say("Send reply"), type="primary", on_click=_reply, args=(one, key), key=f"{key}.send"
        )


def _reply(one: Flag, key: str) -> None:
    with changing(_NOTICE) as store:
        comments.reply(store, At(*one.at), store.by(), st.session_state[key])
        st.session_state[_DONE] = said("Reply sent to {name}.", name=one.annotator)
