"""Arithmetic of ranked lists: hand counts, and what must hold of every list."""

import math

from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from concord.metrics.framework.ranks import (
    average_precision,
    context_precision,
    ndcg,
    precision_at,
    recall_at,
    reciprocal_rank,
)

HITS = st.lists(st.booleans(), min_size=1, max_size=12)
CUT = st.none() | st.integers(1, 15)


def test_context_precision_by_hand():
    assert context_precision([True]) == 1  # exactly: nothing is added to the denominator
    assert context_precision([True, False]) == 1
    assert context_precision([False, True]) == 0.5
    assert context_precision([False, False]) == 0
    assert context_precision([False, True, True]) == approx(7 / 12)


def test_context_precision_of_0585_comes_of_rounding_a_part_before_adding():
    exact = context_precision([False, True, True])
    assert round(exact, 3) == 0.583
    assert (0.5 + round(2 / 3, 2)) / 2 == approx(0.585)


def test_average_precision_counts_what_was_not_found():
    hits = [False, True, True]
    assert average_precision(hits, 3) == approx(7 / 18)
    assert average_precision(hits, 2) == approx(context_precision(hits))
    assert average_precision(hits, 3, 2) == approx(1 / 6)


def test_precision_at_k_divides_by_k_however_few_there_are():
    assert precision_at([False, True, False], 5) == 0.2
    assert precision_at([], 5) == 0
    assert precision_at([True, True], 1) == 1


def test_recall_and_reciprocal_rank_see_only_the_first_k():
    assert recall_at([False, True, True], 4) == 0.5
    assert recall_at([False, True, True], 4, 2) == 0.25
    assert reciprocal_rank([False, True]) == 0.5
    assert reciprocal_rank([False, True], 1) == 0 == reciprocal_rank([])


def test_ndcg_by_hand():
    assert ndcg([False, True, False], 1) == approx(0.63093, abs=1e-5)
    assert ndcg([True, False, True], 2) == approx(1.5 / (1 + 1 / math.log2(3)))
    assert ndcg([True], 3, 1) == 1  # cut at 1, the ideal holds one
    assert ndcg([True], 3) < 1
    assert ndcg([], 2) == 0


@given(HITS, st.integers(0, 5), CUT)
def test_ndcg_is_one_exactly_where_the_order_is_ideal(hits, missed, k):
    relevant = sum(hits) + missed
    if relevant:
        ideal = min(relevant, k or relevant)
        assert (ndcg(hits, relevant, k) == 1) == (hits[:ideal] == [True] * ideal)


@given(HITS, st.integers(0, 5), CUT)
def test_every_figure_lies_between_zero_and_one_and_is_zero_without_a_hit(hits, missed, k):
    relevant = sum(hits) + missed or 1
    figures = [metric(hits, relevant, k) for metric in (average_precision, recall_at, ndcg)]
    figures += [reciprocal_rank(hits, k), precision_at(hits, k or len(hits))]
    assert all(0 <= figure <= 1 for figure in figures)
    assert any(hits[:k]) == any(figures) == all(figures)


@given(HITS, st.integers(0, 10))
def test_a_hit_that_moves_up_never_lowers_a_figure(hits, place):
    if place + 1 < len(hits) and hits[place : place + 2] == [False, True]:
        better = [*hits[:place], True, False, *hits[place + 2 :]]
        for metric in (average_precision, ndcg):
            assert metric(better, sum(hits)) > metric(hits, sum(hits))
        assert reciprocal_rank(better) >= reciprocal_rank(hits)
