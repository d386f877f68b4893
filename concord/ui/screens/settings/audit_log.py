"""The audit log: what signed-in leads changed, newest first."""

import streamlit as st

from concord.reports.workflow import team
from concord.store.database import Store
from concord.ui import render
from concord.ui.language import say


def changed(store: Store) -> None:
    """Show the changes by leads, newest first."""
    with st.expander(say("Audit log"), icon=":material/history:"):
        found = team.changes(store)
        if found.tables:
            render.body(found, "team")
        else:
            st.caption(say(found.headline))
