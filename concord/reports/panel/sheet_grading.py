"""How much of a sheet annotators have graded or labelled: one count for Overview and Annotate."""

from collections import Counter
from typing import NamedTuple

from concord.grading import sheet_progress
from concord.grading.sheet_progress import Graded
from concord.messages import counted, joined, listed, said
from concord.model import Sheet
from concord.reports.panel.wording import singular
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.units import unit_verdicts

PENDING = "{name} has graded fewer than 10 answers, which do not count in any figure yet."
NOT_BLIND = (
    "The grades so far were given where other scores are shown, so no figure includes them. If the "
    "annotators saw no scores, undo the import and import the file again, saying so. Otherwise an "
    "annotator has to grade in a grading set."
)


NONE = "None yet"


class UnitLabels(NamedTuple):
    """Labels of the units of a sheet.

    Attributes:
        labelled: Number of labelled units by kind in the plural (`claims`).
        answers: Number of answers they belong to.
        annotators: The annotators who labelled them.
        judged: The kinds with judges' verdicts, in the plural.
        judges: The names of those judges by grader id.
        rubric: The first rubric by which both have labelled; None without one.
    """

    labelled: dict[str, int]
    answers: int
    annotators: list[str]
    judged: list[str]
    judges: dict[int, str]
    rubric: str | None

    @property
    def shared(self) -> list[str]:
        """The kinds that both annotators and judges have labelled."""
        return [kind for kind in self.judged if kind in self.labelled]

    @property
    def waiting(self) -> list[str]:
        """The kinds that judges gave verdicts on while annotators have labelled nothing at all."""
        return [] if self.labelled else self.judged

    def sentence(self) -> str:
        """Return the labelled units: `26 claims labelled`; '' for none."""
        found = [counted(n, singular(kind), kind) for kind, n in self.labelled.items()]
        return said("{units} labelled", units=listed(found)) if found else ""


def labels_of_sheet(store: Store, sheet: Sheet) -> UnitLabels:
    """Return annotators' and judges' labels of a sheet's units, under the rubrics of units."""
    rubrics = rubric_versions.of_parts(store)
    kinds = {v: one.plural for one in rubrics.values() for v in one.versions().values()}
    found = unit_verdicts.labelled(store, sheet.id, [*kinds])
    labelled = Counter()
    for version, count in found.units.items():
        labelled[kinds[version]] += count
    judged = dict.fromkeys(kinds[version] for version in kinds if version in found.judges)
    judges = {i: name for names in found.judges.values() for i, name in names.items()}
    shared = found.units.keys() & found.judges.keys()
    both = (name for name, one in rubrics.items() if {*one.versions().values()} & shared)
    annotators = found.annotators
    return UnitLabels(
        dict(labelled), found.answers, annotators, [*judged], judges, next(both, None)
    )


class SheetGrading(NamedTuple):
    """What annotators have graded, in words.

    `sentence` is '' while nothing is graded, and `figure` is then `NONE`; `state` is 'done' or
    'open'.
    """

    sentence: str
    figure: str
    notes: tuple[str, ...]
    state: str


def of_sheet(store: Store, sheet: Sheet) -> SheetGrading:
    """Return how much of a sheet annotators have graded."""
    graded = sheet_progress.graded(store, sheet.id)
    return grading(store, sheet, graded, labels_of_sheet(store, sheet))


def grading(store: Store, sheet: Sheet, annotators: Graded, labels: UnitLabels) -> SheetGrading:
    """Return the same from what was read of whole answers and of units."""
    n, units = annotators.answers, labels.sentence()
    if not n and units:
        return SheetGrading(units, units, (counted(len(labels.annotators), "annotator"),), "done")
    total, people = sheet.items - annotators.apart, len(annotators.annotators)
    every = annotators.simulated and annotators.simulated == people
    who = "simulated annotators" if every else "annotators"
    answers = counted(total, "answer")
    sentence = said("{n:,} of {answers} graded by {who}", n=n, answers=answers, who=who)
    notes = [*not_counted(annotators), *([units] if units else [])]
    if not n:
        return SheetGrading(sentence if annotators.not_included else "", NONE, tuple(notes), "open")
    by = [
        said("by {n} annotators, {m} simulated", n=people, m=annotators.simulated),
        said("{n:,} by two or more annotators", n=annotators.overlap),
    ]
    return SheetGrading(sentence, f"{n:,} of {total:,}", (*by, *notes), "done")


def not_counted(annotators: Graded) -> list[str]:
    """Return what is graded, but enters no figure, with its number."""
    found = (
        (annotators.apart, "in the few-shot pool or held out"),
        (annotators.not_blind, "graded, but not blind"),
        (annotators.unscored, "without a score"),
    )
    notes = [said("not counted: {n:,} {what}", n=n, what=what) for n, what in found if n]
    without = joined(", ", annotators.without)
    return [*notes, said("without {names}", names=without)] if without else notes
