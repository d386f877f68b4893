"""The procedure: the verdicts on judges that are good, bad, constant, perfect or too close."""

import numpy as np
import pytest
from scipy import stats

from concord.stats.agreement import coefficients
from concord.stats.decision.conditions import (
    ACCURACY,
    ANNOTATORS,
    ASSAY,
    CEILING,
    DIFFERENCE,
    KAPPA,
    MAJORITY,
    MINIMUM,
    PRECISION,
    RECALL,
    ProcedureTerms,
    decide,
    jackknife_test,
)
from concord.stats.decision.conditions import test_limits as interval_limits
from concord.stats.decision.deciding_figure import FIGURES
from concord.stats.intervals.group_sequential import ERROR
from tests.stats.decision.tables import FAILING, SCALE, erring, grades, person, tables

TERMS = ProcedureTerms("exact", 0.10)
TRUTH = person(90)
REFERENCE = erring(TRUTH, 0.1, 2)
MARGINS = {"exact": 0.1, "within_one": 0.1, "balanced_accuracy": 0.1}


def verdicts(judges, terms=TERMS, truth=TRUTH, looks=(1.0,), second=None) -> list[str]:
    found = decide(grades(truth, judges, second), terms, looks)
    return [
        "good" if good else "not" if bad else "open"
        for good, bad in zip(found.good, found.bad, strict=True)
    ]


@pytest.mark.parametrize("key", FIGURES)
def test_an_equally_good_judge_passes_and_a_random_one_fails_in_every_figure(key):
    terms = ProcedureTerms(key, MARGINS.get(key, 0.2))
    judges = [REFERENCE, erring(TRUTH, 0.1, 3), person(90, seed=4)]
    assert verdicts(judges, terms) == ["good", "good", "not"]


@pytest.mark.parametrize("looks", [(1.0,), (0.5, 1.0)])
@pytest.mark.parametrize("key", ["exact", "qwk", "mae"])
def test_the_interval_of_a_condition_agrees_with_its_result(key, looks):
    """It passes where the lower limit, and fails where the upper one, lies beyond its own limit."""
    terms = ProcedureTerms(key, MARGINS.get(key, 0.2), 0.6, 0.6)
    shares = (0.1, 0.14, 0.17, 0.2, 0.24, 0.3, 0.6)
    judges = [REFERENCE, *(erring(TRUTH, share, n) for n, share in enumerate(shares, 3))]
    sheet = grades(TRUTH, [*judges, person(90, seed=4)], erring(TRUTH, 0.05, 9))
    found = decide(sheet, terms, looks)
    limits = interval_limits(sheet, terms, found, looks)
    results = set()
    for name, (tested, above, below) in found.conditions.items():
        low, high = limits[name]
        known = tested.applies & ~np.isnan(low)
        if name in (DIFFERENCE, MINIMUM, CEILING, KAPPA, ACCURACY):
            assert ((above <= ERROR) == (low >= tested.limit))[known].all(), name
            assert ((below <= ERROR) == (high <= tested.limit))[known].all(), name
            results |= {*np.where(above <= ERROR, "pass", np.where(below <= ERROR, "fail", "open"))}
    assert results == {"pass", "fail", "open"}


def test_a_perfect_judge_passes_once_the_questions_are_many_enough():
    for questions, verdict in ((22, "open"), (40, "good"), (400, "good")):
        truth = person(questions)
        assert verdicts([truth, truth], truth=truth)[1] == verdict


def test_a_judge_that_never_differs_is_tested_by_the_worst_loss_there_may_be():
    """One question of 40 is lost in addition: t = .1 x 40, skewness .75."""
    truth = person(40)
    tested = decide(grades(truth, [truth, truth]), TERMS).conditions[DIFFERENCE].condition.tested
    assert tested.above[1] == pytest.approx(stats.t.sf(4 / np.sqrt(1 + 0.75 * 4), 39), rel=1e-4)
    assert tested.value[1] == 0
    # By the distance, 3 points are lost where annotators gave 0 or 3, else 2.
    found = decide(grades(truth, [truth, truth]), ProcedureTerms("mae", 0.15))
    ends = np.isin(truth, (0, 3)).mean()
    square, cube = (ends * 3**k + (1 - ends) * 2**k for k in (2, 3))
    t, lean = 0.15 * 40 / np.sqrt(square), 0.75 * cube / square**1.5
    above = found.conditions[DIFFERENCE].condition.tested.above[1]
    assert above == pytest.approx(stats.t.sf(t / np.sqrt(1 + lean * t), 39), rel=1e-3)


