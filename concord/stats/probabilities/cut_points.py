"""Cut points on the expected score, fitted to annotators' grades of other questions.

The fits take the expected score in thousandths of the scale's range, so that a fit to 20,000
questions costs as little as one to a few hundred: it is repeated for the interval.
"""

from collections.abc import Sequence

import numpy as np

from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import distinct, positions
from concord.stats.cross_fitted_scores import tables_of
from concord.stats.intervals.cross_fitting import FOLDS, CrossFit, cross_fit, groups
from concord.stats.intervals.resampling import SEED
from concord.stats.probabilities.combining import Grades, fit
from concord.stats.probabilities.reading import expected

_STEPS = 1000


def by_cut_points(
    pairs: Pairs, probabilities: np.ndarray, scale: Sequence[int], seed: int = SEED
) -> CrossFit | None:
    """Read (n,) scores by cut points on the expected score, with their tables.

    None under 5 questions. `probabilities` is (n, K), of the answer of each pair.
    """
    if distinct(pairs.cluster) < FOLDS:
        return None
    values, group = expected(probabilities, scale), groups(pairs.cluster, seed)
    step, place = (scale[-1] - scale[0]) / _STEPS, positions(pairs.annotator, scale)
    # The grades of a group that have the same expected score and score are one row of a fit.
    near = np.round((values - scale[0]) / step).astype(int)
    rows, code = np.unique(near * len(scale) + place, return_inverse=True)
    number = group.max() + 1
    weights = np.bincount(group * len(rows) + code, pairs.weight, number * len(rows))
    weights = weights.reshape(number, len(rows))
    features, scores = scale[0] + rows // len(scale) * step, np.asarray(scale)[rows % len(scale)]

    def made(learnt: np.ndarray, held: np.ndarray) -> np.ndarray:
        weight = weights[learnt].sum(axis=0)
        used = np.flatnonzero(weight)
        grades = Grades(np.arange(len(used)), scores[used], weight[used])
        return fit("cut_points", features[used, None], grades, scale)(values[held, None])

    return cross_fit(pairs, group, made, tables_of(pairs, scale))
