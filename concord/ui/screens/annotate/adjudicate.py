"""The screen Adjudicate around the pane: what is hidden here, and the way to the other list."""

import streamlit as st

from concord.grading.adjudication.adjudications import DRAW
from concord.messages import said
from concord.reports.disagreements import adjudicate
from concord.reports.disagreements.adjudication_keys import AdjudicationPick
from concord.ui.language import say
from concord.ui.widgets import empty, finding


def headline(wanted: AdjudicationPick) -> None:
    """Show how many cases there are, and what is hidden here."""
    finding(
        adjudicate.found(wanted.cases, wanted.trigger == DRAW),
        said(
            "Annotators are shown as letters that change from answer to answer. Judges' grades "
            "are not shown, and adjudication changes no grade."
        ),
    )


def nothing() -> None:
    """Show why there is nothing to adjudicate."""
    empty(
        said("Nothing to adjudicate"),
        said(
            "Annotators agree wherever two of them graded the same answer, or no answer was "
            "graded twice. A random sample shows how reliable grades are where annotators "
            "agree."
        ),
    )


def other_list() -> None:
    """Lead to the disagreements with judges, and say what opening them means."""
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
