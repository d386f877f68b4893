import json
from fractions import Fraction

import numpy as np
import pytest

from concord.messages import message_of
from concord.reports.document import as_json
from concord.reports.ranking.document import document
from concord.reports.ranking.order import Step
from concord.reports.ranking.ranking import by_criterion, report
from concord.stats.comparison.model_order import TOO_FEW_DRAWN
from concord.stats.core.estimate import reason
from concord.store import additions
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel

CRITERIA = ("correctness", "comprehensiveness", "readability")


def grade(store, doc_qa, name, kind, by_model, questions=range(12), criteria=CRITERIA):
    """The same score for every answer of a model; the sheet has 12 questions by three models."""
    for criterion in criteria:
        places = {3 * q + m: score for q in questions for m, score in enumerate(by_model)}
        give(store, doc_qa, name, places, criterion, kind)


def means(found, grader):
    return {row.answer_model: row.estimate.value for row in found.models if row.grader == grader}


def order(found, name):
    (one,) = [o for o in found.orders if o.judge == name]
    return one


def test_models_are_ranked_by_the_mean_composite(store, sheet, doc_qa):
    grade(store, doc_qa, "Ana", "person", (1, 3, 2))
    found = report(panel(store, doc_qa))
    assert [row.answer_model for row in found.models] == ["birch", "cobalt", "atlas"]
    assert means(found, "annotators") == {"atlas": 1, "birch": 3, "cobalt": 2}
    assert {(row.n, row.questions) for row in found.models} == {(12, 12)}


def test_annotators_of_one_answer_share_its_weight(store, sheet, doc_qa):
    """Ana gives 0 to question 0 and Ben 3; Ana alone gives 3 to question 1: (1.5 + 3) / 2."""
    for criterion in CRITERIA:
        give(store, doc_qa, "Ana", {0: 0, 3: 3}, criterion)
        give(store, doc_qa, "Ben", {0: 3}, criterion)
    assert means(report(panel(store, doc_qa)), "annotators")["atlas"] == pytest.approx(2.25)


def test_weights_are_exact_and_those_of_the_rubric(store, sheet, doc_qa):
    for criterion, score in zip(CRITERIA, (3, 1, 2), strict=True):
        give(store, doc_qa, "Ana", {0: score}, criterion)
    made = panel(store, doc_qa)
    assert report(made).weights == {
        "correctness": 0.6,
        "comprehensiveness": 0.2,
        "readability": 0.2,
    }
    assert means(report(made), "annotators")["atlas"] == float(Fraction(3 * 3 + 1 + 2, 5))
    third = dict.fromkeys(CRITERIA, Fraction(1, 3))
    assert means(report(made.weighing(third)), "annotators")["atlas"] == 2


def test_what_lacks_a_criterion_is_left_out_and_counted(store, sheet, doc_qa):
    grade(store, doc_qa, "Ana", "person", (1, 3, 2), range(2))
    give(store, doc_qa, "Ana", {9: 3})
    judge(store, doc_qa, "gpt", {0: None, 1: 2})
    found = report(panel(store, doc_qa))
    assert found.left_out == {
        "annotators": {"no annotator's grade": 29, "annotators did not score every criterion": 1},
        "gpt": {"not graded": 34, "a criterion is missing": 1, "cannot_grade": 1},
    }
    for grader, reasons in found.left_out.items():
        counted = sum(row.n for row in found.models if row.grader == grader)
        assert counted + sum(reasons.values()) == 36


def test_a_model_nobody_graded_has_no_value_and_comes_last(store, sheet, doc_qa):
    for criterion in CRITERIA:
        give(store, doc_qa, "Ana", {1: 0}, criterion)
    found = report(panel(store, doc_qa)).models
    assert [row.answer_model for row in found] == ["birch", "atlas", "cobalt"]
    assert found[1].estimate[::4] == (None, reason("no_scored_answer"))


def test_pairs_in_opposite_orders_are_swaps(store, sheet, doc_qa):
    grade(store, doc_qa, "Ana", "person", (3, 2, 1))
    grade(store, doc_qa, "gpt", "judge", (2, 3, 1))
    grade(store, doc_qa, "llama", "judge", (3, 2, 1))
    found = report(panel(store, doc_qa))
    (swap,) = order(found, "gpt").swaps
    assert (swap.higher, swap.lower) == ("atlas", "birch")
    assert order(found, "llama").swaps == ()


