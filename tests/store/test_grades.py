import pandas as pd
import pytest

from concord.messages import Problem
from concord.model import Distribution
from concord.store import additions, batches, grade_table, graders, grades, permissions
from concord.store.batches import Question
from concord.store.database import Refused
from concord.store.grades import CURRENT, Press, record
from concord.team import members


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


PLAIN = (
    "select g.id, item_id, version, grader_id, status, score, repeat, blind from grades g"
    " join items i on i.id = g.item_id where i.sheet_id = ? and unit_id is null"
    f" and status <> 'withdrawn' and {CURRENT} order by g.id"
)


def plain(store, sheet, versions):
    rows = pd.DataFrame(map(tuple, store.rows(PLAIN, (sheet.id,))))
    rows.columns = ["id", "item_id", "criterion", "grader_id", "status", "score", "repeat", "blind"]
    rows["criterion"] = rows["criterion"].map(versions)
    rows["blind"] = rows["blind"] != 0
    return rows.dropna(subset="criterion").reset_index(drop=True)


def compared(store, sheet, versions):
    found = grade_table.table(store, sheet.id, versions)
    expected = plain(store, sheet, versions)
    found = found.astype({"criterion": object, "status": object})[list(expected.columns)]
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    return found


@pytest.mark.parametrize("items_at_once", [3, 100_000])
def test_it_holds_what_reading_row_by_row_finds(
    store, graded_sheet_of_two, criterion_names, monkeypatch, items_at_once
):
    monkeypatch.setattr(grade_table, "_ITEMS_AT_ONCE", items_at_once)
    found = compared(store, graded_sheet_of_two, criterion_names)
    assert set(found["criterion"]) == {"correctness", "readability"}
    assert (~found["blind"]).sum() == 6
    assert (found["score"] == 1 / 3).sum() == 2


def test_a_sheet_without_grades_or_without_answers_gives_an_empty_table(
    store, sheet, criterion_names
):
    empty = additions.add(store, "empty", [], "empty.csv", "1" * 64, {})
    for one in (sheet, empty):
        found = grade_table.table(store, one.id, criterion_names)
        assert len(found) == 0
        assert list(found["criterion"].cat.categories) == ["correctness", "readability"]


def test_a_bare_name_means_the_newest_fingerprint(store):
    graders.ensure(store, "judge", "gpt-4", "aaaa")
    newest = graders.ensure(store, "judge", "gpt-4", "bbbb")
    assert graders.find(store, "judge", "gpt-4").id == newest
    assert graders.find(store, "judge", "gpt-4@aaaa").fingerprint == "aaaa"
    assert graders.find(store, "judge", "gpt-4@cccc") is None


def test_an_empty_name_is_refused_without_the_kind_as_it_is_stored(store):
    with pytest.raises(Problem, match="empty"):
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
    with pytest.raises(Problem, match="Ben and Ana"):
        graders.merge(store, ben, ana)


def test_a_deleted_grader_takes_the_grades_along(store, sheet, rubric, ana):
    version = rubric[1].versions()["correctness"]
    item = store.value("select min(id) from items")
    grades.record(store, [Press(item, version, ana, score=3), Press(item, version, ana, score=2)])
    graders.delete(store, ana)
    assert graders.of_kind(store, "person") == []
    assert store.value("select count(*) from grades") == 0


def test_a_person_who_may_sign_in_is_not_deleted_before_the_door_is_shut(store):
    members.add(store, "Lea", "lead", "test")
    ann = members.add(store, "Ann", "grader", "Lea")
    with pytest.raises(Problem, match="Ann"):
        graders.delete(store, ann.grader_id)
    members.give_role(store, "Ann", "none", "Lea")
    graders.delete(store, ann.grader_id)
    assert graders.find(store, "person", "Ann") is None
    assert members.named(store, "Ann").grader_id is None
    again = members.give_role(store, "Ann", "grader", "Lea")
    assert again.grader_id == graders.find(store, "person", "Ann").id


def added(store, sheet, rubric, grader_id, names="abc"):
    owed = [Question(name, f"hash {name}", "", 1, f'{{"{name}": 1}}') for name in names]
    with store.write():
        return batches.add(store, grader_id, sheet.id, rubric[0], "t", {"limit": 1}, {}, 2.5, owed)


def test_what_an_open_batch_owes_is_in_flight_until_it_lands(store, sheet, rubric, judge_id):
    batch_id = added(store, sheet, rubric, judge_id)
    assert batches.in_flight(store, [judge_id]) == {(f"hash {n}", "", 1) for n in "abc"}
    with store.write():
        batches.mark_received(store, batch_id, ["b"])
    assert batches.in_flight(store, [judge_id]) == {("hash a", "", 1), ("hash c", "", 1)}
    assert batches.unanswered_requests(store, batch_id)[1] == ("c", "hash c", "", 1)
    assert batches.request(store, batch_id, "c") == '{"c": 1}'


def test_a_closed_batch_owes_nothing_and_stays_on_record(store, sheet, rubric, judge_id):
    batch_id = added(store, sheet, rubric, judge_id)
    assert [batch.id for batch in batches.pending(store, sheet.id, judge_id)] == [batch_id]
    batches.close(store, batch_id, "expired", "Some were not answered in time.")
    assert (batches.in_flight(store, [judge_id]), batches.pending(store, sheet.id, judge_id)) == (
        set(),
        [],
    )
    kept = batches.get(store, batch_id)
    assert (kept.status, kept.questions, kept.budget) == ("expired", 3, 2.5)
    assert kept.closed_at and kept.message
