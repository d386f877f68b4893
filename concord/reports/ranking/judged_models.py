"""Judged models: each answering model by one judge, raw and corrected, and how to compare two."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from concord.model import Grader
from concord.reports.document import INTERNAL
from concord.reports.panel.panel import Panel
from concord.stats.comparison.model_order import model_sums
from concord.stats.core.estimate import Estimate


@dataclass(frozen=True)
class JudgedModel:
    """One answering model by one judge.

    Attributes:
        raw: The judge's figure.
        corrected: The figure without the judge's bias.
        n: Answers the judge scored.
        graded: Of those, the answers whose annotators' grades the correction rests on.
        own: The annotators' own figure of the model's graded answers; None where `corrected` is
            made of it.
        clipped: The formula of `corrected` goes beyond 0 or 1.
    """

    answer_model: str
    raw: Estimate
    corrected: Estimate
    n: int
    graded: int
    own: Estimate | None = None
    clipped: bool = field(default=False, metadata=INTERNAL)


@dataclass(frozen=True)
class JudgedModels:
    """One judge's results for all answering models.

    Attributes:
        models: In the panel's order; those without a score by the judge are left out. Without
            correction their raw means may still be there.
        difference: Returns two models' raw and corrected difference, by name.
        why_none: Why nothing is corrected for this judge; None otherwise.
    """

    models: tuple[JudgedModel, ...]
    difference: Callable[[str, str], tuple[Estimate, Estimate]] | None = None
    why_none: str | None = None


def sums(panel: Panel, items: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return (G, M, 2) the sums by cluster and answering model of one value per item."""
    model, cluster = panel.answer_model[items], panel.cluster[items]
    return model_sums(values, np.ones(len(items)), model, cluster, len(panel.answer_models))


def scored(panel: Panel, judge: Grader, criterion: str) -> np.ndarray:
    """Return the indices of open items of known answering models that a judge scored."""
    marks = panel.given(criterion, judge.id)
    return np.flatnonzero(marks.scored & panel.open & (panel.answer_model >= 0))
