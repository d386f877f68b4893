"""Deciding figures: the figures in which judges can be compared, one of them fixed beforehand.

Each is a function of a few sums over questions (its features), which are linear in a judge's table
of scores, so resamples and all the delete-one values are the same call on other sums.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from concord.stats.agreement import coefficients
from concord.stats.core.minimums import CLASS_FLOOR, ORDINAL_VERDICT_FLOOR, VERDICT_FLOOR
from concord.stats.core.tables import NEGLIGIBLE, commonest, ratio, shares

Scale = Sequence[int]
MARGIN = 0.10
_NUDGE = 1e-5
EXACT, QWK, BALANCED_ACCURACY = "exact", "qwk", "balanced_accuracy"


@dataclass(frozen=True)
class DecidingFigure:
    """A figure that a decision can be about.

    Attributes:
        key: Its name in JSON, and of the option of the command line.
        title: Its name in a sentence.
        features: From scale and failing scores to (K * K, F): what each cell of a table, rows =
            annotator, columns = judge, adds to each feature. The first feature is 0 in every cell
            without an error.
        value: From (..., F) sums to the figure; NaN where it is undefined.
        kind: `share` of answers, `number` without a unit, or `points` of score.
        questions: The fewest questions for a verdict, from simulation (docs/statistics.md).
        answers: The fewest answers for one, likewise.
        of_each_class: The fewest answers that fail, and that pass, likewise.
        margin: The margin where none is named; None where one must be named.
        higher_is_better: False where lower is.
        linear: It is a mean over answers.
        ordinal: It also takes quadratic kappa above 0 to be good enough.
        denominators: Which features are its denominators, where these are not all answers.
    """

    key: str
    title: str
    features: Callable[[Scale, Collection[int]], np.ndarray]
    value: Callable[[np.ndarray], np.ndarray]
    kind: Literal["share", "number", "points"] = "share"
    questions: int = VERDICT_FLOOR
    answers: int = 0
    of_each_class: int = 0
    margin: float | None = MARGIN
    higher_is_better: bool = True
    linear: bool = False
    ordinal: bool = True
    denominators: tuple[int, ...] = ()

    @property
    def sign(self) -> int:
        """1, or -1 where lower is better."""
        return 1 if self.higher_is_better else -1

    @property
    def is_share(self) -> bool:
        """It is a share of answers."""
        return self.linear and self.kind == "share"

    @property
    def best(self) -> float:
        """The value of a perfect judge, with the sign of `better`."""
        return 1.0 if self.higher_is_better else 0.0

    def sums(self, tables: np.ndarray, scale: Scale, failing: Collection[int]) -> np.ndarray:
        """Return (..., F) features of tables (..., K, K)."""
        cells = tables.reshape(*tables.shape[:-2], len(scale) ** 2)
        return cells @ self.features(scale, failing)

    def sums_of_perfect(
        self, tables: np.ndarray, scale: Scale, failing: Collection[int]
    ) -> np.ndarray:
        """Return the same of a judge that always gives the annotator's score."""
        cells = tables.reshape(*tables.shape[:-2], len(scale) ** 2)
        own = self.features(scale, failing)[:: len(scale) + 1]
        return cells @ np.repeat(own, len(scale), axis=0)

    def worst(self, tables: np.ndarray, scale: Scale, failing: Collection[int]) -> np.ndarray:
        """Return (...) what an answer costs at worst, times all weight in tables (..., K, K).

        It is to first order what the judge's worst score instead of the annotator's would do, by
        the root of the mean square over the annotators' scores.
        """
        size = len(scale)
        features, share = self.features(scale, failing), shares(tables)
        now = share.reshape(*share.shape[:-2], size**2) @ features
        nudged = self.better(now[..., None, :] + _NUDGE * features)
        slopes = nudged.reshape(*nudged.shape[:-1], size, size) / _NUDGE
        right = np.diagonal(slopes, axis1=-2, axis2=-1)
        lost = right - np.fmin.reduce(slopes, axis=-1)
        by_annotator = share.sum(axis=-1)
        return (by_annotator * lost**2).sum(axis=-1), (by_annotator * lost**3).sum(axis=-1)

    def better(self, sums: np.ndarray) -> np.ndarray:
        """Return the figure with its sign, so that more is better, from (..., F) sums."""
        return self.sign * self.value(sums)

    def of(self, tables: np.ndarray, scale: Scale, failing: Collection[int]) -> np.ndarray:
        """Return the figure of tables (..., K, K)."""
        return self.value(self.sums(tables, scale, failing))

    def baselines(self, annotators: np.ndarray, scale: Scale) -> np.ndarray:
        """Return the value of a judge that always gives the commonest score.

        What corrects for chance has 0 there, and balanced accuracy a half.

        Args:
            annotators: (..., K) summed weights of the annotators' scores.
            scale: All scores, rising.
        """
        if not self.linear:
            chance = 0.5 if self.key == BALANCED_ACCURACY else 0.0
            return np.full(annotators.shape[:-1], chance)
        reached = annotators @ self.features(scale, ())[:, 0].reshape(len(scale), len(scale))
        return ratio((reached * commonest(annotators)).sum(axis=-1), annotators.sum(axis=-1))