def test_models_that_a_judge_has_level_do_not_swap(store, sheet, doc_qa):
    grade(store, doc_qa, "Ana", "person", (3, 2, 1))
    grade(store, doc_qa, "gpt", "judge", (2, 2, 2))
    assert order(report(panel(store, doc_qa)), "gpt").swaps == ()


def test_orders_are_compared_on_the_answers_both_graded(store, sheet, doc_qa):
    """Over all its answers the judge has birch above atlas; where Ana graded it has not."""
    grade(store, doc_qa, "Ana", "person", (3, 2, 1), range(4))
    grade(store, doc_qa, "gpt", "judge", (3, 2, 1), range(4))
    grade(store, doc_qa, "gpt", "judge", (0, 3, 1), range(4, 12))
    found = report(panel(store, doc_qa))
    assert means(found, "gpt") == {
        "atlas": 1,
        "birch": pytest.approx(8 / 3),
        "cobalt": 1,
    }
    compared = order(found, "gpt")
    assert compared.swaps == ()
    assert (compared.n, compared.questions, compared.same_items) == (12, 4, False)
    assert {m.answer_model: m.judge.value for m in compared.models} == {
        "atlas": 3,
        "birch": 2,
        "cobalt": 1,
    }


def test_under_five_models_there_is_no_tau_b_and_under_twenty_questions_no_shares(
    store, sheet, doc_qa
):
    grade(store, doc_qa, "Ana", "person", (3, 2, 1))
    grade(store, doc_qa, "gpt", "judge", (1, 2, 3))
    compared = order(report(panel(store, doc_qa)), "gpt")
    assert compared.tau_b is None
    assert message_of(compared.why_none) == "tau-b requires 5 answering models"
    assert compared.why_no_shares == TOO_FEW_DRAWN
    assert {(s.annotator_share, s.certain) for s in compared.swaps} == {(None, False)}


def test_a_swap_is_certain_where_both_are_sure_of_their_order(store, doc_qa, five_models):
    five_models("Ana", "person", lambda q: (3, 2, 1, 0, 0))
    five_models("gpt", "judge", lambda q: (2, 3, q % 2, (q + 1) % 2, 0))
    compared = order(report(panel(store, doc_qa)), "gpt")
    (swap,) = compared.swaps
    assert (swap.higher, swap.lower) == ("a", "b")
    assert (swap.annotator_share, swap.judge_share, swap.certain) == (1, 0, True)
    assert [pair.share for pair in compared.neighbours["annotators"]] == [1, 1, 1, 0.5]
    assert compared.neighbours["judge"][0] == Step("b", "a", 1)
    # ten pairs: seven agree, a-b swaps; the judge has c-d level and annotators d-e: nine untied
    # each
    assert compared.tau_b == pytest.approx((7 - 1) / 9)


def test_a_tau_b_without_an_interval_says_why(store, doc_qa):
    made = [made_item(n, m) for n in range(12) for m in "abcde"]
    additions.add(store, "few", made, "few.csv", "0" * 64, {})
    for name, kind in (("Ana", "person"), ("gpt", "judge")):
        for criterion in CRITERIA:
            scores = {5 * q + m: (3, 2, 1, q % 2, 0)[m] for q in range(12) for m in range(5)}
            give(store, doc_qa, name, scores, criterion, kind)
    found = order(report(panel(store, doc_qa)), "gpt")
    assert (found.tau_b, found.tau_b_low) == (1, None)
    assert message_of(found.why_none).startswith("with fewer than 20 questions")


