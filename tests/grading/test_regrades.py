"""Grades that no longer compare go back into their graders' queues, those and no others."""

import pytest

from concord.grading import (
    assignments,
    grading_sets,
    inclusion_probabilities,
    regrades,
    workspace,
)
from concord.grading.workspace import Key
from concord.messages import Problem
from concord.reports.workflow import regrade
from concord.rubrics.edit import with_criterion_alone
from concord.sampling import split_assignment, splits
from concord.store import graders
from concord.store.database import open_store
from concord.store.permissions import Who
from concord.store.rubrics import rubric_edits, rubric_versions
from tests.support.panels import ATLAS, give
from tests.support.rubrics import reworded


def place_of(store, made, grader_id, versions):
    laid = assignments.queue(store, made, grader_id, versions, 41)
    return {place.item_id: place for place in laid}


def test_exactly_what_no_longer_compares_is_asked_of_whoever_gave_it(store, reworded_twice):
    [asking] = regrade.to_ask(store, reworded_twice, "correctness")
    counts = {"sheet": "numbers", "grades": 5, "answers": 3, "annotators": 2}
    assert asking.to_json() == counts
    [made] = regrade.ask(store, reworded_twice, "correctness", "Lea")
    assert (made.name, made.answers, made.questions) == ("Correctness again", 3, 2)
    rubric = rubric_versions.get(store, made.rubric_id)
    assert rubric.versions() == {"correctness": reworded_twice.versions()["correctness"]}
    versions = list(rubric.versions().values())
    first, second, _, fourth = (row["id"] for row in store.rows("select id from items limit 4"))
    ana, ben = (graders.named(store, "person", name).id for name in ("Ana", "Ben"))
    assert {*place_of(store, made, ana, versions)} == {first, second, fourth}
    assert {*place_of(store, made, ben, versions)} == {first, second}
    assert assignments.done(store, made, ben, versions) == (0, 2)
    other = graders.ensure(store, "person", "Somebody else")
    assert assignments.queue(store, made, other, versions, 41) == []
    assert assignments.done(store, made, other, versions) == (0, 0)
    assert {row["name"] for row in grading_sets.of_set(store, made.id)} == {"Ana", "Ben"}
    row = store.row("select asked_by, created_at from regrade_requests")
    assert row["asked_by"] == "Lea" and row["created_at"]


def test_asking_again_asks_for_nothing_twice(store, reworded_twice):
    regrade.ask(store, reworded_twice, "correctness", "Lea")
    assert regrade.to_ask(store, reworded_twice, "correctness") == []
    assert regrade.ask(store, reworded_twice, "correctness", "Lea") == []
    left = [regrades.OutdatedGrade(1, 1, 1)]
    with pytest.raises(Problem):
        regrades.ask(store, 1, reworded_twice, "correctness", left, "Lea")


def test_simulated_annotators_and_questions_judges_saw_are_not_asked(
    store, sheet, doc_qa, reworded_twice
):
    split_assignment.assign(store, [splits.of_sheet(store, sheet.id)[0]["id"]], "few-shot", "shown")
    [asking] = regrade.to_ask(store, reworded_twice, "correctness")
    assert (len(asking.left), asking.answers(), asking.annotators()) == (1, 1, 1)


