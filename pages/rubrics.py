"""Rubrics: what is graded, as a grader reads it, and an edited copy of it."""

from functools import partial

import streamlit as st

from concord.reports import lists
from concord.rubrics.model import FIRST
from concord.rubrics.rubric_toml import as_toml
from concord.store.rubrics import rubric_edits, rubric_versions
from concord.ui import render
from concord.ui.frame import enter, may_act, offer_download, recall, remember
from concord.ui.language import language
from concord.ui.screens.rubrics import editor, left_behind, show, unclear_notes
from concord.ui.widgets import finding, pick_rubric

store = enter(__file__)

if recall("edit") and may_act(store):
    _, base = rubric_versions.named(store, recall("rubric") or rubric_versions.names(store)[0])
    what = "" if rubric_edits.is_own(store, base.name) else "a copy of "
    finding(f"Editing {what}{base.title}", "Nothing is stored before you save.")
    unclear_notes(store, base, recall("criterion") or "")
    editor(store, base)
    st.stop()

_, rubric = pick_rubric(store, rubric_versions.names(store), FIRST)
read = rubric.in_language(language())
finding(read.title, read.about.strip())
is_own = rubric_edits.is_own(store, rubric.name)
origin = "Your own." if is_own else "Comes with Concord."
st.caption(f"Scores {rubric.scale[0]} to {rubric.scale[-1]}. {origin}")

words, icon = "Edit" if is_own else "Edit a copy", ":material/edit:"
if may_act(store) and st.button(words, type="primary", icon=icon, key="rubric.edit"):
    remember(edit=1)
    st.rerun()
offer_download(partial(as_toml, rubric), f"{rubric.name}.toml", "application/toml")

left_behind(store, rubric, [criterion.name for criterion in rubric.criteria])
show(rubric)

with st.expander("Versions and their grades", key="rubric.versions"):
    render.body(lists.rubric_versions(rubric_edits.history(store, rubric.name)), rubric.name)
