"""The terms of a choice: named before anything is compared, and locked from then on."""

import streamlit as st

from concord.messages import joined, said
from concord.model import Grader
from concord.reports.decision import choose
from concord.reports.decision.results import Terms
from concord.reports.panel.simulated import named
from concord.stats.decision.deciding_figure import MARGIN
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.ui.cached_reports import Report
from concord.ui.frame import recall, remember
from concord.ui.language import say, word
from concord.ui.widgets import finding

NEW = "new"


def standing(store: Store, found: Report) -> Decision | None:
    """The decision the URL names, else the newest of this sheet and rubric; None for new terms."""
    every = decisions.of_sheet(store, found.sheet.id, rubric=found.rubric.name)
    wanted = recall("decision")
    if wanted == NEW or not every:
        return None
    return next((one for one in every if str(one.id) == wanted), every[-1])


def form(store: Store, found: Report, judges: dict[str, Grader]) -> None:
    """Ask for the terms; fixing them opens the decision."""
    finding(
        say("When is a judge good enough?"),
        say(
            "Set it before you see the verdict: a minimum chosen afterwards can let any judge pass."
        ),
    )
    with st.form("choose.terms"):
        against, criterion = _of_whom(found, judges)
        terms = _shares()
        st.caption(_budget(store, found))
        with st.container(horizontal=True):
            looked = st.form_submit_button(
                say("Fix terms and take a look"), type="primary", icon=":material/lock:"
            )
            fixed = st.form_submit_button(say("Fix terms only"))
    if (looked or fixed) and _named(against, terms):
        decision = choose.fix(store, found.panel, judges[against], terms, criterion)
        if looked:
            choose.look(store, found.panel, decision)
        remember(decision=decision.id)
        st.rerun()


def _of_whom(found: Report, judges: dict[str, Grader]) -> tuple[str | None, str]:
    criteria = found.rubric.headings()
    left, right = st.columns(2)
    against = left.selectbox(
        say("Reference judge"),
        list(judges),
        index=0 if len(judges) == 1 else None,
        format_func=lambda label: word(named(label, judges[label].simulated)),
        placeholder=say("The judge you would use if cost did not matter"),
        help=say(
            "Every other judge is compared with it. You have to name it: choosing the best judge "
            "from the data would let two bad judges confirm each other."
        ),
        key="choose.against",
    )
    criterion = right.selectbox(
        say("Criterion"),
        list(criteria),
        index=list(criteria).index(found.rubric.heaviest().name),
        format_func=criteria.get,
        key="choose.criterion",
    )
    return against, criterion


def _shares() -> Terms:
    columns = st.columns(3)
    margin = columns[0].number_input(
        say("Margin, in percentage points"),
        1.0,
        50.0,
        100 * MARGIN,
        1.0,
        format="%g",
        help=say(
            "How far its exact agreement may be below that of the reference judge. About 100 "
            "questions can show 10 points; 5 points take about 300."
        ),
        key="choose.margin",
    )
    minimum = columns[1].number_input(
        say("Minimum exact agreement, in %"),
        0.0,
        100.0,
        None,
        5.0,
        format="%g",
        placeholder=say("0 for no minimum"),
        help=say("The minimum share of answers on which it must give an annotator's exact score."),
        key="choose.minimum",
    )
    caught = columns[2].number_input(
        say("Minimum failure recall, in %"),
        0.0,
        100.0,
        100 * choose.FAILURE_RECALL,
        5.0,
        format="%g",
        help=say(
            "Recall of the answers that annotators failed. A judge that is certainly below it is "
            "not good enough."
        ),
        key="choose.failure_recall",
    )
    return Terms(margin / 100, None if minimum is None else minimum / 100, caught / 100)


def _named(against: str | None, terms: Terms) -> bool:
    """True where every term is given; otherwise show what is missing."""
    if against is None:
        st.warning(say("Name the reference judge."))
    elif terms.minimum is None:
        st.warning(say("Enter the minimum exact agreement, or 0 for none."))
    return against is not None and terms.minimum is not None


def _budget(store: Store, found: Report) -> str:
    """Return a sentence on how fixing terms now affects the interim looks."""
    earlier = decisions.of_sheet(store, found.sheet.id, rubric=found.rubric.name)
    this = said("Decision {n} on this sheet.", n=len(earlier) + 1)
    terms = said(
        "Terms cannot be changed once fixed; new terms make a new decision. Each look at new "
        "questions spends part of the error rate: at most {n} looks per criterion and reference "
        "judge, whatever the terms.",
        n=LOOKS_AT_MOST,
    )
    return say(joined(" ", [this if earlier else "", terms]))
