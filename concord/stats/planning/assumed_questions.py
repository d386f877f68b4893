"""Questions made from stated assumptions, to plan before anything is graded.

Every answer has a true score. Annotators and judges err on a share of the answers, four times in
five by one step of the scale and once by two. What is hard for one judge is hard for the other, and
answers to one question are alike in score and in difficulty.
"""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from concord.stats.core.pairs import Pairs, annotators_pairs, judge_pairs
from concord.stats.core.tables import ranked
from concord.stats.decision.grades import Grades
from concord.stats.intervals.resampling import SEED

QUESTIONS = 500
JUDGES_ALIKE, FAR = 0.3, 0.2


class Assumed(NamedTuple):
    """The assumptions of a plan; shares from 0 to 1.

    Attributes:
        agreement: Exact agreement of a judge, reference or candidate, with an annotator.
        ceiling: Exact agreement of two annotators.
        failing: Share of answers that fail.
        alike: Correlation of the answers to one question.
        answers: Of the questions of a sheet, how many each has; taken in order of size.
        annotators: Of each answer.
    """

    agreement: float = 0.8
    ceiling: float = 0.8
    failing: float = 0.25
    alike: float = 0.3
    answers: Sequence[int] = (2,)
    annotators: int = 1


def highest_agreement(of: Assumed, scale: Sequence[int], failing: Collection[int]) -> float:
    """Return what a judge without errors would reach: annotators err against it, too."""
    spread = _spread(of, scale, failing)
    annotator = _given(
        _error(lambda error: _both(spread, error, error), of.ceiling, spread), spread
    )
    return float(spread @ np.diagonal(annotator))


def made(
    of: Assumed,
    scale: Sequence[int],
    failing: Collection[int],
    questions: int = QUESTIONS,
    seed: int = SEED,
) -> Grades:
    """Return the tables of a reference judge and a candidate that are as good as each other.

    Raises:
        ValueError: No judge can agree so much with annotators who agree so little.
    """
    if of.agreement > highest_agreement(of, scale, failing) + 1e-6:
        raise ValueError(f"no judge agrees on {of.agreement} with such annotators")
    spread = _spread(of, scale, failing)
    own = _error(lambda error: _both(spread, error, error), of.ceiling, spread)
    error = _error(lambda error: _both(spread, own, error), of.agreement, spread)
    random = np.random.default_rng([seed, questions])
    sizes = np.sort(of.answers)[np.arange(questions) * len(of.answers) // questions]
    cluster = np.repeat(np.arange(questions), sizes)
    truth = np.searchsorted(
        np.cumsum(spread)[:-1], special.ndtr(_latent(random, cluster, of.alike))
    )
    annotators = [
        _erring(random, truth, _latent(random, cluster, of.alike), own, len(scale))
        for _ in range(of.annotators)
    ]
    hard = _latent(random, cluster, of.alike)
    judges = [
        _erring(
            random,
            truth,
            np.sqrt(JUDGES_ALIKE) * hard
            + np.sqrt(1 - JUDGES_ALIKE) * _latent(random, cluster, of.alike),
            error,
            len(scale),
        )
        for _ in range(2)
    ]
    return _grades(np.stack(annotators), judges, cluster, scale, failing)


def _spread(of: Assumed, scale: Sequence[int], failing: Collection[int]) -> np.ndarray:
    """(K,) share of answers with each true score, evenly over those that fail, and that pass."""
    fails = np.isin(scale, list(failing))
    share = np.where(fails, of.failing, 1 - of.failing)
    found = share / np.where(fails, max(fails.sum(), 1), max((~fails).sum(), 1))
    return found / found.sum()


def _both(spread: np.ndarray, one: float, other: float) -> float:
    """Exact agreement of two graders with these shares of errors."""
    return float(spread @ (_given(one, spread) * _given(other, spread)).sum(axis=1))


def _error(agreement: Callable[[float], float], wanted: float, spread: np.ndarray) -> float:
    """The share of errors at which graders agree so much."""
    low, high = 0.0, 1 - 1 / len(spread)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if agreement(middle) > wanted else (low, middle)
    return (low + high) / 2


def _steps(size: int) -> tuple[tuple[int, float], ...]:
    far = FAR if size > 2 else 0.0
    return tuple(
        (side * step, share / 2) for step, share in ((1, 1 - far), (2, far)) for side in (1, -1)
    )


def _given(error: float, spread: np.ndarray) -> np.ndarray:
    """(K, K) chance of each grade, in columns, for each true score."""
    size = len(spread)
    found, truth = (1 - error) * np.eye(size), np.arange(size)
    for step, share in _steps(size):
        np.add.at(found, (truth, _moved(truth, step, size)), error * share)
    return found


def _moved(truth: np.ndarray, step: np.ndarray | int, size: int) -> np.ndarray:
    """A step away from the truth; at an end of the scale, inwards."""
    grade = truth + step
    grade = np.where((grade < 0) | (grade >= size), truth - step, grade)
    return np.clip(grade, 0, size - 1)


def _latent(random: np.random.Generator, cluster: np.ndarray, alike: float) -> np.ndarray:
    """(N,) standard normal, correlated within questions."""
    shared = random.standard_normal(cluster[-1] + 1)[cluster]
    return np.sqrt(alike) * shared + np.sqrt(1 - alike) * random.standard_normal(len(cluster))


def _erring(
    random: np.random.Generator, truth: np.ndarray, latent: np.ndarray, error: float, size: int
) -> np.ndarray:
    steps, shares = zip(*_steps(size), strict=True)
    step = random.choice(steps, len(truth), p=shares)
    return np.where(special.ndtr(latent) < error, _moved(truth, step, size), truth)


def _grades(
    annotators: np.ndarray,
    judges: Sequence[np.ndarray],
    cluster: np.ndarray,
    scale: Sequence[int],
    failing: Collection[int],
) -> Grades:
    """Tables of (A, N) places on the scale by annotators, and of (N,) by each judge."""
    steps, items = np.asarray(scale), np.arange(len(cluster))
    item, score = np.tile(items, len(annotators)), steps[annotators].ravel()
    size = ranked(cluster)[0]
    tables = np.stack(
        [judge_pairs(items, steps[judge], item, score, cluster).tables(scale) for judge in judges]
    )
    several = len(annotators) > 1
    between: Pairs = annotators_pairs(item, score, cluster)
    return Grades(
        judges=tables,
        shared=tables if several else np.zeros_like(tables),
        annotators=between.tables(scale) if several else np.zeros((size, len(steps), len(steps))),
        scale=scale,
        failing=failing,
        squares=tables / len(annotators) if several else None,
    )
