"""How far the verdict of a choice holds, on its screen."""

import streamlit as st

from concord.messages import joined, said
from concord.reports.decision import robustness
from concord.reports.panel.panel_reading import judge_of
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.store.graders import Grader
from concord.ui.cached_reports import BY_KEY, Report
from concord.ui.language import say
from concord.ui.localized_table import table_of
from concord.ui.markdown import plain
from concord.ui.spinner import spinning


def section(store: Store, report: Report, decision: Decision, judge: str) -> None:
    """Replay the verdict on a judge under other choices, once asked to.

    Args:
        store: The open store.
        report: The report the decision was looked at on.
        decision: The decision.
        judge: The label of the judge the finding is about.
    """
    with st.expander(say("How far the verdict holds")):
        st.write(
            say(
                "The verdict is reckoned anew without each person, without each answering model, "
                "under other margins, references and criteria, and with failures counted as "
                "disagreements. Nobody is asked, and no look is spent."
            )
        )
        if not st.toggle(say("Replay it"), key=f"holds.{decision.id}.{judge}"):
            return
        against = judge_of(store, report.panel, decision.against)
        candidate = report.panel.judges[report.judge_id(judge)]
        found = _holds(report, decision, against, candidate)
        st.subheader(plain(found["sentence"]), anchor=False)
        table_of([*map(_line, found["analyses"])], f"holds-{decision.id}-{judge}")


def _line(analysis: dict) -> dict:
    return {
        said("what differs"): joined(", ", analysis["changed"]) or said("nothing: as decided"),
        said("verdict"): robustness.word(analysis["verdict"]),
        said("answers"): analysis["answers"],
        said("questions"): analysis["questions"],
    }


@spinning(said("Replaying the verdict…"))
@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def _holds(report: Report, decision: Decision, against: Grader, judge: Grader) -> dict:
    return robustness.holds(report.panel, decision, against, judge)
