"""The finding of Annotate: how much of a sheet is graded, as Overview counts it."""

from concord.grading.grading_sets import GradingSet
from concord.messages import joined, said
from concord.model import Sheet
from concord.reports.panel import sheet_grading
from concord.store.database import Store
from concord.ui.widgets import finding


def headline(store: Store, sheet: Sheet, sets: list[GradingSet]) -> None:
    """The finding of the screen: how much is graded, by how many annotators."""
    if not sets:
        finding(
            said("“{sheet}” is not assigned to annotators yet", sheet=sheet.name),
            said("Create a grading set below and send each annotator a link, or grade yourself.")
            if store.may_lead()
            else said("Leads create grading sets here, and send each annotator a link."),
        )
        return
    graded = sheet_grading.of_sheet(store, sheet)
    if not graded.sentence:
        finding(
            said("No annotator has begun to grade yet"),
            said("Send each annotator a link from below.") if store.may_lead() else "",
        )
        return
    finding(graded.sentence, joined(" · ", graded.notes))
