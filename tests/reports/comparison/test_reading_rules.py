import json

import pytest

from concord.model import NATIVE, Distribution
from concord.reports import terminal
from concord.reports.comparison import studies
from concord.reports.comparison.study import document
from concord.reports.document import as_json
from tests.support.made_probabilities import give_probabilities, stated
from tests.support.panels import give

# Argmax 0; expected score 1.5, which the rounded mean reads as 1; median 1.
TORN = Distribution(NATIVE, ((0, 0.4), (1, 0.1), (2, 0.1), (3, 0.4)))
SURE = Distribution(NATIVE, ((0, 0.0), (1, 0.0), (2, 0.1), (3, 0.9)))


def found(store, sheet, **more):
    told = studies.run(store, sheet, "reading", **more)
    json.dumps(as_json(told), allow_nan=False)
    return told


def by_rule(told, key, judge="gpt"):
    mine = [one for one in told.figures if one["judge"] == judge]
    return {one["rule"]: one[key]["value"] for one in mine}


@pytest.mark.parametrize("torn_is", [0, 1, 2])
def test_each_rule_reads_the_same_probabilities_and_cut_points_are_of_other_questions(
    store, sheet, doc_qa, torn_is
):
    given = {n: TORN if n % 2 else SURE for n in range(36)}
    give(store, doc_qa, "Ana", {n: torn_is if n % 2 else 3 for n in range(36)})
    give_probabilities(store, doc_qa, "gpt", given)
    exact = by_rule(found(store, sheet), "exact")
    assert exact == {
        "given": 1.0 if torn_is == 0 else 0.5,  # as graded: the most probable score
        "argmax": 1.0 if torn_is == 0 else 0.5,
        "rounded_mean": 1.0 if torn_is == 1 else 0.5,
        "median": 1.0 if torn_is == 1 else 0.5,
        "cut_points": 1.0,  # every expected score stands for one score of the annotator
        "majority_class": 0.5,
    }


def test_a_fit_does_not_know_the_question_it_is_scored_on(store, sheet, doc_qa):
    # Each question has an expected score of its own and a score that no rule could know.
    shares = [(0.5 - q / 40, 0, 0, 0.5 + q / 40) for q in range(12)]
    given = {
        n: Distribution(NATIVE, tuple(enumerate(map(float, shares[n // 3])))) for n in range(36)
    }
    give(store, doc_qa, "Ana", {n: (n // 3) * 7 % 4 for n in range(36)})
    give_probabilities(store, doc_qa, "gpt", given)
    exact = by_rule(found(store, sheet), "exact")
    assert exact["cut_points"] < 0.5


def test_the_answer_names_the_rules_furthest_apart_and_the_majority_class(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {n: 0 if n % 2 else 3 for n in range(36)})
    give_probabilities(store, doc_qa, "gpt", {n: TORN if n % 2 else SURE for n in range(36)})
    told = found(store, sheet)
    assert told.answer.startswith("On correctness, gpt reaches exact agreement 100%")
    assert told.answer.endswith("; the majority class has 50%")
    assert told.rests_on[0].startswith("These figures are descriptive.")
    assert "majority class" in terminal.text(document(told))


def test_rules_that_read_the_same_are_said_to(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", dict.fromkeys(range(36), 3))
    give_probabilities(store, doc_qa, "gpt", dict.fromkeys(range(36), SURE))
    assert found(store, sheet).answer.startswith(
        "Every reading rule gives gpt the same exact agreement on correctness, 100%"
    )


def test_a_stated_confidence_is_no_distribution_to_read(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", dict.fromkeys(range(36), 3))
    give_probabilities(store, doc_qa, "says", {n: stated(n) for n in range(36)})
    told = found(store, sheet)
    assert not told.can_run
    assert "no judge has given a probability for each score of doc-qa-0-3" in told.answer


def test_under_five_questions_there_are_no_cut_points_and_it_says_so(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", dict.fromkeys(range(9), 3))
    give_probabilities(store, doc_qa, "gpt", dict.fromkeys(range(9), SURE))
    told = found(store, sheet)
    assert "cut_points" not in by_rule(told, "exact")
    assert told.missing == ("cut points. Grade answers to at least five questions.",)
