"""Every metric that lies in metrics/ is declared whole, and its worked example comes out."""

import copy

import pytest

from concord import metrics
from concord.metrics.framework.metric import NEEDS, Metric
from concord.metrics.framework.statement import statement
from concord.reports.metrics.metric_mean import bounds
from concord.reports.metrics.metrics import limits
from tests.support.scripted_desk import ScriptedDesk, measured

METRICS = list(metrics.available().values())
COMPUTED = [one for one in METRICS if not one.asks and not one.embeds]


def by_name(metric: Metric) -> str:
    return metric.name


def outcome_of(metric: Metric):
    example = metric.example
    replies = {name: copy.copy(reply) for name, reply in example.replies.items()}
    desk = ScriptedDesk(replies, example.units, example.verdicts, example.vectors)
    return measured(metric, example.item(), desk)


@pytest.mark.parametrize("metric", METRICS, ids=by_name)
def test_a_metric_says_what_it_answers_how_whence_and_what_to_do(metric):
    assert metric.sentence.endswith("?")
    assert all((metric.title, metric.formula, metric.source, metric.when_low))
    assert set(metric.needs) <= NEEDS.keys()


@pytest.mark.parametrize("metric", METRICS, ids=by_name)
def test_no_two_choices_of_a_metric_share_a_name(metric):
    choices = [choice for one in metric.switches for choice in one.choices]
    assert len(choices) == len({*choices})
    assert all(len(one.choices) > 1 and one.sentence for one in metric.switches)


@pytest.mark.parametrize("metric", METRICS, ids=by_name)
def test_every_metric_has_a_worked_example_and_says_where_others_differ(metric):
    assert metric.example is not None and metric.example.working
    assert metric.others.endswith(".")


@pytest.mark.parametrize("metric", METRICS, ids=by_name)
def test_the_worked_example_comes_out_and_lacks_nothing(metric):
    assert metric.lacks(metric.example.item()) == ()
    assert outcome_of(metric).value == pytest.approx(metric.example.value, abs=1e-12)


def test_the_range_goes_by_the_reading():
    metric = metrics.named("answer_correctness")
    least = {c: metric.least({"facts_to_likeness": c}) for c in metric.switches[1].choices}
    assert least == {"3 to 1": -0.25, "facts alone": 0, "1 to 1": -0.5}
    assert metric.least({}) == metric.low == -0.25
    assert limits(metric, {"facts_to_likeness": "1 to 1"}) == "-0.5 to 1"
    assert bounds("answer_correctness", {"facts_to_likeness": "1 to 1"}) == (-0.5, 1)
    said = statement(metric, 0.5, -0.5)
    assert "measured from -0.5 to 1; 1 is good and -0.5 is bad" in said


@pytest.mark.parametrize("metric", METRICS, ids=by_name)
def test_every_range_by_a_reading_is_that_of_a_choice_there_is(metric):
    choices = {choice for one in metric.switches for choice in one.choices[1:]}
    assert metric.low_by.keys() <= choices


@pytest.mark.parametrize("metric", COMPUTED, ids=by_name)
def test_the_value_stands_among_those_under_every_choice(metric):
    outcome = outcome_of(metric)
    assert outcome.reason.endswith(".") and outcome.units >= 1
    for switch in metric.switches:
        assert outcome.parts[switch.choices[0]] == outcome.value
        assert {*switch.choices} <= outcome.parts.keys()


@pytest.mark.parametrize("metric", COMPUTED, ids=by_name)
def test_what_a_choice_is_said_to_give_is_what_it_gives(metric):
    beside = outcome_of(metric).parts
    for switch in metric.switches:
        for choice in switch.choices:
            item = metric.example.item()
            chosen = measured(metric, item, ScriptedDesk(), **{switch.name: choice})
            assert chosen.value == beside[choice]
