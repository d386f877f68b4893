"""Calibration maps on the ranking screen, folded: a judge's scores read as annotators mean them."""

import streamlit as st

from concord.messages import said
from concord.reports.agreement import calibration_map
from concord.reports.agreement.calibration_map import MappedScores
from concord.reports.panel.panel import Panel
from concord.store.database import Store
from concord.store.version_key import state
from concord.ui import render
from concord.ui.cached_reports import Report
from concord.ui.glossary import sentence
from concord.ui.language import say
from concord.ui.spinner import spinning

MAP = said("calibration map")


def section(store: Store, report: Report, judge: str, name: str) -> None:
    """What one judge's (its label) figures would be with its scores mapped, out of fold."""
    with st.expander(say("What if its scores were read as annotators mean them?")):
        st.markdown(f"**{say(MAP)}** · {sentence(MAP)}")
        if not report.panel.annotators:
            st.write(say("Nobody has graded yet, so there is nothing to learn a map from."))
            return
        key = (
            state(store, report.sheet),
            report.rubric.body(),
            tuple(report.panel.annotators),
            judge,
        )
        found = _mapped(key, report.judge_id(judge), report.panel)
        render.body(calibration_map.document(found), f"{name}-{judge}")
        st.caption(say("No ranking and no verdict uses a map."))


@spinning(said("Learning what the judge's scores mean…"))
@st.cache_data(max_entries=24, show_spinner=False)
def _mapped(key: tuple, judge_id: int, _panel: Panel) -> list[MappedScores]:
    return calibration_map.report(_panel, judge_id)
