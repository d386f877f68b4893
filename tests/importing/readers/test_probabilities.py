"""Probabilities in files: what is a distribution, and what is refused."""

import json
import math

import pytest

from concord.importing import scores
from concord.importing.readers.cells import BadCell
from concord.importing.scores import distribution
from concord.model import IMPORTED, NATIVE, STATED, Distribution

SCALE = (0, 1, 2, 3)
SHARES = (0.1, 0.2, 0.3, 0.4)


def by_score(*shares):
    return {f"p:{score}": share for score, share in zip(SCALE, shares, strict=True)}


@pytest.mark.parametrize(
    "cells",
    [
        by_score("0.1", "0.2", "0.3", "0.4"),
        {"P: 3": "0.4", "p:+2": "0.3", "p:1": "0.2", " p:0 ": "1e-1"},
        {"p_0": "0.1", "prob_1": "0.2", "P(2)": "0.3", "3 or p 3": "0.4"},
        {"gpt4": "[0.1, 0.2, 0.3, 0.4]"},
        {"probabilities": "[0.1, 0.2, 0.3, 0.4]"},
        {"probabilities": [0.1, 0.2, 0.3, 0.4]},
        {"probabilities": '{"3": 0.4, "2": 0.3, "1": 0.2, "0": 0.1}'},
        {f"probabilities.{score}": share for score, share in zip(SCALE, SHARES, strict=True)},
        {"anything": {"0": "0.1", "1": "0.2", "2": "0.3", "3": "0.4"}},
    ],
)
def test_every_form_gives_the_same_distribution(cells):
    found = distribution(cells, None, None, SCALE)
    assert found == Distribution(IMPORTED, tuple(zip(SCALE, SHARES, strict=True)))
    assert scores.read_score(found, SCALE) == 2


def test_the_sum_may_be_off_by_what_rounding_each_score_takes_away():
    assert distribution({"p": json.dumps([0.095] * 10)}, None, None, range(10))
    with pytest.raises(BadCell):
        distribution({"p": json.dumps([0.094] * 10)}, None, None, range(10))


def test_blank_cells_are_no_distribution():
    assert distribution(by_score("", " ", None, ""), "0.1", "native", SCALE) is None


def test_probabilities_are_kept_as_they_are_with_the_mass_outside_and_the_source():
    found = distribution({"p": "[0.1, 0.2, 0.3, 0.39]"}, "0.001", "Native", SCALE)
    assert found == Distribution(NATIVE, ((0, 0.1), (1, 0.2), (2, 0.3), (3, 0.39)), 0.001)


def test_probabilities_that_a_server_scaled_to_1_are_kept_with_the_mass_that_was_outside():
    found = distribution({"p": json.dumps(SHARES)}, "0.9", "native", SCALE)
    assert found == Distribution(NATIVE, tuple(zip(SCALE, SHARES, strict=True)), 0.9)


def test_a_stated_confidence_may_be_of_one_score_alone():
    found = distribution(by_score("", "", "0.7", ""), "", "stated", SCALE)
    assert found == Distribution(STATED, ((2, 0.7),))


def test_scores_below_zero_have_columns_of_their_own():
    cells = {"p:-1": "0.5", "p:0": "0.25", "p:1": "0.25"}
    assert dict(distribution(cells, "", "", (-1, 0, 1)).probabilities)[-1] == 0.5


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        (by_score("0.1", "0.2", "0.3", "0.5"), "not_1"),
        (by_score("-0.1", "0.3", "0.4", "0.4"), "not_probabilities"),
        ({"p": "[true, 0, 0, 0]"}, "not_probabilities"),
        ({"p": '"high"'}, "not_probabilities"),
        ({"p": "[" * 100_000}, "not_probabilities"),
        ({"p": [math.inf, 0, 0, 0]}, "not_probabilities"),
        ({"p:0": "1", "probabilities": "[1, 0, 0, 0]"}, "not_probabilities"),
        ({"p": '{"0": 1, "+0": 0}'}, "not_probabilities"),
    ],
)
def test_what_is_no_distribution_is_refused_with_the_reason(cells, code):
    with pytest.raises(BadCell) as refused:
        distribution(cells, None, None, SCALE)
    assert refused.value.args[0].code == code


@pytest.mark.parametrize(
    ("outside", "source", "code"),
    [
        ("2", "", "not_probabilities"),
        ("x", "", "not_probabilities"),
        ("0.2", "", "not_1"),
    ],
)
def test_a_bad_mass_or_source_is_refused(outside, source, code):
    cells = {"p": "[0.1, 0.2, 0.3, 0.3]"}
    with pytest.raises(BadCell) as refused:
        distribution(cells, outside, source, SCALE)
    assert refused.value.args[0].code == code
