"""Rogan-Gladen: the share of answers that pass, set right by a judge's two error rates.

A judge passes some bad answers and fails some good ones. Where both rates are known from answers
that people graded, the share it passes elsewhere can be turned into the share people would pass. It
takes the rates to be the same there; how many answers pass may differ, which no random sample is
needed for.

Sources: Rogan and Gladen (1978); the interval is the smoothed plug-in of Lee et al. (2025), How to
correctly report LLM-as-a-judge evaluations (arXiv 2511.21140).
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

from stats.estimate import Estimate, undefined, with_interval
from stats.interval import jackknife, leave_out
from stats.table import ratio
from stats.wilson import CONFIDENCE
from words.said import joined, said

CLASS_FLOOR = 30
NO_JUDGED = said("the judge graded none of these answers")
NO_BETTER = said(
    "the judge tells passing from failing answers no better than chance (sensitivity plus "
    "specificity at most 1)"
)
IMPOSSIBLE = said(
    "the share the judge passes cannot come from these error rates, so they do not carry over"
)
HELD = said(
    "a share of them is held at 0 or 100 percent, where the formula goes beyond, so their "
    "difference by the formula is not that of the shares shown"
)
BEYOND = said(
    "the formula gives a difference beyond 100 points, so these error rates do not carry over"
)


class Rates(NamedTuple):
    """How a judge decides on answers that people decided on.

    Attributes:
        sensitivity: Of the answers people pass, the share the judge passes.
        specificity: Of the answers people fail, the share the judge fails.
        passing: How many answers people pass.
        failing: How many answers people fail.
    """

    sensitivity: float
    specificity: float
    passing: float
    failing: float


def rogan_gladen(
    share: float, answers: float, rates: Rates, worth: tuple[float, float] | None = None
) -> Estimate:
    """The share people would pass, where the judge passes `share` of `answers` answers.

    theta = (share + specificity - 1) / (sensitivity + specificity - 1).

    Args:
        share: Of the answers the judge graded, the share it passes.
        answers: How many independent answers that is worth (effective n where questions are
            answered several times).
        rates: The judge's error rates.
        worth: How many independent answers the two rates are worth; their counts by default.

    Returns:
        Undefined, with the reason, where `refusal` gives one, and where the whole interval lies
        outside 0 to 1: then the rates are not the same in both sets. A theta outside whose interval
        reaches in is held at the end, and `method` says what the formula gives.
    """
    why = refusal(rates) or (NO_JUDGED if answers <= 0 else None)
    if why:
        return undefined(why)
    passing, failing = worth or (rates.passing, rates.failing)
    sized = rates._replace(passing=passing, failing=failing)
    value, (low, high) = point(share, rates), lee_interval(share, answers, sized)
    if low > 1 or high < 0:
        return undefined(IMPOSSIBLE)
    method = (
        f"Rogan-Gladen, interval of Lee et al. 2025, sensitivity {rates.sensitivity:.3f} of "
        f"{passing:.0f}, specificity {rates.specificity:.3f} of {failing:.0f}, "
        f"{answers:.0f} answers"
    )
    held = min(max(value, 0.0), 1.0)
    at_end = said("held at {end:.0f}, since the formula gives {value:.3f}", end=held, value=value)
    method += "" if held == value else f"; {at_end}"
    low, high = max(low, 0.0), min(high, 1.0)
    return with_interval(held, min(low, held), max(high, held), method)


def difference(decided: np.ndarray, one: np.ndarray, other: np.ndarray) -> Estimate:
    """One corrected share minus another, (p1 - p2) / (sensitivity + specificity - 1), paired.

    The question jackknife takes the error of the rates and of both shares together.

    Args:
        decided: (G, 4) per question, summed weights of answers that people pass, of those among
            them the judge passes, that people fail, and of those among them the judge fails.
        one: (G, 2) per question, how many answers the judge graded, and how many it passes.
        other: (G, 2) the same of the answers whose share is taken off.

    Returns:
        Undefined, with the reason, where the formula gives more than two shares can differ by.
    """
    rows = np.concatenate([decided, one, other], axis=1)
    found = jackknife(leave_out(rows), _difference, bounds=(-1, 1), why_none=NO_JUDGED)
    beyond = found.value is not None and abs(found.value) > 1
    return undefined(BEYOND) if beyond else found


def is_held(found: Estimate) -> bool:
    """Whether a share from `rogan_gladen` stands at an end because the formula goes beyond it."""
    return "; held at " in found.method


def refusal(rates: Rates) -> str | None:
    """Why nothing may be set right with these rates; None where it may.

    Below 30 answers that people pass, or fail, a rate is too uncertain; a judge no better than
    chance says nothing.
    """
    counts = {said("pass"): rates.passing, said("fail"): rates.failing}
    few = [verb for verb, count in counts.items() if count < CLASS_FLOOR]
    if few:
        return said(
            "people {verb} fewer than {n} answers that the judge graded",
            verb=joined(" and ", few),
            n=CLASS_FLOOR,
        )
    if rates.sensitivity + rates.specificity <= 1:
        return NO_BETTER
    return None


def point(share: float, rates: Rates) -> float:
    """Theta, wherever it lies; the rates must add up to more than 1."""
    return (share + rates.specificity - 1) / (rates.sensitivity + rates.specificity - 1)


def lee_interval(share: float, answers: float, rates: Rates) -> tuple[float, float]:
    """The interval of Lee et al. (2025), not cut at 0 and 1.

    Two successes and failures are added to the share's count, one each to those of the rates; the
    centre is moved by the second-order bias of the ratio.
    """
    quantile = float(stats.norm.ppf((1 + CONFIDENCE) / 2))
    size = answers + quantile**2
    share = (answers * share + quantile**2 / 2) / size
    sensitivity = (rates.passing * rates.sensitivity + 1) / (rates.passing + 2)
    specificity = (rates.failing * rates.specificity + 1) / (rates.failing + 2)
    smooth = Rates(sensitivity, specificity, rates.passing + 2, rates.failing + 2)
    theta = point(share, smooth)
    passed = sensitivity * (1 - sensitivity) / smooth.passing
    failed = specificity * (1 - specificity) / smooth.failing
    shift = 2 * quantile**2 * (theta * passed - (1 - theta) * failed)
    variance = share * (1 - share) / size + theta**2 * passed + (1 - theta) ** 2 * failed
    half = quantile * np.sqrt(variance) / (sensitivity + specificity - 1)
    return float(theta + shift - half), float(theta + shift + half)


def _difference(sums: np.ndarray) -> np.ndarray:
    right = ratio(sums[..., 1], sums[..., 0]) + ratio(sums[..., 3], sums[..., 2])
    apart = ratio(sums[..., 5], sums[..., 4]) - ratio(sums[..., 7], sums[..., 6])
    return ratio(apart, right - 1)
