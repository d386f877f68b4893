"""Comparison on screen: the finding, distance from annotators, every figure, what to run next."""

import streamlit as st

from concord.reports.comparison.compare import Comparison as Compared
from concord.reports.comparison.compare_document import document
from concord.ui import render
from concord.ui.annotator_notes import uncounted
from concord.ui.cached_comparison import Comparison
from concord.ui.charts import compare_chart as charts
from concord.ui.glossary import terms
from concord.ui.language import say
from concord.ui.markdown import plain
from concord.ui.screens.agreement.compare_pick import Choice
from concord.ui.widgets import figure


def side_by_side(found: Comparison, choice: Choice) -> None:
    """Show the whole view."""
    compared = found.report(choice.labels, choice.target, choice.base, choice.kind)
    name = f"{found.sheet.name}-compare-{choice.target}"
    shown = document(compared)
    render.head(shown)
    uncounted(compared.uncounted)
    if compared.weighting:
        st.caption(plain(compared.weighting))
    terms(
        *("variant", "distance", "skill", "same answers", "beside", "spread", "steady", "ccc"),
        "qwk",
        "exact",
        "failure recall",
        "bias",
        "order",
        "composite",
        "baseline",
    )
    if compared.n:
        _charts(compared, name)
    render.body(shown, name)
    st.page_link("pages/judges.py", label=say("To the judges"), icon=":material/arrow_forward:")


def _charts(compared: Compared, name: str) -> None:
    left, right = st.columns([3, 2], gap="large")
    with left:
        distance = charts.distance(compared, charts.distance_title(compared))
        figure(distance, f"{name}-distance", charts.distance_alt(compared))
    with right:
        scores = charts.scores(compared, charts.scores_title(compared))
        figure(scores, f"{name}-scores", charts.scores_alt(compared))
