"""Undoing an import: whole, nothing lost, nothing shown, and the way back."""

import csv

import pytest

from concord.exporting import exported_tables
from concord.grading import grading_sets
from concord.importing import answer_file, grade_file, sheet_import
from concord.messages import Problem
from concord.model import Context
from concord.rubrics.model import presets
from concord.sampling import splits
from concord.store import (
    answer_record,
    grade_table,
    graders,
    grades,
    import_undo,
    imports,
    items,
    runs,
    sheets,
)
from concord.store.database import open_store
from concord.store.grades import Press
from concord.store.permissions import LEAD, VIEWER, Who
from concord.store.rubrics import rubric_versions
from tests.support.files import csv_bytes

HEAD = ("item_id", "question_id", "question", "answer", "answer_model", "score")
RUBRIC = presets()["doc-qa-0-3"]
MAPPED = ("score:annotator:Ana:correctness=score",)


def rows_of(first, last, score="2", model="atlas"):
    return [
        (f"{n}-{model}", f"{n}", f"Why {n}?", f"Because {n}, says {model}.", model, score)
        for n in range(first, last)
    ]


def take(store, rows, name="s", mapped=(), head=HEAD):
    read = answer_file.load(csv_bytes(head, *rows), f"{name}.csv", mapped, RUBRIC)
    rubric = RUBRIC if mapped else None
    sheet_import.take_sheet(store, read, name, rubric)
    return imports.newest(store, sheets.chosen(store, name).id)


def take_grades(store, given, name="s"):
    """Grades on correctness as (item id, grader, score); the number of their import."""
    found = sheets.chosen(store, name)
    rows = [(item, "correctness", grader, "annotator", score) for item, grader, score in given]
    head = ("item_id", "criterion", "grader", "grader_kind", "score")
    content = csv_bytes(head, *rows)
    keys = items.item_keys(store, found.id)
    read = grade_file.load(content, "g.csv", rubric=RUBRIC, known=keys)
    sheet_import.take_grades(store, found, read, RUBRIC, on_conflict="replace")
    return imports.newest(store, found.id)


def press(store, own_id, grader_id, score, kind="s"):
    """A grade of correctness as someone gives it in the app."""
    item_id = store.value(
        "select i.id from items i join sheets s on s.id = i.sheet_id"
        " where own_id = ? and s.undone_import is null",
        (own_id,),
    )
    version = RUBRIC.versions()["correctness"]
    pressed = Press(item_id, version, grader_id, "scored", score, press_id=f"{kind}-{own_id}")
    grades.record(store, [pressed])


def standing(store, name="s"):
    """Everyone's current grades of a sheet as (item id, grader, score)."""
    sheet = sheets.find(store, name)
    if sheet is None:
        return []
    found = grade_table.table(store, sheet.id, rubric_versions.criteria(store, RUBRIC))
    own = {row["id"]: row["own_id"] for row in store.rows("select id, own_id from items")}
    names = {row["id"]: row["name"] for row in store.rows("select id, name from graders")}
    return sorted(
        (own[i], names[g], s)
        for i, g, s in zip(found["item_id"], found["grader_id"], found["score"], strict=True)
    )


def held(store, name="s"):
    """The own ids of a sheet's answers."""
    sheet = sheets.find(store, name)
    rows = store.rows("select own_id from items where sheet_id = ?", (sheet.id if sheet else -1,))
    return sorted(row["own_id"] for row in rows)


def undo(store, number, name="s"):
    return import_undo.undo(store, sheets.ever(store, name), number)