def test_tau_b_has_an_interval_and_each_model_its_ranks(store, doc_qa, five_models):
    """Atlas and birch swap for the judge; d and e tie for annotators, so either may be fourth."""
    five_models("Ana", "person", lambda q: (3, 2, 1, 0, 0))
    five_models("gpt", "judge", lambda q: (2, 3, q % 2, (q + 1) % 2, 0))
    found = report(panel(store, doc_qa))
    compared = order(found, "gpt")
    assert -1 <= compared.tau_b_low <= compared.tau_b <= compared.tau_b_high <= 1
    assert compared.tau_b_low < compared.tau_b_high
    ranks = {(row.grader, row.answer_model): row.ranks for row in found.models}
    assert [ranks["annotators", m] for m in "abcde"] == [(1, 1), (2, 2), (3, 3), (4, 5), (4, 5)]
    assert [ranks["gpt", m] for m in "abcde"] == [(2, 2), (1, 1), (3, 4), (3, 4), (5, 5)]


def test_models_are_ordered_by_every_criterion_alone(store, sheet, doc_qa):
    """Correctness puts atlas last, readability first; 12 questions have no rank sets."""
    grade(store, doc_qa, "Ana", "person", (1, 3, 2), criteria=CRITERIA[:2])
    grade(store, doc_qa, "Ana", "person", (3, 2, 1), criteria=CRITERIA[2:])
    grade(store, doc_qa, "gpt", "judge", (1, 3, 2))
    found = by_criterion(panel(store, doc_qa))
    assert list(found) == list(CRITERIA)
    assert means(found["correctness"], "annotators") == {"atlas": 1, "birch": 3, "cobalt": 2}
    assert means(found["readability"], "annotators") == {"atlas": 3, "birch": 2, "cobalt": 1}
    assert order(found["correctness"], "gpt").swaps == ()
    assert len(order(found["readability"], "gpt").swaps) == 2
    assert found["readability"].models[0].ranks is None
    assert found["readability"].models[0].why_no_ranks == TOO_FEW_DRAWN


def test_a_close_swap_is_not_certain(store, doc_qa, five_models):
    five_models("Ana", "person", lambda q: (3, 2, 1, 0, 0))
    five_models("gpt", "judge", lambda q: (2, 3, 1, 0, 0) if q % 2 else (3, 2 if q else 3, 1, 0, 0))
    compared = order(report(panel(store, doc_qa)), "gpt")
    (swap,) = compared.swaps
    assert 0.05 < swap.judge_share < 0.95
    assert not swap.certain


def test_simulated_annotators_make_a_simulated_ranking(store, sheet, doc_qa):
    grade(store, doc_qa, "sim-a", "person", (1, 2, 3))
    assert all(row.simulated for row in report(panel(store, doc_qa)).models)


def test_the_ranking_is_plain_json(store, sheet, doc_qa):
    grade(store, doc_qa, "Ana", "person", (1, 2, 3))
    grade(store, doc_qa, "gpt", "judge", (1, 2, 3))
    found = as_json(report(panel(store, doc_qa)))
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_nobody_has_graded_and_there_is_no_ranking(store, sheet, doc_qa):
    judge(store, doc_qa, "gpt", {0: 3})
    found = report(panel(store, doc_qa))
    assert {row.estimate.value for row in found.models} == {None}
    assert order(found, "gpt").n == 0


def test_a_constant_judge_is_not_said_to_share_the_order(store, doc_qa, five_models):
    five_models("Ana", "person", lambda q: (3, 2, 1, 0, 0))
    five_models("same", "judge", lambda q: (2, 2, 2, 2, 2))
    five_models("nearly", "judge", lambda q: (2, 2, 2, 2, 3 if q else 2))
    found = report(panel(store, doc_qa))
    made = {one.judge: document(found, one.judge) for one in found.orders}
    assert {judge: one.headline for judge, one in made.items()} == {
        "same": "same ties models that annotators rank apart",
        "nearly": "nearly reverses 3 of 10 pairs of models",
    }
    assert made["same"].facts[0] == "In 9 of 10 pairs of answering models."
    assert made["nearly"].facts[0] == "Reversals that are certain: 3."


def test_an_order_that_is_chance_on_both_sides_is_not_certain(store, doc_qa, five_models):
    rng = np.random.default_rng(1)
    for name, kind in (("Rand", "person"), ("coin", "judge")):
        five_models(name, kind, lambda q: rng.integers(0, 4, 5).tolist())
    found = document(report(panel(store, doc_qa)))
    assert found.headline == "Inconclusive: coin reverses 2 of 10 pairs of models"
    assert found.facts[0] == "None of the reversals is certain."
