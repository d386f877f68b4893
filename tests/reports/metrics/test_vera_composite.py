"""VERA's composite: what a cross-encoder is given and its figures, with one of counted words.

An encoder of counted words, in the place of a cross-encoder.
"""

import re

import pytest

from concord.messages import Problem
from concord.metrics.framework.statement import DoesNotFit, enriched
from concord.reports.metrics import metric_records, vera_composite
from concord.reports.metrics.vera_composite import encode
from concord.stats.intervals.resampling import Draws
from tests.support.measured_sets import VERA, give


class Words:
    """An encoder whose pieces are words, and which reads the scores of some metrics alone.

    Its logit is the weighted sum of the scores it reads in the text, plus a part for the length
    of the answer.
    """

    name, identity, knows_cjk, special = "words", "w1", False, 3

    def __init__(self, heeds, limit=512):
        self.heeds, self.limit, self.asked = heeds, limit, 0

    def count(self, text):
        return len(text.split())

    def cut(self, text, pieces):
        return " ".join(text.split()[:pieces])

    def score(self, pairs):
        self.asked += len(pairs)
        return [self._logit(answer) for _, answer in pairs]

    def _logit(self, text):
        body = text.partition("Faithfulness, whole answer:")[0]
        said = re.findall(r"the score of ([a-z, -]+) is (-?[\d.]+)\.", text)
        read = sum(self.heeds.get(title, 0) * float(value) for title, value in said)
        return read + len(body) / 1000


def report(store, sheet):
    return vera_composite.report(metric_records.read(store, sheet), Draws(200))


def test_the_answer_is_cut_and_never_a_statement():
    made = enriched(Words({}, 20), "one two", "a " * 30, ["s t u", "v w"])
    assert made == ("a " * 10 + "s t u v w", True)  # 20 less 3 marks, 2 of the question, 5 said
    whole = enriched(Words({}, 20), "one two", "a " * 9 + "b", ["s t u", "v w"])
    assert whole == ("a " * 9 + "b s t u v w", False)


class Joined(Words):
    """Words of which the last one before a statement costs two pieces more."""

    def count(self, text):
        return super().count(text) + 2 * ("a s" in text)


def test_the_answer_is_cut_further_where_joined_to_statements_it_takes_more_pieces():
    made = enriched(Joined({}, 20), "one two", "a " * 30, ["s t u", "v w"])
    assert made == ("a " * 8 + "s t u v w", True)
    whole = [enriched(Joined({}, 20), "one two", "b " * n + "a", ["s t u v w"]) for n in (7, 8)]
    assert [one.cut for one in whole] == [False, True]


def test_without_room_for_the_answer_there_is_no_score(store, tea_with_vera):
    with pytest.raises(DoesNotFit):
        enriched(Words({}, 10), "one two", "a", ["s t u v w"])
    done = encode(store, tea_with_vera, Words({}, 40))
    assert (done["scored"], done["too_long"]) == (0, 40)
    found = report(store, tea_with_vera)
    assert found["n"] == 0 and found["why_none"]


def test_the_mean_logit_has_the_bootstrap_interval_of_questions(store, tea_with_vera):
    encode(store, tea_with_vera, Words({"faithfulness, whole answer": 4}))
    found = report(store, tea_with_vera)
    assert (found["n"], found["questions"]) == (40, 20)
    assert found["mean"].value == pytest.approx(2, abs=0.2)
    assert found["mean"].low <= found["mean"].value <= found["mean"].high and found["variance"] > 0


def test_scores_are_kept_and_asked_for_again_only_where_a_value_changed(store, tea_with_vera):
    encoder = Words({})
    assert encode(store, tea_with_vera, encoder)["scored"] == 40
    assert encoder.asked == 40
    assert encode(store, tea_with_vera, encoder)["there"] == 40
    give(store, tea_with_vera.id, VERA[1], [0.99])
    assert encode(store, tea_with_vera, encoder)["scored"] == 1
    assert encoder.asked == 41


def test_answers_without_a_metric_are_left_out_with_the_reason(store, tea_with_vera):
    give(store, tea_with_vera.id, VERA[0], [None])
    done = encode(store, tea_with_vera, Words({}))
    assert done["scored"] == 39


def test_the_score_is_read_as_a_metric_and_is_no_part_of_itself(store, tea_with_vera):
    encode(store, tea_with_vera, Words({}))
    found = metric_records.read(store, tea_with_vera)
    assert {one.metric for one in found.records} == {*VERA, "vera_composite"}
    assert [one.metric.name for one in vera_composite.stated(found)] == [*VERA]
    assert {*VERA} == {*found.records[-1].parts}


def test_of_several_judges_one_is_named(store, tea_with_vera):
    give(store, tea_with_vera.id, VERA[0], [1] * 40, judge="other")
    found = metric_records.read(store, tea_with_vera)
    with pytest.raises(Problem, match="--judge"):
        vera_composite.stated(found)
    assert {one.judge for one in vera_composite.stated(found, "other")} == {"other"}
    with pytest.raises(Problem, match="vera"):
        vera_composite.stated(found, "nobody")
