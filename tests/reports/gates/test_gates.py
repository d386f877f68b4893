"""The gate: every criterion's lower limit clears, or it does not hold."""

import json

import pytest

from concord.messages import Problem
from concord.reports import gate
from concord.reports.metrics import metric_records as readings
from concord.reports.panel.choice import judge_of
from concord.store import graders, metric_values
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue


def mixed(item, _):
    return item % 4


def held(store, read, wanted, name="j", criterion=None):
    found = read()
    return gate.gate_judge(found, judge_of(store, found, name), wanted, criterion)


@pytest.mark.parametrize(("most", "holds"), [(0.33, True), (0.30, False)])
def test_the_false_alarm_rate_has_a_maximum_for_its_upper_limit(
    store, grade_all, read_panel, most, holds
):
    grade_all("person", "Ana", mixed)
    grade_all("judge", "j", mixed)
    found = held(store, read_panel, {"false_alarm_rate": most}, criterion="correctness")
    (check,) = found.checks
    assert check["value"] == 0 and 0.30 < check["high"] < 0.33
    assert found.holds is holds
    table = gate.document(found).tables[0]
    shown = dict(zip([column.title for column in table.columns], table.rows[0], strict=True))
    assert shown["required"] == f"≤ {most:g}"
    assert shown["result"] == ("pass" if holds else "fail")
    assert shown["answers"] == check["n"] == 18


def test_one_criterion_that_fails_is_enough(store, grade_all, read_panel):
    grade_all("person", "Ana", mixed)
    grade_all("judge", "j", lambda item, name: 3 - item % 4 if name == "readability" else item % 4)
    found = held(store, read_panel, {"exact": 0.6})
    assert [check["holds"] for check in found.checks] == [True, True, False]
    assert found.holds is False
    assert held(store, read_panel, {"exact": 0.6}, criterion="correctness").holds is True


def test_it_is_the_lower_limit_that_counts(store, grade_all, read_panel):
    grade_all("person", "Ana", mixed)
    grade_all("judge", "j", mixed)
    check = held(store, read_panel, {"exact": 1.0}).checks[0]
    assert (check["value"], check["holds"]) == (1.0, False)
    low = check["low"]
    assert held(store, read_panel, {"exact": low}).checks[0]["holds"] is True
    assert held(store, read_panel, {"exact": low + 1e-6}).checks[0]["holds"] is False


def test_what_is_undefined_does_not_clear_even_nothing(store, grade_all, read_panel):
    grade_all("person", "Ana", lambda item, _: 3)
    grade_all("judge", "j", lambda item, _: 3)
    found = held(store, read_panel, {"failure_recall": 0.0})
    check = found.checks[0]
    assert (check["value"], check["holds"]) == (None, False)
    assert len(gate.document(found).notes) == 1


@pytest.mark.parametrize(("fails", "shown"), [(9, "inconclusive"), (10, "pass")])
def test_a_share_of_fewer_than_ten_answers_is_inconclusive(
    store, grade_all, read_panel, fails, shown
):
    def graded(item, _):
        return 0 if item % 3 == 0 and item <= 3 * fails else 3

    grade_all("person", "Ana", graded)
    grade_all(
        "judge",
        "j",
        lambda item, name: 3 - graded(item, name) if item % 7 == 0 else graded(item, name),
    )
    found = held(store, read_panel, {"balanced_accuracy": 0.0}, criterion="correctness")
    (check,) = found.checks
    table = gate.document(found).tables[0]
    assert table.rows[0][-1] == shown
    assert check["holds"] is found.holds is (shown == "pass")
    if shown == "inconclusive":
        assert (check["value"], check["low"], check["high"]) == (None, None, None)
        assert "fewer than 10 answers" in check["why_none"]


def test_a_criterion_the_judge_did_not_grade_does_not_clear(store, grade_all, read_panel):
    grade_all("person", "Ana", mixed)
    grade_all("judge", "j", mixed, criteria=["correctness"])
    found = held(store, read_panel, {"exact": 0.1})
    assert [check["holds"] for check in found.checks] == [True, False, False]
    assert [row[-1] for row in gate.document(found).tables[0].rows][1:] == ["inconclusive"] * 2


