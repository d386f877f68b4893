"""Judged models: each answering model by one judge, raw and corrected, and how to compare two."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from concord.reports.document import INTERNAL
from concord.reports.panel.panel import Panel
from concord.stats.comparison.equal_rates import EqualRates
from concord.stats.core.estimate import Estimate
from concord.store.graders import Grader


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
    """All answering models by one judge.

    Attributes:
        models: In the panel's order; those the judge scored no answer of are left out. Where
            nothing is corrected there may still be their other figures.
        difference: Gives two models' raw and corrected difference, by their names.
        why_none: Why nothing is corrected for this judge; None where something may be.
        rates: Whether the judge errs alike on every model; None where that is not assumed.
    """

    models: tuple[JudgedModel, ...]
    difference: Callable[[str, str], tuple[Estimate, Estimate]] | None = None
    why_none: str | None = None
    rates: EqualRates | None = None


def scored(panel: Panel, judge: Grader, criterion: str) -> np.ndarray:
    """Return the indices of open items of known answering models that a judge scored."""
    marks = panel.of(criterion, judge.id)
    return np.flatnonzero(marks.scored & panel.open & (panel.answer_model >= 0))
