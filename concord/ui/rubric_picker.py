"""The picker of a rubric, remembered from screen to screen."""

import streamlit as st

from concord.reports.panel import rubric_names
from concord.rubrics.model import FIRST, Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.frame import recall, remember
from concord.ui.language import say
from concord.ui.localized_table import word


def pick_rubric(store: Store, names: list[str]) -> tuple[int, Rubric]:
    """The rubric picker over some names, each by its title; remembers the choice."""
    wanted = recall("rubric") or FIRST
    index = names.index(wanted) if wanted in names else 0
    chosen = names[index]
    if len(names) > 1:
        words = {name: word(title) for name, title in rubric_names.called(store, names).items()}
        anew = st.session_state.get("pick.rubric.anew")  # else it shows what it showed before
        key = f"pick.rubric.{anew}" if anew else "pick.rubric"
        chosen = st.selectbox(say("Rubric"), names, index=index, format_func=words.get, key=key)
    remember(rubric=chosen)
    return rubric_versions.named(store, chosen)
