import numpy as np
import pytest
from sklearn.metrics import (
    balanced_accuracy_score,
    f1_score,
    precision_score,
    recall_score,
)

from concord.messages import is_message, message_of
from concord.stats.agreement.failure_recall import VerdictCounts
from concord.stats.core.pairs import Pairs, annotators_pairs
from concord.stats.majority_baseline import KEYS as IN_BASELINE
from concord.stats.majority_baseline import MajorityClass, constant, every_statistic
from concord.stats.reliability.retest import reliability
from concord.stats.statistics import (
    BY_KEY,
    CHARTED,
    CORRELATIONS,
    KEYS,
    NOT_FOR_COMPOSITES,
    OF_FAILING,
    STATISTICS,
    absent,
    composite_figures,
    figures,
    shown,
)

SCALE = (0, 1, 2, 3)
FAILING = (0, 1)


def one_to_one(judge, person, per_question=1):
    count = len(judge)
    return Pairs(
        np.asarray(judge),
        np.asarray(person),
        np.ones(count),
        np.arange(count),
        np.arange(count) // per_question,
    )


CHANCE_CORRECTED = tuple(one.key for one in STATISTICS if one.family == "chance-corrected")


def noisy(answers, seed=0, per_question=3):
    rng = np.random.default_rng(seed)
    person = rng.choice(4, answers, p=[0.1, 0.2, 0.3, 0.4])
    judge = np.clip(person + rng.choice([-1, 0, 1], answers, p=[0.1, 0.7, 0.2]), 0, 3)
    return one_to_one(judge, person, per_question)


def complete(estimate):
    return None not in estimate[:3] and estimate.why_none is None


def test_a_sheet_of_ninety_answers_has_every_figure_with_its_interval():
    found = figures(noisy(90), SCALE, FAILING)
    assert tuple(found) == KEYS
    for name, estimate in found.items():
        assert complete(estimate), name
        assert estimate.low <= estimate.value <= estimate.high
        assert isinstance(estimate.value, float)
    assert found["qwk"].value == pytest.approx(found["ccc"].value)
    assert found["qwk"].method == "question jackknife, t(15.09) on Fisher's z"
    assert found["exact"].method.startswith("Wilson at effective n")
    assert found["within_one"].value + found["off_by_two"].value == pytest.approx(1)


def test_on_a_scale_of_two_nothing_is_within_one_or_off_by_two_and_it_says_why():
    judge, person = np.tile([0, 1, 1], 10), np.tile([0, 1, 0], 10)
    found = figures(one_to_one(judge, person), (0, 1), (0,))
    for name in ("within_one", "off_by_two"):
        assert found[name].value is None and "scale of two" in message_of(found[name].why_none)
    assert found["exact"].value == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("answers", "has_interval", "has_kappa"), [(27, False, False), (45, True, True)]
)
def test_floors_of_questions_and_pairs(answers, has_interval, has_kappa):
    found = figures(noisy(answers), SCALE, FAILING)
    assert (found["exact"].low is not None) is has_interval
    assert (found["mae"].low is not None) is has_interval
    for name in CHANCE_CORRECTED:
        assert (found[name].value is not None) is has_kappa
    if not has_kappa:
        assert found["qwk"].why_none.code == "too_few_pairs"
    else:
        assert found["qwk"].method.endswith("approximate")


def test_perfect_agreement_keeps_its_value_and_withholds_what_resampling_cannot_show():
    scores = np.tile([0, 1, 2, 3], 12)
    found = figures(one_to_one(scores, scores), SCALE, FAILING)
    assert complete(found["exact"])
    assert (found["exact"].value, found["exact"].high) == (1, 1)
    assert (found["qwk"].value, found["qwk"].low) == (1, None)
    assert (found["bias"].value, found["bias"].low) == (0, None)
    assert found["qwk"].why_none == found["bias"].why_none


def test_one_score_throughout_leaves_chance_corrected_figures_undefined():
    found = figures(one_to_one([3] * 40, [3] * 40), SCALE, FAILING)
    for name in (*CHANCE_CORRECTED, "tau_b"):
        assert found[name].value is None
        assert message_of(found[name].why_none).startswith("no variation")
    assert found["exact"].value == 1
    assert message_of(found["failure_recall"].why_none) == "annotators failed no answer"


def test_a_constant_judge_has_kappa_zero_and_no_rank_correlation():
    found = figures(one_to_one([3] * 40, [0, 1, 2, 3] * 10), SCALE, FAILING)
    assert found["qwk"].value == pytest.approx(0)
    assert found["tau_b"].value is None


