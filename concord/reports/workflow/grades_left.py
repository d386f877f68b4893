"""Grades left: the grades that a rewording of a criterion leaves behind, by grader."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from concord.messages import Said, counted, said
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.simulated import named
from concord.reports.workflow import regrade
from concord.reports.workflow.regrade import GradeLeft
from concord.rubrics.model import Rubric
from concord.store import graders
from concord.store.database import Store


@dataclass(frozen=True)
class GradesLeft:
    """The grades a new version of a criterion would leave, and those that were left before."""

    rubric: str
    criterion: str
    sentence: str
    after_change: tuple[GradeLeft, ...]
    outstanding: tuple[GradeLeft, ...]


def grades_left(store: Store, rubric: Rubric, criterion: str) -> GradesLeft:
    """Return what a new version of a criterion would leave, and what the current one has left."""
    after = regrade.after_change(store, rubric, criterion)
    left = regrade.outstanding(store, rubric, criterion)
    headline = said(
        "If {criterion} is reworded: {grades}"
        if after
        else "No grade depends on the current wording of {criterion}.",
        criterion=criterion,
        grades=sentence(after),
    )
    return GradesLeft(rubric.name, criterion, headline, after, left)


def document(found: GradesLeft) -> Document:
    """Return what is shown of the grades left behind."""
    earlier = said("Given under earlier wordings: {grades}", grades=sentence(found.outstanding))
    return Document(
        found.sentence,
        facts=(earlier,) if found.outstanding else (),
        tables=(
            replace(grader_table(found.after_change), title=said("After a change")),
            replace(grader_table(found.outstanding), title=said("Under earlier wordings")),
        ),
    )


def sentence(found: Sequence[GradeLeft]) -> Said:
    """Return how many grades must be given again; annotators and judges apart.

    Annotators regrade by hand and judges by a run, so a total of both would be of no use.
    """
    if not found:
        return said("no grades to regrade.")
    annotators = sum(one.kind == "person" for one in found)
    return said(
        "{grades} to regrade ({annotators:,} by annotators, {judges:,} by judges).",
        grades=counted(len(found), "grade"),
        annotators=annotators,
        judges=len(found) - annotators,
    )


def grader_table(found: Iterable[GradeLeft]) -> Table:
    """Return a row for each grader with grades to give again, the annotators first."""
    own: dict[tuple[str, str], list[GradeLeft]] = {}
    for one in found:
        own.setdefault((one.kind, named(one.grader, one.simulated)), []).append(one)
    rows = sorted(own.items(), key=lambda row: (row[0][0] != "person", -len(row[1])))
    parts = (
        (Column(said("grader")), lambda row: row[0][1]),
        (Column(said("kind")), lambda row: graders.KINDS[row[0][0]]),
        (Column(said("grades"), "count"), lambda row: len(row[1])),
        (Column(said("answers"), "count"), lambda row: len({one.item for one in row[1]})),
    )
    return table_of("graders", rows, parts)
