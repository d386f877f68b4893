"""One answer to adjudicate, as graders saw it, and the way to the next."""

import streamlit as st

from concord.grading import item_view
from concord.grading.adjudication.adjudications import DRAW
from concord.grading.item_view import DisplayedItem
from concord.messages import said
from concord.reports.disagreements import adjudicate
from concord.reports.disagreements.adjudicate import Case
from concord.reports.work_list import Listed
from concord.store.database import Store
from concord.ui import work_list
from concord.ui.language import say
from concord.ui.markup import LOOK, answer_text, comparison, listed
from concord.ui.screens.annotate.adjudicate_form import adjudication_form
from concord.ui.screens.annotate.adjudicate_pick import AdjudicationPick
from concord.ui.widgets import empty, finding


def headline(wanted: AdjudicationPick) -> None:
    """Show how many cases there are and how many are open, and what is hidden here."""
    finding(
        adjudicate.headline(wanted.cases, wanted.trigger == DRAW),
        said(
            "Annotators are shown as letters that change from answer to answer. Judges' grades "
            "are not shown, and adjudication changes no grade."
        ),
    )


def one(store: Store, wanted: AdjudicationPick) -> None:
    """The answer that the URL names, else the first that is left: text, grades, and the form."""
    st.html(LOOK)
    if wanted.cases:
        place = work_list.current(wanted.cases)
        case = wanted.cases[place]
        _steps(wanted.cases, place)
        left, right = st.columns(2, gap="large")
        with left:
            _text(item_view.shown(store, [case.at], wanted.panel.rubric)[case.at])
        with right:
            adjudication_form(store, wanted, place)
    else:
        empty(
            said("Nothing to adjudicate"),
            said(
                "Annotators agree wherever two of them graded the same answer, or no answer was "
                "graded twice. A random sample shows how reliable grades are where annotators "
                "agree."
            ),
        )
    st.caption(
        say(
            "Disagreements with a judge are in a separate list and never enter the consensus. "
            "Once you open it, you are no longer blind to the answers it shows."
        )
    )
    st.page_link(
        "pages/review.py",
        label=say("Where a judge and annotators differ"),
        icon=":material/compare_arrows:",
    )


def _steps(cases: Listed[Case], place: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            say(
                "**Answer {n} of {total}**"
                if cases[place].left
                else "**Answer {n} of {total}**, adjudicated",
                n=place + 1,
                total=len(cases),
            )
        )
        work_list.steps(cases, place, said("Next open answer"))


def _text(shown: DisplayedItem) -> None:
    """Show exactly what the rubric shows a grader."""
    st.html(comparison(answer_text(shown.question, say("Answer"), shown.answer)))
    sources = listed((say(title), text) for title, text in shown.sources())
    if sources:
        st.html(sources)
