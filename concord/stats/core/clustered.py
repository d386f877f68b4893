"""Clustered answers: how much less several answers to one question say than independent ones."""

from typing import NamedTuple

import numpy as np

from concord.stats.core.reasons import reason
from concord.stats.core.tables import NEGLIGIBLE, ranked

_MISSING = 0.5


class Clustered(NamedTuple):
    """A mean over answers with naive and clustered standard errors.

    Attributes:
        mean: Mean over all answers.
        naive: Standard error if all answers were independent (division by n - 1).
        cr0: Standard error from the questions' summed residuals.
        cr1: `cr0` with the correction G / (G - 1) of the variance; None with one question.
        intracluster: Intracluster correlation of the answers to one question, by analysis of
            variance; at most 1, below 0 where they differ more than those of different questions.
            None where undefined.
        design_effect: 1 + (answers per question - 1) * intracluster, at least 1; how many times
            more answers it takes than independent ones would. None with `intracluster`, but 1
            where every question has one answer.
        effective_n: Answers over the design effect.
        why_none: The reason for what is None.
    """

    mean: float
    naive: float | None
    cr0: float
    cr1: float | None
    intracluster: float | None
    design_effect: float | None
    effective_n: float | None
    why_none: str | None = None


def clustered(values: np.ndarray, cluster: np.ndarray) -> Clustered:
    """The mean of answers, its clustered standard errors, and the design effect.

    Sources: Liang and Zeger (1986) for the sandwich; Donner (1986) for the analysis of variance
    with questions of unequal size; Kish (1965) for the design effect.

    Args:
        values: (n,) one number per answer, n at least 1.
        cluster: (n,) index of each answer's cluster.
    """
    values = np.asarray(values, float)
    questions, group = ranked(np.asarray(cluster))
    size, answers = np.bincount(group), len(values)
    sums = np.bincount(group, weights=values)
    cr1 = float(np.sqrt(clustered_variance(sums, size))) if questions > 1 else None
    cr0 = float(np.sqrt(((sums - size * values.mean()) ** 2).sum())) / answers
    naive = float(values.std(ddof=1) / np.sqrt(answers)) if answers > 1 else None
    alike, why = _intracluster(values, group, size)
    effect = None if alike is None else max(1.0, 1 + (answers / questions - 1) * alike)
    if questions == answers > 1:
        effect = 1.0
    effective = None if effect is None else answers / effect
    return Clustered(float(values.mean()), naive, cr0, cr1, alike, effect, effective, why)


def effective_size(
    hits: np.ndarray, base: np.ndarray, answers: float, times: np.ndarray | None = None
) -> float:
    """Return the effective sample size of a share, between the number of questions and `answers`.

    It is `answers` over the design effect: the variance of the share over that of independent
    answers, clipped to [1, answers per question]. Where all or no answers agree the variance cannot
    be estimated, and the size is the number of questions.

    Args:
        hits: (G,) summed weight of the answers that hit, per question.
        base: (G,) summed weight of all answers, above 0.
        answers: Number of equally weighted answers `base` amounts to (`kish`).
        times: (G,) number of questions each row represents; default 1.
    """
    times = np.ones(len(base)) if times is None else times
    questions = times.sum()
    share = (times * hits).sum() / (times * base).sum()
    independent = share * (1 - share) / answers
    if independent < NEGLIGIBLE:
        return float(questions)
    per_question = max(1.0, answers / questions)
    effect = clustered_variance(hits, base, times) / independent
    return answers / float(np.clip(effect, 1, per_question))


def weighted_size(
    hits: np.ndarray,
    base: np.ndarray,
    answers: float,
    heaviest: float,
    times: np.ndarray | None = None,
) -> float:
    """Return the effective sample size of a share of unequally weighted answers.

    A draw that favours suspected failures holds few of the answers that weigh most, and the next
    one of these could move the share by more than those that were drawn show. So half the squared
    effect of one such answer, on the rarer side, is added to the variance over questions. Where all
    agree, it is the number of the heaviest answers that weigh as much, at most that of questions.

    Args:
        hits: (G,) summed weight of the answers that hit, per question.
        base: (G,) summed weight of all answers, above 0.
        answers: How many equally weighted answers `base` amounts to (`kish`); the most.
        heaviest: The largest weight of an answer in the whole sample.
        times: (G,) how many questions each row stands for; else 1.
    """
    times = np.ones(len(base)) if times is None else times
    total = (times * base).sum()
    share = (times * hits).sum() / total
    independent = share * (1 - share) / answers
    if independent < NEGLIGIBLE:
        return float(min(times.sum(), total / heaviest))
    missing = _MISSING * (heaviest * max(share, 1 - share) / total) ** 2
    return answers / max(1.0, (clustered_variance(hits, base, times) + missing) / independent)


def clustered_variance(
    hits: np.ndarray, base: np.ndarray, times: np.ndarray | None = None
) -> float:
    """Return the CR1 variance of sum(hits) / sum(base) over questions.

    Squared residual sums per question, times G / (G - 1). `times` (G,) is the number of questions
    each row represents; default 1.
    """
    times = np.ones(len(base)) if times is None else times
    questions, total = times.sum(), (times * base).sum()
    residuals = hits - base * ((times * hits).sum() / total)
    squares = (times * residuals**2).sum()
    return float(squares / total**2 * questions / (questions - 1))


def kish(weights: np.ndarray) -> float:
    """Return Kish's effective sample size of these weights; 0 for none."""
    return float(weights.sum() ** 2 / (weights**2).sum()) if len(weights) else 0.0


def _intracluster(
    values: np.ndarray, group: np.ndarray, size: np.ndarray
) -> tuple[float | None, str | None]:
    """Return (MSB - MSW) / (MSB + (m - 1) MSW), or why it is undefined."""
    answers, questions = len(values), len(size)
    if questions < 2:
        return None, reason("one_question")
    if questions == answers:
        return None, reason("one_answer_per_question")
    means = np.bincount(group, weights=values) / size
    between = (size * (means - values.mean()) ** 2).sum() / (questions - 1)
    within = ((values - means[group]) ** 2).sum() / (answers - questions)
    typical = (answers - (size**2).sum() / answers) / (questions - 1)
    total = between + (typical - 1) * within
    if total < NEGLIGIBLE:
        return None, reason("answers_equal")
    return float((between - within) / total), None
