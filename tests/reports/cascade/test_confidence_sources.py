"""Sources of confidence: what a judge gave with its scores, another judge, its own repeats."""

import json
from itertools import pairwise

import numpy as np
import pytest

from concord.commands.cascade import cascade as command
from concord.messages import Problem
from concord.model import IMPORTED, NATIVE, STATED, Distribution
from concord.reports import terminal
from concord.reports.cascade import cascade
from concord.reports.cascade.cascade import Limits
from concord.reports.cascade.confidence_sources import (
    TRUST,
    choose_source,
    confidence,
    sources,
)
from concord.reports.cascade.document import document
from concord.reports.panel.criterion_comparison import ground
from concord.reports.panel.reference_standard import EACH
from concord.reports.probabilities.judge_probabilities import read
from concord.stats.correction.selective_prediction import halves
from concord.stats.probabilities.scoring import risk_coverage
from tests.support.made_probabilities import give_probabilities
from tests.support.panels import give, judge, panel
from tests.support.wavering import DECIDED as QUESTIONS


def of(source: str, *shares: float, outside: float | None = None) -> Distribution:
    return Distribution(source, tuple(enumerate(shares)), outside)


def found(store, rubric, kind: str | None = None, **named):
    made = panel(store, rubric)
    given = read(store, made)
    return made, given, choose_source(made, given, "correctness", kind=kind, **named)


def test_confidence_is_the_probability_of_the_score_as_a_share_of_the_scale(store, sheet, rubric):
    given = {
        0: of(NATIVE, 0.1, 0.2, 0.5, 0.0, outside=0.2),
        1: of(NATIVE, 0.1, 0.2, 0.3, 0.4),
    }
    give_probabilities(store, rubric[1], "decider", given, scores={1: 2})
    judge(store, rubric[1], "decider", {2: 1})  # a score without probabilities
    made, probabilities, source = found(store, rubric[1])
    sure = confidence(made, probabilities, "correctness", source)
    assert source.kind == "native"
    assert sure.share[:2].tolist() == [0.625, 0.3]  # of 0.8 on the scale; of the score given
    assert sure.score[:2].tolist() == [2, 2]
    assert np.isnan(sure.share[2:]).all() and np.isnan(sure.score[2:]).all()


def test_a_stated_confidence_is_taken_as_stated(store, sheet, rubric):
    given = {n: Distribution(STATED, ((3, share),)) for n, share in enumerate((0.9, 0.35))}
    give_probabilities(store, rubric[1], "speaker", given)
    made, probabilities, source = found(store, rubric[1])
    assert source.kind == "stated"
    sure = confidence(made, probabilities, "correctness", source)
    assert sure.share[:2].tolist() == [0.9, 0.35]


def test_sources_come_in_the_order_of_trust(store, sheet, rubric):
    for repeat in (1, 2):
        judge(store, rubric[1], "asked", {0: 3, 1: 2}, repeat=repeat)
    four = (0.1, 0.1, 0.2, 0.6)
    give_probabilities(store, rubric[1], "file", {0: of(IMPORTED, *four)})
    give_probabilities(store, rubric[1], "log", {0: of("logprobs", *four)})
    give_probabilities(store, rubric[1], "speaker", {0: Distribution(STATED, ((3, 0.9),))})
    give_probabilities(store, rubric[1], "decider", {0: of(NATIVE, *four), 1: of(IMPORTED, *four)})
    made = panel(store, rubric[1])
    every = sources(made, read(store, made), "correctness")
    pairs = [one for one in every if one.kind == "two_judges"]
    kinds = [(one.kind, made.labels[one.judge]) for one in every if one not in pairs]
    assert kinds == [
        ("stated", "speaker"),
        ("logprobs", "log"),
        ("imported", "file"),
        ("imported", "decider"),  # some are native, some not: taken for the less trusted
        ("repeats", "asked"),
    ]
    assert len(pairs) == 10 and every.index(pairs[-1]) == len(every) - 2


def test_the_source_named_is_taken_and_one_that_is_not_there_is_refused(store, rubric, decided):
    judge(store, rubric[1], "second", dict.fromkeys(range(40), 2))
    made, _, source = found(store, rubric[1], "two_judges", cheap="decider")
    assert (source.kind, made.labels[source.judge]) == ("two_judges", "decider")
    assert found(store, rubric[1])[2].kind == "native"
    with pytest.raises(Problem, match="no confidence from stated of the judges named"):
        found(store, rubric[1], "stated")


