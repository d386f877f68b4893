"""Composites: by chosen weights, by weights fitted to annotators, and the regression gate."""

import json

import numpy as np
import pytest

from concord.messages import Problem, message_of
from concord.reports.composites import composites, document, system_runs
from concord.reports.composites.composite_table import columns, table
from concord.reports.gates.regression_gate import Run, gate, verdict
from concord.reports.metrics import against_annotators, metric_records
from concord.stats.intervals.resampling import Draws
from concord.store import additions
from tests.support.made_items import made_item
from tests.support.measured_sets import give, spread
from tests.support.panels import give as grade

DRAWS = Draws(300, 7)


def made(store, sheet, panel=None, **chosen):
    return composites.report(metric_records.read(store, sheet), panel, draws=DRAWS, **chosen)


def test_weights_are_shares_of_their_sum_and_the_mean_is_by_hand(store, tea):
    give(store, tea.id, "faithfulness", [1.0, 0.5] * 30)
    give(store, tea.id, "context_recall", [0.2, 0.4] * 30)
    found = made(store, tea, weights={"faithfulness": 3, "context_recall": 1}).weighted
    assert [one.weight for one in found.weights] == [0.75, 0.25]
    assert found.mean.value == pytest.approx((0.8 + 0.475) / 2)
    assert [(one.answer_model, one.estimate.value) for one in found.models] == [
        ("atlas", pytest.approx(0.8)),
        ("birch", pytest.approx(0.475)),
    ]


def test_less_is_better_is_turned_and_a_cosine_below_none_is_clipped_and_said(store, tea):
    give(store, tea.id, "noise_sensitivity_relevant", [0.25] * 60)
    give(store, tea.id, "vera_answer_relevance", [-0.2] + [0.5] * 59)
    found = metric_records.read(store, tea)
    held = table(found, columns(found, ["noise_sensitivity_relevant", "vera_answer_relevance"]))
    assert held.values[:, 0] == pytest.approx(0.75)
    assert held.values[:2, 1].tolist() == [0, 0.5] and held.raw[0, 1] == -0.2
    assert held.clipped.tolist() == [0, 1]
    weights = {"noise_sensitivity_relevant": 1, "vera_answer_relevance": 1}
    shown = document.weighted(made(store, tea, weights=weights)).tables[0]
    assert [row[3:] for row in shown.rows] == [(1, 0, 0), (0, 1, 1)]


def test_a_rubric_score_is_mapped_by_its_own_ends(store, tea):
    give(store, tea.id, "rubric_score", [1, 3, 5] * 20)
    found = metric_records.read(store, tea)
    assert table(found, columns(found)).values[:3, 0].tolist() == [0, 0.5, 1]


def test_an_answer_without_one_of_the_metrics_has_no_composite_and_is_counted(store, tea):
    give(store, tea.id, "faithfulness", [None, *[0.5] * 58])
    give(store, tea.id, "context_recall", [0.5] * 60)
    weights = {"faithfulness": 1, "context_recall": 1}
    found = made(store, tea, weights=weights).weighted
    assert (found.n, found.left_out) == (
        58,
        {"Faithfulness: not requested yet": 1, "Faithfulness: refused": 1},
    )


def test_without_weights_veras_metrics_weigh_alike(store, tea):
    give(store, tea.id, "faithfulness", spread(1))
    give(store, tea.id, "vera_faithfulness", [1] * 60)
    give(store, tea.id, "vera_retrieval_recall", [0.5] * 60)
    found = made(store, tea).weighted
    assert {one.metric: one.weight for one in found.weights} == {
        "vera_faithfulness": 0.5,
        "vera_retrieval_recall": 0.5,
    }
    assert found.absent == ("Retrieval precision, by extraction", "Answer relevance")
    note = "Not included because they have no values here: Retrieval precision, by extraction"
    assert document.weighted(made(store, tea)).notes[-1].startswith(note)
    assert made(store, tea, weights={"faithfulness": 1}).weighted.absent == ()


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"faithfulness": 0}, "Weights must be greater than 0"),
        ({"mood": 1}, "no metric “mood”"),
        ({"context_recall": 1}, "has a value of context_recall yet"),
    ],
)
def test_weights_that_cannot_be_are_refused(store, tea, weights, said):
    give(store, tea.id, "faithfulness", spread(1))
    with pytest.raises(Problem, match=said):
        made(store, tea, weights=weights)