def test_a_bare_name_is_the_newest_fingerprint_and_never_an_older_one(store, grade_all, read_panel):
    grade_all("person", "Ana", mixed)
    grade_all("judge", "j", mixed, "aaaa")
    assert held(store, read_panel, {"exact": 0.1}).fingerprint == "aaaa"
    graders.ensure(store, "judge", "j", "bbbb")
    with pytest.raises(Problem, match=r"j@bbbb has not graded.*j@aaaa"):
        held(store, read_panel, {"exact": 0.1})
    assert held(store, read_panel, {"exact": 0.1}, "j@aaaa").fingerprint == "aaaa"


@pytest.mark.parametrize(
    "wanted", [{}, {"exact": 80}, {"exact": float("nan")}, {"failure_recall": -0.1}]
)
def test_a_threshold_that_is_none_or_no_share_is_a_problem(wanted):
    with pytest.raises(Problem):
        gate.check_wanted(wanted)


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


def held_of_metric_gate(store, sheet, name="faithfulness", **bounds):
    return gate.gate_metric(sheet, readings.read(store, sheet), name, **bounds)


def test_the_lower_limit_decides_and_not_the_mean(store, thirty_questions):
    give(store, "faithfulness", [1.0, 0.8, 0.9] * 10)
    found = held_of_metric_gate(store, thirty_questions, at_least=0.85)
    (check,) = found.checks
    assert found.holds and check["value"] == pytest.approx(0.9)
    # 30 questions, standard deviation .083: a half width of about .03.
    assert 0.86 < check["low"] < 0.88
    assert not held_of_metric_gate(store, thirty_questions, at_least=0.89).holds
    assert held_of_metric_gate(store, thirty_questions, at_most=0.95).holds
    assert not held_of_metric_gate(store, thirty_questions, at_most=0.9).holds


def test_what_has_no_value_or_no_interval_clears_nothing(store, thirty_questions):
    give(store, "faithfulness", [None] * QUESTIONS)
    found = held_of_metric_gate(store, thirty_questions, at_least=0.0)
    assert not found.holds and found.checks[0]["left_out"] == {"refused": 30}
    give(store, "context_recall", [1.0] * 5, version="v2")
    found = held_of_metric_gate(store, thirty_questions, "context_recall", at_least=0.0)
    assert not found.holds and found.checks[0]["low"] is None
    assert found.checks[0]["left_out"]["not_asked"] == 25


def test_every_judge_must_clear_unless_one_is_named(store, thirty_questions):
    give(store, "faithfulness", [0.9, 1.0, 0.95] * 10)
    give(store, "faithfulness", [0.2, 0.3, 0.1] * 10, judge="strict", version="v2")
    assert not held_of_metric_gate(store, thirty_questions, at_least=0.8).holds
    assert held_of_metric_gate(store, thirty_questions, at_least=0.8, judge="mine").holds
    assert not held_of_metric_gate(store, thirty_questions, at_least=0.8, judge="strict@f1").holds
    with pytest.raises(Problem, match="strict@f1"):
        held_of_metric_gate(store, thirty_questions, at_least=0.8, judge="nobody")


@pytest.mark.parametrize(
    ("name", "bounds", "told"),
    [
        ("faithfulness", {}, "--at-least"),
        ("noise_sensitivity_relevant", {}, "--at-most"),
        ("faithfulness", {"at_least": 1.2}, "0 to 1"),
        ("faithfulness", {"at_least": float("nan")}, "not a value"),
        ("faithful", {"at_least": 0.8}, "There is no metric"),
        ("faithfulness", {"at_least": 0.8}, "has no value on this sheet by this judge"),
    ],
)
def test_what_cannot_be_asked_is_told(store, thirty_questions, name, bounds, told):
    with pytest.raises(Problem, match=told):
        held_of_metric_gate(store, thirty_questions, name, **bounds)


def test_the_command_fails_a_build_on_a_metric(run, store, thirty_questions):
    give(store, "faithfulness", [1.0, 0.8, 0.9] * 10)
    done = run("gate", "--metric", "faithfulness", "--at-least", 0.8, "--json")
    assert json.loads(done.output)["holds"] is True
    said = run("gate", "--metric", "faithfulness", "--at-least", 0.95, code=1).output
    assert "≥ 0.95" in said
    assert "--metric" in run("gate", "--at-least", 0.8, code=2).output
    for share in (0.5, 0):
        more = ("--metric", "faithfulness", "--at-least", 0.8, "--exact", share)
        run("gate", *more, code=2)
