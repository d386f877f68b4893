"""The gate: every criterion's lower limit clears, or it does not hold."""

import pytest

from concord.messages import Problem
from concord.reports import gate
from concord.reports.panel.choice import judge_of
from concord.store import graders


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
    with pytest.raises(Problem, match=r"j@bbbb.*has not graded.*j@aaaa"):
        held(store, read_panel, {"exact": 0.1})
    assert held(store, read_panel, {"exact": 0.1}, "j@aaaa").fingerprint == "aaaa"


@pytest.mark.parametrize(
    "wanted", [{}, {"exact": 80}, {"exact": float("nan")}, {"failure_recall": -0.1}]
)
def test_a_threshold_that_is_none_or_no_share_is_a_problem(wanted):
    with pytest.raises(Problem):
        gate.check_wanted(wanted)
