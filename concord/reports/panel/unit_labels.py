"""Unit labels: which parts of answers, such as claims, annotators and judges have labelled."""

from typing import NamedTuple

from concord.messages import counted, listed, said
from concord.model import Sheet
from concord.reports.panel.unit_words import UnitWords, how_many, noun, singular
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.units import unit_verdicts


class UnitLabels(NamedTuple):
    """Labels of the units of a sheet.

    Attributes:
        labelled: Number of labelled units by kind in the plural (`claims`).
        answers: Number of answers they belong to.
        annotators: The annotators who labelled them.
        judged: The kinds with judges' verdicts, in the plural.
        judges: Those judges.
        rubric: The first rubric by which both have labelled; None without one.
    """

    labelled: dict[str, int]
    answers: int
    annotators: list[str]
    judged: list[str]
    judges: list[str]
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
        """Return the labelled units: `26 claims`, `26 claims and 10 contexts`."""
        labelled = self.labelled.items()
        return listed([how_many(UnitWords(singular(kind), kind), n) for kind, n in labelled])

    def by_whom(self) -> str:
        """Return the number of annotators and of answers in words."""
        annotators = counted(len(self.annotators), "annotator", "annotators")
        answers = counted(self.answers, "answer")
        return said("labelled by {annotators} in {answers}", annotators=annotators, answers=answers)


def of_sheet(store: Store, sheet: Sheet) -> UnitLabels:
    """Return annotators' and judges' labels of a sheet's units, under the rubrics of units."""
    rubrics = rubric_versions.of_parts(store)
    kinds = {v: noun(one.plural) for one in rubrics.values() for v in one.versions().values()}
    found = unit_verdicts.labelled(store, sheet.id, [*kinds])
    labelled: dict[str, int] = {}
    for version, count in found.units.items():
        labelled[kinds[version]] = labelled.get(kinds[version], 0) + count
    judged = dict.fromkeys(kinds[version] for version in kinds if version in found.judges)
    judges = dict.fromkeys(name for names in found.judges.values() for name in names)
    both = (
        name
        for name, one in rubrics.items()
        if {*one.versions().values()} & found.units.keys() & found.judges.keys()
    )
    annotators = found.annotators
    return UnitLabels(labelled, found.answers, annotators, [*judged], [*judges], next(both, None))