def test_between_annotators_bias_has_no_side():
    item = np.repeat(np.arange(40), 2)
    score = np.random.default_rng(2).choice(4, 80)
    pairs = annotators_pairs(item, score, np.arange(40))
    found = figures(pairs, SCALE, FAILING, between_annotators=True)
    assert found["bias"].value is None
    assert "has no direction" in message_of(found["bias"].why_none)
    same = (score[::2] == score[1::2]).mean()
    assert found["exact"].value == pytest.approx(same)
    # Both orders of a pair are two scores of one answer that say the same.
    assert found["exact"].method == "Wilson at effective n 39.0 of 80.0, t(39)"


def test_no_pairs_give_no_figures_but_every_key():
    nobody = one_to_one([], [])
    assert tuple(figures(nobody, SCALE, FAILING)) == KEYS
    assert tuple(composite_figures(nobody)) == KEYS
    assert message_of(absent("one annotator")["qwk"].why_none) == "one annotator"


def test_the_order_of_the_rows_changes_nothing():
    pairs = noisy(90)
    order = np.random.default_rng(9).permutation(90)
    before = figures(pairs, SCALE, FAILING)
    after = figures(Pairs(*(column[order] for column in pairs)), SCALE, FAILING)
    for name in KEYS:
        assert after[name][:3] == pytest.approx(before[name][:3], abs=1e-12)


def test_caught_counts_an_answer_failed_by_one_of_two_annotators_as_half():
    pairs = Pairs(
        judge=np.array([1, 1, 3, 3, 2]),
        annotator=np.array([0, 3, 1, 1, 3]),
        weight=np.array([0.5, 0.5, 0.5, 0.5, 1.0]),
        item=np.array([0, 0, 1, 1, 2]),
        cluster=np.array([0, 0, 1, 1, 2]),
    )
    assert VerdictCounts.of(pairs, FAILING).failing == 2
    found = figures(pairs, SCALE, FAILING)["failure_recall"]
    assert found.value == pytest.approx(0.5 / 1.5)
    assert found.low is None


def test_sixteen_of_twenty_failing_answers_caught_leaves_a_wide_interval():
    person = np.repeat([0, 3], [20, 180])
    judge = np.repeat([1, 2, 3], [16, 4, 180])
    found = figures(one_to_one(judge, person), SCALE, FAILING)["failure_recall"]
    assert found.value == 0.8
    assert (found.low, found.high) == pytest.approx((0.57, 0.93), abs=0.02)


def test_the_constant_grade_and_the_best_one_within_one():
    found = every_statistic(np.array([1.0, 3.0, 2.0, 4.0]), SCALE, FAILING)
    assert {*found} == {*IN_BASELINE}
    expected = {
        "score": 3,
        "exact": 0.4,
        "within_one": 0.6,
        "best_within_one": 0.9,
        "best_within_one_score": 2,
        "bias": 3 - (3 + 4 + 12) / 10,
        "mae": (3 + 2 * 3 + 2) / 10,
        "kappa": 0,
        "ccc": 0,
    }
    assert {key: found[key] for key in expected} == pytest.approx(expected)


@pytest.mark.parametrize("one", STATISTICS, ids=lambda one: one.key)
def test_a_title_that_is_more_than_a_symbol_or_a_surname_can_be_translated(one):
    assert is_message(one.title) or one.title in ("kappa",)


@pytest.mark.parametrize("one", STATISTICS, ids=lambda one: one.key)
def test_the_baseline_of_a_statistic_is_that_of_a_judge_that_gives_one_score(one):
    pairs = noisy(90)
    used = np.bincount(pairs.annotator, minlength=len(SCALE)).astype(float)
    found = every_statistic(used, SCALE, FAILING)
    judge = pairs._replace(judge=np.full_like(pairs.judge, found["score"]))
    value = figures(judge, SCALE, FAILING, names=(one.key,))[one.key].value
    assert found[one.key] == (value if value is None else pytest.approx(value, abs=1e-12))


def test_where_annotators_give_one_score_a_constant_judge_has_no_kappa():
    found = every_statistic(np.array([0.0, 0.0, 5.0, 0.0]), SCALE, FAILING)
    assert (found["exact"], found["mae"], found["qwk"], found["alpha"]) == (1, 0, None, None)


def test_on_two_points_every_constant_judge_is_within_one():
    found = every_statistic(np.array([2.0, 3.0]), (0, 1), (0,))
    assert (found["within_one"], found["best_within_one"], found["best_within_one_score"]) == (
        1,
        1,
        0,
    )


