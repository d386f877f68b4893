"""A decision besides its verdict: robustness and history."""

import streamlit as st

from concord.messages import said
from concord.reports.decision import looks as record
from concord.reports.decision import robustness as report_of
from concord.reports.decision.choose import replayed as replay
from concord.reports.decision.document import without
from concord.reports.decision.results import Choice
from concord.reports.decision.terms import label
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.frame import remember
from concord.ui.language import say
from concord.ui.render import body, head, show_table
from concord.ui.screens.decide.choose_confirm import other_terms


def robustness(report: Report, decision: Decision, found: Choice) -> None:
    """Show how far the verdict on the judge in focus depends on single choices.

    Args:
        report: The report the decision was looked at on.
        decision: The decision.
        found: The look; it has a judge in focus.
    """
    st.subheader(say("Robustness"), anchor=False)
    name = f"{decision.id}-{found.about}"
    replayed = _holds(report, decision, found)
    document = report_of.document(replayed)
    head(document, folded=True)
    body(document, name, in_full=True)
    show_table(without(found), name, in_full=True)
    st.caption(
        say(
            "Sensitivity analysis: the verdict is recomputed with one change at a time. No API "
            "calls; does not count as an interim look."
        )
    )


@kept(said("Recomputing the verdict…"))
def _holds(report: Report, decision: Decision, _found: Choice) -> report_of.Robustness:
    judge = report.panel.judges[report.judge_id(_found.about)]
    return replay(report.store, report.panel, decision, judge, _found)


def history(store: Store, report: Report, decision: Decision) -> None:
    """Show every decision on this sheet and every look at it, newest first."""
    every = decisions.of_sheet(store, report.sheet.id, rubric=report.rubric.name)
    newest = every[::-1]
    taken = record.looks(store, newest)
    name = report.sheet.name
    with st.expander(say("Decisions and looks ({n})", n=len(taken.rows)), expanded=False):
        show_table(record.fixed(newest, report.panel), name, in_full=True)
        show_table(taken, name, in_full=True)
        others = {str(one.id): say(label(one)) for one in every}
        if len(every) > 1:
            chosen = st.selectbox(
                say("Open a decision"),
                list(others),
                index=list(others).index(str(decision.id)),
                format_func=others.get,
                key=f"choose.open.{decision.id}.{len(every)}",
            )
            if chosen != str(decision.id):
                remember(decision=chosen)
                st.rerun()
    other_terms()
