import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.messages import message_of
from concord.stats.correction.rogan_gladen import (
    BEYOND,
    Rates,
    difference,
    lee_interval,
    point,
    refusal,
    rogan_gladen,
)


def test_the_published_value_and_interval():
    rates = Rates(36 / 40, 17 / 20, 40, 20)
    assert point(0.7, rates) == pytest.approx(0.7333333333333331, abs=1e-6)
    limits = lee_interval(0.7, 200, rates)
    assert limits == pytest.approx((0.5862139487569451, 0.8861360046649405), abs=1e-6)


@given(st.floats(0, 1), st.floats(0.55, 1), st.floats(0.55, 1))
@settings(max_examples=50)
def test_it_undoes_what_the_error_rates_do(truth, sensitivity, specificity):
    share = truth * sensitivity + (1 - truth) * (1 - specificity)
    assert point(share, Rates(sensitivity, specificity, 50, 50)) == pytest.approx(truth)


@pytest.mark.parametrize(
    ("rates", "why"),
    [
        (Rates(0.9, 0.85, 29, 50), "annotators pass fewer than 30 answers"),
        (Rates(0.9, 0.85, 50, 12), "annotators fail fewer than 30 answers"),
        (Rates(0.9, 0.85, 3, 12), "annotators pass fewer than 30 and fail fewer than 30 answers"),
        (Rates(0.4, 0.6, 50, 50), "no better than chance"),
        (Rates(0.7, 0.55, 50, 50), "sensitivity plus specificity minus 1 is under 0.3"),
    ],
)
def test_it_is_refused_with_the_reason(rates, why):
    assert why in message_of(refusal(rates))
    found = rogan_gladen(0.7, 200, rates)
    assert found.value is None
    assert why in message_of(found.why_none)


def test_a_share_that_cannot_be_is_refused_and_one_that_may_is_held_at_the_end():
    rates = Rates(0.8, 0.9, 100, 100)
    assert "do not carry over" in message_of(rogan_gladen(1.0, 1000, rates).why_none)
    assert "do not carry over" in message_of(
        rogan_gladen(0.9, 50, rates).why_none
    )  # 1.143, error .079
    held = rogan_gladen(0.82, 50, rates)
    assert (held.value, held.high) == (1, 1)
    assert "held at 1, since the formula gives 1.029" in held.method


def test_what_rates_vary_by_between_models_is_part_of_the_error():
    rates = Rates(36 / 40, 17 / 20, 40, 20)
    low, high = lee_interval(0.7, 200, rates)
    wider = lee_interval(0.7, 200, rates._replace(sensitivity_varies=0.01))
    assert wider[0] < low - 0.03 and wider[1] > high + 0.03
    assert sum(wider) == pytest.approx(low + high)


def test_without_answers_it_is_undefined():
    assert "graded none" in message_of(rogan_gladen(0.0, 0, Rates(0.9, 0.9, 50, 50)).why_none)


@pytest.mark.parametrize(("truth", "labels"), [(0.3, (40, 60)), (0.5, (35, 35)), (0.85, (120, 32))])
def test_the_interval_holds_the_true_share_as_often_as_it_says(truth, labels):
    random = np.random.default_rng(11)
    sensitivity, specificity, answers, runs = 0.85, 0.8, 300, 1500
    share = truth * sensitivity + (1 - truth) * (1 - specificity)
    hits = 0
    for passed, right, wrong in zip(
        random.binomial(answers, share, runs) / answers,
        random.binomial(labels[0], sensitivity, runs) / labels[0],
        random.binomial(labels[1], specificity, runs) / labels[1],
        strict=True,
    ):
        low, high = lee_interval(passed, answers, Rates(right, wrong, *labels))
        hits += low <= truth <= high
    assert 0.93 <= hits / runs <= 0.99


def test_a_difference_beyond_all_and_nothing_is_undefined():
    decided = np.tile([4.0, 2.2, 4.0, 2.2], (20, 1)) + np.linspace(0, 0.1, 20)[:, None]
    passes_all = np.tile([2.0, 2.0], (20, 1))
    passes_half, passes_none = passes_all * [1, 0.95], passes_all * [1, 0]
    assert difference(decided, passes_all, passes_half).value == pytest.approx(0.45)
    found = difference(decided, passes_all, passes_none)
    assert found.value is None and found.why_none == BEYOND
