"""Who adjudicates which contested answers of a sheet, as a lead assigned them."""

from collections.abc import Iterable
from dataclasses import dataclass

from concord.clock import day_of
from concord.grading import adjudications
from concord.grading.adjudications import Assigned, Part
from concord.messages import Said, counted, said
from concord.reports.disagreements.adjudicate import Case
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.panel import Panel
from concord.store.database import Store


@dataclass(frozen=True)
class Assignments:
    """The annotators who adjudicate a sheet by a rubric."""

    sheet: str
    rubric: str
    annotators: tuple[Assigned, ...]


def parts(panel: Panel, cases: Iterable[Case]) -> list[Part]:
    """Return the criteria of contested answers that are not adjudicated."""
    versions = panel.rubric.versions()
    return [Part(case.at, versions[name]) for case in cases for name in case.left]


def report(store: Store, panel: Panel) -> Assignments:
    """Return who adjudicates a sheet by a rubric."""
    held = adjudications.assigned_of_sheet(store, panel.sheet.id, panel.rubric.versions().values())
    return Assignments(panel.sheet.name, panel.rubric.name, tuple(held.values()))


def table(found: Assignments) -> Table:
    """Return a row for each annotator."""
    columns = (
        (Column(said("annotator")), lambda one: one.annotator),
        (Column(said("answers"), "count"), lambda one: one.answers),
        (Column(said("left to adjudicate"), "count"), lambda one: one.left),
    )
    if any(map(_state, found.annotators)):
        columns += ((Column(said("state")), _state),)
    return table_of("adjudicators", found.annotators, columns)


def _state(one: Assigned) -> Said | None:
    """Return why an annotator will hardly adjudicate what is left; None for no reason."""
    if one.removed:
        return said("left the set")
    return said("paused since {day}", day=day_of(one.paused)) if one.paused else None


def document(found: Assignments) -> Document:
    """Return what is shown of the assignments."""
    if not found.annotators:
        return Document(said("No answer is assigned to an annotator to adjudicate."))
    annotators = counted(len(found.annotators), "annotator")
    return Document(
        said("Adjudication is assigned to {annotators}.", annotators=annotators),
        tables=(table(found),),
    )
