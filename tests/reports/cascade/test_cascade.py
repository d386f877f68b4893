"""The cascade: set on some questions, certified on others, replayed at no cost."""

import json

import numpy as np
import pytest

from concord.judges.run import rubric as jobs
from concord.messages import Problem
from concord.model import IMPORTED, NATIVE, STATED, Distribution
from concord.reports import cascade
from concord.reports.agreement.judge_probabilities import read
from concord.reports.cascade import choose_source, confidence, document, sources
from concord.reports.decision.cost import Cost, costs
from concord.reports.document import as_json
from concord.store import additions
from concord.store.rubrics import rubric_versions
from tests.support import fakejudge
from tests.support.endpoint import grade_by_hash
from tests.support.fakejudge import Fake, completion, run_rubric
from tests.support.made_items import made_item
from tests.support.panels import give_probabilities, panel
from tests.support.wavering import QUESTIONS


def judge(made, name):
    return next(i for i, label in made.labels.items() if label == name)


def of(asked, to="big", **limits):
    made, given = asked
    prices = {judge(made, "mini"): Cost(1.0), judge(made, "big"): Cost(20.0)}
    every = sources(made, given, "correctness", prices)
    source = choose_source(made, every, judge(made, "mini"), kind="repeats")
    return cascade.report(made, given, source, judge(made, to), prices, "correctness", **limits)


def test_confidence_is_the_share_of_repeats_with_its_score(store, sheet, give, panel):
    for repeat, scores in enumerate([(3, 2, 0), (3, 2, 1), (3, 1, 2)], start=1):
        said = dict(enumerate(scores))
        give("mini", said, kind="judge", repeat=repeat)
    made = panel()
    given = read(store, made)
    (source,) = sources(made, given, "correctness", {})
    found = confidence(made, given, "correctness", source)
    assert source.asks == 3
    assert found[:3] == pytest.approx([1, 2 / 3, 1 / 3])
    assert np.isnan(found[3:]).all()


def test_two_judges_are_sure_where_they_say_the_same(sheet, give, panel):
    give("one", {0: 3, 1: 2, 2: 1}, kind="judge")
    give("two", {0: 3, 1: 0}, kind="judge")
    made = panel()
    (source,) = sources(made, {}, "correctness", {})
    found = confidence(made, {}, "correctness", source)
    assert found[:2].tolist() == [1, 0]
    assert np.isnan(found[2])


def test_a_judge_that_is_right_where_it_is_sure_is_certified_there(asked):
    found = of(asked, at_most=0.1)
    assert found.verdict == "certified"
    assert found.threshold.confidence == 1
    assert found.setting + found.certifying == QUESTIONS
    assert 0.7 < found.coverage.value < 0.85
    shown = document(found)
    assert shown.tables[0].rows[0][:5] == (61, 2, found.tried.upper, 0.1, "pass")
    json.dumps(as_json(found), allow_nan=False)


def test_the_saving_is_what_three_cheap_asks_and_the_rest_cost(asked):
    found = of(asked, at_most=0.1)
    rest = 1 - found.coverage.value
    assert found.cost["cascade"] == pytest.approx(3 * 1 + rest * 20)
    assert found.cost["saved"] == pytest.approx(20 - 3 - rest * 20)
    shown = document(found)
    assert [row[-1] for row in shown.tables[1].rows][1:] == [20.0, None]


def test_the_replay_holds_cascade_and_dear_judge_against_the_same_annotators(asked):
    found = of(asked, at_most=0.1)
    exact = {name: found.replay[name]["exact"].value for name in ("cascade", "expensive", "cheap")}
    assert found.replay["n"] == QUESTIONS
    assert exact["expensive"] == pytest.approx(0.95)
    assert exact["cheap"] < exact["expensive"] < exact["cascade"] + 0.05
    shown = document(found)
    replay = shown.tables[1]
    assert [row[0] for row in replay.rows] == ["cascade", "big alone", "mini alone"]


def test_nothing_is_certified_where_the_questions_do_not_reach(asked):
    found = of(asked, at_most=0.02)
    assert (found.verdict, found.threshold) == ("nothing", None)
    assert found.needed == 149
    shown = document(found)
    assert shown.headline.startswith("Not certified: accepting mini, asked 3 times")
    assert shown.tables[0].rows[0][4:7] == ("fail", found.more, 149)


def test_the_share_is_one_of_answers_where_questions_have_different_numbers(store, give, panel):
    """Forty questions of one answer and forty of three, of which Ana graded one each."""
    items = [made_item(n) for n in range(80)]
    items += [made_item(n, model) for n in range(40) for model in "bc"]
    additions.add(store, "uneven", items, "uneven.csv", "0" * 64, {})
    give("Ana", dict.fromkeys(range(80), 2))
    for repeat in (1, 2):
        scores = dict.fromkeys(range(160), 2)
        give("mini", scores, kind="judge", repeat=repeat)
    made = panel()
    given = read(store, made)
    (source,) = sources(made, given, "correctness", {})
    found = cascade.report(made, given, source, None, {}, "correctness")
    assert (found.setting, found.certifying + found.not_drawn) == (40, 40)
    assert 5 <= found.not_drawn <= 25


