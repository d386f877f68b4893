"""Agreement on the composite: a weighted mean of criteria, so a real number and not a score."""

import numpy as np

from stats.estimate import Estimate, undefined
from stats.figures import NAMES, NO_SIDE, NOTHING, absent, floor
from stats.interval import FISHER, PLAIN, ROOT, jackknife, leave_out
from stats.pairs import Pairs
from stats.table import ranked, ratio
from words.said import said

NOT_FOR_COMPOSITES = said(
    "two weighted means are hardly ever equal, so it does not count on a composite"
)


def composite_figures(pairs: Pairs, between_people: bool = False) -> dict[str, Estimate]:
    """MAE, bias and Lin's concordance of two composites, with question jackknife intervals.

    Args:
        pairs: As from `judge_pairs`, with composites for scores; a composite exists only where all
            criteria are scored.
        between_people: The pairs come from `people_pairs`.

    Returns:
        An estimate for each name in `figures.NAMES`; all but mae, bias and ccc undefined with the
        reason. CCC is undefined below 30 pairs.
    """
    if len(pairs.item) == 0:
        return absent(NOTHING)
    left_out = leave_out(question_moments(pairs))
    few = floor("ccc", len(pairs.item) // (2 if between_people else 1))
    found = dict.fromkeys(NAMES, undefined(NOT_FOR_COMPOSITES))
    found["mae"] = jackknife(left_out, mae, ROOT)
    found["bias"] = undefined(NO_SIDE) if between_people else jackknife(left_out, bias, PLAIN)
    found["ccc"] = undefined(few) if few else jackknife(left_out, lin_ccc, FISHER)
    return found


def question_moments(pairs: Pairs) -> np.ndarray:
    """(G, 8) weighted sums per question that the figures are made of.

    Columns, with j and h the composites of judge and person taken from the people's mean: 1,
    |j - h|, j - h, j, h, j * j, h * h, j * h.
    """
    middle = np.average(pairs.person, weights=pairs.weight)
    judge, person = pairs.judge - middle, pairs.person - middle
    apart = judge - person
    one = np.ones(len(apart))
    terms = (one, np.abs(apart), apart, judge, person, judge**2, person**2, judge * person)
    _, group = ranked(pairs.cluster)
    return np.stack([np.bincount(group, weights=pairs.weight * term) for term in terms], axis=-1)


def mae(moments: np.ndarray) -> np.ndarray:
    """Mean absolute difference, from moments (..., 8)."""
    return ratio(moments[..., 1], moments[..., 0])


def bias(moments: np.ndarray) -> np.ndarray:
    """Mean of judge minus person, from moments (..., 8)."""
    return ratio(moments[..., 2], moments[..., 0])


def lin_ccc(moments: np.ndarray) -> np.ndarray:
    """Lin's concordance (division by n), from moments (..., 8); undefined without variation."""
    scaled = ratio(moments, moments[..., :1])
    judge, person = scaled[..., 3], scaled[..., 4]
    spread = scaled[..., 5] - judge**2 + scaled[..., 6] - person**2
    return ratio(2 * (scaled[..., 7] - judge * person), spread + (judge - person) ** 2)
