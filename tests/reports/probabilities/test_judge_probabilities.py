import pytest

from concord.model import NATIVE, STATED, Distribution
from concord.reports.panel.criterion_comparison import ground
from concord.reports.panel.reference_standard import EACH
from concord.reports.probabilities.judge_probabilities import (
    NO_PROBABILITIES,
    NOT_OF_ITS_SCORE,
    OUTSIDE,
    REPEATS,
    paired,
    read,
)
from tests.support.made_probabilities import give_probabilities
from tests.support.panels import ATLAS, BIRCH, COBALT, give, judge, panel


def native(*shares, outside=None) -> Distribution:
    return Distribution(NATIVE, tuple(enumerate(shares)), outside)


def of_pairs(store, doc_qa, judge_id):
    read_panel = panel(store, doc_qa)
    on = ground(read_panel, "correctness", EACH)
    return paired(on, judge_id, read(store, read_panel)["correctness", judge_id])


def test_probabilities_are_those_of_each_pair_raw_and_confidence_is_normalised(
    store, sheet, doc_qa
):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2})
    give(store, doc_qa, "Ben", {ATLAS: 3})
    given = {ATLAS: native(0, 0, 0.2, 0.6, outside=0.2), BIRCH: native(0, 0.1, 0.9, 0)}
    found = of_pairs(store, doc_qa, give_probabilities(store, doc_qa, "gpt", given))
    assert found.source == "native" and not found.stated and found.left_out == {}
    assert found.shares.tolist() == [[0, 0, 0.2, 0.6], [0, 0.1, 0.9, 0], [0, 0, 0.2, 0.6]]
    assert found.outside.tolist() == [0.2, 0.2]
    assert found.outside_pairs.item.tolist() == [ATLAS, ATLAS]
    assert found.confidence == pytest.approx([0.75, 0.9, 0.75])


def test_what_has_no_probabilities_or_none_on_the_scale_is_left_out_and_counted(
    store, sheet, doc_qa
):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2, COBALT: 1})
    given = {ATLAS: native(0, 0, 0.2, 0.8), BIRCH: native(0, 0, 0, 0, outside=1.0), COBALT: None}
    scores = {BIRCH: 2, COBALT: 1}
    judge_id = give_probabilities(store, doc_qa, "gpt", given, scores=scores)
    found = of_pairs(store, doc_qa, judge_id)
    assert len(found.pairs.item) == 1
    assert found.left_out == {NO_PROBABILITIES: 1, OUTSIDE: 1}
    assert found.outside.tolist() == [1.0]  # or the mean would be of those that have none


def test_a_stated_confidence_is_taken_as_it_is_and_only_of_the_score_given(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2})
    given = {ATLAS: Distribution(STATED, ((3, 0.7),)), BIRCH: Distribution(STATED, ((1, 0.8),))}
    judge_id = give_probabilities(store, doc_qa, "gpt", given, scores={BIRCH: 2})
    found = of_pairs(store, doc_qa, judge_id)
    assert found.stated and found.confidence.tolist() == [0.7]
    assert found.left_out == {NOT_OF_ITS_SCORE: 1}


def test_repeats_are_vote_shares_where_a_judge_gave_no_probabilities(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2})
    judge_id = judge(store, doc_qa, "gpt", {ATLAS: 3, BIRCH: 2})
    assert read(store, panel(store, doc_qa)) == {}
    judge(store, doc_qa, "gpt", {ATLAS: 3}, repeat=2)
    judge(store, doc_qa, "gpt", {ATLAS: 1}, repeat=3)
    found = of_pairs(store, doc_qa, judge_id)
    assert found.source == REPEATS
    assert found.shares.tolist() == [pytest.approx([0, 1 / 3, 0, 2 / 3])]
    assert found.confidence == pytest.approx([2 / 3])
    assert found.left_out == {NO_PROBABILITIES: 1}


def test_stored_probabilities_count_and_no_repeats_beside_them(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3})
    judge_id = give_probabilities(store, doc_qa, "gpt", {ATLAS: native(0, 0, 0.2, 0.8)})
    judge(store, doc_qa, "gpt", {ATLAS: 1}, repeat=2)
    judge(store, doc_qa, "gpt", {ATLAS: 1}, repeat=3)
    assert of_pairs(store, doc_qa, judge_id).source == NATIVE


def test_a_repeat_without_a_score_has_no_vote(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3})
    judge(store, doc_qa, "gpt", {ATLAS: 3})
    judge(store, doc_qa, "gpt", {ATLAS: None}, repeat=2)
    assert read(store, panel(store, doc_qa)) == {}
