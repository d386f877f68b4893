"""The screen Adjudicate around the pane: what is hidden here, and the way to the other list."""

import streamlit as st

from concord.grading.adjudications import DRAW
from concord.messages import counted, said
from concord.reports.disagreements import adjudicate
from concord.reports.disagreements.adjudication_keys import AdjudicationPick
from concord.ui.language import say
from concord.ui.widgets import empty, finding


def headline(wanted: AdjudicationPick) -> None:
    """Show how many cases there are."""
    finding(adjudicate.found(wanted.cases, wanted.trigger == DRAW))


def nothing(wanted: AdjudicationPick) -> None:
    """Show why there is nothing to adjudicate."""
    if wanted.own:
        empty(
            said("Nothing to adjudicate that you did not grade"),
            said(
                "You graded {answers} of this list yourself. Let another annotator adjudicate, or "
                "include your own answers above.",
                answers=counted(wanted.own, "answer"),
            ),
        )
        return
    empty(
        said("Nothing to adjudicate"),
        said(
            "Annotators agree wherever two of them graded the same answer, or no answer was "
            "graded twice. A random sample shows how reliable grades are where annotators "
            "agree."
        ),
    )


def what_is_hidden() -> None:
    """Say what is hidden here."""
    st.caption(
        say(
            "Annotators are shown as letters that change from answer to answer. Judges' grades "
            "are not shown, and adjudication changes no grade."
        )
    )


def other_list() -> None:
    """Lead to the disagreements with judges."""
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
