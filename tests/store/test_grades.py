import pytest

from concord.model import Distribution
from concord.store import grade_table, graders, grades, items, permissions
from concord.store.database import Refused
from concord.store.grades import Press, record


def current(store, ana, item_id, version):
    return [
        (row["status"], row["score"]) for row in grades.of_grader(store, ana, [item_id], [version])
    ]


def test_a_press_sent_twice_is_one_grade(store, ana, item_id, version):
    press = Press(item_id, version, ana, score=2, press_id="p1")
    assert record(store, [press]) == record(store, [press]) == ["p1"]
    assert store.value("select count(*) from grades") == 1


def test_a_changed_grade_supersedes_and_the_old_row_stays(store, ana, item_id, version):
    record(store, [Press(item_id, version, ana, score=s) for s in (1, 2, 3)])
    assert current(store, ana, item_id, version) == [("scored", 3)]
    assert [r["score"] for r in store.rows("select score from grades order by id")] == [1, 2, 3]


def test_a_grade_taken_back_is_no_grade_and_can_be_given_again(store, ana, item_id, version):
    record(
        store, [Press(item_id, version, ana, score=1), Press(item_id, version, ana, "withdrawn")]
    )
    assert current(store, ana, item_id, version) == []
    record(store, [Press(item_id, version, ana, score=0)])
    assert current(store, ana, item_id, version) == [("scored", 0)]


def test_a_late_resend_does_not_undo_what_came_after(store, ana, item_id, version):
    first = Press(item_id, version, ana, score=1, press_id="p1")
    record(store, [first, Press(item_id, version, ana, score=2, press_id="p2")])
    record(store, [first])
    assert current(store, ana, item_id, version) == [("scored", 2)]


def test_a_repeat_is_a_grade_of_its_own(store, ana, item_id, version):
    record(store, [Press(item_id, version, ana, score=1)])
    record(store, [Press(item_id, version, ana, score=2, repeat=2)])
    assert current(store, ana, item_id, version) == [("scored", 1), ("scored", 2)]


def test_how_a_grader_stands_with_every_item_is_told_by_repeat_and_version(
    store, ana, sheet, rubric
):
    one, two, three = items.item_ids(store, sheet.id)[:3]
    first, second, _ = versions = [*rubric[1].versions().values()]
    given = [Press(one, version, ana, score=1) for version in versions]
    given += [Press(two, second, ana, "failed"), Press(two, second, ana, "refused")]
    given += [Press(two, first, ana, score=2, repeat=2), Press(three, "other", ana, score=1)]
    store.execute(
        "insert into criteria (version, name, body, created_at) values ('other', 'o', '{}', '')"
    )
    record(store, given)
    assert grades.status_by_version(store, sheet.id, ana, versions) == {
        (one, 1): ("scored", "scored", "scored"),
        (two, 1): (None, "refused", None),
        (two, 2): ("scored", None, None),
    }


def test_a_grade_after_opening_the_judges_is_not_blind(store, ana, item_id, version):
    ben = graders.ensure(store, "person", "Ben")
    press = Press(item_id, version, ana, score=1)
    grades.grade_blind(store, [press])
    grades.open_item(store, item_id, ana)
    grades.grade_blind(store, [press._replace(score=2), press._replace(grader_id=ben)])
    rows = store.rows("select grader_id, blind from grades order by id")
    assert [tuple(row) for row in rows] == [(ana, 1), (ana, 0), (ben, 1)]


def test_a_grader_is_told_of_own_grades_only(store, ana, item_id, version):
    ben = graders.ensure(store, "person", "Ben")
    judge = graders.ensure(store, "judge", "gpt-4", "f")
    record(store, [Press(item_id, version, who, score=3) for who in (ben, judge)])
    assert current(store, ana, item_id, version) == []


def test_all_presses_of_a_call_are_saved_or_none(store, ana, item_id, version):
    bad = Press(item_id, version, ana, status="scored", score=None)
    with pytest.raises(Exception, match="CHECK"):
        record(store, [Press(item_id, version, ana, score=1), bad])
    assert store.value("select count(*) from grades") == 0


def test_the_table_for_the_reports_holds_current_grades_only(store, sheet, ana, item_id, version):
    record(store, [Press(item_id, version, ana, score=s) for s in (1, 2)])
    record(store, [Press(item_id, version, ana, "cannot_grade", repeat=2)])
    table = grade_table.table(store, sheet.id, {version: "correctness"})
    assert list(table["score"].dropna()) == [2]
    assert list(table["status"]) == ["scored", "cannot_grade"]
    assert set(table["criterion"]) == {"correctness"}


def test_a_list_of_graders_counts_grades_that_stand(store, sheet, rubric, ana):
    version = rubric[1].versions()["correctness"]
    judge = graders.ensure(store, "judge", "garbled")
    at = store.column("select id from items limit 3")
    grades.record(store, [Press(one, version, ana, score=3) for one in at])
    grades.record(store, [Press(at[0], version, ana, score=2)])
    grades.record(store, [Press(at[1], version, ana, "withdrawn")])
    grades.record(store, [Press(one, version, judge, "failed", reason="no reply") for one in at])
    [listed] = grades.by_grader(store, sheet.id)
    assert (listed["name"], listed["answers"], listed["grades"]) == ("Ana", 2, 2)


FOUND = Distribution("native", ((0, 0.04), (1, 0.06), (2, 0.2), (3, 0.699)), 0.001)


def stored(store, sheet, judge_id, version):
    return grades.distributions_of_grader(store, sheet.id, judge_id, {version: "correctness"})


def test_a_distribution_comes_back_as_it_was_returned(store, sheet, judge_id, item_id, version):
    record(store, [Press(item_id, version, judge_id, score=3, distribution=FOUND)])
    assert stored(store, sheet, judge_id, version) == {(item_id, "correctness", 1): FOUND}
    assert grades.graders_with_distributions(store, sheet.id) == {judge_id}


def test_only_the_current_grade_has_its_distribution_read(store, sheet, judge_id, item_id, version):
    record(store, [Press(item_id, version, judge_id, score=3, distribution=FOUND)])
    record(store, [Press(item_id, version, judge_id, score=2)])
    assert stored(store, sheet, judge_id, version) == {}
    assert store.value("select count(*) from distributions") == 1


def test_grades_stored_together_keep_their_own_distributions(
    store, sheet, judge_id, item_id, version
):
    other = FOUND._replace(outside=0.5)
    press = Press(item_id, version, judge_id, score=3)
    together = [press._replace(distribution=FOUND), press._replace(repeat=2)]
    record(store, [*together, press._replace(repeat=3, distribution=other)])
    found = stored(store, sheet, judge_id, version)
    assert found == {(item_id, "correctness", 1): FOUND, (item_id, "correctness", 3): other}


def test_an_adjudicator_cannot_read_them(store, judge_id, item_id, version):
    record(store, [Press(item_id, version, judge_id, score=3, distribution=FOUND)])
    permissions.blind(store)
    with pytest.raises(Refused):
        store.rows("select * from distributions")
