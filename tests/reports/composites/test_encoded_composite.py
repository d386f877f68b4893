"""What a cross-encoder is given and what its numbers say, with an encoder of counted words."""

import pytest

from concord import metrics
from concord.messages import message_of
from concord.metrics.framework.statement import DoesNotFit, enriched, statement
from concord.reports.composites import composites, encoded_composite
from concord.reports.composites.composite_table import columns
from concord.reports.composites.cross_encoding import encode
from concord.reports.metrics import metric_records
from concord.stats.intervals.resampling import Draws
from tests.support.measured_sets import VERA, give
from tests.support.reports.word_encoder import Words


def run(store, sheet, encoder):
    return encode(store, sheet, columns(metric_records.read(store, sheet)), encoder)


def report(store, sheet):
    return encoded_composite.report(metric_records.read(store, sheet), {}, Draws(200))


def test_a_statement_says_what_the_metric_is_when_it_is_high_and_this_very_score():
    said = statement(metrics.named("vera_faithfulness"), 0.7)
    assert said.startswith("Faithfulness, whole answer: Does everything in the answer come from")
    assert "It is measured from 0 to 1; 1 is good and 0 is bad." in said
    assert said.endswith("the score of faithfulness, whole answer is 0.7.")


def test_where_less_is_better_the_statement_says_so():
    assert "1 is bad and 0 is good" in statement(metrics.named("noise_sensitivity_relevant"), 0.2)


@pytest.mark.parametrize(("value", "said"), [(1 / 3, "0.3333"), (1.0, "1"), (0.0, "0")])
def test_a_score_stands_as_it_is_to_four_digits(value, said):
    assert statement(metrics.named("faithfulness"), value).endswith(f"is {said}.")


def test_the_answer_is_cut_and_never_a_statement():
    made = enriched(Words({}, 20), "one two", "a " * 30, ["s t u", "v w"])
    assert made.text == "a " * 10 + "s t u v w"  # 20 less 3 marks, 2 of the question, 5 said
    assert made.cut


def test_an_answer_that_fits_exactly_is_whole():
    made = enriched(Words({}, 20), "one two", "a " * 9 + "b", ["s t u", "v w"])
    assert made == ("a " * 9 + "b s t u v w", False)


class Joined(Words):
    """Words of which the last one before a statement costs two pieces more."""

    def count(self, text):
        return super().count(text) + 2 * ("a s" in text)


def test_the_answer_is_cut_further_where_joined_to_statements_it_takes_more_pieces():
    made = enriched(Joined({}, 20), "one two", "a " * 30, ["s t u", "v w"])
    assert made == ("a " * 8 + "s t u v w", True)
    whole = [enriched(Joined({}, 20), "one two", "b " * n + "a", ["s t u v w"]) for n in (7, 8)]
    assert [one.cut for one in whole] == [False, True]


def test_without_room_for_the_answer_there_is_no_number(store, tea_with_vera):
    with pytest.raises(DoesNotFit, match="need 11 word pieces; the limit is 10"):
        enriched(Words({}, 10), "one two", "a", ["s t u v w"])
    done = run(store, tea_with_vera, Words({}, 40))
    assert (done.scored, done.too_long) == (0, 40)
    found = report(store, tea_with_vera)
    assert found.n == 0 and "word pieces" in message_of(found.why_none)


def test_a_cross_encoder_that_reads_one_number_does_not_respond_to_the_other(store, tea_with_vera):
    run(store, tea_with_vera, Words({"faithfulness, whole answer": 4}))
    one, other = report(store, tea_with_vera).sensitivity
    assert (one.metric, one.responds, one.change) == (VERA[0], "yes", pytest.approx(4))
    assert (other.metric, other.responds, other.change) == (VERA[1], "no", 0)
    assert other.ranks == 0 and one.right_way == 1


def test_one_that_ranks_the_worse_higher_is_said_to(store, tea_with_vera):
    run(store, tea_with_vera, Words({"faithfulness, whole answer": -4}))
    assert report(store, tea_with_vera).sensitivity[0].responds == "wrong way"


def test_answers_are_ranked_anew_beside_the_order_of_the_plain_answers(store, tea_with_vera):
    run(store, tea_with_vera, Words({"faithfulness, whole answer": 4}))
    ranked = report(store, tea_with_vera).ranked
    assert [one.place for one in ranked] == [*range(1, 41)]
    longest = max(ranked, key=lambda one: one.plain_logit)
    assert longest.plain_place in (1, 2)
    assert all(one.logit > 3 for one in ranked[:20]) and ranked[20].logit < 1
    assert all(0 < one.expit < 1 for one in ranked)


def test_scores_are_kept_and_asked_for_again_only_where_a_number_changed(store, tea_with_vera):
    encoder = Words({})
    assert run(store, tea_with_vera, encoder).scored == 40
    assert encoder.asked == 40 * 6  # whole, plain, and two ends of two metrics
    assert run(store, tea_with_vera, encoder) == (0, 40, 0, {})
    give(store, tea_with_vera.id, VERA[1], [0.99])
    assert run(store, tea_with_vera, encoder).scored == 1
    assert encoder.asked == 41 * 6


def test_answers_without_a_metric_are_left_out_with_the_reason(store, tea_with_vera):
    give(store, tea_with_vera.id, VERA[0], [None])
    done = run(store, tea_with_vera, Words({}))
    assert done.scored == 39 and done.left_out == {"Faithfulness, whole answer: refused": 1}


def test_the_score_is_read_as_a_metric_and_is_no_part_of_itself(store, tea_with_vera):
    run(store, tea_with_vera, Words({}))
    found = metric_records.read(store, tea_with_vera)
    assert {one.metric for one in found.records} == {*VERA, "vera_composite"}
    assert [one.metric.name for one in columns(found)] == [*VERA]
    assert composites.report(found, None, draws=Draws(200)).encoded.n == 40


def test_without_a_cross_encoder_there_is_the_reason_and_nothing_else(store, tea_with_vera):
    found = report(store, tea_with_vera)
    assert found.n == 0 and found.ranked == () and found.mean is None
    assert "No cross-encoder has scored these answers" in message_of(found.why_none)
