"""The four questions: a study at a time, its answer, its figures, and what would tell more."""

import pandas as pd
import streamlit as st

from data.state import state
from data.store import Store
from reports import studies
from reports.study import Study
from ui.comparison import Comparison
from ui.markdown import plain
from ui.widgets import finding, select, table


def four_questions(store: Store, found: Comparison, kind: str) -> None:
    """The whole view."""
    name = select("Question", "study", studies.QUESTIONS, next(iter(studies.QUESTIONS)))
    told = _study((state(store, found.sheet), found.people.rubric.name, name, kind), store, found)
    finding(told.answer, told.rests_on)
    if told.rows:
        frame = pd.DataFrame(told.rows, columns=list(told.heads))
        whole = pd.json_normalize([dict(one) for one in told.figures], sep=" ")
        table(frame, f"{found.sheet.name}-study-{name}", whole=whole, height="content")
    if told.missing:
        st.subheader("What would tell more" if told.can_run else "What to do", anchor=False)
        for sentence in told.missing:
            st.markdown(f"- {plain(sentence[0].upper() + sentence[1:])}")
        st.page_link("pages/judges.py", label="To the judges", icon=":material/arrow_forward:")
    with st.container(border=True):
        st.caption("What the published study found")
        st.write(plain(told.published))


@st.cache_data(max_entries=12, show_spinner="Answering the question…")
def _study(key: tuple, _store: Store, _found: Comparison) -> Study:
    _, rubric, name, kind = key
    return studies.run(_store, _found.sheet, name, kind=kind, rubric=rubric)
