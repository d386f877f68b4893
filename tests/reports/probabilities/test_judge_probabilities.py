import pytest

from concord.model import NATIVE, STATED, Distribution
from concord.reports.agreement.judge_probabilities import (
    NO_PROBABILITIES,
    NOT_OF_ITS_SCORE,
    ONE_SCORE,
    OUTSIDE,
    OUTSIDE_UNKNOWN,
    REPEATS,
    read,
    report,
)
from tests.support.panels import (
    ATLAS,
    BIRCH,
    COBALT,
    give,
    give_probabilities,
    overconfident,
    panel,
    stated,
)


def native(*shares, outside=None) -> Distribution:
    return Distribution(NATIVE, tuple(enumerate(shares)), outside)


def rows(store, doc_qa):
    read_panel = panel(store, doc_qa)
    return report(read_panel, read(store, read_panel), "correctness")


def confidence(row):
    """The mean confidence of a row whose pairs all agree."""
    return row["overconfidence"].value + 1


def test_confidence_is_normalised_and_mass_outside_is_of_each_pair(store, sheet, doc_qa, give):
    give("Ana", {ATLAS: 3, BIRCH: 2})
    give("Ben", {ATLAS: 3})
    given = {ATLAS: native(0, 0, 0.2, 0.6, outside=0.2), BIRCH: native(0, 0.1, 0.9, 0)}
    give_probabilities(store, doc_qa, "gpt", given)
    [row] = rows(store, doc_qa)
    assert (row["source"], row["left_out"], row["n"]) == ("native", {}, 2)
    assert confidence(row) == pytest.approx((0.75 + 0.9) / 2)  # an answer weighs 1
    assert row["outside_mass"].value == pytest.approx(0.2)


def test_what_has_no_probabilities_or_none_on_the_scale_is_left_out_and_counted(
    store, sheet, doc_qa
):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2, COBALT: 1})
    given = {ATLAS: native(0, 0, 0.2, 0.8), BIRCH: native(0, 0, 0, 0, outside=1.0), COBALT: None}
    give_probabilities(store, doc_qa, "gpt", given, scores={BIRCH: 2, COBALT: 1})
    [row] = rows(store, doc_qa)
    assert (row["n"], row["left_out"]) == (1, {NO_PROBABILITIES: 1, OUTSIDE: 1})
    assert row["outside_mass"].value == 1.0  # or the mean would be of those that have none


def test_a_stated_confidence_is_taken_as_it_is_and_only_of_the_score_given(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2})
    given = {ATLAS: Distribution(STATED, ((3, 0.7),)), BIRCH: Distribution(STATED, ((1, 0.8),))}
    give_probabilities(store, doc_qa, "gpt", given, scores={BIRCH: 2})
    [row] = rows(store, doc_qa)
    assert confidence(row) == pytest.approx(0.7)
    assert row["left_out"] == {NOT_OF_ITS_SCORE: 1}


def test_repeats_are_vote_shares_where_a_judge_gave_no_probabilities(
    store, sheet, doc_qa, give, judge, panel
):
    give("Ana", {ATLAS: 3, BIRCH: 2})
    judge_id = judge("gpt", {ATLAS: 3, BIRCH: 2})
    assert read(store, panel()) == {}
    judge("gpt", {ATLAS: 3}, repeat=2)
    judge("gpt", {ATLAS: 1}, repeat=3)
    found = read(store, panel())["correctness", judge_id]
    assert found.source == REPEATS
    assert found.shares[ATLAS].tolist() == pytest.approx([0, 1 / 3, 0, 2 / 3])
    [row] = rows(store, doc_qa)
    assert confidence(row) == pytest.approx(2 / 3)
    assert row["left_out"] == {NO_PROBABILITIES: 1}


def test_stored_probabilities_count_and_no_repeats_beside_them(store, sheet, doc_qa, give, judge):
    give("Ana", {ATLAS: 3})
    give_probabilities(store, doc_qa, "gpt", {ATLAS: native(0, 0, 0.2, 0.8)})
    judge("gpt", {ATLAS: 1}, repeat=2)
    judge("gpt", {ATLAS: 1}, repeat=3)
    assert rows(store, doc_qa)[0]["source"] == NATIVE


def test_a_repeat_without_a_score_has_no_vote(store, sheet, give, judge, panel):
    give("Ana", {ATLAS: 3})
    judge("gpt", {ATLAS: 3})
    judge("gpt", {ATLAS: None}, repeat=2)
    assert read(store, panel()) == {}


PLACES = range(36)


def of(store, doc_qa, given, annotated):
    """The one row on correctness of a judge on 36 answers to 12 questions."""
    give(store, doc_qa, "Ana", annotated)
    give_probabilities(store, doc_qa, "gpt", given)
    [row] = rows(store, doc_qa)
    return row


def test_a_judge_that_is_sure_and_often_wrong_is_overconfident(store, sheet, doc_qa, often_wrong):
    row = of(store, doc_qa, {n: overconfident(n) for n in PLACES}, often_wrong)
    assert (row["n"], row["questions"], row["left_out"]) == (36, 12, {})
    assert row["said"].within.confidence == pytest.approx(0.94)
    assert row["said"].agreed.value == pytest.approx(2 / 3)
    assert row["overconfidence"].value == pytest.approx(0.94 - 2 / 3)
    assert row["ece"].value == pytest.approx(0.94 - 2 / 3, abs=0.02)
    assert [one.answers for one in row["diagram"]] == [36]
    assert row["sharpness"].value == pytest.approx(0.94)


def test_a_judge_with_no_answer_in_common_has_a_row_without_figures(store, sheet, doc_qa):
    row = of(store, doc_qa, {0: overconfident(0)}, {5: 3})
    assert (row["n"], row["diagram"]) == (0, [])
    assert row["rps"].value is None and row["overconfidence"].value is None
    assert row["said"].within is None


def test_the_figures_are_those_of_arithmetic_by_hand(store, sheet, doc_qa, give):
    give("Ana", {ATLAS: 3, BIRCH: 0})
    give("Ben", {ATLAS: 2})
    given = {ATLAS: native(0, 0, 0.25, 0.25, outside=0.5), BIRCH: native(0.5, 0.5, 0, 0)}
    give_probabilities(store, doc_qa, "gpt", given)
    [row] = rows(store, doc_qa)
    # Atlas has half its probability on 2 and on 3: cumulated 0, 0, .5, which a 2 or a 3 misses by
    # .5 at one step of three. Birch: .5 at the first step.
    assert row["rps"].value == pytest.approx(0.25 / 3)
    assert row["brier"].value == pytest.approx(0.5)
    assert row["log_score"].value == pytest.approx(0.6931471805599453)
    assert row["outside_mass"].value == pytest.approx(0.5)


def test_a_stated_confidence_has_a_calibration_error_and_says_why_nothing_else(
    store, sheet, doc_qa
):
    places = range(36)
    give(store, doc_qa, "Ana", {place: place % 4 for place in places})
    give_probabilities(store, doc_qa, "gpt", {place: stated(place) for place in places})
    [row] = rows(store, doc_qa)
    undefined = {row[key].why_none for key in ("rps", "rps_skill", "log_score")}
    assert undefined == {ONE_SCORE}
    assert row["outside_mass"].why_none == OUTSIDE_UNKNOWN
    assert row["ece"].value > 0.3
