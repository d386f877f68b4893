import numpy as np
import pytest
from scipy import stats
from scipy.stats import kendalltau, pearsonr, spearmanr

from concord.messages import message_of
from concord.stats import segments
from concord.stats.agreement.coefficients import VerdictCounts
from concord.stats.baselines import KEYS as IN_BASELINE
from concord.stats.baselines import MajorityClass, constant, every_statistic
from concord.stats.continuous import CONSTANT, TOO_MANY, correlations, errors
from concord.stats.core.pairs import Pairs, annotators_pairs, judge_pairs
from concord.stats.reliability.retest import reliability
from concord.stats.segments import by_segment
from concord.stats.statistics import (
    KEYS,
    NOT_FOR_COMPOSITES,
    OF_FAILING,
    STATISTICS,
    TOO_FEW_PAIRS,
    best_exact,
    composite_figures,
    figures,
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
    assert message_of(found["failure_recall"].why_none) == "annotators failed no item"


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


def test_the_lowest_of_equally_common_scores_is_the_constant():
    used = np.array([1 / 3, 0.1 + 0.2, 1 / 3, 0])
    assert constant(used, SCALE) == MajorityClass(0, pytest.approx(1 / 3, abs=0.02))
    assert every_statistic(used, SCALE, FAILING)["best_within_one_score"] == 1
    assert constant(np.zeros(4), SCALE) is None


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


@pytest.mark.parametrize(
    ("judge", "person", "why"),
    [(0, 3, "annotators failed no item"), (3, 0, "the judge failed nothing")],
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


def test_without_passing_answers_there_are_no_false_alarms_to_speak_of():
    found = figures(one_to_one([0, 3] * 20, [0] * 40), SCALE, FAILING)
    for key in ("false_alarm_rate", "balanced_accuracy"):
        assert found[key].value is None
        assert message_of(found[key].why_none) == "annotators passed no item"


def pairs(judge, annotator, cluster=None):
    n = len(judge)
    cluster = np.arange(n) if cluster is None else np.asarray(cluster)
    columns = (np.asarray(judge, float), np.asarray(annotator, float), np.ones(n))
    return Pairs(*columns, np.arange(n), cluster)


def test_four_answers_by_hand():
    """Judge 1.5, 2.5, 2.5, 4.5 against 1, 2, 4, 5: distances .5, .5, -1.5, -.5.

    Bias -.25; MAE .75; Deviations of the judge -1.25, -.25, -.25, 1.75 and of the
    annotator -2, -1, 1, 2: products sum to 6, squares to 4.75 and 10. Pearson 6 / sqrt(47.5).
    CCC 2 * 1.5 / (1.1875 + 2.5 + .0625).
    """
    given = pairs([1.5, 2.5, 2.5, 4.5], [1, 2, 4, 5])
    found = errors(given) | correlations(given)
    assert found["bias"].value == pytest.approx(-0.25)
    assert found["mae"].value == pytest.approx(0.75)
    assert found["ccc"].value == pytest.approx(3 / 3.75)
    assert found["pearson"].value == pytest.approx(6 / np.sqrt(47.5))
    # 5 pairs in order and 1 tied on one side of 6: 5 / sqrt(5 * 6)
    assert found["tau_b"].value == pytest.approx(5 / np.sqrt(30))


def test_correlations_do_not_depend_on_the_range():
    draw = np.random.default_rng(7)
    judge, annotator = draw.random(60), draw.integers(1, 6, 60)
    found = correlations(pairs(judge, annotator, np.arange(60) // 3))
    far = correlations(pairs(judge * 1e-3 + 1e3, annotator, np.arange(60) // 3))
    for key, by in (("pearson", pearsonr), ("spearman", spearmanr), ("tau_b", kendalltau)):
        assert found[key].value == pytest.approx(by(judge, annotator).statistic)
        assert far[key].value == pytest.approx(found[key].value, abs=1e-4)
        assert found[key].low <= found[key].value <= found[key].high


def test_what_does_not_vary_or_would_not_fit_is_undefined():
    assert correlations(pairs([0.5] * 40, range(40)))["spearman"].why_none == CONSTANT
    assert correlations(pairs([0.5] * 40, range(40)))["pearson"].why_none == CONSTANT
    many = correlations(pairs(range(1100), range(1100)))
    assert many["tau_b"].why_none == TOO_MANY and many["pearson"].value == pytest.approx(1)


SCALE_OF_CONTINUOUS, REACHED = (0, 1, 2, 3), 0.75


def judges(random, number, questions=40):
    """Judges that agree exactly on three answers in four, two answers to a question."""
    cluster = np.repeat(np.arange(questions), 2)
    truth, item = random.integers(0, 4, len(cluster)), np.arange(len(cluster))
    right = random.random((number, len(cluster))) < REACHED
    return [
        Pairs(np.where(hit, truth, (truth + 1) % 4), truth, np.ones(len(item)), item, cluster)
        for hit in right
    ]


def own(pairs):
    return figures(pairs, SCALE_OF_CONTINUOUS, (), names=("exact",))["exact"]


def test_the_best_of_tied_judges_is_covered_as_often_as_promised():
    random = np.random.default_rng(6)
    covered = np.zeros(2)
    for _ in range(100):
        made = judges(random, 14)
        place, best = best_exact(made, SCALE_OF_CONTINUOUS)
        assert best.value == max(own(pairs).value for pairs in made) == own(made[place]).value
        each = own(made[place]), best
        covered += [one.low <= REACHED <= one.high for one in each]
    assert covered[0] < 85 and covered[1] >= 93


def test_a_judge_that_is_always_right_has_the_exact_limit_at_the_level_of_the_family():
    first, second = judges(np.random.default_rng(2), 2)
    perfect = second._replace(judge=second.annotator)
    place, best = best_exact([first, perfect], SCALE_OF_CONTINUOUS)
    assert (place, best.high) == (1, 1.0)
    assert 0.8 < best.low < own(perfect).low


SCALE_OF_PAIRED_SCORES = (0, 1, 2, 3)
PERSON = np.array([0, 1, 2, 3, 3, 2, 1, 0, 3, 3, 2, 1])
JUDGE = np.array([0, 1, 3, 3, 2, 2, 1, 1, 3, 3, 1, 1])


def pairs_of_paired_scores(person, judge, times=1, weight=1.0):
    """The same pairs `times` over, two answers to a question."""
    person, judge = np.tile(person, times), np.tile(judge, times)
    item = np.arange(len(person))
    return Pairs(judge, person, np.full(len(item), weight), item, item // 2)


def table(person, judge, scale=SCALE_OF_PAIRED_SCORES):
    counts = np.zeros((len(scale), len(scale)))
    np.add.at(counts, (person, judge), 1)
    return counts


@pytest.mark.parametrize(("answers", "why"), [(29, TOO_FEW_PAIRS), (30, None)])
def test_the_minimum_counts_answers_however_many_annotators_graded_each(answers, why):
    item = np.repeat(np.arange(answers), 5)
    score, cluster = np.arange(5 * answers) % 7 % 4, np.arange(answers)
    between = annotators_pairs(item, score, cluster)
    judged = judge_pairs(cluster, cluster % 4, item, score, cluster)
    assert figures(between, SCALE_OF_PAIRED_SCORES, (), True)["qwk"].why_none == why
    assert figures(judged, SCALE_OF_PAIRED_SCORES, ())["qwk"].why_none == why
    assert composite_figures(between, True)["ccc"].why_none == why


def test_nothing_to_compare_is_undefined():
    none = pairs_of_paired_scores(np.zeros(0, int), np.zeros(0, int))
    for found in (
        figures(none, SCALE_OF_PAIRED_SCORES, ()),
        composite_figures(none),
    ):
        assert {one.value for one in found.values()} == {None}


SCALE_OF_SEGMENTS, FAILING_OF_CONTINUOUS = (0, 1, 2, 3), (0, 1)


def made(*agreeing: tuple[int, int], score: int = 3) -> tuple[Pairs, np.ndarray]:
    """Segments of one answer per question, each with (answers, of these exact); else 1 low."""
    hit = np.concatenate([np.arange(n) < exact for n, exact in agreeing])
    person = np.full(len(hit), score)
    count = np.arange(len(hit))
    segment = np.repeat(np.arange(len(agreeing)), [n for n, _ in agreeing])
    return Pairs(np.where(hit, score, score - 1), person, np.ones(len(hit)), count, count), segment


def found(pairs, segment, count, names=("exact",)):
    return by_segment(pairs, segment, count, SCALE_OF_SEGMENTS, FAILING_OF_CONTINUOUS, names)


def wilson(share: float, n: int, quantile: float) -> tuple[float, float]:
    """Wilson's interval, written out."""
    middle = share + quantile**2 / (2 * n)
    half = quantile * (share * (1 - share) / n + quantile**2 / (4 * n**2)) ** 0.5
    return (middle - half) / (1 + quantile**2 / n), (middle + half) / (1 + quantile**2 / n)


def test_three_segments_by_hand():
    """Segments of 20, 30 and 50 questions; every interval is at 1 - .05 / 3."""
    family = found(*made((20, 10), (30, 24), (50, 40)), 3)
    assert (family.reported, family.compared) == (3, 3)
    assert family.confidence == family.confidence_of_differences == pytest.approx(1 - 0.05 / 3)
    tail = 0.05 / 6
    low, high = wilson(0.5, 19, stats.t.isf(tail, 19))
    first = family.segments[0]
    exact = first.figures["exact"]
    assert (first.n, first.clusters) == (20, 20)
    assert (exact.value, exact.low, exact.high) == pytest.approx((0.5, low, high))
    rest_low, rest_high = wilson(0.8, 79, stats.t.isf(tail, 79))
    apart = first.differences["exact"]
    below = np.hypot(0.5 - low, rest_high - 0.8)
    above = np.hypot(high - 0.5, 0.8 - rest_low)
    assert apart.estimate.value == pytest.approx(-0.3)
    assert (apart.estimate.low, apart.estimate.high) == pytest.approx((-0.3 - below, -0.3 + above))
    p = 2 * stats.t.sf(0.3 / above * stats.t.isf(tail, 19), 19)
    assert (apart.p, apart.p_adjusted) == pytest.approx((p, 3 * p))


def test_a_small_segment_has_no_figure_and_is_no_comparison_but_belongs_to_the_rest():
    family = found(*made((9, 0), (30, 24), (50, 40)), 3)
    small, second, _ = family.segments
    assert small.n == 9
    assert (small.figures["exact"].value, small.figures["exact"].why_none.code) == (
        None,
        "too_few_questions",
    )
    assert small.differences["exact"].estimate.why_none == segments.TOO_SMALL
    assert family.compared == 2
    assert second.differences["exact"].estimate.value == pytest.approx(24 / 30 - 40 / 59)


def test_a_segment_without_answers_and_a_single_one_say_why():
    pairs, segment = made((30, 24))
    family = found(pairs, segment, 2)
    only, empty = family.segments
    assert only.differences["exact"].estimate.why_none == segments.ONE_SEGMENT
    assert only.figures["exact"].low is not None
    assert empty.figures["exact"].why_none == segments.NOTHING
    family = found(*made((30, 24), (9, 3)), 2)
    why = family.segments[0].differences["exact"].estimate.why_none
    assert (why, family.compared) == (segments.REST_TOO_SMALL, 0)


def test_answers_of_the_same_questions_are_correlated():
    """Two answers per question, alike: the difference is 0 in every question, and says so."""
    hit = np.repeat(np.arange(40) % 4 > 0, 2)
    pairs = Pairs(
        np.where(hit, 3, 2), np.full(80, 3), np.ones(80), np.arange(80), np.arange(80) // 2
    )
    family = found(pairs, np.arange(80) % 2, 2)
    apart = family.segments[0].differences["exact"]
    assert (apart.estimate.value, apart.p) == (0, 1)
    assert "correlated 1.000" in apart.estimate.method
    assert apart.estimate.high - apart.estimate.low < 0.1


@pytest.mark.parametrize("crossed", [False, True])
def test_the_family_wise_error_is_at_most_nominal_on_null_data_with_eight_segments(crossed):
    """Eight segments of 15 questions, or of 40 questions that all eight have an answer to.

    At most .05 of sheets should name any; 60 sheets name more than 7 with odds of 1 in 100.
    """
    random = np.random.default_rng(20231)
    names = ("exact", "bias")
    wrong = dict.fromkeys(names, 0)
    for _ in range(60):
        family = found(*null(random, crossed), 8, names)
        assert family.compared == 8
        for name in names:
            wrong[name] += any(one.differences[name].differs for one in family.segments)
    assert max(wrong.values()) <= 7


def null(random, crossed: bool) -> tuple[Pairs, np.ndarray]:
    """Answers of which a judge misses a fifth in every segment, correlated .3 in a question."""
    questions, answers = (40, 8) if crossed else (120, 2)
    cluster = np.repeat(np.arange(questions), answers)
    shared = random.standard_normal(questions)[cluster]
    noise = 0.3**0.5 * shared + 0.7**0.5 * random.standard_normal(len(cluster))
    person = random.choice(4, len(cluster), p=(0.05, 0.1, 0.25, 0.6))
    judge = person + (noise < stats.norm.ppf(0.2)) * np.where(person == 0, 1, -1)
    segment = np.arange(len(cluster)) % 8 if crossed else cluster % 8
    return Pairs(judge, person, np.ones(len(cluster)), np.arange(len(cluster)), cluster), segment
