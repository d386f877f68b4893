"""Every measure that lies in metrics/ is declared whole, and its worked example comes out."""

import copy

import pytest

from concord import metrics
from concord.metrics.framework.metric import NEEDS, Measure
from concord.metrics.framework.statement import statement
from concord.reports.metrics.metric_mean import bounds
from concord.reports.metrics.metrics import limits, needs
from tests.support.scripted_desk import ScriptedDesk, measured

MEASURES = list(metrics.found().values())
COMPUTED = [one for one in MEASURES if not one.asks and not one.embeds]


def by_name(measure: Measure) -> str:
    return measure.name


def outcome_of(measure: Measure):
    example = measure.example
    replies = {name: copy.copy(reply) for name, reply in example.replies.items()}
    desk = ScriptedDesk(replies, example.units, example.verdicts, example.vectors)
    return measured(measure, example.item(), desk)


@pytest.mark.parametrize("measure", MEASURES, ids=by_name)
def test_a_measure_says_what_it_answers_how_whence_and_what_to_do(measure):
    assert measure.sentence.endswith("?")
    assert all((measure.title, measure.formula, measure.source, measure.when_low))
    assert set(measure.needs) <= NEEDS.keys()


@pytest.mark.parametrize("measure", MEASURES, ids=by_name)
def test_no_two_choices_of_a_measure_share_a_name(measure):
    choices = [choice for one in measure.switches for choice in one.choices]
    assert len(choices) == len({*choices})
    assert all(len(one.choices) > 1 and one.sentence for one in measure.switches)


@pytest.mark.parametrize("measure", MEASURES, ids=by_name)
def test_every_measure_has_a_worked_example_and_says_where_others_differ(measure):
    assert measure.example is not None and measure.example.working
    assert measure.others.endswith(".")


@pytest.mark.parametrize("measure", MEASURES, ids=by_name)
def test_the_worked_example_comes_out_and_lacks_nothing(measure):
    assert measure.lacks(measure.example.item()) == ()
    assert outcome_of(measure).value == pytest.approx(measure.example.value, abs=1e-12)


def test_the_range_goes_by_the_reading():
    measure = metrics.named("answer_correctness")
    least = {c: measure.least({"facts_to_likeness": c}) for c in measure.switches[1].choices}
    assert least == {"3 to 1": -0.25, "facts alone": 0, "1 to 1": -0.5}
    assert measure.least({}) == measure.low == -0.25
    assert limits(measure, {"facts_to_likeness": "1 to 1"}) == "-0.5 to 1"
    assert bounds("answer_correctness", {"facts_to_likeness": "1 to 1"}) == (-0.5, 1)
    said = statement(measure, 0.5, -0.5)
    assert "measured from -0.5 to 1; 1 is good and -0.5 is bad" in said


@pytest.mark.parametrize("measure", MEASURES, ids=by_name)
def test_every_range_by_a_reading_is_that_of_a_choice_there_is(measure):
    choices = {choice for one in measure.switches for choice in one.choices[1:]}
    assert measure.low_by.keys() <= choices


@pytest.mark.parametrize("measure", COMPUTED, ids=by_name)
def test_the_value_stands_among_those_under_every_choice(measure):
    outcome = outcome_of(measure)
    assert outcome.reason.endswith(".") and outcome.units >= 1
    for switch in measure.switches:
        assert outcome.parts[switch.choices[0]] == outcome.value
        assert {*switch.choices} <= outcome.parts.keys()


@pytest.mark.parametrize("measure", COMPUTED, ids=by_name)
def test_what_a_choice_is_said_to_give_is_what_it_gives(measure):
    beside = outcome_of(measure).parts
    for switch in measure.switches:
        for choice in switch.choices:
            item = measure.example.item()
            chosen = measured(measure, item, ScriptedDesk(), **{switch.name: choice})
            assert chosen.value == beside[choice]


def test_what_is_needed_is_said_once():
    said = {one.name: needs(one) for one in MEASURES}
    assert said["mrr"] == "retrieved contexts with ids, ids of the relevant documents"
    assert said["rouge_l_contexts"] == "retrieved contexts, reference answer"
    assert said["context_precision"] == "question, contexts, reference answer"
