"""Reports on screen: the panel of a sheet and rubric, cached by the state of the store.

Their picker too: sheet and rubric, who is left out, and what to do without grades.
"""

from collections.abc import Mapping

import streamlit as st

from concord.model import Sheet
from concord.reports.agreement import agreement
from concord.reports.metrics import metric_records
from concord.reports.metrics.metric_records import Readings
from concord.reports.panel.panel import Panel, read, without_note
from concord.reports.panel.wording import weighting
from concord.reports.reliability import annotator_alerts
from concord.reports.reliability.annotator_alerts import REMEDY, Alert
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Reason
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.sheets import state_key
from concord.ui.caching import Keyed, kept
from concord.ui.language import plain
from concord.ui.widgets import (
    TO_JUDGES,
    TO_SETS,
    empty,
    next_screen_link,
    no_sheet,
    pick_rubric,
    pick_sheet,
)


@kept("Reading the metrics…", 4, shared=True)
def readings(store: Store, sheet: Sheet) -> Readings:
    """Return every number on a sheet; not to be changed."""
    return metric_records.read(store, sheet)


class Report(Keyed):
    """A sheet's grades under a rubric."""

    def __init__(self, store: Store, sheet: Sheet, rubric: Rubric):
        self.store = store
        self.sheet = sheet
        self.rubric = rubric
        self.key = (state_key(store, sheet), rubric.body())
        self.panel = _panel(store, sheet, rubric)  # at once, so that it is of the state in the key

    def best(self) -> str | None:
        """The label of the judge closest to annotators on the heaviest criterion with grades."""
        found = self.headline()
        return found.judge if found else None

    def headline(self) -> agreement.Headline | None:
        """That judge's exact agreement; None where it is undefined."""
        return _best(self)

    def judge_id(self, label: str) -> int:
        """The id of a judge by label."""
        return next(i for i, name in self.panel.labels.items() if name == label)


@kept("Reading the grades…", 12, shared=True)
def _panel(store: Store, sheet: Sheet, rubric: Rubric) -> Panel:
    return read(store, sheet, rubric)


@kept()
def _best(report: Report) -> agreement.Headline | None:
    return agreement.best(report.panel)


@kept("Comparing annotators…")
def open_alerts(report: Report) -> tuple[Alert, ...]:
    """Return the open alerts on annotators of a sheet."""
    return annotator_alerts.open_alerts(report.store, report.panel)


def pick_report(
    store: Store,
    then: str,
    units: bool = False,
) -> Report | None:
    """Sheet and rubric; None where something is missing, which the screen then says.

    `then` ends a sentence on what the screen says once annotators and judges have graded; `units`
    offers rubrics of units too, where parts of answers are graded.
    """
    sheet = pick_sheet(store)
    if sheet is None:
        no_sheet(f"annotators and judges grade them, and {then}")
        return None
    graded = rubric_versions.graded(store, sheet.id)
    graded += rubric_versions.units_graded(store, sheet.id) if units else []
    if not graded:
        no_grades(sheet, then)
        return None
    _, rubric = pick_rubric(store, graded)
    report = Report(store, sheet, rubric)
    show_left_out(report.panel.not_included)
    note = weighting(report.panel)
    if note:
        st.caption(plain(note))
    return report


def pick_graded(store: Store, then: str, units: bool = False, means: bool = False) -> Report | None:
    """Pick as `pick_report` does; show an empty state where annotators' or judges' grades lack.

    With `means` a mean of several annotators is enough.
    """
    report = pick_report(store, then, units)
    if report is None or is_missing(report, then, means):
        return None
    return report


def is_missing(report: Report, then: str, means: bool = False) -> bool:
    """Show an empty state and return True where annotators' or judges' grades are missing."""
    panel, sheet = report.panel, report.sheet
    if not panel.annotators and not (means and panel.means):
        no_grades(sheet, then, panel.rubric.plural if panel.rubric.units else "")
        return True
    if not panel.judges:
        title = f"Annotators have graded “{sheet.name}”, but no judge has yet"
        free = "" if panel.rubric.units else "; the baseline needs neither a key nor a network"
        empty(title, f"Run a judge{free}. Then {then}", *TO_JUDGES)
    return not panel.judges


def no_grades(sheet: Sheet, then: str, units: str = "") -> None:
    """Show that no annotator has graded whole answers yet, or no `units` of them.

    `then` is as in `pick_report`.
    """
    empty(
        f"No annotator has graded {units or 'whole answers'} of “{sheet.name}” yet",
        f"Create a grading set and grade it, or import existing grades. Then {then}",
        *TO_SETS,
    )
    next_screen_link("pages/data.py", "Import grades", do="grades", sheet=sheet.name)


def warned(report: Report) -> None:
    """Show the open alerts on annotators, with a link to their cards."""
    lines = [f"- {plain(one.sentence)}" for one in open_alerts(report)]
    if lines:
        text = "\n".join([*lines, "", plain(REMEDY)])
        st.warning(text, icon=":material/person_alert:")
        next_screen_link("pages/progress.py", "See their cards")


def show_left_out(left_out: Mapping[str, Reason]) -> None:
    """Show which annotators are excluded or pending, and why."""
    if note := without_note(left_out):
        st.caption(plain(note))