@pytest.mark.parametrize(("key", "verdict"), [("qwk", "open"), ("tau_b", "open"), ("mae", "good")])
def test_a_verdict_on_an_ordinal_figure_takes_60_answers(key, verdict):
    truth = person(60)[:, :1]
    for questions, expected in ((59, verdict), (60, "good")):
        few = truth[:questions]
        near = few.copy()
        near[:8] = np.where(near[:8] > 1, near[:8] - 1, near[:8] + 1)
        assert verdicts([near, few], ProcedureTerms(key, 0.3), few)[1] == expected


@pytest.mark.parametrize("score", [0, 1, 2, 3])
@pytest.mark.parametrize("key", FIGURES)
def test_a_judge_that_always_gives_one_score_is_not_good_enough(key, score):
    terms = ProcedureTerms(key, 0.9 if key != "mae" else 2.0, failure_recall=0.5)
    assert verdicts([REFERENCE, np.full_like(TRUTH, score)], terms)[1] == "not"


@pytest.mark.parametrize("key", ["exact", "within_one"])
def test_without_assay_sensitivity_a_share_gives_no_verdict_on_any_judge(key):
    """Nine in ten grades are a 3, and the annotators agree less than always giving that does."""
    random = np.random.default_rng(7)
    truth = np.where(random.random((150, 2)) < 0.9, 3, 0)
    second = np.where(random.random(truth.shape) < 0.2, 3 - truth, truth)
    judges = [truth, truth, person(150, seed=4)]
    terms = ProcedureTerms(key, 0.10)
    assert verdicts(judges, terms, truth) == ["good", "good", "not"]
    assert verdicts(judges, terms, truth, second=second) == ["open", "open", "open"]
    assert verdicts(judges, terms._replace(minimum=0.6), truth, second=second)[1] == "open"
    balanced = ProcedureTerms("balanced_accuracy", 0.2)
    assert verdicts(judges, balanced, truth, second=second)[:2] == ["good", "good"]


def test_a_minimum_above_the_upper_limit_of_the_baseline_takes_the_place_of_assay_sensitivity():
    truth = np.where(np.random.default_rng(2).random((200, 2)) < 0.7, 3, 0)
    second = np.where(np.random.default_rng(3).random(truth.shape) < 0.4, 3 - truth, truth)
    judges, terms = [truth, truth], TERMS._replace(margin=0.3)
    assert verdicts(judges, terms, truth, second=second)[1] == "open"
    for minimum, verdict in ((0.6, "open"), (0.75, "good")):
        named = terms._replace(minimum=minimum)
        assert verdicts(judges, named, truth, second=second)[1] == verdict


def test_a_judge_whose_upper_limit_lies_below_the_baseline_is_not_good_enough():
    truth = np.where(np.random.default_rng(2).random((100, 2)) < 0.8, 3, 1)
    worse = np.where(np.random.default_rng(3).random(truth.shape) < 0.4, 4 - truth, truth)
    found = decide(grades(truth, [worse, worse]), TERMS._replace(margin=0.5))
    assert found.conditions[MAJORITY].below[1] <= ERROR and found.bad.all()
    near = np.full_like(truth, 3)
    near[:2, 0] = 2  # wrong on two answers more than always giving 3
    found = decide(grades(truth, [truth, near]), TERMS._replace(margin=0.5))
    assert found.conditions[MAJORITY].below[1] > ERROR
    assert found.unproven[1] and not found.good[1]


def test_nothing_is_good_enough_against_a_reference_that_failed():
    constant = np.full_like(TRUTH, 2)
    assert verdicts([constant, erring(TRUTH, 0.1, 3)]) == ["not", "open"]
    assert verdicts([constant, erring(TRUTH, 0.1, 3)], TERMS._replace(minimum=0.6))[1] == "good"


def test_conditions_of_one_judge_are_not_corrected_and_those_of_judges_step_down():
    good, near = erring(TRUTH, 0.05, 3), erring(TRUTH, 0.16, 5)
    one = decide(grades(TRUTH, [REFERENCE, near]), TERMS)
    p = [each.condition.tested.above[1] for each in one.conditions.values()]
    assert one.p_good[1] == pytest.approx(max(p[0], p[2], p[3], 0), abs=1e-12)
    two = decide(grades(TRUTH, [REFERENCE, near, good]), TERMS)
    assert two.p_good[1] == pytest.approx(one.p_good[1])  # the others are beyond doubt


def test_the_union_is_corrected_over_all_conditions_and_judges():
    near = erring(TRUTH, 0.3, 6)
    found = decide(grades(TRUTH, [REFERENCE, near]), TERMS._replace(failure_recall=0.5))
    below = found.conditions[DIFFERENCE]
    applying = sum(
        one.condition.applies.size
        for name, one in found.conditions.items()
        if name not in (ANNOTATORS, ASSAY)  # which speak against no judge
    )
    assert below.below[1] == pytest.approx(
        min(1, applying * below.condition.tested.below[1]), rel=1e-9
    )


