"""Rogan-Gladen: the share of answers that pass, set right by a judge's two error rates.

A judge passes some bad answers and fails some good ones. Where both rates are known from answers
that annotators graded, the share it passes elsewhere can be turned into the share annotators would
pass. It takes the rates to be the same there; how many answers pass may differ, which no random
sample is needed for.

Sources: Rogan and Gladen (1978); the interval is the smoothed plug-in of Lee et al. (2025), How to
correctly report LLM-as-a-judge evaluations (arXiv 2511.21140).

Equal rates: does a judge err as often on every answering model? Rogan-Gladen takes it for given.

Tested by a wild score test: under equal rates each question's departures from the pooled rates lie
around 0 alike on both sides, so signs of whole questions are flipped. How far the rates differ
beyond chance is estimated, too, and is part of the error of a share that rests on them.
"""

from typing import NamedTuple

import numpy as np
from scipy import special

from concord.stats.core.estimate import (
    CONFIDENCE,
    TOO_FEW,
    Estimate,
    Reason,
    Why,
    reason,
    undefined,
    with_interval,
    without_interval,
)
from concord.stats.core.minimums import QUESTION_FLOOR, RATE_FLOOR
from concord.stats.core.tables import NEGLIGIBLE, ranked
from concord.stats.intervals.resampling import SEED

YOUDEN_FLOOR = 0.3
NO_JUDGED = reason("no_judged_answer")
NO_BETTER = reason("judge_at_chance")
TOO_LITTLE_BETTER = reason(
    "judge_near_chance",
    floor=YOUDEN_FLOOR,
)
IMPOSSIBLE = reason("error_rates_impossible")

_QUANTILE = float(special.ndtri((1 + CONFIDENCE) / 2))


class Rates(NamedTuple):
    """Sensitivity and specificity of a judge against annotators.

    Attributes:
        sensitivity: Share of the answers annotators pass that the judge passes too.
        specificity: Share of the answers annotators fail that the judge fails too.
        sensitivity_varies: Variance of the sensitivity between answering models (`equal_rates`);
            it is part of the error, since a model's own rate is not the pooled one.
        specificity_varies: The same of the specificity.
    """

    sensitivity: float
    specificity: float
    passing: float
    failing: float
    sensitivity_varies: float = 0.0
    specificity_varies: float = 0.0


def rogan_gladen(
    share: float,
    answers: float,
    rates: Rates,
    worth: tuple[float, float] | None = None,
    questions: int = QUESTION_FLOOR,
) -> Estimate:
    """Return the corrected pass rate where the judge passes `share` of `answers` answers.

    theta = (share + specificity - 1) / (sensitivity + specificity - 1).

    Args:
        share: Of the answers the judge graded, the share it passes.
        answers: How many independent answers that is worth (effective n where questions are
            answered several times).
        rates: The judge's error rates.
        worth: How many independent answers the two rates are worth; their counts by default.
        questions: Of the answers, or of those the rates are of where these are fewer.

    Returns:
        Undefined, with the reason, where `refusal` gives one, and where theta lies outside 0 to 1
        by more than its standard error: then the rates are hardly the same in both sets. A theta
        outside by less is clipped, and `method` reports the formula's value. No interval below 10
        questions.
    """
    why = refusal(rates) or (NO_JUDGED if answers <= 0 else None)
    if why:
        return undefined(why)
    passing, failing = worth or (rates.passing, rates.failing)
    sized = rates._replace(passing=passing, failing=failing)
    value, (low, high) = point(share, rates), lee_interval(share, answers, sized)
    error = (high - low) / 2 / _QUANTILE
    if not -error <= value <= 1 + error:
        return undefined(IMPOSSIBLE)
    method = (
        f"Rogan-Gladen, interval of Lee et al. 2025, sensitivity {rates.sensitivity:.3f} of "
        f"{passing:.0f}, specificity {rates.specificity:.3f} of {failing:.0f}, "
        f"{answers:.0f} answers"
    )
    # Clipped by less than its standard error only, and reported in `method`: nothing is clipped
    # silently.
    held = min(max(value, 0.0), 1.0)
    method += "" if held == value else f"; held at {held:.0f}, since the formula gives {value:.3f}"
    if questions < QUESTION_FLOOR:
        return without_interval(held, TOO_FEW, method)
    low, high = max(low, 0.0), min(high, 1.0)
    return with_interval(held, min(low, held), max(high, held), method)


def refusal(rates: Rates) -> Reason | None:
    """Return why nothing can be corrected with these rates; None where it can.

    Below 30 answers that annotators pass, or fail, a rate is too uncertain; rates little better
    than chance carry almost no information.
    """
    counts = {reason("pass"): rates.passing, reason("fail"): rates.failing}
    few = [verb for verb, count in counts.items() if count < RATE_FLOOR]
    if len(few) == 2:
        return reason("too_few_of_both_graded_classes", n=RATE_FLOOR)
    if few:
        return reason("too_few_of_a_graded_class", verb=few[0], n=RATE_FLOOR)
    if rates.sensitivity + rates.specificity <= 1:
        return NO_BETTER
    return TOO_LITTLE_BETTER if youden(rates) < YOUDEN_FLOOR else None


def youden(rates: Rates) -> float:
    """Sensitivity + specificity - 1, by the inverse of which every error is multiplied."""
    return rates.sensitivity + rates.specificity - 1


def point(share: float, rates: Rates) -> float:
    """Theta, wherever it lies; the rates must add up to more than 1."""
    return (share + rates.specificity - 1) / (rates.sensitivity + rates.specificity - 1)


def lee_interval(share: float, answers: float, rates: Rates) -> tuple[float, float]:
    """Return the interval of Lee et al. (2025), not clipped to 0 and 1.

    Two successes and failures are added to the share's count, one each to those of the rates; the
    centre is moved by the second-order bias of the ratio. What rates vary by between answering
    models adds to the variance.
    """
    quantile = _QUANTILE
    size = answers + quantile**2
    share = (answers * share + quantile**2 / 2) / size
    sensitivity = (rates.passing * rates.sensitivity + 1) / (rates.passing + 2)
    specificity = (rates.failing * rates.specificity + 1) / (rates.failing + 2)
    smooth = rates._replace(
        sensitivity=sensitivity,
        specificity=specificity,
        passing=rates.passing + 2,
        failing=rates.failing + 2,
    )
    theta = point(share, smooth)
    passed = sensitivity * (1 - sensitivity) / smooth.passing
    failed = specificity * (1 - specificity) / smooth.failing
    shift = 2 * quantile**2 * (theta * passed - (1 - theta) * failed)
    # After the shift: rates that differ between models widen the interval but bias nothing.
    passed, failed = passed + rates.sensitivity_varies, failed + rates.specificity_varies
    variance = share * (1 - share) / size + theta**2 * passed + (1 - theta) ** 2 * failed
    half = quantile * np.sqrt(variance) / (sensitivity + specificity - 1)
    return float(theta + shift - half), float(theta + shift + half)


FLIPS = 9_999
LEVEL = 0.05
ONE_MODEL = reason("one_answering_model")
TOO_FEW_GRADED = reason("too_few_graded_questions", n=QUESTION_FLOOR)


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
        return EqualRates(None, why_none=TOO_FEW_GRADED)
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
