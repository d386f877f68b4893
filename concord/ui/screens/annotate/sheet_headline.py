"""The finding of Annotate: how much of a sheet is graded, as Overview counts it."""

from concord.grading import assignments, campaigns
from concord.grading.grading_sets import GradingSet
from concord.messages import Said, joined, said
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
    under_way = _campaign(store, sets)
    if under_way:
        finding(under_way, joined(" · ", [graded.sentence, *graded.notes]))
    else:
        finding(graded.sentence, joined(" · ", graded.notes))


def _campaign(store: Store, sets: list[GradingSet]) -> Said | None:
    """Return how much of the newest unfinished campaign is graded; None without one."""
    for one in reversed(sets):
        if campaigns.find(store, one.id):
            done, total = assignments.of_set(store, one)
            if done < total:
                return said(
                    "{name}: {done} of {total} graded", name=one.name, done=done, total=total
                )
    return None