def test_the_lowest_of_equally_common_scores_is_the_constant():
    used = np.array([1 / 3, 0.1 + 0.2, 1 / 3, 0])
    assert constant(used, SCALE) == MajorityClass(0, pytest.approx(1 / 3, abs=0.02))
    assert every_statistic(used, SCALE, FAILING)["best_within_one_score"] == 1
    assert constant(np.zeros(4), SCALE) is None


def test_the_constant_comes_from_the_annotators_of_the_tables():
    tables = one_to_one([0, 0, 0], [2, 2, 1]).tables(SCALE)
    assert constant(tables.sum(axis=(0, 2)), SCALE).score == 2


def test_composites_have_mae_bias_and_concordance_and_say_why_nothing_else():
    rng = np.random.default_rng(8)
    person = rng.choice(np.arange(16) / 5, 60)
    judge = person + rng.choice([-0.2, 0, 0.4], 60)
    found = composite_figures(one_to_one(judge, person, 2))
    apart = judge - person
    assert found["mae"].value == pytest.approx(np.abs(apart).mean())
    assert found["bias"].value == pytest.approx(apart.mean())
    covariance = np.cov(judge, person, ddof=0)
    expected = 2 * covariance[0, 1] / (covariance.trace() + apart.mean() ** 2)
    assert found["ccc"].value == pytest.approx(expected)
    assert all(complete(found[name]) for name in ("mae", "bias", "ccc"))
    assert found["exact"].why_none == found["qwk"].why_none == NOT_FOR_COMPOSITES


def test_composites_that_are_whole_scores_agree_with_the_tables():
    pairs = noisy(90)
    tables, moments = figures(pairs, SCALE, FAILING), composite_figures(pairs)
    for name in ("mae", "bias", "ccc"):
        assert moments[name].value == pytest.approx(tables[name].value)
        # The tables show each answer, the moments questions alone.
        assert moments[name][1:3] == pytest.approx(tables[name][1:3], rel=0.1)


def test_composites_without_variation_have_no_concordance():
    found = composite_figures(one_to_one([0.6] * 40, [0.6] * 40))
    assert message_of(found["ccc"].why_none).startswith("no variation")
    assert found["mae"].value == 0


def test_a_grader_who_changes_one_score_in_ten_repeats_nine():
    first = np.tile([0, 1, 2, 3, 3, 3, 2, 2, 1, 3], 4)
    second = np.tile([0, 1, 2, 3, 3, 3, 2, 2, 1, 2], 4)
    found = reliability(first, second, np.arange(40), SCALE)
    assert (found.n, found.exact.value, found.within_one.value) == (40, 0.9, 1)
    assert found.drift.value == pytest.approx(-0.1)
    assert complete(found.qwk)


def test_without_repeats_reliability_is_undefined():
    nothing = np.array([], int)
    found = reliability(nothing, nothing, nothing, SCALE)
    assert (found.n, found.exact.value) == (0, None)


def test_every_statistic_has_a_key_of_its_own_and_what_is_charted_is_in_the_table():
    assert len(BY_KEY) == len(STATISTICS) + len(CORRELATIONS)
    assert {one.key for one in CHARTED} <= {one.key for one in shown("table")}
    assert {one.kind for one in shown("gate")} == {"share"}


def test_better_is_higher_lower_or_nearer_to_zero():
    qwk, mae, bias = (BY_KEY[key].better for key in ("qwk", "mae", "bias"))
    assert qwk(0.8) > qwk(0.7) and mae(0.2) > mae(0.3) and bias(-0.1) > bias(0.2)


def test_f1_of_failing_verdicts_by_hand_and_as_scikit_learn_has_it():
    """Annotators fail 4, the judge 3, both 2: recall 1/2, precision 2/3, F1 2 * 2 / (4 + 3)."""
    person, judge = [0, 1, 1, 0, 2, 3, 3, 2], [1, 0, 2, 3, 1, 3, 2, 2]
    found = figures(one_to_one(judge, person), SCALE, FAILING, names=("failure_f1",))
    assert found["failure_f1"].value == pytest.approx(4 / 7)
    pairs = noisy(90)
    f1 = figures(pairs, SCALE, FAILING, names=("failure_f1",))["failure_f1"]
    expected = f1_score(np.isin(pairs.annotator, FAILING), np.isin(pairs.judge, FAILING))
    assert f1.value == pytest.approx(expected) and 0 <= f1.low < expected < f1.high <= 1
    assert f1.method.startswith("question jackknife, t(10.6")


