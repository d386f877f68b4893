"""The four questions: a study at a time, its answer, its figures, and what would tell more."""

import pandas as pd
import streamlit as st

from data.state import state
from data.store import Store
from reports import studies
from reports.study import Study
from ui.comparison import Comparison
from ui.language import say
from ui.markdown import plain
from ui.rows import table_of
from ui.spinner import spinning
from ui.widgets import finding, select
from words.said import capital, said


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
