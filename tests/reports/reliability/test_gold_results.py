"""What the lead is told of training and of known answers, and that nobody else is."""

import pytest

from concord.grading import assignments, gold_items, grading_sets, regrades
from concord.messages import Problem
from concord.reports.reliability import gold_results
from concord.reports.reliability import gold_results as report
from concord.stats.core.estimate import reason, under
from concord.stats.core.minimums import QUESTION_FLOOR
from concord.store import graders
from concord.store.database import open_store
from concord.store.permissions import GRADER, VIEWER, Who
from concord.store.rubrics import rubric_versions
from tests.support.grading_room import known, prepared, press
from tests.support.rubrics import reworded
from tests.support.rubrics import rubric as of_criteria


def key(version, score, status="scored", person=7, item=1):
    return {"item_id": item, "version": version, "person": person, "status": status, "score": score}


def test_what_counts_of_training_is_what_stood_before_the_agreed_scores_were_shown():
    history = [key("a", 1), key("a", None, "withdrawn"), key("a", 2), key("b", 3), key("a", 0)]
    assert gold_results.before_reveal(history, ["a", "b"]) == {(7, 1): {"a": 2, "b": 3}}
    assert gold_results.before_reveal(history[:3], ["a", "b"]) == {}
    unsaid = [key("a", None, "cannot_grade")]
    assert gold_results.before_reveal(unsaid, ["a"]) == {(7, 1): {"a": None}}


def test_shares_of_known_answers_by_hand():
    found = report.accuracy([(1, 2, 2), (1, 3, 2), (2, 0, 3), (3, 1, 1)])
    assert (found["n"], found["exact"].value, found["within_one"].value) == (4, 0.5, 0.75)
    assert found["exact"].why_none == under(QUESTION_FLOOR, reason("no_interval"))
    many = report.accuracy([(n, n % 2, 0) for n in range(20)])["exact"]
    assert many.low < 0.5 < many.high
    assert report.accuracy([])["exact"].value is None


def test_an_answer_scored_under_an_earlier_wording_is_still_a_gold_item(store, sheet):
    one = of_criteria("correctness")
    own = rubric_versions.register(store, one, "app"), one
    made = prepared(store, sheet, own, "Team")
    gold_items.mix_in(store, made, known(store, made, own, ["001-atlas"]), "Lea")
    regrades.ask_again(store, made, "Lea", reworded(one, "r"))
    found = report.gold_results(store, grading_sets.get(store, made.id))
    assert (found["answers"], found["outdated"]) == (1, 1)


def test_known_answers_are_told_by_name_and_to_the_lead_alone(store, sheet, rubric, ana):
    made = prepared(store, sheet, rubric, "Team")
    gold_items.mix_in(store, made, known(store, made, rubric, ["001-atlas", "001-birch"]), "Lea")
    versions = list(rubric[1].versions().values())
    for person, score in ((graders.ensure(store, "person", "Bo"), 0), (ana, 2)):
        for place in assignments.queue(store, made, person, versions, 1000):
            press(store, made, person, rubric, place, score)
    rows = report.gold_results(store, made)["annotators"]
    assert [row["name"] for row in rows] == ["Ana"] * 4 + ["Bo"] * 4
    by_name = {row["name"]: row for row in rows if row["criterion"] == report.ALL}
    assert (by_name["Ana"]["n"], by_name["Ana"]["exact"].value) == (6, 1.0)
    assert by_name["Bo"]["within_one"].value == 0.0
    for who in (Who("Ana", GRADER, ana), Who("Vi", VIEWER)):
        with open_store(store.path, who) as own:
            with pytest.raises(Problem, match="Only leads"):
                report.gold_results(own, made)
            with pytest.raises(Problem, match="does not allow"):
                own.rows("select score from main.gold_answers")
    with open_store(store.path, Who("Vi", VIEWER)) as own:
        assert assignments.done(own, made, ana, versions).total == 32
