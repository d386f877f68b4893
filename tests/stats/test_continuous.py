"""Agreement of continuous numbers, against arithmetic done by hand."""

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from concord.stats.continuous import CONSTANT, TOO_MANY, correlations, errors, rmse
from concord.stats.core.pairs import Pairs


def pairs(judge, annotator, cluster=None):
    n = len(judge)
    cluster = np.arange(n) if cluster is None else np.asarray(cluster)
    columns = (np.asarray(judge, float), np.asarray(annotator, float), np.ones(n))
    return Pairs(*columns, np.arange(n), cluster)


def test_four_answers_by_hand():
    """Judge 1.5, 2.5, 2.5, 4.5 against 1, 2, 4, 5: distances .5, .5, -1.5, -.5.

    Bias -.25; MAE .75; RMSE sqrt(3 / 4). Deviations of the judge -1.25, -.25, -.25, 1.75 and of the
    annotator -2, -1, 1, 2: products sum to 6, squares to 4.75 and 10. Pearson 6 / sqrt(47.5).
    CCC 2 * 1.5 / (1.1875 + 2.5 + .0625).
    """
    given = pairs([1.5, 2.5, 2.5, 4.5], [1, 2, 4, 5])
    found = errors(given) | correlations(given)
    assert found["bias"].value == pytest.approx(-0.25)
    assert found["mae"].value == pytest.approx(0.75)
    assert rmse(given).value == pytest.approx(np.sqrt(0.75))
    assert found["ccc"].value == pytest.approx(3 / 3.75)
    assert found["pearson"].value == pytest.approx(6 / np.sqrt(47.5))
    # 5 pairs in order and 1 tied on one side of 6: 5 / sqrt(5 * 6)
    assert found["tau_b"].value == pytest.approx(5 / np.sqrt(30))


def test_correlations_do_not_depend_on_the_range():
    draw = np.random.default_rng(7)
    judge, annotator = draw.random(60), draw.integers(1, 6, 60)
    found = correlations(pairs(judge, annotator, np.arange(60) // 3))
    far = correlations(pairs(judge * 1e-3 + 1e3, annotator, np.arange(60) // 3))
    for key, by in (("pearson", pearsonr), ("spearman", spearmanr), ("tau_b", kendalltau)):
        assert found[key].value == pytest.approx(by(judge, annotator).statistic)
        assert far[key].value == pytest.approx(found[key].value, abs=1e-4)
        assert found[key].low <= found[key].value <= found[key].high


def test_what_does_not_vary_or_would_not_fit_is_undefined():
    assert correlations(pairs([0.5] * 40, range(40)))["spearman"].why_none == CONSTANT
    assert correlations(pairs([0.5] * 40, range(40)))["pearson"].why_none == CONSTANT
    many = correlations(pairs(range(1100), range(1100)))
    assert many["tau_b"].why_none == TOO_MANY and many["pearson"].value == pytest.approx(1)
