"""The terms of a choice: named before anything is compared, and locked from then on."""

import streamlit as st

from data import decisions
from data.decisions import Decision
from data.graders import Grader
from data.store import Store
from reports import choose
from reports.choose_sentence import counted_points, ordinal
from reports.simulated import named
from reports.text import plain_share
from reports.verdict import Terms
from stats.looks import AT_MOST
from ui.frame import recall, remember
from ui.report import Report
from ui.widgets import finding

NEW = "new"


def standing(store: Store, found: Report) -> Decision | None:
    """The decision the URL names, else the newest of this sheet and rubric; None for new terms."""
    every = decisions.of_sheet(store, found.sheet.id, rubric=found.rubric.name)
    said = recall("decision")
    if said == NEW or not every:
        return None
    return next((one for one in every if str(one.id) == said), every[-1])


def form(store: Store, found: Report, judges: dict[str, Grader]) -> None:
    """Ask for the terms; fixing them opens the decision."""
    finding(
        "What would be good enough?",
        "Name it before you see the verdict: a bar that is set afterwards lets every judge pass.",
    )
    with st.form("choose.terms"):
        against, criterion = _of_whom(found, judges)
        terms = _shares()
        st.caption(_budget(store, found))
        with st.container(horizontal=True):
            looked = st.form_submit_button(
                "Fix these terms and look", type="primary", icon=":material/lock:"
            )
            fixed = st.form_submit_button("Only fix them, look later")
    if (looked or fixed) and _named(against, terms):
        decision = choose.fix(store, found.panel, judges[against], terms, criterion)
        if looked:
            choose.look(store, found.panel, decision)
        remember(decision=decision.id)
        st.rerun()


def said(decision: Decision) -> str:
    """The terms of a decision in one sentence."""
    parts = [f"At most {counted_points(100 * decision.margin)} below {_short(decision.against)}"]
    if decision.minimum is not None:
        parts.append(f"exact on at least {plain_share(decision.minimum)}")
    if decision.caught_minimum is not None:
        parts.append(f"catches at least {plain_share(decision.caught_minimum)} of failing answers")
    return f"{', '.join(parts)}, for {decision.criterion}; fixed on {decision.created_at[:10]}."


def _short(label: str) -> str:
    """A judge's name with the beginning of its fingerprint."""
    name, at, identity = label.rpartition("@")
    return f"{name}@{identity[:6]}" if at else label


def _of_whom(found: Report, judges: dict[str, Grader]) -> tuple[str | None, str]:
    criteria = found.rubric.headings()
    left, right = st.columns(2)
    against = left.selectbox(
        "Reference judge",
        list(judges),
        index=0 if len(judges) == 1 else None,
        format_func=lambda label: named(label, judges[label].simulated),
        placeholder="The judge you would use if money were no matter",
        help="Every other judge is held against it. It is yours to name; taking the best of the "
        "data would let two bad judges vouch for each other.",
        key="choose.against",
    )
    criterion = right.selectbox(
        "Criterion",
        list(criteria),
        index=list(criteria).index(found.rubric.heaviest().name),
        format_func=criteria.get,
        key="choose.criterion",
    )
    return against, criterion


def _shares() -> Terms:
    columns = st.columns(3)
    margin = columns[0].number_input(
        "Points it may be worse",
        1.0,
        50.0,
        100 * choose.MARGIN,
        1.0,
        format="%g",
        help="How many answers in a hundred you are ready to lose against the reference judge. "
        "About 100 questions can show 10 points; 5 points take about 300.",
        key="choose.margin",
    )
    minimum = columns[1].number_input(
        "Exact on at least, in %",
        0.0,
        100.0,
        None,
        5.0,
        format="%g",
        placeholder="0 for no minimum",
        help="The least share of answers on which it must give a person's exact score.",
        key="choose.minimum",
    )
    caught = columns[2].number_input(
        "Failing answers it must catch, in %",
        0.0,
        100.0,
        100 * choose.CAUGHT,
        5.0,
        format="%g",
        help="Of the answers people failed; a judge that surely catches fewer is not good enough.",
        key="choose.caught",
    )
    return Terms(margin / 100, None if minimum is None else minimum / 100, caught / 100)


def _named(against: str | None, terms: Terms) -> bool:
    """Whether everything was named; what is missing is said."""
    if against is None:
        st.warning("Name the reference judge.")
    elif terms.minimum is None:
        st.warning("Name the least share of exact agreement; 0 for none.")
    return against is not None and terms.minimum is not None


def _budget(store: Store, found: Report) -> str:
    """What fixing terms now means for the looks."""
    earlier = decisions.of_sheet(store, found.sheet.id, rubric=found.rubric.name)
    count = f"{ordinal(len(earlier) + 1)} decision on this sheet. " if earlier else ""
    return (
        f"{count}Terms are never changed; other terms are another decision. Looking at new grades "
        f"spends error: {AT_MOST} looks per criterion and reference judge, whatever the terms."
    )
