"""Judged models: each answering model by one judge, raw and corrected, and how to compare two."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from concord.reports.panel.panel import Panel
from concord.stats.comparison.equal_rates import EqualRates
from concord.stats.core.estimate import Estimate
from concord.store.graders import Grader


class JudgedModel(NamedTuple):
    """One answering model by one judge.

    Attributes:
        name: The answering model.
        index: Its place among the panel's.
        raw: The judge's figure as it is.
        corrected: The figure without the judge's bias.
        n: Answers the judge scored.
        graded: Of those, the answers whose people's grades the correction rests on.
        own: The annotators' own figure of the model's graded answers; None where `corrected` is
            made of it.
    """

    name: str
    index: int
    raw: Estimate
    corrected: Estimate
    n: int
    graded: int
    own: Estimate | None = None


class JudgedModels(NamedTuple):
    """All answering models by one judge.

    Attributes:
        models: In the panel's order; those the judge scored no answer of are left out. Where
            nothing is corrected there may still be their other figures.
        difference: Gives two models' raw and corrected difference.
        why_none: Why nothing is corrected for this judge; None where something may be.
        rates: Whether the judge errs alike on every model; None where that is not assumed.
    """

    models: list[JudgedModel]
    difference: Callable[[JudgedModel, JudgedModel], tuple[Estimate, Estimate]]
    why_none: str | None = None
    rates: EqualRates | None = None


def nothing(why: str) -> JudgedModels:
    """No model is corrected, for this reason."""
    return JudgedModels([], lambda *_: (), why)


def model_index(panel: Panel) -> np.ndarray:
    """(N,) place of each item's answering model among the panel's, -1 where it is unknown."""
    return panel.answer_model


def scored(panel: Panel, judge: Grader, criterion: str) -> np.ndarray:
    """The open items of known answering models that a judge scored."""
    marks = panel.of(criterion, judge.id)
    return np.flatnonzero(marks.scored & panel.open & (model_index(panel) >= 0))
