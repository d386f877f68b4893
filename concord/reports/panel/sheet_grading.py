"""How much of a sheet annotators have graded: one count for Overview and Annotate."""

from typing import NamedTuple

from concord.grading import sheet_progress
from concord.grading.sheet_progress import Graded
from concord.messages import counted, said
from concord.model import Sheet
from concord.reports.panel import unit_labels
from concord.reports.panel.unit_labels import UnitLabels
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

NOT_BLIND = said(
    "The grades so far were given where other scores are shown, so no figure includes them. If the "
    "annotators saw no scores, undo the import and import the file again, saying so. Otherwise an "
    "annotator has to grade in a grading set."
)


class SheetGrading(NamedTuple):
    """What annotators have graded, in words.

    `sentence` is '' while nothing is graded; `state` is 'done' or 'open'.
    """

    sentence: str
    figure: str
    notes: tuple[str, ...]
    state: str


def of_sheet(store: Store, sheet: Sheet) -> SheetGrading:
    """Return how much of a sheet annotators have graded."""
    graded = sheet_progress.graded(store, sheet.id)
    return grading(store, sheet, graded, unit_labels.of_sheet(store, sheet))


def grading(store: Store, sheet: Sheet, annotators: Graded, labels: UnitLabels) -> SheetGrading:
    """Return the same from what was read of whole answers and of units."""
    if not annotators.answers and labels.labelled:
        notes = (labels.by_whom(), said("no answer graded as a whole"))
        units = labels.sentence()
        sentence = said("{units} of “{sheet}” are labelled", units=units, sheet=sheet.name)
        return SheetGrading(sentence, units, notes, "done")
    apart = (*_apart(annotators), *_not_blind(annotators))
    if not annotators.answers:
        none = apart or (said("No answer is graded yet."),)
        return SheetGrading("", said("None yet"), none, "open")
    who = counted(len(annotators.annotators), "annotator", "annotators")
    by = said("by {annotators}", annotators=who)
    if annotators.simulated:
        by = said("by {annotators}, {n} of them simulated", annotators=who, n=annotators.simulated)
    overlap = said("none by two annotators yet")
    if annotators.overlap:
        overlap = said("{n:,} by two or more annotators", n=annotators.overlap)
    labelled = [said("{units} labelled", units=labels.sentence())] if labels.labelled else []
    notes = (by, overlap, *_rubrics(store, sheet), *apart, *labelled)
    total = sheet.items - annotators.apart
    figure = said("{n:,} of {total:,}", n=annotators.answers, total=total)
    sentence = said(
        "{n:,} of {answers} of “{sheet}” graded by annotators",
        n=annotators.answers,
        answers=counted(total, "answer"),
        sheet=sheet.name,
    )
    return SheetGrading(sentence, figure, notes, "done")


def _rubrics(store: Store, sheet: Sheet) -> tuple[str, ...]:
    """Note that annotators graded by several rubrics; every report is of one of them."""
    found = rubric_versions.graded(store, sheet.id)
    used = rubric_versions.annotators_used(store, sheet.id, found) if len(found) > 1 else []
    return (said("by {n:,} rubrics together", n=len(used)),) if len(used) > 1 else ()


def _not_blind(annotators: Graded) -> tuple[str, ...]:
    if not annotators.not_blind:
        return ()
    return (said("not counted: {n:,} graded, but not blind", n=annotators.not_blind),)


def _apart(annotators: Graded) -> tuple[str, ...]:
    if not annotators.apart:
        return ()
    return (
        said(
            "not counted: {n:,} in the few-shot pool or held out, {graded:,} of them graded",
            n=annotators.apart,
            graded=annotators.set_apart,
        ),
    )
