"""How far the verdict of a choice holds, on its screen."""

import streamlit as st

from data.decisions import Decision
from data.store import Store
from reports import gate, holds
from ui.language import say
from ui.markdown import plain
from ui.report import Report
from ui.rows import table_of
from words.said import joined, said


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
        against = gate.judge_of(store, report.panel, decision.against)
        candidate = report.panel.judges[report.judge_id(judge)]
        found = report.holds(decision, against, candidate)
        st.subheader(plain(found["sentence"]), anchor=False)
        table_of([*map(_line, found["analyses"])], f"holds-{decision.id}-{judge}")


def _line(analysis: dict) -> dict:
    return {
        said("what differs"): joined(", ", analysis["changed"]) or said("nothing: as decided"),
        said("verdict"): holds.word(analysis["verdict"]),
        said("answers"): analysis["answers"],
        said("questions"): analysis["questions"],
    }
