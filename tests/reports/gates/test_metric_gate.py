"""The gate on a metric's own mean: its confidence limit clears, or the build fails."""

import json

import pytest

from concord.messages import Problem
from concord.reports.gates import metric_gate
from concord.reports.gates.metric_gate import MetricCheck, MetricGate
from concord.reports.metrics import metric_records as readings
from concord.store import graders, metric_values
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue

QUESTIONS = 30


def give(store, name, values, judge="mine", version="v1", switches=None):
    """Values of one judge for the items in order; None for none."""
    body = {"metric": name, "switches": switches or {}, "prompts": judge}
    metric_values.register(store, name, version, json.dumps(body))
    by = graders.ensure(store, "metric", judge, "f1")
    for item_id, value in enumerate(values, 1):
        given = {"status": "refused"} if value is None else {"status": "scored", "score": value}
        metric_values.record(
            store, [NewMetricValue(Press(item_id, version, by, **given), {}, (), 1, (1,))]
        )


def held(store, sheet, name="faithfulness", **bounds):
    return metric_gate.gate(sheet, readings.read(store, sheet), name, **bounds)


def test_the_lower_limit_decides_and_not_the_mean(store, thirty_questions):
    give(store, "faithfulness", [1.0, 0.8, 0.9] * 10)
    found = held(store, thirty_questions, at_least=0.85)
    (check,) = found.checks
    assert found.holds and check.value == pytest.approx(0.9)
    # 30 questions, standard deviation .083: a half width of about .03.
    assert 0.86 < check.low < 0.88
    assert not held(store, thirty_questions, at_least=0.89).holds
    assert held(store, thirty_questions, at_most=0.95).holds
    assert not held(store, thirty_questions, at_most=0.9).holds


def test_what_has_no_value_or_no_interval_clears_nothing(store, thirty_questions):
    give(store, "faithfulness", [None] * QUESTIONS)
    found = held(store, thirty_questions, at_least=0.0)
    assert not found.holds and found.checks[0].left_out == {"refused": 30}
    give(store, "context_recall", [1.0] * 5, version="v2")
    found = held(store, thirty_questions, "context_recall", at_least=0.0)
    assert not found.holds and found.checks[0].low is None
    assert found.checks[0].left_out["not_asked"] == 25


def test_a_limit_that_just_clears_is_not_shown_below_what_is_wanted():
    figures = (0.57, 0.6, 0.57, 0.63, "", None, 30, 30)
    check = MetricCheck("j", {}, "at_least", *figures, {}, True)
    (row,) = metric_gate.document(MetricGate(True, "m", (check,), "s", 0)).tables[0].rows
    assert row[3] == "0.570"


def test_every_judge_must_clear_unless_one_is_named(store, thirty_questions):
    give(store, "faithfulness", [0.9, 1.0, 0.95] * 10)
    give(store, "faithfulness", [0.2, 0.3, 0.1] * 10, judge="strict", version="v2")
    assert not held(store, thirty_questions, at_least=0.8).holds
    assert held(store, thirty_questions, at_least=0.8, judge="mine").holds
    assert not held(store, thirty_questions, at_least=0.8, judge="strict@f1").holds
    with pytest.raises(Problem, match="strict@f1"):
        held(store, thirty_questions, at_least=0.8, judge="nobody")


@pytest.mark.parametrize(
    ("name", "bounds", "told"),
    [
        ("faithfulness", {}, "--at-least"),
        ("noise_sensitivity_relevant", {}, "--at-most"),
        ("faithfulness", {"at_least": 1.2}, "0 to 1"),
        ("faithfulness", {"at_least": float("nan")}, "not a value"),
        ("faithful", {"at_least": 0.8}, "There is no metric"),
        ("faithfulness", {"at_least": 0.8}, "has no value on this sheet yet. Run"),
    ],
)
def test_what_cannot_be_asked_is_told(store, thirty_questions, name, bounds, told):
    with pytest.raises(Problem, match=told):
        held(store, thirty_questions, name, **bounds)


def test_the_command_fails_a_build_on_a_metric(run, store, thirty_questions):
    give(store, "faithfulness", [1.0, 0.8, 0.9] * 10)
    done = run("gate", "--metric", "faithfulness", "--at-least", 0.8, "--json")
    assert json.loads(done.output)["holds"] is True
    said = run("gate", "--metric", "faithfulness", "--at-least", 0.95, code=1).output
    assert "The gate fails: 1 of 1 checks." in said and "≥ 0.95" in said
    assert "--metric" in run("gate", "--at-least", 0.8, code=2).output
    for share in (0.5, 0):
        more = ("--metric", "faithfulness", "--at-least", 0.8, "--exact", share)
        assert "--exact does not apply to a metric's mean" in run("gate", *more, code=2).output
