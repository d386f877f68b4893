"""The table of judges, in which a row opens the card of its judge."""

import streamlit as st

from concord.definitions import digest
from concord.messages import said
from concord.model import BASELINE, Sheet
from concord.reports.document import Table
from concord.reports.work_list import Listed
from concord.reports.workflow import judges
from concord.reports.workflow.judges import IN_SIGHT, ON_TELEPHONE, Agreement, Entry
from concord.store.database import Store
from concord.ui import render
from concord.ui.caching import kept
from concord.ui.frame import is_narrow, recall, remember
from concord.ui.language import say

# In the session: the table and row selected last, and how often a judge was named from elsewhere.
_SELECTED, _RENAMED = "judges.selected", "judges.renamed"


def judges_of(store: Store, sheet: Sheet) -> Listed[Entry]:
    """Return the baseline, the user's own judges, those run on a sheet, and the URL's.

    Their agreement is computed once.
    """
    agreed = _agreements(store, sheet)
    every, wanted = judges.entries(store, sheet, agreed), recall("judge")
    mine = [one for one in every if one.is_mine() or one.argument in (BASELINE, wanted)]
    return every.list.of(mine, ordered=False)


@kept(said("Comparing judges with annotators…"))
def _agreements(store: Store, sheet: Sheet) -> dict[int, Agreement]:
    return judges.agreements(store, sheet)


def pick_judge(found: Listed[Entry], shown: Table, name: str) -> str | None:
    """Show the table; return what names the chosen judge on the command line, None for none.

    It is the judge that the URL names, which a selected row changes, else one that is running. The
    URL may also name a judge without a row: a file.

    Args:
        found: The judges, each a row of the table.
        shown: The table.
        name: Of the sheet, for the download.
    """
    live = (key for key, one in zip(found.keys, found, strict=True) if one.state.is_live())
    wanted = recall("judge") or next(live, None)
    remember(judge=wanted)
    place = found.place(wanted) if wanted in found.keys else None
    # The rows of another table, or a judge named from elsewhere, begin with another selection.
    key = f"judges.{digest([name, *found.keys])}.{st.session_state.get(_RENAMED, 0)}"
    kept = ON_TELEPHONE if is_narrow() else IN_SIGHT
    row = render.pick_row(shown, name, key, place, kept)
    before = st.session_state.get(_SELECTED)
    st.session_state[_SELECTED] = key, row
    chosen = None if row is None else found.keys[row]
    if chosen != wanted and before and before[0] == key and before[1] != row:
        remember(judge=chosen, add=None, model=None, base_url=None, item=None)
        wanted = chosen
    if wanted is None and not recall("add"):
        st.caption(say("Select a row to open the judge: its run, its prompt and its replies."))
    return wanted


def open_judge(argument: str) -> None:
    """Name a judge in the URL, whose row is then selected."""
    remember(judge=argument, model=None, base_url=None, item=None)
    st.session_state[_RENAMED] = st.session_state.get(_RENAMED, 0) + 1
    st.rerun()
