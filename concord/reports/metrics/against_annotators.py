"""Against annotators: metrics compared with annotators' grades of whole answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from concord.messages import Said, said
from concord.model import Sheet
from concord.reports.document import INTERNAL
from concord.reports.metrics import fitted_threshold, metric_validity
from concord.reports.metrics.fitted_threshold import FittedThreshold
from concord.reports.metrics.metric_validity import Lead, Series, Validity
from concord.reports.panel import panel_reading, whole_answers
from concord.reports.panel.panel import Panel
from concord.reports.panel.simulated import worded
from concord.reports.panel.unit_words import criterion_of
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


def panel(store: Store, sheet: Sheet, rubric: str | None = None) -> Panel | None:
    """Return annotators' grades of whole answers to compare metrics with; None without any.

    `rubric` is by name; None takes the first under which annotators graded.

    Raises:
        Problem: The rubric is of units; an answer has several of them and no score of its own.
    """
    if rubric:
        chosen = rubric_versions.named(store, rubric)[1]
        whole_answers.of_answers(chosen)
    for name in [rubric] if rubric else rubric_versions.graded(store, sheet.id):
        found = panel_reading.read(store, sheet, rubric_versions.named(store, name)[1])
        if found.annotators:
            return found
    return None


@dataclass(frozen=True)
class AgainstAnnotators:
    """Validity of metrics against annotators' grades of a criterion, the best first.

    Attributes:
        fact: What a reader must know of the finding; '' for nothing.
        criterion: The criterion; None where no annotator has graded whole answers.
        called: What the criterion is called in a sentence.
        lead: How far the best is ahead of the second.
    """

    sentence: Said
    fact: str = field(metadata=INTERNAL)
    criterion: str | None = None
    called: str | None = None
    rows: list[Validity] = field(default_factory=list)
    lead: Lead | None = None


def against(every: Sequence[Series], held: Panel | None, criterion: str = "") -> AgainstAnnotators:
    """Compare metrics with annotators' grades of a criterion; '' for the heaviest one."""
    if held is None:
        return AgainstAnnotators(metric_validity.NOBODY, metric_validity.UNITS_ELSEWHERE)
    criterion = criterion or held.rubric.heaviest().name
    invented = _is_simulated(held)
    rows = worded(metric_validity.against_annotators(every, held, criterion), invented)
    ahead = metric_validity.lead(rows, every, held, criterion)
    who = said("simulated annotators" if invented else "annotators")
    called = criterion_of(held.rubric, criterion)
    return AgainstAnnotators(
        metric_validity.headline(rows, ahead, called, who),
        metric_validity.comparison(rows, ahead),
        criterion,
        called,
        rows,
        ahead,
    )


def fitted(
    every: Sequence[Series],
    held: Panel | None,
    criterion: str = "",
    thresholds: Mapping[tuple[str, str], float] | None = None,
) -> list[FittedThreshold]:
    """Return the fitted threshold of each metric; '' for the heaviest criterion."""
    if held is None:
        return []
    found = fitted_threshold.rows(every, held, criterion or held.rubric.heaviest().name, thresholds)
    return worded(found, _is_simulated(held))


def _is_simulated(held: Panel) -> bool:
    return any(person.simulated for person in held.annotators.values())
