"""The four questions: a study at a time, its answer, its figures, and what would tell more."""

import pandas as pd
import streamlit as st

from concord.messages import capital, said
from concord.reports.comparison import studies
from concord.reports.comparison.study import Study
from concord.store.database import Store
from concord.store.version_key import state
from concord.ui.cached_comparison import Comparison
from concord.ui.language import say
from concord.ui.localized_table import table_of
from concord.ui.markdown import plain
from concord.ui.spinner import spinning
from concord.ui.widgets import finding, select


def four_questions(store: Store, found: Comparison, kind: str) -> None:
    """The whole view."""
    name = select(said("Question"), "study", studies.QUESTIONS, next(iter(studies.QUESTIONS)))
    told = _study((state(store, found.sheet), found.people.rubric.name, name, kind), store, found)
    finding(told.answer, told.rests_on)
    if told.rows:
        rows = [dict(zip(told.heads, row, strict=True)) for row in told.rows]
        whole = pd.json_normalize([dict(one) for one in told.figures], sep=" ")
        table_of(rows, f"{found.sheet.name}-study-{name}", whole, height="content")
    if told.missing:
        what = say("What would tell more") if told.can_run else say("What to do")
        st.subheader(what, anchor=False)
        for sentence in told.missing:
            st.markdown(f"- {plain(capital(sentence))}")
        st.page_link("pages/judges.py", label=say("To the judges"), icon=":material/arrow_forward:")
    with st.container(border=True):
        st.caption(say("What the published study found"))
        st.write(plain(told.published))


@spinning(said("Answering the question…"))
@st.cache_data(max_entries=12, show_spinner=False)
def _study(key: tuple, _store: Store, _found: Comparison) -> Study:
    _, rubric, name, kind = key
    return studies.run(_store, _found.sheet, name, kind=kind, rubric=rubric)