def test_a_new_grade_stands_beside_the_old_one(store, reworded_twice):
    [made] = regrade.ask(store, reworded_twice, "correctness", "Lea")
    rubric = rubric_versions.get(store, made.rubric_id)
    [version] = rubric.versions().values()
    ana = graders.named(store, "person", "Ana").id
    places = [place.id for place in assignments.queue(store, made, ana, [version], 41)]
    items = [place.item_id for place in assignments.queue(store, made, ana, [version], 41)]
    old = {1: 0, 2: 2, 4: 1}
    keys = [
        Key(f"press {n}", place, version, "scored", min(3, old[item] + 1))
        for n, (place, item) in enumerate(zip(places[:2], items[:2], strict=True))
    ]
    keys.append(Key("press 3", places[2], version, "cannot_grade"))
    assert not workspace.save(store, made, ana, rubric, keys).refused
    assert assignments.done(store, made, ana, [version]) == (3, 3)
    one, other = regrade.rows(store, reworded_twice, "correctness")
    assert (one.grader, one.asked, one.n, one.left_out) == (
        "Ana",
        3,
        2,
        {regrade.UNSCORED_NOW: 1},
    )
    assert (one.up, one.down, one.same) == (2, 0, 0)
    assert (one.exact.value, one.change.value) == (0, 1)
    assert one.change.low is None and one.change.why_none
    assert other.left_out == {regrade.WAITING: 2}
    assert other.change.value is None and other.change.why_none
    assert regrade.table([one]).rows[0][:4] == ("Ana", 3, 2, 2)
    assert store.value("select count(*) from grades where version <> ?", [version]) == 12


def test_change_has_its_interval_by_question(store, sheet, doc_qa):
    first, second = reworded(doc_qa), reworded(doc_qa, words="Is it true?")
    rubric_edits.save(store, doc_qa, first, {})
    every = {place: 1 for place in range(36)}
    give(store, first, "Ana", every)
    rubric_edits.save(store, first, second, {})
    regrade.ask(store, second, "correctness", "Lea")
    give(store, second, "Ana", {place: 2 if place % 6 < 3 else 1 for place in every})
    [row] = regrade.rows(store, second, "correctness")
    assert (row.n, row.questions, row.up, row.same) == (36, 12, 18, 18)
    assert row.change.value == row.exact.value == 0.5
    # Half of 12 questions moved whole: the jackknife's error is sqrt(.25 / 11), and t(11) 2.201.
    assert row.change.low == pytest.approx(0.5 - 2.201 * (0.25 / 11) ** 0.5, abs=1e-3)


def test_nothing_asked_is_said(store, reworded_twice):
    assert regrade.rows(store, reworded_twice, "correctness") == ()


def test_a_regrading_queue_is_no_draw_and_the_draw_before_it_still_counts(store, sheet, doc_qa):
    first, second = reworded(doc_qa), reworded(doc_qa, words="Is it true?")
    rubric_edits.save(store, doc_qa, first, {})
    alone = with_criterion_alone(first, regrades._alone(first, "correctness"))
    rubric_id = rubric_versions.register(store, alone, "file")
    grading_sets.create(store, sheet.id, rubric_id, "Drawn", 6, 1)
    give(store, first, "Ana", {ATLAS: 1})
    rubric_edits.save(store, first, second, {})
    versions = [second.versions()["correctness"]]
    assert inclusion_probabilities.counting_sets(store, sheet.id, versions) == []
    both = {*versions, first.versions()["correctness"]}
    nothing = inclusion_probabilities.DrawnGrades(set(), [])
    assert inclusion_probabilities.graded_before_sampling(store, sheet.id, both, nothing) == set()
    regrade.ask(store, second, "correctness", "Lea")
    counting = inclusion_probabilities.counting_sets(store, sheet.id, versions)
    assert [row["name"] for row in counting] == ["Drawn"]
    assert inclusion_probabilities.graded_before_sampling(store, sheet.id, both, nothing) == set()


def test_a_signed_in_grader_reaches_the_own_queue_of_them_and_no_others_requests(
    store, reworded_twice
):
    [made] = regrade.ask(store, reworded_twice, "correctness", "Lea")
    ben = graders.named(store, "person", "Ben").id
    with open_store(store.path, Who("Ben", "grader", ben)) as own:
        rubric = rubric_versions.get(own, made.rubric_id)
        window = workspace.window(own, grading_sets.get(own, made.id), ben, rubric, None)
        assert (len(window.places), window.total, window.whole) == (2, 2, True)
        assert own.value("select count(*) from regrade_requests") == 2
        with pytest.raises(Problem):
            own.rows("select asked_by from main.regrade_requests")