def test_the_judge_that_gets_the_rest_is_no_second_judge_unless_named(store, sheet, rubric):
    for repeat in (1, 2):
        judge(store, rubric[1], "mini", {0: 3, 1: 2}, repeat=repeat)
    judge(store, rubric[1], "big", {0: 3, 1: 2})
    assert found(store, rubric[1], cheap="mini")[2].kind == "two_judges"
    assert found(store, rubric[1], cheap="mini", to="big")[2].kind == "repeats"
    assert found(store, rubric[1], cheap="mini", second="big", to="big")[2].kind == "two_judges"


def test_a_threshold_of_probability_is_certified(store, rubric, decided):
    made, given, source = found(store, rubric[1])
    result = cascade.report(made, given, source, None, {}, "correctness", Limits(0.1))
    least = result.test.threshold.confidence
    assert (result.verdict, result.source, result.asks) == ("certified", "native", 1)
    assert 0.55 < least < 0.7
    shown = document(result)
    assert shown.headline.startswith(
        "Certified: accept decider where its score has at least "
        f"{100 * least:g}% of the probability on scores. At most "
    )
    assert shown.notes[0] == (
        "The bound is for accepted answers to questions like those of this sheet, of the same "
        "answering models and with at most 1 answer to a question."
    )
    assert result.test_retest is None


def test_many_confidences_are_shown_in_ten_levels_that_hold_every_answer(store, rubric, decided):
    made, given, source = found(store, rubric[1])
    result = cascade.report(made, given, source, None, {}, "correctness")
    assert len(result.levels) == 10
    assert sum(one.answers for one in result.levels) == result.answers == QUESTIONS
    assert {one.answers for one in result.levels} <= {23, 24, 25}
    ends = [(one.confidence, one.highest) for one in result.levels]
    assert all(low > high for (low, _), (_, high) in pairwise(ends))


def test_all_sources_are_compared_by_the_area_under_their_curves(store, rubric, decided):
    judge(store, rubric[1], "second", dict.fromkeys(range(QUESTIONS), 2))
    made, given, source = found(store, rubric[1])
    result = cascade.report(made, given, source, None, {}, "correctness")
    native, pair = result.sources
    assert [one.used for one in result.sources] == [True, False]
    assert native.aurc.low < native.aurc.value < native.aurc.high
    assert native.aurc.value < native.error_rate / 2
    assert (pair.source, pair.n, len(pair.curve)) == ("two_judges", QUESTIONS // 2, 2)
    (chart,) = document(result).charts
    assert [one.name for one in chart.curves] == [
        "decider: native probability of its score",
        "decider where second agrees",
    ]
    assert chart.curves[0].planned and len(chart.curves[0].points) <= 100
    assert chart.curves[0].points[-1] == (1.0, native.error_rate, 0.0)
    assert "source of confidence" in terminal.text(document(result))


def test_the_area_is_of_the_questions_that_did_not_set_the_threshold(store, rubric, decided):
    made, given, source = found(store, rubric[1])
    result = cascade.report(made, given, source, None, {}, "correctness")
    native = result.sources[0]
    assert (native.n, result.test.setting) == (result.test.certifying, QUESTIONS - native.n)
    cluster = made.cluster
    other = np.delete(cluster, halves(cluster)[0])
    sure, on = confidence(made, given, "correctness", source), ground(made, "correctness", EACH)
    wrong = (sure.score != made.of("correctness", min(on.panel.annotators)).score)[other]
    area = risk_coverage(sure.share[other], wrong, np.ones(len(other)), cluster[other]).area
    assert native.aurc == area


def test_answers_that_several_annotators_graded_are_in_error_to_a_share(store, sheet, rubric):
    four = (0.0, 0.1, 0.2, 0.7)
    give_probabilities(store, rubric[1], "decider", {n: of(NATIVE, *four) for n in range(12)})
    give(store, rubric[1], "Ana", dict.fromkeys(range(12), 3))
    give(store, rubric[1], "Ben", dict.fromkeys(range(12), 2))
    made, given, source = found(store, rubric[1])
    exact = cascade.report(made, given, source, None, {}, "correctness")
    assert exact.sources[0].error_rate == 0.5
    within = Limits(agreement="within_one")
    assert (
        cascade.report(made, given, source, None, {}, "correctness", within).sources[0].error_rate
        == 0.0
    )


def test_the_verb_takes_a_source_and_says_which_in_json(decided, run):
    option = next(one for one in command.params if one.name == "confidence")
    assert tuple(option.type.choices) == TRUST
    said = json.loads(run("cascade", "--confidence", "native", "--json").stdout)["cascade"]
    assert (said["source"], said["sources"][0]["source"]) == ("native", "native")
    assert "curve" not in said["sources"][0]
    assert "Choose one of: native" in run("cascade", "--confidence", "repeats", code=2).stderr
