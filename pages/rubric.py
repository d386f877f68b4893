"""Rubrics: what is graded, as a grader reads it, and an edited copy of it."""

import streamlit as st

from data import rubric_edits, rubric_versions
from rubrics.writer import as_toml
from ui.frame import enter, recall, remember
from ui.regrade import left_behind, unclear_notes
from ui.rubric_card import criterion_html, shown_sentence
from ui.rubric_editor import editor
from ui.rubric_history import history_table
from ui.widgets import finding, pick_rubric

store = enter(__file__)

if recall("edit"):
    _, base = rubric_versions.named(store, recall("rubric") or rubric_versions.names(store)[0])
    finding(f"Editing a copy of {base.title}", "Nothing is stored before you save.")
    unclear_notes(store, base, recall("criterion") or "")
    editor(store, base)
    st.stop()

_, rubric = pick_rubric(store, rubric_versions.names(store))
finding(rubric.title, rubric.about.strip())
scale = f"Scores {rubric.scale[0]} to {rubric.scale[-1]}."
origin = "Your own." if rubric_edits.is_own(store, rubric.name) else "Comes with Concord."
st.caption(f"{shown_sentence(rubric)} {scale} {origin}")

with st.container(horizontal=True):
    if st.button("Edit a copy", type="primary", icon=":material/edit:", key="rubric.edit"):
        remember(edit=1)
        st.rerun()
    st.download_button(
        "Download as TOML",
        as_toml(rubric),
        f"{rubric.name}.toml",
        "application/toml",
        icon=":material/download:",
        key="rubric.download",
    )

left_behind(store, rubric, [criterion.name for criterion in rubric.criteria])
for criterion in rubric.criteria:
    st.html(criterion_html(rubric, criterion))

with st.expander("Versions and the grades that hang on them", key="rubric.versions"):
    history_table(rubric_edits.history(store, rubric.name))
