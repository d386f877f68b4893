"""Prediction-powered inference: an annotators' mean, made more precise by a judge's grades.

Annotators graded a random sample of the answers, the judge graded all. The judge's mean over all
answers is corrected by its error on the sample, so the result estimates the annotators' mean
whatever the judge does; a poor judge only fails to improve precision. Valid for random samples with
known inclusion probabilities alone.

Source: Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient Prediction-Powered Inference. The
error is summed over questions here, since answers to one question are alike; with one answer per
question it is the published one. The limits are symmetric on logits between the ends of the scale:
simulated (4,000 sheets a cell, 3 answers per question, truths within a question correlated .4, a
judge correlated .7 to .8 with annotators, one question in five graded, nominal 95 percent) they
cover the true mean in .93-.94 of sheets with grades 70/22/5/3 and in .94-.95 with balanced ones,
from 10 graded questions on; symmetric limits on the scale itself do so in .88-.93 of the skewed
sheets.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from concord.stats.core.estimate import (
    Estimate,
    reason,
    t_quantile,
    undefined,
    under,
    with_interval,
    without_interval,
)
from concord.stats.core.minimums import LABEL_FLOOR, QUESTION_FLOOR
from concord.stats.core.tables import NEGLIGIBLE, clustered_variance, effective_number
from concord.stats.intervals.resampling import NO_SPREAD

TOO_FEW_LABELS = reason("too_few_labels", n=LABEL_FLOOR)
TOO_FEW_QUESTIONS = under(QUESTION_FLOOR, reason("no_interval_of_graded"))
AT_THE_END = reason("mean_at_end_of_scale")


class Sample(NamedTuple):
    """Answers that a judge graded, with a random sample of them graded by annotators.

    Attributes:
        judge: (n,) the judge's score of every answer.
        annotator: (n,) the annotators' (mean) score; NaN where not sampled or not graded.
        weight: (n,) one over the inclusion probability, up to a common factor; only those of the
            answers that annotators graded are read.
        cluster: (n,) index of each answer's cluster.
    """

    judge: np.ndarray
    annotator: np.ndarray
    weight: np.ndarray
    cluster: np.ndarray

    @property
    def labelled(self) -> np.ndarray:
        """(n,) True where annotators graded the answer."""
        return ~np.isnan(self.annotator)


class Rectified(NamedTuple):
    """A mean set right, and how each question moves it.

    Attributes:
        tuning: How much the judge is trusted, lambda of the paper: 0 (annotators alone) to 1.
        influence: (C,) by cluster index; their squares add up to the variance.
        weight: (C,) of the graded answers of each cluster, 1 in all.
    """

    value: float
    tuning: float
    influence: np.ndarray
    labels: int
    weight: np.ndarray

    @property
    def variance(self) -> float:
        """Variance of the mean over questions, without a small-sample factor (CR0)."""
        return float((self.influence**2).sum())


def ppi_mean(sample: Sample, bounds: tuple[float, float]) -> Estimate:
    """The annotators' mean over all answers, with its interval.

    The interval is symmetric on the logits between `bounds`, the ends of the scale.

    Returns:
        Undefined below 30 graded answers; no interval below 10 effective questions of these. The
        interval has Student's t with (effective questions) - 1 degrees of freedom and the variance
        of `clustered_variance`.
    """
    if sample.labelled.sum() < LABEL_FLOOR:
        return undefined(TOO_FEW_LABELS)
    found = rectified(sample)
    return _interval(found, bounds)


def rectified(sample: Sample, tuning: float | None = None) -> Rectified:
    """Return the mean for one tuning; by default that of least variance, clipped to [0, 1].

    value = mean(Y) + lambda * (mean(f over the rest) - mean(f over the graded)), and with unequal
    inclusion probabilities its survey form, in which only the graded answers are weighted. With
    every answer graded there is nothing to add and lambda is 0.
    """
    known = sample.labelled
    labels, rest = int(known.sum()), int((~known).sum())
    weight = sample.weight[known] / sample.weight[known].sum()
    annotator, judge = sample.annotator[known], sample.judge[known]
    own, said = weight @ annotator, weight @ judge
    size = len(sample.cluster) and int(sample.cluster.max()) + 1
    by_annotator = np.bincount(sample.cluster[known], weight * (annotator - own), size)
    by_judge = np.bincount(sample.cluster[known], weight * (judge - said), size)
    of_graded = np.bincount(sample.cluster[known], weight, size)
    if not rest:
        return Rectified(float(own), 0.0, by_annotator, labels, of_graded)
    # The published form compares the graded answers with the rest; the factor writes that with the
    # mean over all.
    factor = len(known) / rest
    centred = _centred(sample, known) / len(known)
    # By question, because the answers to one question err together.
    over_all = np.bincount(sample.cluster, centred, size)
    if tuning is None:
        tuning = _tuned(sample, by_annotator * labels, by_judge * labels)
    slope = tuning * factor
    value = own + slope * (sample.judge.mean() - said)
    influence = by_annotator + slope * (over_all - by_judge)
    return Rectified(float(value), float(tuning), influence, labels, of_graded)


def _tuned(sample: Sample, by_annotator: np.ndarray, by_judge: np.ndarray) -> float:
    """cov(Y, f) over (1 + n / N) var(f), from sums per cluster; 0 where the judge is constant."""
    known = sample.labelled
    labels, rest = int(known.sum()), int((~known).sum())
    pooled = np.bincount(sample.cluster, sample.judge - sample.judge.mean())
    spread = (pooled**2).sum() / (len(known) - 1)
    if spread < NEGLIGIBLE:
        return 0.0
    together = (by_annotator * by_judge).sum() / labels
    # Clipped as in the paper: an estimate outside 0 to 1 is noise, and would add variance.
    return float(np.clip(together / (spread * (1 + labels / rest)), 0, 1))


def _centred(sample: Sample, known: np.ndarray) -> np.ndarray:
    """The judge's scores around their mean.

    As published, graded and other answers each around their own; not where the graded ones were
    drawn for what they are, since then their means differ by design.
    """
    if np.ptp(sample.weight[known]) > NEGLIGIBLE * sample.weight[known].max():
        return sample.judge - sample.judge.mean()
    own = np.where(known, sample.judge[known].mean(), sample.judge[~known].mean())
    return sample.judge - own


def _interval(found: Rectified, bounds: tuple[float, float]) -> Estimate:
    value, weight = found.value, found.weight
    method = (
        f"PPI++ by question, lambda {found.tuning:.2f}, {found.labels} answers graded by annotators"
    )
    questions = float(effective_number(weight))
    if questions < QUESTION_FLOOR - NEGLIGIBLE:
        return without_interval(value, TOO_FEW_QUESTIONS, method)
    # Questions that annotators did not grade move it by little, and have no weight of their own.
    ungraded = (found.influence[weight < NEGLIGIBLE] ** 2).sum()
    graded = clustered_variance(np.where(weight < NEGLIGIBLE, 0, found.influence), weight)
    spread = float(np.sqrt(graded + ungraded))
    if spread < NEGLIGIBLE:
        return without_interval(value, NO_SPREAD, method)
    half = t_quantile(questions - 1) * spread
    least, most = bounds
    method = f"{method}, t({questions - 1:.4g})"
    # The logit of an end is infinite.
    if not least < value < most:
        return without_interval(value, AT_THE_END, method)
    width = most - least
    place = (value - least) / width
    # Delta method: the derivative of the logit is 1 / (p (1 - p)).
    ends = logit(place) + np.array([-1, 1]) * half / width / (place * (1 - place))
    return with_interval(value, *(least + width * expit(ends)), f"{method} on logits")
