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
            _to_annotators(
                store,
                said(
                    "Create a grading set below and send each annotator a link, or grade yourself."
                ),
            )
            or said("Leads create grading sets here."),
        )
        return
    graded = sheet_grading.of_sheet(store, sheet)
    if not graded.sentence:
        finding(
            said("No annotator has begun to grade yet"),
            _to_annotators(store, said("Send each annotator a link from below.")),
        )
        return
    under_way = _campaign(store, sets)
    if under_way:
        finding(under_way, joined(" · ", [graded.sentence, *graded.notes]))
    else:
        finding(graded.sentence, joined(" · ", graded.notes))


def _to_annotators(store: Store, by_link: Said) -> str:
    """Return how a lead's sets reach annotators, `by_link` without sign-in; '' for no lead."""
    if not store.may_lead():
        return ""
    if store.who:
        return said("Annotators with access to a set see it when they sign in.")
    return by_link


def _campaign(store: Store, sets: list[GradingSet]) -> Said | None:
    """Return how much of the newest unfinished campaign is graded; None without one."""
    for one in reversed(sets):
        if campaigns.find(store, one.id):
            done, total = assignments.of_set(store, one)
            if done < total:
                return said(
                    "{name}: {done:,} of {total:,} graded", name=one.name, done=done, total=total
                )
    return None
