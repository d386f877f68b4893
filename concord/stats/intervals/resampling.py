"""Intervals by resampling whole questions, for every figure that is not a share of answers.

The default is the delete-one-question jackknife with Student's t on a scale on which the figure is
closer to normal. It was chosen by simulation over the percentile bootstrap: 1,200 sheets per cell,
nominal 95 percent, truths of the answers to a question correlated .4, errors .3. Four kinds of
sheet: grades 70/22/5/3 with 2 answers per question and 15 percent errors by judge and annotator
each; the same with 3 answers and 3 percent; the same with 1 to 6 answers and 15 percent; and
balanced grades with 3 answers and 15 percent. Share of given intervals that hold the true value:

| figure, method                       | 10 q.   | 15 q.   | 20 q.    | 45 q.   | 90 q.   |
|--------------------------------------|---------|---------|----------|---------|---------|
| quadratic kappa, skewed: percentile  | .77-.86 | .85-.89 | .87-.91  | .90-.93 | .93-.94 |
| quadratic kappa, skewed: jackknife   | .89-.94 | .89-.95 | .92-.96  | .94-.97 | .95-.96 |
| kappa, AC2, alpha, tau-b: percentile | .74-.94 | .84-.94 | .87-.95  | .91-.96 | .92-.95 |
| kappa, AC2, alpha, tau-b: jackknife  | .92-.98 | .91-.97 | .93-.98  | .94-.96 | .94-.96 |
| bias: percentile                     | .53-.89 | .65-.91 | .76-.92  | .91-.94 | .93-.95 |
| bias: jackknife                      | .94-.99 | .94-.99 | .95-.98  | .95-.97 | .94-.96 |
| MAE: percentile                      | .80-.91 | .89-.93 | .84-.94  | .92-.95 | .92-.95 |
| MAE: jackknife                       | .96-.99 | .95-.99 | .94-1.00 | .93-.96 | .94-.96 |

These have questions - 1 degrees of freedom, with which quadratic kappa, CCC and Pearson's
correlation stay short on skewed grades with few questions. So `jackknife` takes fewer degrees where
few questions carry the error: with 3 answers per question and 15 percent errors that covers
quadratic kappa in .93 of sheets at 10 questions instead of .91, .94 at 14 instead of .92 and .96 at
20 instead of .94. docs/statistics.md has what each figure's interval covers now.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import expit, logit

from concord.stats.core.confidence import CONFIDENCE, level_note, t_quantile
from concord.stats.core.estimate import (
    TOO_FEW,
    Estimate,
    Why,
    reason,
    undefined,
    with_interval,
    without_interval,
)
from concord.stats.core.minimums import APPROXIMATE_BELOW, QUESTION_FLOOR
from concord.stats.core.names import term
from concord.stats.core.tables import NEGLIGIBLE, DistinctSums, alike

RESAMPLES = 2000
SEED = 20231
_CELLS_AT_ONCE = _CELLS_KEPT = 4_000_000
UNDEFINED_AT_MOST = 0.05
_DEGREES_PER_QUESTION, _DEGREES_AT_LEAST = 1.5, 2
SCORES_EQUAL = reason("scores_equal")
NO_SPREAD = reason("questions_equal")
UNDEFINED_WITHOUT = reason("undefined_without_a_question")
Statistic = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Draws:
    """Bootstrap resamples of questions; the same seed and number of questions give the same ones.

    Each resample draws G of the G questions with replacement. The counts are made on first use
    and kept while this object lives, so pass one object to all judges and criteria of a report.

    Attributes:
        seed: Any whole number from 0; no global random state is read or changed.
        size: How many questions each resample draws, at most G; None for all G.
    """

    resamples: int = RESAMPLES
    seed: int = SEED
    size: int | None = None
    _made: dict[int, np.ndarray] = field(default_factory=dict, repr=False, compare=False)

    def counts(self, clusters: int) -> np.ndarray:
        """Return (resamples, clusters) draw counts of each question; read-only, one byte each.

        A byte is enough: with many questions a count is Poisson(1), beyond 255 with odds of 1e-500.
        """
        # Kept, as every judge and criterion must be resampled alike: only then are their
        # differences paired.
        if clusters not in self._made:
            self._made[clusters] = self._draw(clusters)
        return self._made[clusters]

    def totals(self, rows: np.ndarray) -> np.ndarray:
        """Sum over the drawn questions: (G, ...) per question becomes (resamples, ...).

        One matrix product in blocks of bounded memory. To resample several judges together (the
        same draw for all, and less work) put them side by side along a trailing axis.
        """
        clusters = len(rows)
        flat = np.ascontiguousarray(rows, float).reshape(clusters, -1)
        # Filled block by block: the counts as floats take eight times the memory of the bytes.
        totals = np.empty((self.resamples, flat.shape[1]))
        for block in self._blocks(clusters):
            np.matmul(self.counts(clusters)[block].astype(float), flat, out=totals[block])
        return totals.reshape(self.resamples, *rows.shape[1:])

    def _draw(self, clusters: int) -> np.ndarray:
        size = clusters if self.size is None else self.size
        if size > clusters:
            raise ValueError(f"a resample of {size} cannot be drawn from {clusters} questions")
        make = _kept if self.resamples * clusters <= _CELLS_KEPT else _counts
        return make(self.resamples, self.seed, clusters, size)

    def _blocks(self, clusters: int) -> list[slice]:
        size = max(1, _CELLS_AT_ONCE // max(1, clusters))
        starts = range(0, self.resamples, size)
        return [slice(start, min(start + size, self.resamples)) for start in starts]


def _counts(resamples: int, seed: int, clusters: int, size: int) -> np.ndarray:
    # Seeded by size too: sets of other sizes get unrelated resamples, equal sizes the same ones.
    random = np.random.default_rng([seed, clusters])
    counts = np.empty((resamples, clusters), np.uint8)
    for row in counts:
        drawn = random.integers(0, clusters, size, dtype=np.int32)
        row[:] = np.bincount(drawn, minlength=clusters)
    # Shared by all judges and criteria of a report; a change in place would alter their figures.
    counts.flags.writeable = False
    return counts


# Reports on the same questions follow each other, each with `Draws` of its own.
_kept = lru_cache(maxsize=8)(_counts)


class Stretch(NamedTuple):
    """A transformation that brings a figure closer to normal, and its inverse.

    Attributes:
        name: As named in `method`; empty for the identity.
        forward: From the figure to the scale.
        backward: From the scale to the figure.
        deleted: (delete-one values, point value) to the scale; where the scale is unbounded this is
            `forward`, else the tangent at the point, which stays finite where leaving a question
            out makes agreement perfect.
        ends: The figures that the scale takes to infinity; a figure near one of them rests on a few
            questions, which bound the degrees of freedom. None where there are none.
    """

    name: str
    forward: Callable[[np.ndarray], np.ndarray]
    backward: Callable[[np.ndarray], np.ndarray]
    deleted: Callable[[np.ndarray, float], np.ndarray]
    ends: tuple[float, float] | None = None


PLAIN = Stretch("", np.asarray, np.asarray, lambda values, _: values)


ROOT = Stretch(
    term("square root"),
    np.sqrt,
    lambda root: np.square(np.maximum(root, 0)),
    lambda values, _: np.sqrt(np.maximum(values, 0)),
)


FISHER = Stretch(
    term("Fisher's z"), np.arctanh, np.tanh, lambda values, point: values / (1 - point**2), (-1, 1)
)

# Of figures from 0 to 1 that are no plain shares of answers.
LOGIT = Stretch(
    term("the logit"), logit, expit, lambda values, point: values / (point * (1 - point)), (0, 1)
)


class LeftOut(NamedTuple):
    """Sums over all questions and over all but one; computed once and shared by all figures.

    Attributes:
        sums: (1 + U, ...) the sum over all questions, then the sums without one question, equal
            ones stored once; only the first below 10 questions.
        times: (U,) number of questions each of these represents.
    """

    sums: np.ndarray
    times: np.ndarray
    questions: int
    confidence: float = CONFIDENCE

    @property
    def total(self) -> np.ndarray:
        """(...) sum over the questions."""
        return self.sums[0]

    @property
    def deleted(self) -> np.ndarray:
        """(U, ...) sums without one question; empty below 10 questions."""
        return self.sums[1:]


def leave_out(rows: np.ndarray | DistinctSums, confidence: float = CONFIDENCE) -> LeftOut:
    """Prepare the jackknife of sums (G, ...) per question; of many questions few sums differ."""
    if not isinstance(rows, DistinctSums):
        rows = alike(rows)
    questions = int(rows.times.sum())
    total = np.tensordot(rows.times.astype(float), rows.rows, 1)
    if questions < QUESTION_FLOOR:
        return LeftOut(total[None], np.zeros(0), questions, confidence)
    deleted = total - rows.rows
    # Subtraction leaves 1e-17 in cells that are empty, and a ratio of two of these is noise.
    deleted[np.abs(deleted) < NEGLIGIBLE * np.abs(total).max(initial=0)] = 0
    return LeftOut(np.concatenate([total[None], deleted]), rows.times, questions, confidence)


def jackknife(
    left_out: LeftOut,
    statistic: Statistic,
    stretch: Stretch = PLAIN,
    bounds: tuple[float, float] = (-np.inf, np.inf),
    why_none: Why = SCORES_EQUAL,
) -> Estimate:
    """A figure with its delete-one-question jackknife interval, by Student's t.

    Degrees of freedom are questions - 1; on Fisher's z and the logit at most one and a half times
    the number of questions that carry the error, (sum of squares)^2 / sum of fourth powers of what
    each moves the figure by, since a few questions with rare scores may carry nearly all of it.

    No interval below 10 questions; from 10 to 19 `method` calls it approximate. It is withheld,
    too, where the figure is undefined without one of the questions, and where all questions give
    the same figure.

    Args:
        left_out: From `leave_out`.
        statistic: Maps sums (..., *shape) to figures (...), NaN where undefined.
        stretch: The scale on which the interval is symmetric.
        bounds: Smallest and largest possible figure; limits do not go beyond.
        why_none: The reason given where the figure is undefined.
    """
    found = statistic(left_out.sums)
    value = float(found[0])
    if np.isnan(value):
        return undefined(why_none)
    if left_out.questions < QUESTION_FLOOR:
        return without_interval(value, TOO_FEW)
    spread, degrees, why_withheld = _spread(left_out, found[1:], stretch, value)
    method = _jackknife_method(left_out.questions, degrees, stretch)
    if note := level_note(left_out.confidence):
        method = f"{method}{note}"
    if why_withheld:
        return without_interval(value, why_withheld, method)
    half = t_quantile(degrees, left_out.confidence) * spread
    ends = stretch.forward(value) + np.array([-1, 1]) * half
    low, high = np.clip(stretch.backward(ends), *bounds)
    # Transforming forth and back may move a limit past the value by a rounding error.
    return with_interval(value, min(low, value), max(high, value), method)


def p_value(left_out: LeftOut, statistic: Statistic, stretch: Stretch, null: float) -> float | None:
    """Two-sided p of a figure against `null`, with the error and degrees of its `jackknife`.

    None where that has no interval.
    """
    found = statistic(left_out.sums)
    if np.isnan(found[0]) or left_out.questions < QUESTION_FLOOR:
        return None
    spread, degrees, why_withheld = _spread(left_out, found[1:], stretch, float(found[0]))
    if why_withheld:
        return None
    # On the scale of the interval, so that p < .05 exactly where the 95% CI excludes the null.
    away = abs(stretch.forward(found[0]) - stretch.forward(null)) / spread
    return float(2 * stats.t.sf(away, degrees))


def _spread(
    left_out: LeftOut, deleted: np.ndarray, stretch: Stretch, value: float
) -> tuple[float, int, str | None]:
    """Standard error on the stretched scale, its degrees of freedom, and why it cannot be had."""
    times, questions = left_out.times, left_out.questions
    # Leaving such questions out of the jackknife would hide the very questions that carry the
    # figure.
    if np.isnan(deleted).any():
        return 0.0, questions - 1, UNDEFINED_WITHOUT
    # Fisher's z of perfect agreement is infinite; alpha may lie beyond the other end.
    if stretch.ends and min(value - stretch.ends[0], stretch.ends[1] - value) < NEGLIGIBLE:
        return 0.0, questions - 1, NO_SPREAD
    scaled = stretch.deleted(deleted, value)
    squares = (scaled - (scaled * times).sum() / questions) ** 2
    total = float((times * squares).sum())
    spread = float(np.sqrt((questions - 1) / questions * total))
    if spread < NEGLIGIBLE:
        return 0.0, questions - 1, NO_SPREAD
    carry = total**2 / float((times * squares**2).sum())
    fewer = max(_DEGREES_AT_LEAST, int(_DEGREES_PER_QUESTION * carry))
    return spread, min(questions - 1, fewer) if stretch.ends else questions - 1, None


def _jackknife_method(questions: int, degrees: int, stretch: Stretch) -> str:
    method = term(
        "question jackknife, t({degrees}) on {scale}"
        if stretch.name
        else "question jackknife, t({degrees})",
        degrees=degrees,
        scale=stretch.name,
    )
    approximate = questions < APPROXIMATE_BELOW
    return term("{method}, approximate", method=method) if approximate else method
