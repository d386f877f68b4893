"""Wilson's interval for shares of answers, at the number of answers the questions are worth.

Measured on the sheets described in `stats.interval` (1,200 per cell, nominal 95 percent): exact
agreement of .74 and .94 is covered in .96-.99 of cases at 10 to 20 questions, .95-.97 at 45 and
.94-.96 at 90; the share caught in .95-.99. A share within a hair of 1 (.997) is covered in .89-.98,
depending on how many misses it takes for the upper limit to fall below it.
"""

import numpy as np
from scipy import stats

from stats.estimate import Estimate, undefined, with_interval, without_interval

CONFIDENCE = 0.95
QUESTION_FLOOR = 10
TOO_FEW = f"under {QUESTION_FLOOR} questions there is no interval"


def proportion(hits: np.ndarray, base: np.ndarray, answers: float) -> Estimate:
    """A share with Wilson's interval at the effective n, from sums per question.

    Answers to one question resemble each other, so n answers are worth fewer independent ones. The
    design effect is the variance of the share over questions (CR1 sandwich) against that of
    `answers` independent answers, held in [1, answers per question]; effective n is `answers` over
    it. Where every answer agrees or none does there is no variance to see and n is the number of
    questions. The quantile is Student's t with questions - 1 degrees of freedom.

    Args:
        hits: (G,) summed weight of the answers that hit, per question.
        base: (G,) summed weight of all answers; questions without any are left out.
        answers: How many equally weighted answers `base` amounts to (`kish`).

    Returns:
        The share, 0 to 1; undefined without answers, no interval below 10 questions.
    """
    hits, base = hits[base > 0], base[base > 0]
    questions = len(base)
    if questions == 0:
        return undefined("there is nothing to count")
    share = float(np.clip(hits.sum() / base.sum(), 0, 1))
    if questions < QUESTION_FLOOR:
        return without_interval(share, TOO_FEW)
    size = effective_size(hits, base, answers)
    low, high = wilson(share, size, float(stats.t.ppf((1 + CONFIDENCE) / 2, questions - 1)))
    method = f"Wilson at effective n {size:.1f} of {answers:.1f}, t({questions - 1})"
    return with_interval(share, low, high, method)


def wilson(share: float, size: float, quantile: float) -> tuple[float, float]:
    """Limits of Wilson's score interval (Wilson 1927) for a share of `size` answers."""
    spread = quantile**2 / size
    middle = (share + spread / 2) / (1 + spread)
    half = np.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return min(share, max(0.0, float(middle - half))), max(share, min(1.0, float(middle + half)))


def effective_size(hits: np.ndarray, base: np.ndarray, answers: float) -> float:
    """How many independent answers the questions are worth: from their number up to `answers`."""
    questions = len(base)
    share = hits.sum() / base.sum()
    independent = share * (1 - share) / answers
    if independent < 1e-12:
        return float(questions)
    per_question = max(1.0, answers / questions)
    return answers / float(np.clip(clustered_variance(hits, base) / independent, 1, per_question))


def clustered_variance(hits: np.ndarray, base: np.ndarray) -> float:
    """CR1 variance of sum(hits) / sum(base) over questions: residual sums, times G / (G - 1)."""
    questions = len(base)
    residuals = hits - base * (hits.sum() / base.sum())
    return float((residuals**2).sum() / base.sum() ** 2 * questions / (questions - 1))


def kish(weights: np.ndarray) -> float:
    """Kish's size: how many equally weighted answers these weights are worth; 0 for none."""
    return float(weights.sum() ** 2 / (weights**2).sum()) if len(weights) else 0.0