def _mean_of(cells: Callable[[np.ndarray], np.ndarray]) -> Callable[..., np.ndarray]:
    """The features of a mean over answers: what is averaged, and the weight."""

    def features(scale: Scale, failing: Collection[int]) -> np.ndarray:
        apart = coefficients.differences(scale)
        return np.stack([cells(apart).ravel(), np.ones(apart.size)], axis=1).astype(float)

    return features


def _quadratic(scale: Scale, failing: Collection[int]) -> np.ndarray:
    steps = np.asarray(scale, float)
    annotator, judge = np.repeat(steps, len(steps)), np.tile(steps, len(steps))
    one = np.ones(len(annotator))
    return np.stack(
        [(annotator - judge) ** 2, one, annotator, judge, annotator**2 + judge**2], axis=1
    )


def _pass_fail(scale: Scale, failing: Collection[int]) -> np.ndarray:
    fails = np.isin(np.asarray(scale), list(failing))
    annotator, judge = np.repeat(fails, len(fails)), np.tile(fails, len(fails))
    columns = [annotator & judge, annotator, ~annotator & ~judge, ~annotator]
    return np.stack(columns, axis=1).astype(float)


def _mean(sums: np.ndarray) -> np.ndarray:
    return ratio(sums[..., 0], sums[..., 1])


def _kappa(sums: np.ndarray) -> np.ndarray:
    apart, base, annotator, judge, squares = np.moveaxis(sums, -1, 0)
    expected = ratio(squares, base) - 2 * ratio(annotator, base) * ratio(judge, base)
    found = 1 - ratio(ratio(apart, base), expected)
    # A judge with one score has 0 by definition, not 1e-16.
    return np.where(np.abs(found) < NEGLIGIBLE, 0, found)


FIGURES = {
    one.key: one
    for one in (
        DecidingFigure(
            EXACT,
            "exact agreement",
            _mean_of(lambda apart: apart == 0),
            _mean,
            linear=True,
        ),
        DecidingFigure(
            "within_one",
            "agreement within one point",
            _mean_of(lambda apart: apart <= 1),
            _mean,
            linear=True,
        ),
        DecidingFigure(
            QWK,
            "quadratic kappa",
            _quadratic,
            _kappa,
            "number",
            answers=ORDINAL_VERDICT_FLOOR,
            margin=None,
        ),
        DecidingFigure(
            "tau_b",
            "Kendall's tau-b over answers",
            lambda scale, failing: np.eye(len(scale) ** 2),
            lambda sums: coefficients.tau_b(
                sums.reshape(*sums.shape[:-1], *[int(np.sqrt(sums.shape[-1]))] * 2)
            ),
            "number",
            answers=ORDINAL_VERDICT_FLOOR,
            margin=None,
        ),
        DecidingFigure(
            BALANCED_ACCURACY,
            "balanced accuracy of pass and fail",
            _pass_fail,
            lambda sums: (
                (ratio(sums[..., 0], sums[..., 1]) + ratio(sums[..., 2], sums[..., 3])) / 2
            ),
            of_each_class=CLASS_FLOOR,
            ordinal=False,
            denominators=(1, 3),
        ),
        DecidingFigure(
            "mae",
            "mean distance (MAE)",
            _mean_of(lambda apart: apart),
            _mean,
            "points",
            margin=None,
            higher_is_better=False,
            linear=True,
        ),
    )
}
