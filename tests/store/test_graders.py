import pytest

from concord.messages import Problem
from concord.store import grade_table, graders, grades
from concord.store.grades import Press
from concord.team import members


def test_a_bare_name_means_the_newest_fingerprint(store):
    graders.ensure(store, "judge", "gpt-4", "aaaa")
    newest = graders.ensure(store, "judge", "gpt-4", "bbbb")
    assert graders.find(store, "judge", "gpt-4").id == newest
    assert graders.find(store, "judge", "gpt-4@aaaa").fingerprint == "aaaa"
    assert graders.find(store, "judge", "gpt-4@cccc") is None


def test_an_empty_name_is_refused_without_the_kind_as_it_is_stored(store):
    with pytest.raises(Problem):
        graders.ensure(store, "person", " ")


def test_rename_refuses_a_name_that_is_taken(store, ana):
    ben = graders.ensure(store, "person", "Ben")
    with pytest.raises(Problem, match="taken"):
        graders.rename(store, ben, "Ana")
    graders.rename(store, ben, "Benno")
    assert graders.get(store, ben).name == "Benno"


def test_merged_graders_count_as_one_unless_both_graded_the_same(store, sheet, rubric, ana):
    version = rubric[1].versions()["correctness"]
    item_a, item_b = (row["id"] for row in store.rows("select id from items limit 2"))
    typo = graders.ensure(store, "person", "Anna")
    grades.record(
        store, [Press(item_a, version, ana, score=3), Press(item_b, version, typo, score=2)]
    )
    graders.merge(store, typo, ana)
    table = grade_table.table(store, sheet.id, {version: "correctness"})
    assert set(table.grader_id) == {ana}
    assert graders.ensure(store, "person", "Anna") == ana

    ben = graders.ensure(store, "person", "Ben")
    grades.record(store, [Press(item_a, version, ben, score=1)])
    with pytest.raises(Problem):
        graders.merge(store, ben, ana)


def test_a_deleted_grader_takes_the_grades_along(store, sheet, rubric, ana):
    version = rubric[1].versions()["correctness"]
    item = store.value("select min(id) from items")
    grades.record(store, [Press(item, version, ana, score=3), Press(item, version, ana, score=2)])
    assert graders.delete(store, ana) == 2
    assert graders.of_kind(store, "person") == []


def test_a_person_who_may_sign_in_is_not_deleted_before_the_door_is_shut(store):
    members.add(store, "Lea", "lead", "test")
    ann = members.add(store, "Ann", "grader", "Lea")
    with pytest.raises(Problem):
        graders.delete(store, ann.grader_id)
    members.give_role(store, "Ann", "none", "Lea")
    assert graders.delete(store, ann.grader_id) == 0
    assert graders.find(store, "person", "Ann") is None
    assert members.named(store, "Ann").grader_id is None
    again = members.give_role(store, "Ann", "grader", "Lea")
    assert again.grader_id == graders.find(store, "person", "Ann").id