def test_the_judge_that_is_named_is_accepted(asked):
    made, given = asked
    every = sources(made, given, "correctness", {})
    mini, big = judge(made, "mini"), judge(made, "big")
    assert choose_source(made, every, big).second == mini
    for named in ({"second": mini, "to": big}, {"cheap": mini, "second": mini}):
        with pytest.raises(Problem, match="no such confidence"):
            choose_source(made, every, **named)


def test_nothing_simulated_is_certified(sample_store):
    rubric = rubric_versions.named(sample_store, "doc-qa-0-3")[1]
    made = panel(sample_store, rubric)
    source = choose_source(made, sources(made, {}, "correctness", {}))
    found = cascade.report(made, {}, source, None, {}, "correctness", 0.25, "within_one")
    assert found.tried.passes
    assert found.verdict == "simulated"
    assert found.unit == "document"


def test_the_repeats_of_a_run_are_its_confidence(store, sheet, rubric, give, panel):
    """On every third answer the judge gives another score when it is asked again."""

    def wavering(body: dict, before: int):
        grades = grade_by_hash(body)
        third = sum(score for score, _ in grades.values()) % 3 == 0
        turned = {n: (3 - s if before and third else s, why) for n, (s, why) in grades.items()}
        said = {n: {"reason": why, "score": s} for n, (s, why) in turned.items()}
        return completion(json.dumps(said))

    job = jobs.prepare(store, fakejudge.judge(), *rubric, sheet, repeats=3)
    run_rubric(store, job, Fake(wavering))
    give("Ana", dict.fromkeys(range(36), 2))
    made = panel()
    given = read(store, made)
    prices = costs(store, made.sheet, made.judges.values())
    source = choose_source(made, sources(made, given, "correctness", prices))
    found = cascade.report(made, given, source, None, prices, "correctness")
    assert (source.asks, found.answers) == (3, 36)
    share = confidence(made, given, "correctness", source)
    assert {*np.round(share, 2)} == {1, 0.33}


def of_of_confidence_sources(
    source: str, *shares: float, outside: float | None = None
) -> Distribution:
    return Distribution(source, tuple(enumerate(shares)), outside)


def found(store, rubric):
    made = panel(store, rubric)
    given = read(store, made)
    return made, given, choose_source(made, sources(made, given, "correctness", {}))


def test_confidence_is_the_probability_of_the_score_as_a_share_of_the_scale(
    store, sheet, rubric, judge
):
    given = {
        0: of_of_confidence_sources(NATIVE, 0.1, 0.2, 0.5, 0.0, outside=0.2),
        1: of_of_confidence_sources(NATIVE, 0.1, 0.2, 0.3, 0.4),
    }
    give_probabilities(store, rubric[1], "decider", given, scores={1: 2})
    judge("decider", {2: 1})  # a score without probabilities
    made, probabilities, source = found(store, rubric[1])
    sure = confidence(made, probabilities, "correctness", source)
    assert source.kind == "native"
    assert sure[:2].tolist() == [0.625, 0.3]  # of 0.8 on the scale; of the score given
    assert np.isnan(sure[2:]).all()


def test_a_stated_confidence_is_taken_as_stated(store, sheet, rubric):
    given = {n: Distribution(STATED, ((3, share),)) for n, share in enumerate((0.9, 0.35))}
    give_probabilities(store, rubric[1], "speaker", given)
    made, probabilities, source = found(store, rubric[1])
    assert source.kind == "stated"
    sure = confidence(made, probabilities, "correctness", source)
    assert sure[:2].tolist() == [0.9, 0.35]


def test_sources_come_in_the_order_of_trust(store, sheet, rubric, judge, panel):
    for repeat in (1, 2):
        judge("asked", {0: 3, 1: 2}, repeat=repeat)
    four = (0.1, 0.1, 0.2, 0.6)
    give_probabilities(store, rubric[1], "file", {0: of_of_confidence_sources(IMPORTED, *four)})
    give_probabilities(store, rubric[1], "log", {0: of_of_confidence_sources("logprobs", *four)})
    give_probabilities(store, rubric[1], "speaker", {0: Distribution(STATED, ((3, 0.9),))})
    give_probabilities(
        store,
        rubric[1],
        "decider",
        {0: of_of_confidence_sources(NATIVE, *four), 1: of_of_confidence_sources(IMPORTED, *four)},
    )
    made = panel()
    every = sources(made, read(store, made), "correctness", {})
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
