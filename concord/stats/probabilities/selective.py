"""Risk-coverage curves: how many errors remain if only the scores a judge is sure of are accepted.

Any number may be the confidence: a probability, a stated number, a share of repeats. Only its order
counts. Source: Geifman and El-Yaniv (2017), Selective classification for deep neural networks.
"""

from typing import NamedTuple

import numpy as np

from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.tables import ranked
from concord.stats.intervals.resampling import LOGIT, jackknife, leave_out
from concord.stats.probabilities.scoring import NOTHING

_DECIMALS = 9


class RiskCoverage(NamedTuple):
    """Risk and coverage at each threshold, and the area under the curve.

    Attributes:
        threshold: (D,) the distinct confidences, falling: answers at or above one are accepted.
        coverage: (D,) share of the weight that is accepted, rising to 1.
        risk: (D,) share of errors among what is accepted; the last is that of accepting all.
        area: AURC, 0 to 1: the mean over answers of the risk at the answer's own confidence. A
            confidence that knows nothing has the risk of accepting all; smaller is better.
    """

    threshold: np.ndarray
    coverage: np.ndarray
    risk: np.ndarray
    area: Estimate


def risk_coverage(
    confidence: np.ndarray, wrong: np.ndarray, weight: np.ndarray, cluster: np.ndarray
) -> RiskCoverage:
    """Return the curve; answers with equal confidence are accepted together.

    Args:
        confidence: (n,) finite, on any scale.
        wrong: (n,) 0 to 1: how far the score disagrees with annotators, such as 1 for an error.
        weight: (n,) positive.
        cluster: (n,) index of the cluster of each.

    Returns:
        An undefined area without rows; no interval below 10 questions, nor for an area of 0 or 1.
    """
    if not len(confidence):
        return RiskCoverage(*[np.zeros(0)] * 3, undefined(NOTHING))
    levels, code = np.unique(-np.round(confidence, _DECIMALS), return_inverse=True)
    base, errors = np.bincount(code, weight), np.bincount(code, weight * wrong)
    accepted, total = base.cumsum(), weight.sum()
    risk = errors.cumsum() / accepted
    area = _area(base, risk, accepted, code, wrong, weight, cluster)
    return RiskCoverage(-levels, accepted / total, risk, area)


def _area(
    base: np.ndarray,
    risk: np.ndarray,
    accepted: np.ndarray,
    code: np.ndarray,
    wrong: np.ndarray,
    weight: np.ndarray,
    cluster: np.ndarray,
) -> Estimate:
    """AURC with the jackknife of its influence function: what one more of each row would do to it.

    More of a row adds its own threshold to the mean, and its error to the risk at every threshold
    that accepts it.
    """
    total = weight.sum()
    value = float((base * risk).sum() / total)
    onwards = np.cumsum((base / accepted)[::-1])[::-1]
    risks_onwards = np.cumsum((base * risk / accepted)[::-1])[::-1]
    influence = risk[code] - value + wrong * onwards[code] - risks_onwards[code]
    questions, group = ranked(np.asarray(cluster))
    rows = np.bincount(group, weight * influence / total, questions)
    # The sum without a question is minus its own influence, to first order.
    scale = questions / max(1, questions - 1)
    return jackknife(leave_out(rows), lambda sums: value + scale * sums, LOGIT, (0.0, 1.0))
