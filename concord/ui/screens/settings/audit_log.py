"""The audit log: what signed-in leads changed, newest first."""

import pandas as pd
import streamlit as st

from concord.messages import minute, said
from concord.store.database import Store
from concord.team import audit_log
from concord.ui.language import say
from concord.ui.widgets import table

_DID = {"insert": said("added"), "update": said("changed"), "delete": said("removed")}
OF_WHAT = (
    *(said("sheets"), said("imports"), said("removed sheets"), said("splits")),
    *(said("rubrics"), said("carried versions"), said("graders"), said("grading sets")),
    *(said("set graders"), said("campaigns"), said("block moves"), said("runs"), said("packs")),
    *(said("adjudications"), said("decisions"), said("certificates"), said("members")),
    *(said("member roles"), said("pauses"), said("comments")),
)
_NAMED_OTHERWISE = {"question_roles": "splits"}
_NEWEST = 500


def of_what(table: str) -> str:
    """Return the displayed name of a table."""
    return _NAMED_OTHERWISE.get(table, table.replace("_", " "))


def changed(store: Store) -> None:
    """Show the changes by leads, newest first."""
    with st.expander(say("Audit log"), icon=":material/history:"):
        rows = audit_log.newest(store, _NEWEST)
        if not rows:
            st.caption(say("No changes since sign-in was turned on."))
            return
        shown = [
            {
                say("When, UTC"): minute(row.at),
                say("Who"): row.who,
                say("Action"): say(_DID[row.what]),
                say("Object"): say(said(of_what(row.table))),
                say("Number"): row.row_id,
            }
            for row in rows
        ]
        table(pd.DataFrame(shown), "changes", pd.DataFrame(rows))
        st.caption(
            say(
                "At most the last {n}. Grades and judges' replies are not listed: they record who "
                "gave them.",
                n=_NEWEST,
            )
        )