def test_recall_and_precision_veto():
    misses = np.where((TRUTH < 2) & (np.random.default_rng(5).random(TRUTH.shape) < 0.8), 2, TRUTH)
    found = decide(grades(TRUTH, [TRUTH, misses]), TERMS._replace(failure_recall=0.5))
    assert found.bad[1] and found.conditions[RECALL].below[1] <= ERROR
    alarms = np.where((TRUTH > 1) & (np.random.default_rng(5).random(TRUTH.shape) < 0.8), 1, TRUTH)
    found = decide(grades(TRUTH, [TRUTH, alarms]), TERMS._replace(failure_precision=0.8))
    assert found.bad[1] and found.conditions[PRECISION].below[1] <= ERROR
    # A veto cannot be passed, and stops nobody who is not surely below it.
    assert decide(grades(TRUTH, [TRUTH, TRUTH]), TERMS._replace(failure_recall=1.0)).good[1]


def test_an_early_look_needs_more_evidence():
    judges = [REFERENCE, erring(TRUTH, 0.13, 9)]
    last, early = (
        decide(grades(TRUTH, judges), TERMS, looks).p_good[1] for looks in ((1.0,), (0.2,))
    )
    assert early == pytest.approx(last / np.log1p(0.2 * (np.e - 1)))


def test_the_human_ceiling_counts_where_annotators_overlap():
    second = erring(TRUTH, 0.02, 11)
    worse = erring(TRUTH, 0.4, 12)
    found = decide(grades(TRUTH, [worse, worse.copy()], second), TERMS)
    assert found.conditions[CEILING].below[1] <= ERROR and found.bad[1]
    assert (
        not decide(grades(TRUTH, [worse, worse.copy()]), TERMS)
        .conditions[CEILING]
        .condition.applies.any()
    )


@pytest.mark.parametrize(
    ("second", "verdict"),
    [
        (erring(TRUTH, 0.3, 11), "good"),
        (person(90, seed=12), "open"),
        (np.full_like(TRUTH, 3), "open"),
    ],
)
def test_nothing_is_good_enough_beside_a_second_annotator_who_does_not_read(second, verdict):
    terms = TERMS._replace(minimum=0.2)
    judges = [erring(TRUTH, 0.1, seed) for seed in range(2, 8)]
    assert verdicts(judges, terms, second=second) == [verdict] * 6
    found = decide(grades(TRUTH, judges, second), terms)
    one = found.conditions[ANNOTATORS]
    # One hypothesis for all judges: their number does not change its p-value.
    assert one.above == pytest.approx(one.condition.tested.above)
    assert (one.above <= ERROR).all() == (verdict == "good") and (one.below == 1).all()


def test_agreement_of_annotators_takes_thirty_shared_answers():
    second = TRUTH.copy()
    found = decide(grades(TRUTH[:20], [REFERENCE[:20]] * 2, second[:20]), TERMS)
    shared = found.conditions[ANNOTATORS].condition
    assert shared.applies.all() and shared.tested.above[0] < 0.05
    truth, second = person(20, 1), person(20, 1)
    few = decide(grades(truth, [truth, truth], second), TERMS).conditions[ANNOTATORS].condition
    assert few.applies.all() and few.tested.above[0] == 1 and np.isnan(few.tested.low[0])


def test_a_verdict_takes_twenty_questions_and_balanced_accuracy_ten_of_each_class():
    truth = person(19)
    assert verdicts([truth, np.zeros_like(truth)], truth=truth) == ["open", "open"]
    truth = np.full((40, 2), 3)
    truth[:9, 0] = 0
    assert verdicts([truth, truth], ProcedureTerms("balanced_accuracy", 0.5), truth)[1] == "open"


def test_the_minimum_is_tested_by_wilson_at_the_effective_n():
    truth = person(60, answers=1)
    judge = erring(truth, 0.15, 3)
    share = (truth == judge).mean()
    found = decide(grades(truth, [truth, judge]), TERMS._replace(minimum=0.7))
    tested = found.conditions[MINIMUM].condition.tested
    standard = (share - 0.7) / np.sqrt(0.7 * 0.3 / 59)
    assert tested.above[1] == pytest.approx(stats.t.sf(standard, 59), rel=1e-9)


def test_many_sheets_at_once_have_the_verdicts_of_each_alone():
    alone = [grades(TRUTH, [REFERENCE, erring(TRUTH, 0.2, seed)]) for seed in range(4)]
    fields = ("judges", "shared", "annotators")
    together = alone[0]._replace(
        **{f: np.stack([getattr(one, f) for one in alone]) for f in fields}
    )
    found = decide(together, TERMS)
    for place, one in enumerate(alone):
        each = decide(one, TERMS)
        assert found.p_good[place] == pytest.approx(each.p_good)
        assert found.conditions[KAPPA].below[place] == pytest.approx(each.conditions[KAPPA].below)


