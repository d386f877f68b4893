"""Grades made elsewhere meet the stored ones: by annotator, under any name they went by."""

import pytest

from concord.messages import Problem
from concord.model import Distribution, Grade
from concord.rubrics.model import Rubric
from concord.store import grade_additions, grade_table, graders, grades, items
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions


def made(rubric, number=0, **changes) -> Grade:
    fields = {
        "criterion": "correctness",
        "grader": "Ana",
        "grader_kind": "person",
        "score": 2,
        "row": number + 1,
        "item_key": f'["{number:03}-atlas"]',
    }
    return Grade(**{**fields, **changes})


def current(store, rubric, sheet):
    versions = {version: name for name, version in rubric.versions().items()}
    return grade_table.table(store, sheet.id, versions)


def test_what_is_new_unchanged_and_changed_is_told_apart(store, sheet, rubric, take):
    take(made(rubric), made(rubric, 1))
    compared = take(made(rubric), made(rubric, 1, score=3), made(rubric, 2))
    assert (compared.new, len(compared.repeated), len(compared.conflicts)) == (1, 1, 1)
    assert sorted(current(store, rubric[1], sheet)["score"]) == [2, 2, 3]


def test_everything_a_file_says_of_a_grade_is_stored(store, rubric, take):
    take(made(rubric, reason="Good.", seconds=4.5, repeat=2, blind=True))
    row = store.row("select * from grades")
    assert (row["score"], row["reason"], row["seconds"]) == (2, "Good.", 4.5)
    assert (row["repeat"], row["blind"], row["status"]) == (2, 1, "scored")


def test_no_score_is_stored_as_its_status_and_not_as_a_number(store, rubric, take):
    take(made(rubric, score=None, status="cannot_grade"))
    assert tuple(store.row("select score, status from grades")) == (None, "cannot_grade")
    take(made(rubric, score=1))


def test_a_grade_that_was_taken_back_can_be_given_again(store, sheet, rubric, take, ana):
    take(made(rubric))
    item, version = store.row("select item_id, version from grades")
    grades.record(store, [Press(item, version, ana, status="withdrawn")])
    compared = take(made(rubric, score=1))
    assert (compared.new, compared.conflicts) == (1, [])
    assert list(current(store, rubric[1], sheet)["score"]) == [1]


def test_a_person_and_a_judge_of_one_name_are_two_graders(store, rubric, take):
    compared = take(made(rubric), made(rubric, grader_kind="judge", score=3))
    assert compared.new == 2
    assert store.value("select count(distinct grader_id) from grades") == 2


def test_a_judge_that_ran_here_keeps_its_fingerprint(store, rubric, take, keys):
    ran = graders.ensure(store, "judge", "gpt", "abcd")
    take(made(rubric, grader="gpt", grader_kind="judge"))
    assert store.value("select grader_id from grades") == ran
    compared = take(made(rubric, grader="gpt@abcd", grader_kind="judge"))
    assert len(compared.repeated) == 1


@pytest.mark.parametrize("name", ["Ana", "Anna"])
def test_grades_under_a_name_that_was_merged_are_the_same_persons(store, sheet, rubric, take, name):
    take(made(rubric, 0, grader="Anna"), made(rubric, 1))
    anna, ana = (graders.find(store, "person", name).id for name in ("Anna", "Ana"))
    graders.merge(store, anna, ana)
    compared = take(*(made(rubric, n, grader=name) for n in range(3)))
    assert (len(compared.repeated), compared.new) == (2, 1)
    changed = take(made(rubric, 0, grader=name, score=3))
    assert len(changed.conflicts) == 1
    found = current(store, rubric[1], sheet)
    assert sorted(found["score"]) == [2, 2, 3]
    assert set(found["grader_id"]) == {ana}


def test_grades_under_words_that_were_only_reworded_are_not_taken_twice(store, sheet, rubric, take):
    take(made(rubric))
    old = rubric[1]
    body = old.model_dump()
    body["criteria"][0]["question"] += " Please."
    new = Rubric.model_validate(body)
    rubric_versions.register(store, new, "file")
    rubric_versions.carry(store, old, new, "correctness", "a word")
    assert len(take(made(rubric), under=new).repeated) == 1
    assert len(take(made(rubric, score=3), under=new).conflicts) == 1
    assert store.value("select count(*) from grades") == 2


def test_a_simulated_grader_is_never_mixed_with_a_real_one(store, rubric, take):
    take(made(rubric, simulated=True))
    with pytest.raises(Problem, match="“Ana” is simulated"):
        take(made(rubric, 1))
    assert store.value("select count(*) from grades") == 1


def test_a_mean_is_one_annotator_of_its_own_kind(store, sheet, rubric):
    versions = rubric[1].versions()
    keys = items.item_keys(store, sheet.id)
    key = next(key for key, item_id in keys.items() if item_id == 1)
    grade = Grade("correctness", "crowd", "mean", 1.5, item_key=key)

    def ids(_):
        return keys

    grade_additions.take(store, [rubric[1]], [grade], ids)
    crowd = graders.find(store, "person", "crowd")
    assert crowd.is_mean
    stored = store.row("select score, version from grades where grader_id = ?", (crowd.id,))
    assert tuple(stored) == (1.5, versions["correctness"])
    assert len(grade_additions.take(store, [rubric[1]], [grade], ids).repeated) == 1
    (counted,) = grades.by_grader(store)
    assert counted["kind"] == "mean"
    with pytest.raises(Problem, match="crowd"):
        graders.ensure(store, "person", "crowd")
    theirs = grade._replace(grader_kind="person", score=2)
    with pytest.raises(Problem, match="“crowd” is the mean"):
        grade_additions.take(store, [rubric[1]], [theirs], ids, replaces=True)
    graders.ensure(store, "person", "Ana")
    with pytest.raises(Problem, match="“Ana” is one"):
        grade_additions.take(store, [rubric[1]], [grade._replace(grader="Ana")], ids, replaces=True)


FOUND = Distribution("native", ((0, 0.1), (1, 0.1), (2, 0.7), (3, 0.1)), 0.0)


def by_judge(rubric, found, **changes):
    return made(rubric, grader="gpt", grader_kind="judge", distribution=found, **changes)


def test_probabilities_are_stored_with_the_grade_and_again_they_are_nothing_new(
    store, sheet, rubric, take
):
    take(by_judge(rubric, FOUND))
    versions = {version: name for name, version in rubric[1].versions().items()}
    [judge] = grades.graders_with_distributions(store, sheet.id)
    found = grades.distributions_of_grader(store, sheet.id, judge, versions)
    assert [*found.values()] == [FOUND]
    for again in (FOUND, None):
        assert len(take(by_judge(rubric, again)).repeated) == 1
    assert store.value("select count(*) from grades") == 1


def test_the_same_grade_with_probabilities_renews_one_without(store, sheet, rubric, take):
    take(by_judge(rubric, None))
    assert take(by_judge(rubric, FOUND)).replaced == 1
    [judge] = grades.graders_with_distributions(store, sheet.id)
    assert graders.get(store, judge).name == "gpt"


def test_other_probabilities_of_the_same_score_are_a_conflict(rubric, take):
    take(by_judge(rubric, FOUND))
    assert len(take(by_judge(rubric, FOUND._replace(outside=0.01))).conflicts) == 1