def test_where_two_judges_found_a_metric_one_is_named(store, tea):
    give(store, tea.id, "faithfulness", [0.1] * 60)
    give(store, tea.id, "faithfulness", [0.9] * 60, judge="yours")
    with pytest.raises(Problem, match="Several judges computed faithfulness: mine, yours"):
        made(store, tea)
    yours = made(store, tea, judge="yours").weighted
    assert yours.mean.value == pytest.approx(0.9)
    assert [one.judge for one in yours.weights] == ["yours"]
    give(store, tea.id, "context_recall", [0.5] * 60)
    weights = {"faithfulness": 1, "context_recall": 1}
    both = document.weighted(made(store, tea, weights=weights, judge="yours")).tables[0]
    assert [row[:3] for row in both.rows] == [
        ("Faithfulness", "yours", 0.5),
        ("Context recall", "mine", 0.5),
    ]
    with pytest.raises(Problem, match="by a judge “hers”"):
        made(store, tea, judge="hers")


def test_fitted_weights_find_the_metric_that_annotators_follow_out_of_fold(store, tea, graded_tea):
    found = made(store, tea, graded_tea)
    fit = found.fitted
    weights = {one.metric: one.weight for one in fit.weights}
    assert weights["faithfulness"] > 2.5 and weights["context_recall"] < 0.3
    assert (fit.n, fit.questions, fit.folds, fit.why_none) == (60, 30, 5, None)
    assert fit.spearman.value > 0.9 and fit.mae.value < 0.4
    assert fit.constant_mae.value > 2 * fit.mae.value
    assert fit.ahead.low > 0
    annotators = found.weighted.annotators
    assert annotators.n == 60 and 0 < annotators.estimate.value < fit.spearman.value
    assert document.fitted(fit).headline.startswith("Fitted weights rank answers more like")
    assert document.fitted(fit).facts[0].startswith("Cross-validated in ")


def test_on_few_graded_answers_no_weights_are_fitted_and_it_says_what_it_takes(store, tea, rubric):
    give(store, tea.id, "faithfulness", spread(1))
    for criterion in ("correctness", "comprehensiveness", "readability"):
        grade(store, rubric[1], "Ana", {place: place % 4 for place in range(29)}, criterion)
    fit = made(store, tea, against_annotators.panel(store, tea)).fitted
    assert (fit.weights, fit.spearman.value, fit.n) == ((), None, 29)
    assert "so far 29" in message_of(fit.why_none) and "it requires 30" in message_of(fit.why_none)


def test_weights_fitted_to_a_random_annotator_are_not_said_to_predict(store, tea, rubric):
    give(store, tea.id, "faithfulness", spread(1))
    give(store, tea.id, "context_recall", [0.7] * 59 + [0.6])
    chance = np.random.default_rng(3)
    for criterion in ("correctness", "comprehensiveness", "readability"):
        scores = dict(enumerate(chance.integers(0, 4, 60).tolist()))
        grade(store, rubric[1], "Rand", scores, criterion)
    fit = made(store, tea, against_annotators.panel(store, tea)).fitted
    assert document.fitted(fit).headline.startswith("No evidence that fitted weights predict")


def test_without_annotators_nothing_is_fitted_and_the_weights_still_count(store, tea):
    give(store, tea.id, "faithfulness", spread(1))
    found = made(store, tea)
    assert message_of(found.fitted.why_none).startswith("no annotator graded every criterion")
    assert found.weighted.mean.value is not None


def runs(one, other):
    def run(name, values):
        return Run(name, {str(n): v for n, v in enumerate(values)})

    cluster = {str(n): n for n in range(max(len(one), len(other)))}
    return gate(run("new", one), run("old", other), cluster, 0.05, DRAWS)


def test_a_run_that_fell_on_the_same_questions_is_worse_and_one_that_rose_is_better():
    base = spread(1, 40)
    assert runs(base - 0.1, base).verdict == "worse"
    assert runs(base + 0.1 + spread(2, 40) / 50, base).verdict == "better"
    assert runs(base + 0.01 * (-1.0) ** np.arange(40), base).verdict == "same"
    assert runs(spread(3, 40), base).verdict == "cannot tell"


