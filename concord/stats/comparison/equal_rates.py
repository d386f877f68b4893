"""Equal rates: does a judge err as often on every answering model? Rogan-Gladen takes it for given.

Tested by a wild score test: under equal rates each question's departures from the pooled rates lie
around 0 alike on both sides, so signs of whole questions are flipped. How far the rates differ
beyond chance is estimated, too, and is part of the error of a share that rests on them.
"""

from typing import NamedTuple

import numpy as np

from concord.stats.core.estimate import Why, reason
from concord.stats.core.minimums import QUESTION_FLOOR
from concord.stats.core.tables import NEGLIGIBLE, ranked
from concord.stats.intervals.resampling import SEED

FLIPS = 9_999
LEVEL = 0.05
ONE_MODEL = reason("one_answering_model")
TOO_FEW = reason("too_few_graded_questions", n=QUESTION_FLOOR)


class EqualRates(NamedTuple):
    """The test, and how far the rates differ.

    Attributes:
        p_value: Of no difference, over sensitivity and specificity together; None if not tested.
        sensitivity_varies: Variance of the sensitivity between answering models, beyond chance.
        specificity_varies: The same of the specificity.
        why_none: Why it was not tested.
    """

    p_value: float | None
    sensitivity_varies: float = 0.0
    specificity_varies: float = 0.0
    why_none: Why | None = None

    @property
    def differ(self) -> bool:
        """True where the rates differ significantly."""
        return self.p_value is not None and self.p_value < LEVEL


def equal_rates(
    passing: np.ndarray,
    right: np.ndarray,
    model: np.ndarray,
    cluster: np.ndarray,
    weight: np.ndarray,
) -> EqualRates:
    """Test the rates of the graded answers.

    All are (n,): whether the annotator passes the answer, whether the judge decides as the
    annotator does, the answering model, the cluster, and a positive weight.
    """
    questions, group = ranked(cluster)
    models, place = ranked(model)
    if models < 2:
        return EqualRates(None, why_none=ONE_MODEL)
    if questions < QUESTION_FLOOR:
        return EqualRates(None, why_none=TOO_FEW)
    scores, varies = [], []
    for side in (passing, ~passing):
        rows = (right[side].astype(float), weight[side], place[side])
        scores.append(_scores(*rows, group[side], models, questions))
        varies.append(_between(*rows, models))
    return EqualRates(_p_value(np.concatenate(scores, axis=1)), *varies)


def _scores(
    right: np.ndarray,
    weight: np.ndarray,
    model: np.ndarray,
    group: np.ndarray,
    models: int,
    questions: int,
) -> np.ndarray:
    """(G, M) each question's part in how far a model's rate is from the pooled one."""
    found = np.zeros((questions, models))
    if not len(right):
        return found
    away = weight * (right - np.average(right, weights=weight))
    np.add.at(found, (group, model), away)
    share = np.bincount(model, weight, models) / weight.sum()
    return found - np.bincount(group, away, questions)[:, None] * share


def _p_value(scores: np.ndarray) -> float:
    spread = (scores**2).sum(axis=0)
    used = scores[:, spread > NEGLIGIBLE] / np.sqrt(spread[spread > NEGLIGIBLE])
    if not used.size:
        return 1.0
    observed = (used.sum(axis=0) ** 2).sum()
    random = np.random.default_rng(SEED)
    signs = 2.0 * random.integers(0, 2, (FLIPS, len(used))) - 1
    flipped = ((signs @ used) ** 2).sum(axis=1)
    return float((1 + (flipped >= observed - NEGLIGIBLE).sum()) / (FLIPS + 1))


def _between(right: np.ndarray, weight: np.ndarray, model: np.ndarray, models: int) -> float:
    """Variance between the models' rates by moments (DerSimonian and Laird 1986), at least 0."""
    size = np.bincount(model, weight, models)
    size, hits = size[size > 0], np.bincount(model, weight * right, models)[size > 0]
    if len(size) < 2:
        return 0.0
    total = size.sum()
    pooled = hits.sum() / total
    apart = (size * (hits / size - pooled) ** 2).sum()
    chance = (len(size) - 1) * pooled * (1 - pooled)
    return float(max(0.0, (apart - chance) / (total - (size**2).sum() / total)))
