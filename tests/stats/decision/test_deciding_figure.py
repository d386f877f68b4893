"""Deciding figures: the values of the agreement statistics, from sums over questions."""

import numpy as np
import pytest

from concord.stats.agreement import coefficients
from concord.stats.decision.deciding_figure import FIGURES
from tests.stats.decision.tables import FAILING, SCALE, erring, person, tables

TRUTH = person(40)
COUNTS = tables(TRUTH, erring(TRUTH, 0.3, 2)).sum(axis=0)
ALWAYS_TWO = tables(TRUTH, np.full_like(TRUTH, 2)).sum(axis=0)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("exact", coefficients.exact(COUNTS)),
        ("within_one", coefficients.within(COUNTS, SCALE)),
        ("qwk", coefficients.cohen_kappa(COUNTS, SCALE, "quadratic")),
        ("tau_b", coefficients.tau_b(COUNTS)),
        ("mae", coefficients.mae(COUNTS, SCALE)),
        (
            "balanced_accuracy",
            (COUNTS[:2, :2].sum() / COUNTS[:2].sum() + COUNTS[2:, 2:].sum() / COUNTS[2:].sum()) / 2,
        ),
    ],
)
def test_a_deciding_figure_has_the_value_of_the_agreement_statistic(key, value):
    assert FIGURES[key].of(COUNTS, SCALE, FAILING) == pytest.approx(float(value), abs=1e-12)


def test_more_is_better_of_every_figure():
    far = COUNTS + tables(TRUTH, 3 - TRUTH).sum(axis=0)
    for figure in FIGURES.values():
        perfect = figure.better(figure.sums(np.diag(COUNTS.sum(axis=1)), SCALE, FAILING))
        found = figure.better(figure.sums(far, SCALE, FAILING))
        assert perfect == pytest.approx(figure.best) and perfect > found


@pytest.mark.parametrize(
    ("key", "baseline"),
    [
        ("exact", COUNTS.sum(axis=1).max() / 80),
        ("qwk", 0.0),
        ("tau_b", 0.0),
        ("balanced_accuracy", 0.5),
    ],
)
def test_the_baseline_is_the_best_constant_judge(key, baseline):
    found = FIGURES[key].baselines(COUNTS.sum(axis=1), SCALE)
    assert float(found) == pytest.approx(baseline)


def test_the_baseline_of_a_distance_is_the_median_and_of_within_one_the_best_window():
    annotators = np.array([1.0, 0.0, 2.0, 7.0])
    assert float(FIGURES["mae"].baselines(annotators, SCALE)) == pytest.approx((3 + 2) / 10)
    assert float(FIGURES["within_one"].baselines(annotators, SCALE)) == pytest.approx(0.9)


def test_a_judge_with_one_score_has_a_kappa_of_exactly_zero():
    assert FIGURES["qwk"].of(ALWAYS_TWO, SCALE, FAILING) == 0