def exported(store, folder, table):
    exported_tables.export(store, folder, every=True)
    with (folder / f"{table}.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_an_import_leaves_as_a_whole_and_an_answer_of_two_files_stays(store):
    first = take(store, rows_of(0, 4))
    take(store, rows_of(2, 6))
    going = import_undo.preview(store, sheets.chosen(store, "s"), first)
    assert (going.answers, going.grades, going.answers_kept) == (2, 0, 2)
    assert undo(store, first) == going
    assert held(store) == [f"{n}-atlas" for n in range(2, 6)]
    assert sheets.chosen(store, "s").questions == 4
    assert store.rows("pragma foreign_key_check") == []


def test_a_sheet_of_which_nothing_is_left_is_in_no_list_and_takes_the_file_again(store):
    number = take(store, rows_of(0, 3))
    undo(store, number)
    assert sheets.all_sheets(store) == [] and sheets.find(store, "s") is None
    assert sheets.last_worked_on(store) is None
    with pytest.raises(Problem, match="no sheet"):
        sheets.chosen(store, "s")
    assert [one.undone_by for one in imports.of_sheet(store, sheets.ever(store, "s").id)] == [
        "local"
    ]
    take(store, [(*row[:3], "Another mapping.", *row[4:]) for row in rows_of(0, 3)])
    assert held(store) == ["0-atlas", "1-atlas", "2-atlas"]


def test_its_grades_leave_and_those_given_since_come_back_with_the_same_answers(store):
    number = take(store, rows_of(0, 3), mapped=MAPPED)
    bo = graders.ensure(store, "person", "Bo")
    press(store, "0-atlas", bo, 3)
    press(store, "1-atlas", bo, 1)
    before = standing(store)
    going = undo(store, number)
    assert (going.answers, going.grades, going.grades_since) == (3, 3, 2)
    assert standing(store) == []
    again = take(store, rows_of(0, 1))
    assert standing(store) == [("0-atlas", "Bo", 3.0)]
    undo(store, again)
    take(store, rows_of(0, 3), mapped=MAPPED)
    assert standing(store) == before
    assert store.rows("pragma foreign_key_check") == []


def test_with_other_content_under_the_same_id_no_grade_comes_back(store, registered):
    number = take(store, rows_of(0, 1))
    press(store, "0-atlas", graders.ensure(store, "person", "Bo"), 3)
    undo(store, number)
    head = (*HEAD, "contexts")
    take(store, [(*row, "A context.") for row in rows_of(0, 1)], head=head)
    assert standing(store) == []
    assert items.item(store, 2).item.contexts == (Context("", "", "A context.", 1),)


def test_undone_grades_are_in_the_export_as_of_the_import(store, tmp_path):
    number = take(store, rows_of(0, 2), mapped=MAPPED)
    press(store, "0-atlas", graders.ensure(store, "person", "Bo"), 3)
    undo(store, number)
    found = exported(store, tmp_path / "out", "undone_grades")
    assert [
        (r["undone_import"], r["given"], r["sheet"], r["item_id"], r["grader"], r["score"])
        for r in found
    ] == [
        ("1", "file", "s", "0-atlas", "Ana", "2.0"),
        ("1", "file", "s", "1-atlas", "Ana", "2.0"),
        ("1", "since", "s", "0-atlas", "Bo", "3.0"),
    ]
    assert found[0]["answer"] == "Because 0, says atlas." and found[0]["undone_file"] == "s.csv"
    for table in ("items", "grades"):
        assert exported(store, tmp_path / table, table) == []


def test_an_import_of_grades_leaves_and_what_it_replaced_or_what_replaced_it_counts(store):
    take(store, rows_of(0, 3))
    take_grades(store, [("0-atlas", "Ana", 1), ("1-atlas", "Ana", 1)])
    second = take_grades(store, [(f"{n}-atlas", "Ana", 2) for n in range(3)])
    ana = graders.find(store, "person", "Ana").id
    press(store, "1-atlas", ana, 3)
    going = undo(store, second)
    assert (going.answers, going.grades) == (0, 3)
    assert standing(store) == [("0-atlas", "Ana", 1.0), ("1-atlas", "Ana", 3.0)]
    assert store.value("select supersedes from grades where score = 3") == 2
    take_grades(store, [("2-atlas", "Ana", 0)])
    assert standing(store)[-1] == ("2-atlas", "Ana", 0.0)


def test_a_grade_that_was_there_before_the_file_repeated_it_stays(store, registered):
    take(store, rows_of(0, 2))
    press(store, "0-atlas", graders.ensure(store, "person", "Ana"), 2)
    number = take_grades(store, [("0-atlas", "Ana", 2), ("1-atlas", "Ana", 2)])
    undo(store, number)
    assert standing(store) == [("0-atlas", "Ana", 2.0)]


def test_grades_of_undone_answers_can_be_undone_too(store):
    answers = take(store, rows_of(0, 2))
    given = take_grades(store, [("0-atlas", "Ana", 2)])
    undo(store, answers)
    assert undo(store, given).grades == 1
    take(store, rows_of(0, 2))
    assert standing(store) == []


def test_splits_come_back_with_the_question_and_guard_it_meanwhile(store):
    number = take(store, rows_of(0, 2))
    sheet = sheets.chosen(store, "s")
    with store.write():
        store.insert("question_roles", question_id=1, role="examples", why="", created_at="now")
    undo(store, number)
    take(store, rows_of(0, 1, model="birch"), "other")
    other = sheets.chosen(store, "other")
    assert len(splits.leaked(store, other.id)) == 1
    take(store, [(*row[:3], "Mapped otherwise.", *row[4:]) for row in rows_of(0, 2)])
    found = splits.of_sheet(store, sheet.id)
    assert [(row["own_id"], row["split"]) for row in found] == [
        ("0", "few-shot"),
        ("1", "evaluation"),
    ]


def test_answers_in_a_grading_set_stay(store, registered):
    first = take(store, rows_of(0, 3))
    second = take(store, rows_of(3, 5))
    sheet, rubric_id = sheets.chosen(store, "s"), rubric_versions.named(store, RUBRIC.name)[0]
    made = grading_sets.create(store, sheet.id, rubric_id, "Set 1", None, 1)
    for number in (first, second):
        with pytest.raises(Problem, match="grading sets"):
            undo(store, number)
    assert grading_sets.items(store, made.id) == {*range(1, 6)}


def test_figures_are_as_before_after_undoing_and_importing_again(store):
    take(store, rows_of(0, 6), mapped=MAPPED)
    second = take(store, rows_of(0, 6, score="1", model="birch"), mapped=MAPPED)
    bo = graders.ensure(store, "person", "Bo")
    for n in range(6):
        for model in ("atlas", "birch"):
            press(store, f"{n}-{model}", bo, n % 4)
    before, at_first = standing(store), sheets.state_key(store, sheets.chosen(store, "s"))
    undo(store, second)
    assert {own for own, _, _ in standing(store)} == {f"{n}-atlas" for n in range(6)}
    assert sheets.state_key(store, sheets.chosen(store, "s")) != at_first
    take(store, rows_of(0, 6, score="1", model="birch"), mapped=MAPPED)
    assert standing(store) == before


def test_extra_fields_that_only_the_undone_file_gave_are_taken_back(store):
    head = (*HEAD, "relevant_ids")
    take(store, rows_of(0, 2))
    second = take(store, [(*row, '["d1"]') for row in rows_of(0, 2)], head=head)
    assert items.item(store, 1).item.relevant_ids == ("d1",)
    undo(store, second)
    assert items.item(store, 1).item.relevant_ids == ()


def test_an_import_is_undone_once_and_an_unknown_one_is_named(store):
    number = take(store, rows_of(0, 2))
    take(store, rows_of(2, 4))
    undo(store, number)
    with pytest.raises(Problem, match="Import 1"):
        undo(store, number)
    with pytest.raises(Problem, match="import 9"):
        undo(store, 9)


def test_a_judge_at_work_on_the_sheet_is_a_reason_to_wait(store):
    number = take(store, rows_of(0, 2))
    judge = graders.ensure(store, "judge", "mine")
    sheet = sheets.chosen(store, "s")
    runs.start(store, {}, [], {}, None, grader_id=judge, sheet_id=sheet.id)
    with pytest.raises(Problem, match="running"):
        undo(store, number)
    assert len(held(store)) == 2


def test_deleting_the_sheet_deletes_what_was_undone_too(store):
    number = take(store, rows_of(0, 3), mapped=MAPPED)
    take(store, rows_of(3, 4))
    undo(store, number)
    sheets.delete(store, sheets.chosen(store, "s"))
    for table in ("sheets", "items", "questions", "grades", "imports", "import_items"):
        assert store.value(f"select count(*) from {table}") == 0, table
    assert graders.find(store, "person", "Ana") is None


def test_a_leads_undo_is_in_the_audit_log_and_a_viewer_may_not(store):
    number = take(store, rows_of(0, 2), mapped=MAPPED)
    with open_store(store.path, Who("Vic", VIEWER)) as viewers, pytest.raises(Problem):
        undo(viewers, number)
    with open_store(store.path, Who("Lea", LEAD)) as leads:
        undo(leads, number)
        (one,) = imports.of_sheet(leads, sheets.ever(leads, "s").id)
        assert one.undone_by == "Lea"
        take(leads, rows_of(0, 2))
    found = store.rows("select who, what, row_id from changes where table_name = 'imports'")
    assert [tuple(row) for row in found] == [("Lea", "update", number), ("Lea", "insert", 2)]


def test_an_answer_knows_the_files_and_rows_it_came_from(store):
    first, _ = take(store, rows_of(0, 3)), take(store, rows_of(2, 4))
    one, both, last = (
        store.value("select id from items where own_id = ?", (f"{n}-atlas",)) for n in (1, 2, 3)
    )
    told = {
        item: [file.row for file in answer_record.origin(store, item).files]
        for item in (one, both, last)
    }
    assert told == {one: [2], both: [3, 1], last: [2]}
    import_undo.undo(store, sheets.chosen(store, "s"), first)
    again = answer_record.origin(store, both).files
    assert [one.row for one in again] == [1]
