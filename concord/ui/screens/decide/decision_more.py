"""A decision besides its verdict: robustness and history."""

import streamlit as st

from concord.messages import said
from concord.model import Grader
from concord.reports.decision import robustness as report_of
from concord.reports.decision.document import in_words
from concord.reports.decision.results import VERDICTS
from concord.reports.panel.named_judge import judge_of
from concord.stats.decision.procedure import ONCE
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.ui.cached_reports import BY_KEY, Report
from concord.ui.caching import spinning
from concord.ui.frame import remember
from concord.ui.language import say
from concord.ui.render import show
from concord.ui.widgets import table_of


def robustness(
    store: Store,
    report: Report,
    decision: Decision,
    judge: str,
    looks: tuple[float, ...],
) -> None:
    """Replay the verdict on a judge under other choices, once asked to.

    Args:
        store: The open store.
        report: The report the decision was looked at on.
        decision: The decision.
        judge: The label of the judge the finding is about.
        looks: Shares of the planned questions at the looks.
    """
    with st.expander(say("Sensitivity analysis of the verdict")):
        st.write(
            say(
                "Sensitivity analysis: the verdict is recomputed leaving out each annotator and "
                "each answering model, and with other margins, references, criteria and failures "
                "counted as disagreements. No API calls; does not count as an interim look."
            )
        )
        if not st.toggle(say("Run sensitivity analysis"), key=f"holds.{decision.id}.{judge}"):
            return
        against = judge_of(store, report.panel, decision.against)
        candidate = report.panel.judges[report.judge_id(judge)]
        found = _holds(report, decision, against, candidate, looks or ONCE)
        show(report_of.document(found), f"{decision.id}-{judge}", folded=True)


@spinning(said("Recomputing the verdict…"))
@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def _holds(
    report: Report, decision: Decision, against: Grader, judge: Grader, looks: tuple[float, ...]
) -> report_of.Robustness:
    return report_of.holds(report.panel, decision, against, judge, looks)


def history(store: Store, report: Report, decision: Decision) -> None:
    """Show every decision on this sheet and every look at it, newest first."""
    every = decisions.of_sheet(store, report.sheet.id, rubric=report.rubric.name)
    rows = [row for one in reversed(every) for row in _history_rows(store, one)]
    with st.expander(say("Decisions and looks ({n})", n=len(rows)), expanded=False):
        table_of(rows, f"{report.sheet.name}-looks")
        others = {str(one.id): say(in_words(one)) for one in every}
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


def _history_rows(store: Store, decision: Decision) -> list[dict[str, str]]:
    fixed = {
        said("fixed after agreement could be seen"): said("yes")
        if decision.fixed_after_sight
        else said("no"),
        said("terms"): in_words(decision),
    }
    taken = [
        {
            said("looked at"): one.created_at[:16].replace("T", " "),
            said("look"): str(one.result["looks"]),
            said("verdict"): VERDICTS[one.result["verdict"]],
            said("winner"): one.result["winner"] or "",
            said("answers"): str(one.result["answers"]),
        }
        for one in reversed(decisions.looks(store, decision))
    ]
    return [one | fixed for one in taken] or [{said("looked at"): said("not yet")} | fixed]
