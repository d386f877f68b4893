"""Studies on screen: one of four predefined comparisons at a time, and what would tell more."""

import streamlit as st

from concord.messages import said
from concord.reports.comparison import studies
from concord.reports.comparison.study import Study, document
from concord.store.database import Store
from concord.store.version_key import state
from concord.ui import render
from concord.ui.cached_comparison import Comparison
from concord.ui.language import say
from concord.ui.spinner import spinning
from concord.ui.widgets import select


def four_questions(store: Store, found: Comparison, kind: str) -> None:
    """Show the whole view."""
    questions = {name: plan.question for name, plan in studies.PLANS.items()}
    name = select(said("Question"), "study", questions, next(iter(questions)))
    study = _study(
        (state(store, found.sheet), found.annotators.rubric.name, name, kind), store, found
    )
    render.show(document(study), found.sheet.name)
    if study.missing:
        judges = say("To the judges")
        st.page_link("pages/judges.py", label=judges, icon=":material/arrow_forward:")


@spinning(said("Answering the question…"))
@st.cache_data(max_entries=12, show_spinner=False)
def _study(key: tuple, _store: Store, _found: Comparison) -> Study:
    _, rubric, name, kind = key
    return studies.run(_store, _found.sheet, name, kind=kind, rubric=rubric)
