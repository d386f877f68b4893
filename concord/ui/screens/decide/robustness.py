"""The sensitivity analysis of a verdict, on its screen."""

import streamlit as st

from concord.messages import said
from concord.reports.decision import robustness
from concord.reports.panel.panel_reading import judge_of
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.store.graders import Grader
from concord.ui.cached_reports import BY_KEY, Report
from concord.ui.language import say
from concord.ui.render import show
from concord.ui.spinner import spinning


def section(store: Store, report: Report, decision: Decision, judge: str) -> None:
    """Replay the verdict on a judge under other choices, once asked to.

    Args:
        store: The open store.
        report: The report the decision was looked at on.
        decision: The decision.
        judge: The label of the judge the finding is about.
    """
    with st.expander(say("Sensitivity analysis of the verdict")):
        st.write(
            say(
                "Sensitivity analysis: the verdict is recomputed leaving out each annotator and "
                "each answering model, and with other margins, references, criteria and failures "
                "counted as disagreements. No API calls; does not count as an interim look."
            )
        )
        if not st.toggle(say("Replay it"), key=f"holds.{decision.id}.{judge}"):
            return
        against = judge_of(store, report.panel, decision.against)
        candidate = report.panel.judges[report.judge_id(judge)]
        found = _holds(report, decision, against, candidate)
        show(robustness.document(found), f"{decision.id}-{judge}", folded=True)


@spinning(said("Replaying the verdict…"))
@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def _holds(
    report: Report, decision: Decision, against: Grader, judge: Grader
) -> robustness.Robustness:
    return robustness.holds(report.panel, decision, against, judge)
