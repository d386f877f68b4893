import numpy as np
import pytest

from concord.reports.panel.panel import COMPOSITE, IN_HELD_OUT_TEST
from concord.reports.panel.reference_standard import CONSENSUS, EACH, reference, without_consensus
from concord.sampling import split_assignment, splits
from concord.store import items
from tests.support.panels import ATLAS, BIRCH, COBALT, give, panel


def scores(found):
    return sorted(zip(found.item.tolist(), found.score.tolist(), strict=True))


def adjudicate(store, doc_qa, place, score, **changes):
    item = items.item_ids(store, 1)[place]
    fields = {"triggered_by": "people", "blind": 1, "created_at": "2026-01-01"} | changes
    with store.write():
        version = doc_qa.versions()["correctness"]
        store.insert("adjudications", item_id=item, version=version, score=score, **fields)


def test_each_person_who_scored_an_answer_is_a_row(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2})
    give(store, doc_qa, "Ben", {ATLAS: 1, COBALT: None})
    found = reference(panel(store, doc_qa), "correctness", EACH)
    assert scores(found) == [(ATLAS, 1), (ATLAS, 3), (BIRCH, 2)]
    assert found.why[:4].tolist() == ["", "", "annotators gave no score", "no annotator's grade"]


def test_a_grade_given_after_seeing_the_judges_is_left_out_and_says_so(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3}, blind=False)
    give(store, doc_qa, "Ana", {BIRCH: 3}, blind=True)
    give(store, doc_qa, "Ana", {COBALT: 3})  # made elsewhere: not known to be otherwise
    found = reference(panel(store, doc_qa), "correctness", EACH)
    assert scores(found) == [(BIRCH, 3), (COBALT, 3)]
    assert found.why[ATLAS] == "not blind"


def test_another_persons_blind_grade_saves_an_answer(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3}, blind=False)
    give(store, doc_qa, "Ben", {ATLAS: 1}, blind=True)
    found = reference(panel(store, doc_qa), "correctness", EACH)
    assert scores(found) == [(ATLAS, 1)]
    assert found.why[ATLAS] == ""


def test_a_closed_question_has_no_reference_whoever_graded_it(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3})
    split_assignment.assign(store, [splits.of_sheet(store, sheet.id)[0]["id"]], "held-out", "kept")
    for kind in (EACH, CONSENSUS):
        found = reference(panel(store, doc_qa), "correctness", kind)
        assert len(found.item) == 0
        assert found.why[:3].tolist() == [IN_HELD_OUT_TEST] * 3


def test_a_consensus_is_a_strict_majority_or_none(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2, COBALT: 1})
    give(store, doc_qa, "Ben", {ATLAS: 3, BIRCH: 1})
    give(store, doc_qa, "Cem", {ATLAS: 0})
    found = reference(panel(store, doc_qa), "correctness", CONSENSUS)
    assert scores(found) == [(ATLAS, 3), (COBALT, 1)]
    assert found.why[BIRCH] == "annotators have no consensus"
    assert without_consensus(found) == (1, 1 / 3)


def test_a_blind_adjudication_settles_what_annotators_could_not(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2})
    give(store, doc_qa, "Ben", {ATLAS: 1, BIRCH: 2})
    adjudicate(store, doc_qa, ATLAS, 2)
    adjudicate(store, doc_qa, BIRCH, 0)
    found = reference(panel(store, doc_qa), "correctness", CONSENSUS)
    assert scores(found) == [(ATLAS, 2), (BIRCH, 0)]
    assert scores(reference(panel(store, doc_qa), "correctness", EACH))[0] == (ATLAS, 1)


@pytest.mark.parametrize("changes", [{"triggered_by": "judge"}, {"blind": 0}])
def test_an_adjudication_that_could_flatter_a_judge_never_enters(store, sheet, doc_qa, changes):
    give(store, doc_qa, "Ana", {ATLAS: 3})
    give(store, doc_qa, "Ben", {ATLAS: 1})
    adjudicate(store, doc_qa, ATLAS, 2, **changes)
    found = reference(panel(store, doc_qa), "correctness", CONSENSUS)
    assert len(found.item) == 0


def test_a_sealed_question_stays_closed_to_adjudication(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3})
    adjudicate(store, doc_qa, ATLAS, 2)
    split_assignment.assign(store, [splits.of_sheet(store, sheet.id)[0]["id"]], "held-out", "kept")
    assert len(reference(panel(store, doc_qa), "correctness", CONSENSUS).item) == 0


def test_the_consensus_composite_is_made_of_the_criterias_consensus(store, sheet, doc_qa):
    """No two annotators have the same composite, but two of three agree on every criterion."""
    for name, (correct, comprehensive, readable) in {
        "Ana": (3, 2, 1),
        "Ben": (3, 1, 3),
        "Cem": (0, 2, 3),
    }.items():
        give(store, doc_qa, name, {ATLAS: correct, BIRCH: correct})
        give(store, doc_qa, name, {ATLAS: comprehensive}, "comprehensiveness")
        give(store, doc_qa, name, {ATLAS: readable}, "readability")
    found = reference(panel(store, doc_qa), COMPOSITE, CONSENSUS)
    assert found.item.tolist() == [ATLAS]
    np.testing.assert_allclose(found.score, [(3 * 3 + 2 * 1 + 3 * 1) / 5])
    assert found.why[BIRCH] == "annotators did not score every criterion"