FEW_LOSSES = np.repeat([-1.0, 0.0], [8, 32])


def one_sided(gains, limit, weight=None):
    """The test of a mean over answers, of which all of a question gain alike, and lose 1 at most.

    `gains` are of each question, and `weight` its number of answers.
    """
    weight = np.ones(len(gains)) if weight is None else weight
    total, sums = weight.sum(), gains * weight
    deleted = (sums.sum() - sums) / (total - weight)
    worst = np.float64(1), np.float64(1)
    return jackknife_test(sums.sum() / total, deleted, weight, gains != 0, worst, limit)


def test_few_losses_by_hand():
    """8 of 40 questions are lost: -.8 each from the mean, the others .2.

    Sums: squares 6.4, cubes -3.84. One loss more has the mean square (1 + 8 x .64) / 9 and the mean
    cube (1 + 8 x .512) / 9.
    """
    square, cube = (1 + 8 * 0.64) / 9, (1 + 8 * 0.512) / 9
    error = np.sqrt(6.4 * 40 / 39 + square)
    lean = 0.75 * (cube + 3.84) / error**3
    t = 40 * 0.2 / error
    expected = stats.t.sf(t / np.sqrt(1 + lean * t), 39)
    found = one_sided(FEW_LOSSES, -0.4)
    assert found.above == pytest.approx(expected, rel=1e-9)
    # Skewness towards losses makes no gain likelier, and none was seen: 1 at worst.
    error = np.sqrt(6.4 * 40 / 39 + 1)
    t = 40 * 0.2 / error
    below = stats.t.sf(t / np.sqrt(1 + 0.75 / error**3 * t), 39)
    assert one_sided(FEW_LOSSES, 0.0).below == pytest.approx(below, rel=1e-9)


@pytest.mark.parametrize(("questions", "losses"), [(40, 0), (60, 1), (100, 4), (100, 5)])
def test_of_whole_questions_lost_it_is_hardly_stricter_than_the_exact_bound(questions, losses):
    gains = np.repeat([-1.0, 0.0], [losses, questions - losses])
    exact = stats.binom.cdf(losses, questions, 0.1)
    assert exact * 0.85 < one_sided(gains, -0.1).above < 2 * exact


def test_questions_with_many_answers_that_show_no_loss_do_not_pass_a_judge():
    """3 of 45 questions with one answer are lost, none of 5 with ten: 3 of 95 answers.

    A share of .067 of the questions costs as much of the answers, which is beyond the limit; the
    usual jackknife has p = .003.
    """
    weight = np.repeat([1.0, 10.0], [45, 5])
    gains = np.zeros(50)
    gains[:3] = -1
    found = one_sided(gains, -0.06, weight)
    assert found.questions == pytest.approx(95**2 / 545)
    assert found.above > 0.2
    assert one_sided(gains, -0.06).above > 0.3  # of equal questions the loss itself is .06


TRUTH_OF_ONE_SIDED_TEST = person(40)
COUNTS = tables(TRUTH_OF_ONE_SIDED_TEST, erring(TRUTH_OF_ONE_SIDED_TEST, 0.3, 2)).sum(axis=0)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("exact", np.trace(COUNTS) / COUNTS.sum()),
        ("within_one", sum(np.trace(COUNTS, k) for k in (-1, 0, 1)) / COUNTS.sum()),
        ("qwk", coefficients.cohen_kappa(COUNTS, SCALE, "quadratic")),
        ("tau_b", coefficients.tau_b(COUNTS)),
        ("mae", coefficients.mae(COUNTS, SCALE)),
        (
            "balanced_accuracy",
            (COUNTS[:2, :2].sum() / COUNTS[:2].sum() + COUNTS[2:, 2:].sum() / COUNTS[2:].sum()) / 2,
        ),
    ],
)
def test_a_deciding_figure_has_the_value_of_the_agreement_statistic(key, value):
    assert FIGURES[key].of(COUNTS, SCALE, FAILING) == pytest.approx(float(value), abs=1e-12)


@pytest.mark.parametrize(
    ("key", "baseline"),
    [
        ("exact", COUNTS.sum(axis=1).max() / 80),
        ("qwk", 0.0),
        ("tau_b", 0.0),
        ("balanced_accuracy", 0.5),
    ],
)
def test_the_baseline_is_the_best_constant_judge(key, baseline):
    found = FIGURES[key].baselines(COUNTS.sum(axis=1), SCALE)
    assert float(found) == pytest.approx(baseline)


def test_the_baseline_of_a_distance_is_the_median_and_of_within_one_the_best_window():
    annotators = np.array([1.0, 0.0, 2.0, 7.0])
    assert float(FIGURES["mae"].baselines(annotators, SCALE)) == pytest.approx((3 + 2) / 10)
    assert float(FIGURES["within_one"].baselines(annotators, SCALE)) == pytest.approx(0.9)
