"""The parts of the plan screen: targets, sample sizes and minimum sizes."""

from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from concord.importing import sheet_rubric
from concord.messages import said
from concord.model import Sheet
from concord.reports.panel.panel import Panel
from concord.reports.planning import document
from concord.reports.planning import plan as report
from concord.reports.planning.plan import Plan, Terms
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui import render
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.language import say
from concord.ui.widgets import each_explained, pick_rubric, select, url_number


class Asked(NamedTuple):
    """Input of the plan: the grades, the rubric's id, a criterion and the target."""

    panel: Panel
    rubric_id: int
    criterion: str
    terms: Terms

    def plan(self, store: Store) -> Plan:
        """Return the plan, computed once for a state of the store."""
        panel = self.panel
        return _plan(store, panel.sheet, panel.rubric, self.criterion, self.terms, panel)


def ask(store: Store, sheet: Sheet) -> Asked:
    """Rubric, criterion and what is wanted; kept in the URL."""
    with st.container(horizontal=True):
        rubric_id, rubric = _rubric(store, sheet)
        names = rubric.headings()
        criterion = select(said("Criterion"), "criterion", names, rubric.heaviest().name)
        label = say("Width of the 95% CI, ± points")
        half_width = url_number(label, "width", 1, 30, 5, unsaid=5, key="plan.width")
        label = say("Margin, points")
        margin = url_number(label, "margin", 1, 50, 10, unsaid=10, key="plan.margin")
    with st.expander(say("Assumptions while nothing is graded yet"), icon=":material/tune:"):
        share = st.slider(say("Expected exact agreement, %"), 50, 99, 80, key="plan.share")
        one_right = st.slider(
            say("Answers on which only one of two judges is right, %"),
            2,
            60,
            20,
            key="plan.discordant",
        )
    terms = Terms(half_width / 100, margin / 100, share / 100, one_right / 100)
    panel = Report(store, sheet, rubric, None).panel
    return Asked(panel, rubric_id, criterion, terms)


def weighted(found: Plan) -> None:
    """Say that figures are weighted, where a set was sampled unequally."""
    if found.reweighted:
        st.info(
            say(
                "A grading set of this sheet has unequal inclusion probabilities. Every figure is "
                "weighted by their inverse, so none is biased by that."
            ),
            icon=":material/balance:",
        )


def tables(found: Plan) -> None:
    """Show the sample size, what usual pilots give, the annotators, hours and minimum sizes."""
    each_explained("half-width", "margin", "pilot", "enriched")
    name = f"{found.sheet}-plan"
    sizes, *parts, floors = document.document(found).tables
    render.show_table(sizes, name)
    left, right = st.columns(2, gap="large")
    for place, table in zip((left, right, left), parts, strict=True):
        with place:
            render.show_table(table, name)
    with st.expander(say(floors.title), icon=":material/rule:"):
        render.show_table(replace(floors, title=""), name)


def _rubric(store: Store, sheet: Sheet) -> tuple[int, Rubric]:
    """A rubric the sheet is graded under, or any where it is not graded yet."""
    graded = rubric_versions.graded_first(store, sheet.id)
    if graded:
        return pick_rubric(store, graded)
    names = rubric_versions.names(store)
    first = sheet_rubric.to_begin_with(store, sheet)
    return pick_rubric(store, sorted(names, key=lambda name: name != first))


@kept(said("Resampling the graded answers…"))
def _plan(
    store: Store, sheet: Sheet, rubric: Rubric, criterion: str, terms: Terms, _panel: Panel
) -> Plan:
    return report.plan(store, _panel, terms, criterion)