def test_the_same_numbers_are_the_same_and_few_questions_cannot_tell():
    assert runs(spread(1, 40), spread(1, 40)).verdict == "same"
    few = runs(spread(1, 9), spread(1, 9))
    assert few.verdict == "cannot tell" and "fewer than 10 questions" in message_of(few.why_none)


def test_questions_that_only_one_run_answered_are_counted_and_do_not_enter():
    found = runs(spread(1, 40), spread(1, 25))
    assert (found.n, found.only_new, found.only_baseline) == (25, 15, 0)


def test_runs_without_a_common_question_are_refused():
    with pytest.raises(Problem, match="no question in common"):
        gate(Run("a", {"x": 1.0}), Run("b", {"y": 1.0}), {}, 0.05, DRAWS)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.2, -0.01, "worse"),
        (0.01, 0.02, "better"),
        (-0.04, 0.04, "same"),
        (-0.06, 0.04, "cannot tell"),
        (None, None, "cannot tell"),
    ],
)
def test_the_verdict_is_by_the_limits(low, high, said):
    assert verdict(low, high, 0.05) == said


def test_the_verb_ends_with_one_where_the_new_run_is_worse(store, tea, run):
    values = [0.9, 0.2] * 30
    give(store, tea.id, "faithfulness", [v + n / 1000 for n, v in enumerate(values)])
    weigh = ["composites", "--weight", "faithfulness=2"]
    said = json.loads(run(*weigh, "--new", "birch", "--baseline", "atlas", "--json", code=1).output)
    assert said["gate"]["verdict"] == "worse" and said["gate"]["n"] == 30
    assert said["weighted"]["n"] == 60 and said["encoded"]["why_none"]
    shown = run(*weigh, "--new", "atlas", "--baseline", "birch").output
    assert "atlas (tea) is better than birch (tea): difference +0.70" in shown
    assert "Name an answering model of the sheet" in run(*weigh, "--new", "atlas", code=2).output
    assert "are the same" in run(*weigh, "--new", "atlas", "--baseline", "atlas", code=2).output
    assert "METRIC=WEIGHT" in run("composites", "--weight", "faithfulness", code=2).output


def test_the_baseline_may_be_a_sheet_of_its_own(store, tea, run):
    made_before = [made_item(n, "atlas") for n in range(30)]
    before = additions.add(store, "before", made_before, "b.csv", "2" * 64, {})
    give(store, tea.id, "faithfulness", spread(1))
    give(store, before.id, "faithfulness", spread(1)[::2])
    words = ["composites", "--sheet", "tea", "--weight", "faithfulness=1", "--new", "atlas"]
    assert "is equivalent to atlas (before)" in run(*words, "--baseline-sheet", "before").output


def test_runs_that_are_not_measured_alike_are_not_held_against_one_another(store, tea, run):
    before = additions.add(
        store, "before", [made_item(n, "atlas") for n in range(30)], "b.csv", "2" * 64, {}
    )
    for sheet, judge in ((tea, "mine"), (before, "yours")):
        give(store, sheet.id, "vera_faithfulness", [1] * 60, judge=judge)
    held = ["composites", "--sheet", "tea", "--new", "atlas", "--baseline-sheet", "before"]
    said = run(*held, code=2).output
    assert "vera_faithfulness by mine; vera_faithfulness by yours is on one of them only" in said
    with pytest.raises(Problem) as refused:
        system_runs.compare(store, system_runs.ComparedRuns(tea, "atlas", before, None))
    first = refused.value.args[0].values["metrics"].values["0"]
    assert first.values["0"].template == "{metric} by {judge}"
    give(store, before.id, "vera_faithfulness", [1] * 60)
    give(store, tea.id, "vera_retrieval_recall", spread(1))
    assert "vera_retrieval_recall by mine is on one" in run(*held, "--judge", "mine", code=2).output
    alike = run(*held, "--judge", "mine", "--weight", "vera_faithfulness=1").output
    assert "is equivalent to atlas (before)" in alike


def test_a_cross_encoder_that_is_not_there_is_a_problem_and_no_number(store, tea, run, tmp_path):
    give(store, tea.id, "vera_faithfulness", [1] * 60)
    said = run("composites", "--cross-encoder", tmp_path / "none", code=2).output
    assert "There is no folder" in said
