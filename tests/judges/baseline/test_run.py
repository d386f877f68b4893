"""The baseline over a sheet: trained on the annotators who count, stored once per training."""

import json

import pytest

from concord.grading import annotators
from concord.judges.baseline import feature_model, run
from concord.judges.baseline.run import run_baseline
from concord.store import graders, grades, items, runs
from concord.store.grades import Press


def graded(store, sheet, rubric, grader_id, score=lambda place: place % 4, **more):
    """Grades of one grader for every answer."""
    presses = [
        Press(item_id, version, grader_id, score=score(place), **more)
        for place, item_id in enumerate(items.item_ids(store, sheet.id))
        for version in rubric[1].versions().values()
    ]
    grades.record(store, presses)


def test_every_answer_gets_a_score_with_a_reason_as_one_free_run(store, sheet, rubric, ana):
    graded(store, sheet, rubric, ana)
    outcome = run_baseline(store, sheet, *rubric)
    assert (outcome.stored, outcome.lacking) == (108, {})
    rows = store.rows("select * from grades where grader_id = ?", (outcome.grader.id,))
    assert {row["status"] for row in rows} == {"scored"} and all(row["reason"] for row in rows)
    assert {row["blind"] for row in rows} == {None}
    row = runs.of_sheet(store, sheet.id)[0]
    assert (row["status"], json.loads(row["counts"])["cost"]) == ("done", 0)


def test_the_same_grades_change_nothing_and_other_grades_make_a_new_baseline(
    store, sheet, rubric, ana
):
    graded(store, sheet, rubric, ana)
    first = run_baseline(store, sheet, *rubric)
    again = run_baseline(store, sheet, *rubric)
    assert (again.stored, again.grader.id) == (0, first.grader.id)
    graded(store, sheet, rubric, ana, score=lambda place: (place + 1) % 4)
    assert run_baseline(store, sheet, *rubric).grader.id != first.grader.id


def test_too_few_grades_say_how_many_are_needed_and_store_nothing(store, sheet, rubric, ana):
    item_id = items.item_ids(store, sheet.id)[0]
    grades.record(store, [Press(item_id, rubric[1].versions()["correctness"], ana, score=1)])
    outcome = run_baseline(store, sheet, *rubric)
    assert outcome.grader is None and graders.of_kind(store, "judge") == []


def test_what_the_screen_says_it_needs_is_what_it_needs():
    needs = f"{feature_model.MIN_ITEMS} graded answers to {feature_model.MIN_GROUPS} questions"
    assert needs == run.NEEDS


def test_one_criterion_without_grades_leaves_the_others_theirs(store, sheet, rubric, ana):
    version = rubric[1].versions()["correctness"]
    presses = [
        Press(item_id, version, ana, score=place % 4)
        for place, item_id in enumerate(items.item_ids(store, sheet.id))
    ]
    grades.record(store, presses)
    outcome = run_baseline(store, sheet, *rubric)
    assert outcome.stored == 36
    assert set(outcome.lacking) == {"comprehensiveness", "readability"}


@pytest.mark.parametrize(
    ("name", "more", "counts"),
    [
        ("Ben", {"blind": True}, True),
        ("Ben", {"blind": False}, False),
        ("Ben", {"repeat": 2}, False),
    ],
)
def test_it_learns_from_first_blind_grades_only(name, more, counts, store, sheet, rubric):
    graded(store, sheet, rubric, graders.ensure(store, "person", name), **more)
    assert (run_baseline(store, sheet, *rubric).grader is not None) is counts


def test_simulated_annotators_are_left_out_once_someone_has_graded(store, sheet, rubric, ana):
    pretend = graders.ensure(store, "person", "simulated-1", simulated=True)
    graded(store, sheet, rubric, pretend)
    first = run_baseline(store, sheet, *rubric).grader
    graded(store, sheet, rubric, ana, score=lambda place: (place // 3) % 4)
    second = run_baseline(store, sheet, *rubric).grader
    assert first and second and first.id != second.id
    people = [graders.get(store, pretend), graders.get(store, ana)]
    assert annotators.counting(people, {})[0].keys() == {ana}


def test_judges_teach_it_nothing(store, sheet, rubric):
    graded(store, sheet, rubric, graders.ensure(store, "judge", "other", "f" * 16))
    assert run_baseline(store, sheet, *rubric).grader is None


def test_it_sees_no_more_than_the_rubric_shows(store, sheet, rubric):
    stored = items.item(store, items.item_ids(store, sheet.id)[0]).item
    assert run._text(stored, rubric[1]).references == ()
