"""Headline and empty state of the claims."""

import streamlit as st

from concord.messages import counted, said
from concord.model import Sheet
from concord.reports.panel.unit_words import noun
from concord.ui.language import say
from concord.ui.screens.review.claims_pick import Picked
from concord.ui.widgets import TO_JUDGES, empty, finding


def headline(sheet: Sheet, picked: Picked) -> None:
    """Show on how many answers graders differ, and what was left out."""
    rows, rubric = picked.listed.rows, picked.rubric
    answers = counted(len(rows), "answer")
    if rubric is None:
        finding(
            said(
                "Metric values of {answers} of {sheet}; no part was judged",
                answers=answers,
                sheet=sheet.name,
            )
        )
    elif int(rows["graders"].max() or 0) < 2:
        finding(
            said(
                "One grader has judged the {units} of {answers}",
                units=noun(rubric.plural),
                answers=answers,
            ),
            said("Label them yourself, or run a second judge, to see where graders differ."),
        )
    else:
        differ = int((rows["differ"] > 0).sum())
        finding(
            said(
                "Graders differ on {units} of {differ:,} of {answers}; these come first"
                if differ
                else "Graders agree on all {units} of {answers}",
                units=noun(rubric.plural),
                answers=answers,
                **({"differ": differ} if differ else {}),
            )
        )
    closed = picked.listed.closed
    if closed:
        st.caption(
            say(
                "{answers} is not shown: its question is held out or in the few-shot pool."
                if closed == 1
                else "{answers} are not shown: their questions are held out or in the few-shot "
                "pool.",
                answers=counted(closed, "answer"),
            )
        )


def nothing() -> None:
    """Show what to do where no metric was computed yet."""
    empty(
        said("No metric has been computed on this sheet yet"),
        said(
            "This screen shows metric values with the evidence for each. Run a metric judge: "
            "“computed” is free; “rag-metrics” calls a model and stores a verdict with its "
            "reason for every claim and context."
        ),
        *TO_JUDGES,
        judge="computed",
    )
