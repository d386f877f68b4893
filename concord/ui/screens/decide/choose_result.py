"""Result of an interim look at a decision: finding, conditions, basis."""

from collections.abc import Iterable
from dataclasses import replace

import streamlit as st

from concord.clock import day_of
from concord.messages import Problem, joined, said
from concord.reports.decision import choose
from concord.reports.decision.choose import Standing
from concord.reports.decision.document import conditions as conditions_of
from concord.reports.decision.document import (
    document,
    facts,
    more_labels,
    notes,
    one_sided,
    with_verdict,
)
from concord.reports.decision.finding import look
from concord.reports.decision.results import Choice
from concord.reports.decision.terms import label
from concord.reports.decision.terms_review import fixed_terms
from concord.reports.panel import provenance
from concord.stats.decision.deciding_figure import FIGURES
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.language import plain, say
from concord.ui.render import show_table
from concord.ui.widgets import action_button, finding, select


def in_full(report: Report, decision: Decision) -> None:
    """Show every term, with the annotators who count and the planned number."""
    st.caption(plain(label(decision)))
    show_table(fixed_terms(report.panel, decision), "choose-terms", in_full=True)


def caption(decision: Decision, look: Iterable[str]) -> None:
    """Show what the decision is about and the sentences on a look at it."""
    st.caption(f":material/lock: {plain(joined(' ', [label(decision), *look]))}")


def result(store: Store, report: Report, decision: Decision) -> Choice | None:
    """Show a decision: what was found, or what a look now would take; the look if shown."""
    try:
        stand = choose.standing(store, report.panel, decision)
    except Problem as problem:  # the reference judge is gone; other terms are the way out
        st.error(plain(str(problem)), icon=":material/error:")
        return None
    fresh = _described(report, decision) if stand.free else None
    found = fresh or stand.shown or stand.before
    if found is None:
        finding(say("The terms are fixed; no interim look has been taken yet"))
        in_full(report, decision)
        _look_button(store, report, decision, stand)
        return None
    finding(document(found).headline)
    for fact in facts(found):
        st.markdown(plain(fact))
    if fresh:
        # It is no interim look: the verdicts stay, and a certificate needs the figures of today.
        _take(store, report, decision, say("Update the figures"))
    elif stand.shown is None:
        st.info(
            say(
                "Computed on {day}. The grades have changed since.",
                day=day_of(found.looked_at),
            ),
            icon=":material/history:",
        )
        _look_button(store, report, decision, stand)
    caption(decision, look(found))
    return replace(found, uncounted={**found.uncounted, **stand.uncounted})


def conditions(found: Choice, name: str) -> None:
    """Show the conditions of one judge, and how many more labels the verdicts need."""
    rows = {row.judge: row for row in found.judges if row.conditions}
    if not rows:
        return
    st.subheader(say("Conditions"), anchor=False)
    first = found.about if found.about in rows else next(iter(rows))
    names = {label: with_verdict(row) for label, row in rows.items()}
    judge = select(said("Judge"), "judge", names, first, unsaid=first)
    show_table(conditions_of(found, judge), f"{name}-{judge}", in_full=True, titled=False)
    if why := one_sided(found, judge):
        st.caption(plain(why))
    labels = more_labels(found)
    if not labels.rows:
        return
    with st.expander(say(labels.title)):
        if any(row.more_labels for row in found.judges):
            st.write(
                say(
                    "With this many more labels, a verdict has 80% power, assuming that on the new "
                    "answers the judge agrees as well as the reference judge does and as "
                    "annotators do with one another. It is a range because the variation between "
                    "questions is estimated from few of them."
                )
            )
        show_table(labels, name, in_full=True, titled=False)
        if found.planned_questions and found.clusters >= found.planned_questions:
            _plan_link(found)


def _plan_link(found: Choice) -> None:
    """Link to the plan of a sheet of new questions for the same decision."""
    unit = 100 if FIGURES[found.figure].kind == "share" else 1
    own = "" if unit == 100 else f".{found.figure}"
    query = {"sheet": found.sheet, "rubric": found.rubric, "criterion": found.criterion}
    query |= {"figure": found.figure, f"margin{own}": round(unit * found.margin, 6)}
    query |= {f"minimum{own}": round(unit * found.minimum, 6)} if found.minimum else {}
    label = say("Plan a sheet of new questions")
    icon = ":material/arrow_forward:"
    st.page_link("pages/plan.py", label=label, icon=icon, query_params=query)


def basis(found: Choice) -> None:
    """Show on what the look rests: answers, annotators, exclusions and provenance."""
    shown = one_sided(found)  # stands under the conditions
    signature = provenance.read_again(found.signature)
    for note in (*(one for one in notes(found) if one != shown), signature):
        st.caption(plain(note))


def _look_button(store: Store, report: Report, decision: Decision, stand: Standing) -> None:
    number, most = stand.look.number, Choice.looks_at_most
    _take(store, report, decision, say("Take interim look {n} of {most}", n=number, most=most))


def _take(store: Store, report: Report, decision: Decision, label: str) -> None:
    icon = ":material/visibility:"
    if not store.read_only and action_button(
        label, store.why_no_lead(), type="primary", icon=icon, key="choose.look"
    ):
        choose.look(store, report.panel, decision)
        st.rerun()


@kept(said("Recomputing the verdict…"))
def _described(report: Report, decision: Decision) -> Choice:
    """The look at the grades as they are: opening the screen stores none."""
    return choose.described(report.store, report.panel, decision)
