"""The plan screen: what is planned for.

The number of questions comes first; the power curves, which take longest, are simulated after it.
"""

from typing import NamedTuple

import streamlit as st

from concord.importing import sheet_rubric
from concord.messages import said
from concord.model import Sheet
from concord.reports.panel.panel import Panel
from concord.reports.planning import plan as report
from concord.reports.planning.plan import Plan
from concord.reports.planning.power import PlannedDecision, PowerCurve
from concord.reports.planning.power_document import curve_name
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.language import plain, say
from concord.ui.report_picker import show_left_out
from concord.ui.screens.annotate.plan_decision import decision
from concord.ui.widgets import pick_rubric, select, url_number

SIMULATING = said("Simulating decisions…")


class PlanInput(NamedTuple):
    """Input of the plan.

    Attributes:
        panel: The grades.
        rubric_id: The rubric's id.
        criterion: The criterion's name.
        half_width: Of the 95% CI of exact agreement.
        decided: The decision that is planned.
        compare: What the power curves compare.
    """

    panel: Panel
    rubric_id: int
    criterion: str
    half_width: float
    decided: PlannedDecision
    compare: str

    def plan(self, store: Store) -> Plan:
        """Return the plan without power curves, computed once for a state of the store."""
        panel, wanted = self.panel, (self.half_width, self.decided)
        found = _plan(store, panel.sheet, panel.rubric, self.criterion, wanted, panel)
        return report.comparing(found, self.compare)

    def with_curves(self, store: Store, found: Plan) -> Plan:
        """Return the plan with its power curves, and show how many are done meanwhile.

        Each is kept by itself. Leaving the screen, or changing what is asked, stops the work before
        the next one.
        """
        panel, curves = self.panel, []
        variants = found.decision.variants()
        for number, compared in enumerate(variants, start=1):
            of = curve_name(found.decision, compared)
            done = {"n": number, "total": len(variants)}
            doing = said("{doing} {n}/{total}: {what}", doing=SIMULATING, **done, what=of)
            with st.spinner(plain(doing)):
                wanted = (self.decided, self.compare, compared)
                curves.append(
                    _curve(store, panel.sheet, panel.rubric, self.criterion, wanted, panel, found)
                )
        return report.with_curves(found, curves)


def ask(store: Store, sheet: Sheet) -> PlanInput:
    """Rubric, criterion and what is wanted; kept in the URL."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        rubric_id, rubric = _rubric(store, sheet)
        names = rubric.headings()
        criterion = select(said("Criterion"), "criterion", names, rubric.heaviest().name)
        label = say("Half-width of the 95% CI, points")
        half_width = url_number(label, "width", 1, 30, 5, unsaid=5, key="plan.width")
    decided, compare = decision()
    panel = Report(store, sheet, rubric).panel
    show_left_out(panel.not_included)
    return PlanInput(panel, rubric_id, criterion, half_width / 100, decided, compare)


def _rubric(store: Store, sheet: Sheet) -> tuple[int, Rubric]:
    """A rubric the sheet is graded under, or any where it is not graded yet."""
    graded = rubric_versions.graded(store, sheet.id)
    if graded:
        return pick_rubric(store, graded)
    names = rubric_versions.names(store)
    first = sheet_rubric.proposed_rubric(store, sheet)
    return pick_rubric(store, sorted(names, key=lambda name: name != first))


@kept(SIMULATING)
def _plan(
    store: Store,
    sheet: Sheet,
    rubric: Rubric,
    criterion: str,
    wanted: tuple[float, PlannedDecision],
    _panel: Panel,
) -> Plan:
    return report.plan(store, _panel, *wanted, criterion, curves=False)


@kept(most=96)
def _curve(
    store: Store,
    sheet: Sheet,
    rubric: Rubric,
    criterion: str,
    wanted: tuple[PlannedDecision, str, str | float],
    _panel: Panel,
    _found: Plan,
) -> PowerCurve:
    return report.curve(_panel, _found, wanted[-1])