@pytest.mark.parametrize(
    ("judge", "person", "why"),
    [(0, 3, "annotators failed no answer"), (3, 0, "the judge failed nothing")],
)
def test_without_a_failing_answer_or_verdict_f1_is_undefined(judge, person, why):
    pairs = one_to_one([judge] * 40, [person] * 40)
    f1 = figures(pairs, SCALE, FAILING, names=("failure_f1",))["failure_f1"]
    assert f1.value is None and message_of(f1.why_none).startswith(why)


def test_figures_of_failing_verdicts_by_hand():
    """Annotators fail 4 of 8 and pass 4; the judge fails 3: two rightly, one a false alarm."""
    person, judge = [0, 1, 1, 0, 2, 3, 3, 2], [1, 0, 2, 3, 1, 3, 2, 2]
    pairs = one_to_one(judge, person)
    found = figures(pairs, SCALE, FAILING, names=[one.key for one in OF_FAILING])
    expected = {
        "failure_recall": 2 / 4,
        "failure_precision": 2 / 3,
        "false_alarm_rate": 1 / 4,
        "failure_f1": 4 / 7,
        "balanced_accuracy": (2 / 4 + 3 / 4) / 2,
    }
    assert {key: one.value for key, one in found.items()} == pytest.approx(expected)
    assert VerdictCounts.of(pairs, FAILING) == (4, 4, 3)


def test_precision_false_alarms_and_balanced_accuracy_are_those_of_scikit_learn():
    pairs = noisy(90)
    fails = np.isin(pairs.annotator, FAILING), np.isin(pairs.judge, FAILING)
    found = figures(pairs, SCALE, FAILING)
    assert found["failure_precision"].value == pytest.approx(precision_score(*fails))
    alarms = 1 - recall_score(*fails, pos_label=False)
    assert found["false_alarm_rate"].value == pytest.approx(alarms)
    balanced = found["balanced_accuracy"]
    assert balanced.value == pytest.approx(balanced_accuracy_score(*fails))
    assert balanced.low < balanced.value < balanced.high <= 1
    assert balanced.method.startswith("question jackknife, t(13.9")


@pytest.mark.parametrize(("key", "truth"), [("failure_f1", 0.7), ("balanced_accuracy", 0.8)])
def test_intervals_of_figures_of_failing_verdicts_cover_on_few_questions(key, truth):
    """300 sheets of 40 questions; annotators fail 25%, the judge 70% of these and 10% of others."""
    random, held = np.random.default_rng(5), []
    for _ in range(300):
        fails = random.random(120) < 0.25
        judged = random.random(120) < np.where(fails, 0.7, 0.1)
        pairs = one_to_one(np.where(judged, 0, 3), np.where(fails, 0, 3))
        pairs = pairs._replace(cluster=np.arange(120) // 3)
        found = figures(pairs, SCALE, FAILING, names=(key,))[key]
        if found.low is not None:
            held.append(found.low <= truth <= found.high)
    assert len(held) > 280 and np.mean(held) > 0.93


@pytest.mark.parametrize("score", [0, 3])
def test_a_judge_that_fails_everything_or_nothing_is_no_better_than_chance(score):
    pairs = noisy(90)
    constant = pairs._replace(judge=np.full_like(pairs.judge, score))
    found = figures(constant, SCALE, FAILING)
    assert found["balanced_accuracy"].value == pytest.approx(0.5)
    assert found["failure_recall"].value == found["false_alarm_rate"].value == float(score == 0)
    precision = found["failure_precision"]
    assert (precision.value is None) == (score == 3)


def test_an_answer_counts_for_each_verdict_of_its_annotators():
    """One answer that one annotator fails and the other passes is half failing, half passing."""
    pairs = one_to_one([0, 0], [0, 3])._replace(item=np.array([0, 0]), weight=np.array([0.5, 0.5]))
    assert VerdictCounts.of(pairs, FAILING) == (1, 1, 1)
    found = figures(pairs, SCALE, FAILING)
    assert found["failure_precision"].value == pytest.approx(0.5)
    assert found["false_alarm_rate"].value == 1.0


def test_without_passing_answers_there_are_no_false_alarms_to_speak_of():
    found = figures(one_to_one([0, 3] * 20, [0] * 40), SCALE, FAILING)
    for key in ("false_alarm_rate", "balanced_accuracy"):
        assert found[key].value is None
        assert message_of(found[key].why_none) == "annotators passed no answer"
