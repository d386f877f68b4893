"""The picker of a report: sheet and rubric, who is left out, and what to do without grades."""

from collections.abc import Mapping

import streamlit as st

from concord.messages import listed
from concord.model import Sheet
from concord.reports.panel.panel import without_note
from concord.reports.panel.wording import weighting
from concord.reports.reliability.annotator_alerts import REMEDY
from concord.stats.core.estimate import Reason
from concord.store import grades
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.cached_reports import Report, open_alerts
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


def pick_report(
    store: Store,
    then: str,
    units: bool = False,
    by_criterion: bool = False,
) -> Report | None:
    """Sheet and rubric; None where something is missing, which the screen then says.

    `then` ends a sentence on what the screen says once annotators and judges have graded; `units`
    offers rubrics of units too, where parts of answers are graded. `by_criterion` is that of
    `Report`.
    """
    sheet = pick_sheet(store)
    if sheet is None:
        no_sheet(f"annotators and judges grade them, and {then}")
        return None
    graded = rubric_versions.graded(store, sheet.id)
    graded += rubric_versions.units_graded(store, sheet.id) if units else []
    if not graded:
        no_grades(store, sheet, then)
        return None
    _, rubric = pick_rubric(store, graded)
    report = Report(store, sheet, rubric, by_criterion)
    show_left_out(report.people.not_included)
    note = weighting(report.people)
    if note:
        st.caption(plain(note))
    return report


def pick_graded(
    store: Store, then: str, units: bool = False, means: bool = False, by_criterion: bool = False
) -> Report | None:
    """Pick as `pick_report` does; show an empty state where annotators' or judges' grades lack.

    With `means` a mean of several annotators is enough; `by_criterion` is that of `Report`.
    """
    report = pick_report(store, then, units, by_criterion=by_criterion)
    if report is None or is_missing(store, report, then, means):
        return None
    return report


def is_missing(store: Store, report: Report, then: str, means: bool = False) -> bool:
    """Show an empty state and return True where annotators' or judges' grades are missing."""
    sheet, panel = report.sheet, report.people
    units = panel.rubric.plural if panel.rubric.units else ""
    if not panel.annotators and not (means and panel.means):
        if not units:
            no_grades(store, sheet, then)
            return True
        empty(
            f"No annotator has labelled {units} of “{sheet.name}” yet",
            "Judges are compared with annotators, so an annotator has to label first: create a "
            f"grading set under the rubric “{panel.rubric.title}”.",
            *TO_SETS,
        )
        return True
    if panel.judges:
        return False
    empty(
        f"Annotators have {f'labelled {units} of' if units else 'graded'} “{sheet.name}”, but no "
        "judge has yet",
        f"Run a metric judge: its verdicts on {units} are compared with annotators' labels. "
        f"Then {then}"
        if units
        else "Run a judge. The baseline needs neither a key nor a network and shows what every "
        f"judge has to beat. Then {then}",
        *TO_JUDGES,
    )
    return True


def no_grades(store: Store, sheet: Sheet, then: str) -> None:
    """Show that no whole answer is graded yet, with a link to labelled units if any.

    `then` is as in `pick_report`.
    """
    versions = grades.labelled_versions(store, sheet.id)
    labelled = [
        one.plural
        for one in rubric_versions.of_parts(store).values()
        if versions & {*one.versions().values()}
    ]
    if labelled:
        empty(
            f"No annotator has graded whole answers of “{sheet.name}” yet",
            "This screen covers whole answers. Annotators have labelled "
            f"{listed(labelled)} of the sheet; the screen Agreement shows how well judges agree "
            "with them.",
            "pages/agreement.py",
            "To Agreement",
        )
        return
    empty(
        f"No annotator has graded “{sheet.name}” yet",
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
