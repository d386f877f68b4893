"""Metrics of what was retrieved: every edge by hand, duplicates once, the order as given."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from concord import metrics
from concord.metrics.framework.retrieved import (
    average_precision,
    context_precision,
    ndcg,
    precision_at,
    recall_at,
    reciprocal_rank,
)
from concord.metrics.prompts.inputs import Undefined
from concord.model import Context
from tests.support.made_items import made_item
from tests.support.scripted_desk import ScriptedDesk, measured

RANKED = ("document_recall", "ndcg_at_k", "mrr", "hit_at_k", "average_precision", "precision_at_k")
DOCUMENTS = (*RANKED, "document_precision", "document_f1")
BY_IDS = ("context_precision_by_ids", "context_recall_by_ids")
EIFFEL = "The Eiffel Tower is located in Paris."


def retrieved(*docs: str, relevant=("d1",)):
    """An item whose contexts come from these documents, best first."""
    contexts = tuple(Context("", doc, f"Of {doc}.", n) for n, doc in enumerate(docs, 1))
    return made_item(1, contexts=contexts, metadata={"relevant_ids": list(relevant)})


def outcome(name: str, item, **switches):
    return measured(metrics.named(name), item, ScriptedDesk(), **switches)


def value(name: str, item, **switches):
    return outcome(name, item, **switches).value


def reason_for_none(name: str, item) -> tuple[str, str]:
    with pytest.raises(Undefined) as raised:
        outcome(name, item)
    return raised.value.status, raised.value.reason


def test_chunks_of_one_document_count_once_where_the_first_stands_and_that_is_said():
    item = retrieved("d1", "d1", "d2")
    assert value("document_precision", item) == 0.5
    assert value("ndcg_at_k", item) == 1
    assert outcome("ndcg_at_k", item).flags == ("duplicates_folded",)
    assert outcome("ndcg_at_k", item).units == 2


@pytest.mark.parametrize("name", [*RANKED, "document_f1", "context_recall_by_ids"])
def test_nothing_retrieved_counts_zero_and_says_so(name):
    said = outcome(name, retrieved())
    assert (said.value, said.flags) == (0, ("nothing_retrieved",))


@pytest.mark.parametrize("name", ["document_precision", "context_precision_by_ids"])
def test_a_share_of_nothing_retrieved_is_no_number(name):
    status, _reason = reason_for_none(name, retrieved())
    assert status == "not_applicable"


def test_f1_of_nothing_retrieved_says_that_precision_is_undefined():
    assert outcome("document_f1", retrieved()).parts == {"precision": None, "recall": 0}


@pytest.mark.parametrize("name", [*DOCUMENTS, *BY_IDS])
def test_a_question_that_no_document_answers_has_no_number(name):
    item = retrieved("d1", relevant=())
    assert metrics.named(name).lacks(item) == ()
    assert reason_for_none(name, item)[0] == "not_applicable"


@pytest.mark.parametrize("name", [*DOCUMENTS, *BY_IDS])
def test_an_item_that_names_no_relevant_ids_lacks_them(name):
    assert metrics.named(name).lacks(made_item(1)) == ("relevant_ids",)


@pytest.mark.parametrize("name", [*DOCUMENTS, *BY_IDS])
def test_contexts_without_ids_are_a_gap_and_no_contexts_are_none(name):
    unnamed = retrieved("d1", "")
    assert metrics.named(name).lacks(unnamed) == ("context_ids",)
    assert metrics.named(name).lacks(retrieved()) == ()


def test_no_right_document_among_those_retrieved_is_zero_and_flagged():
    said = outcome("ndcg_at_k", retrieved("d5", "d7"))
    assert (said.value, said.flags) == (0, ("no_relevant",))


def test_ids_of_contexts_where_documents_are_named_are_refused_not_scored_zero():
    item = retrieved("d1", relevant=["c1"])._replace(contexts=(Context("c1", "d1", "Text.", 1),))
    status, _reason = reason_for_none("document_recall", item)
    assert status == "missing_input"
    assert value("context_recall_by_ids", item) == 1


def test_a_context_without_a_document_stands_for_itself():
    contexts = (Context("c9", "", "A.", 1), Context("c1", "", "B.", 2))
    item = retrieved(relevant=["c1"])._replace(contexts=contexts)
    assert value("mrr", item) == 0.5


def test_the_rank_counts_not_the_place_in_the_list():
    contexts = (Context("", "d1", "A.", 2), Context("", "d2", "B.", 1))
    assert value("mrr", retrieved()._replace(contexts=contexts)) == 0.5


def test_cut_offs_are_read_beside_the_number_and_chosen():
    item = retrieved("d9", "d8", "d7", "d1")
    said = outcome("hit_at_k", item)
    assert said.parts == {"all": 1, "1": 0, "3": 0, "5": 1, "10": 1}
    assert value("hit_at_k", item, k="3") == 0
    assert value("precision_at_k", item, k="10") == approx(0.1)


def test_two_chunks_of_a_right_document_are_two_right_contexts():
    contexts = tuple(Context(f"c{n}", doc, "A.", n) for n, doc in enumerate(["d1", "d1", "d2"]))
    item = retrieved()._replace(contexts=contexts)
    assert value("context_precision_by_ids", item) == approx(2 / 3)
    assert value("document_precision", item) == 0.5


@pytest.mark.parametrize("name", [*RANKED, "document_f1"])
@given(docs=st.lists(st.sampled_from(["d1", "d2", "d3", "d4"]), max_size=8))
def test_a_document_that_stood_higher_changes_nothing(name, docs):
    once = list(dict.fromkeys(docs))
    relevant = ["d1", "d2"]
    again = value(name, retrieved(*docs, relevant=relevant))
    assert again == value(name, retrieved(*once, relevant=relevant))


def with_passages(contexts, passages):
    made = tuple(Context("", "", text, n) for n, text in enumerate(contexts, 1))
    return made_item(1, contexts=made, reference_contexts=tuple(passages))


def test_a_passage_is_found_where_half_its_letters_agree():
    half, less = with_passages(["abcd"], ["abxy"]), with_passages(["abcde"], ["abxyz"])
    for name in ("context_precision_by_likeness", "context_recall_by_likeness"):
        assert value(name, half) == 1  # just 0.5 is enough, for either
        assert outcome(name, less).flags == ("no_relevant",)
        assert value(name, less) == 0
        assert value(name, less, threshold="0.3") == 1


def test_the_same_context_twice_counts_once_whatever_its_case_and_white_space():
    item = with_passages(["Snow.", EIFFEL, f" {EIFFEL.upper()} "], [EIFFEL])
    said = outcome("context_precision_by_likeness", item)
    assert (said.value, said.units, said.flags) == (0.5, 2, ("duplicates_folded",))
    each = outcome("context_precision_by_likeness", item, duplicates="each")
    assert (each.value, each.units) == (approx((1 / 2 + 2 / 3) / 2), 3)
    assert each.flags == ("duplicates",)


def test_without_right_passages_or_contexts_there_is_no_likeness():
    for item in (with_passages([EIFFEL], [" "]), with_passages([], [EIFFEL])):
        assert reason_for_none("context_recall_by_likeness", item)[0] == "missing_input"


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


@given(HITS, st.integers(0, 10))
def test_a_hit_that_moves_up_never_lowers_a_figure(hits, place):
    if place + 1 < len(hits) and hits[place : place + 2] == [False, True]:
        better = [*hits[:place], True, False, *hits[place + 2 :]]
        for metric in (average_precision, ndcg):
            assert metric(better, sum(hits)) > metric(hits, sum(hits))
        assert reciprocal_rank(better) >= reciprocal_rank(hits)
