"""The list of judges: what each is, how it stands with the sheet, what it has cost."""

import streamlit as st

from concord.reports.workflow.judge_list import Entry
from concord.ui.frame import recall, remember
from concord.ui.language import say
from concord.ui.markdown import plain


def pick_judge(found: list[Entry]) -> Entry | None:
    """The judge that the URL names or a click chooses; None where the URL names a file."""
    names = [entry.argument for entry in found]
    wanted = recall("judge")
    if wanted and wanted.endswith(".toml"):
        st.markdown(f"**{plain(wanted)}**")
        if st.button(say("Back to the list"), icon=":material/arrow_back:", key="judge.back"):
            remember(judge=None)
            st.rerun()
        return None
    chosen = st.container(key="judge-list").radio(
        say("Judge"),
        names,
        index=names.index(wanted) if wanted in names else _first(found),
        format_func=lambda name: plain(found[names.index(name)].label()),
        captions=[plain(entry.caption()) for entry in found],
        key="pick.judge",
        on_change=lambda: remember(model=None, base_url=None, item=None),
        label_visibility="collapsed",
    )
    remember(judge=chosen)
    return found[names.index(chosen)]


def _first(found: list[Entry]) -> int:
    """One at work, else the first of the list: the baseline, which is free."""
    live = (place for place, entry in enumerate(found) if entry.state.is_live())
    return next(live, 0)
