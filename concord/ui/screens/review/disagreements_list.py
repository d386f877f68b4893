"""The list of disagreements under the filters of the screen, and its headline."""

from collections.abc import Callable
from functools import partial

from concord.messages import counted, joined, said
from concord.reports.disagreements.disagreements import Filtered, why_not_compared
from concord.reports.panel.simulated import named
from concord.reports.panel.unit_words import criterion_of
from concord.store.database import Store
from concord.ui.cached_reports import Report
from concord.ui.components.review_pane import Source
from concord.ui.report_picker import pick_graded
from concord.ui.screens.annotate.regrade import left_behind
from concord.ui.screens.review.disagreements import Disagreements
from concord.ui.screens.review.disagreements_pick import listed, pick_filters
from concord.ui.widgets import finding


def pick(store: Store, top) -> Callable[[Store], Source] | None:
    """Show filters and headline; return how to read the list, or None if it is not available."""
    why = said("this screen lists where a judge and annotators differ, worst first.")
    report = pick_graded(store, why)
    if report is None:
        return None
    found = listed(store, report, pick_filters(report))
    with top:
        _headline(store, report, found)
    return partial(Disagreements, report, found)


def _headline(store: Store, report: Report, found: Filtered) -> None:
    """Show how many disagreements there are, and the regrades due after a rewording."""
    panel, wanted = found.panel, found.wanted
    detail = [said("On {answers}", answers=counted(found.rows["item"].nunique(), "answer"))]
    if wanted.judge is not None:
        judge = named(panel.labels[wanted.judge], panel.judges[wanted.judge].simulated)
        detail.append(said("Judge: {judge}", judge=judge))
    about = said("any criterion")
    if wanted.criterion is not None:
        about = criterion_of(report.rubric, wanted.criterion)
    total = counted(len(found.rows), "disagreement")
    why_not = why_not_compared(panel, wanted)
    if why_not:
        finding(said("Nothing was compared"), why_not)
    else:
        title = said("{total} with annotators on {about}", total=total, about=about)
        finding(title, joined(" · ", detail))
    reworded = [wanted.criterion] if wanted.criterion else list(report.rubric.versions())
    left_behind(store, report.rubric, reworded)
