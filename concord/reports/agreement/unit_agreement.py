"""Unit agreement: the figures of graders of units beyond the agreement rows.

Per unit the precision and recall of the failing verdict; per answer the agreement of a metric; and
errors of the lists of units.
"""

from dataclasses import dataclass, field

from concord.reports.agreement.answer_agreement import AnswerAgreement, by_answer
from concord.reports.agreement.list_errors import ListErrors, lists
from concord.reports.document import FLAT
from concord.reports.panel.criterion_comparison import ground
from concord.reports.panel.panel import Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.unit_words import in_units_throughout
from concord.reports.units import extraction
from concord.reports.units.extraction import Extraction
from concord.stats.core.estimate import Estimate
from concord.store.database import Store


@dataclass(frozen=True)
class CountedShare:
    """A share with the number of failing units that it is of."""

    estimate: Estimate = field(metadata=FLAT)
    failing: int | None


@dataclass(frozen=True)
class FailingVerdict:
    """Precision and recall of a judge's failing verdict on units; `failing` are its labels."""

    judge: str
    failing: tuple[str, ...]
    n: int
    precision: CountedShare
    recall: CountedShare


@dataclass(frozen=True)
class UnitAgreement:
    """The figures of units beyond the rows."""

    failing: tuple[FailingVerdict, ...]
    by_answer: tuple[AnswerAgreement, ...]
    lists: ListErrors
    extraction: tuple[Extraction, ...]


def report(store: Store, panel: Panel, kind: str = EACH) -> UnitAgreement | None:
    """Return what is said of units beyond the rows; None for a rubric of whole answers."""
    if not panel.rubric.units:
        return None
    return UnitAgreement(
        failing=tuple(failing(panel, kind)),
        by_answer=tuple(by_answer(store, panel)),
        lists=lists(store, panel),
        extraction=extraction.report(store, panel),
    )


def failing(panel: Panel, kind: str = EACH) -> list[FailingVerdict]:
    """Return precision and recall of the failing verdict of each judge, each with its count."""
    on = ground(panel, panel.rubric.criteria[0].name, kind)
    fails = panel.rubric.failing(on.criterion)
    labels = tuple(one.label for one in on.criterion.levels if one.score in fails)
    rows = []
    for judge in panel.judges.values():
        judged = on.judged(judge)
        rows.append(
            FailingVerdict(
                panel.labels[judge.id],
                labels,
                judged.n,
                CountedShare(judged.figures["failure_precision"], judged.verdicts.judge_failing),
                CountedShare(judged.figures["failure_recall"], judged.failing),
            )
        )
    return in_units_throughout(panel.rubric, rows)
