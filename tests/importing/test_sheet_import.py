"""From a file to the store: nothing twice, nothing half, nothing overwritten in silence."""

import csv
import io

import pytest

from concord.grading import grading_sets
from concord.importing import answer_file, grade_file, sheet_import
from concord.importing.columns import column_map
from concord.importing.fields import GRADE_FIELDS
from concord.importing.grade_scales import of_file, proposed_rubric
from concord.importing.readers.formats import open_table
from concord.messages import Conflict, Problem, for_screen
from concord.rubrics.model import FIRST, presets
from concord.store import sheets
from concord.store.items import item_keys
from concord.store.rubrics import rubric_versions

RUBRIC = presets()["doc-qa-0-3"]
QUESTIONS = [
    {
        "item_id": f"{n}-{model}",
        "question_id": f"{n}",
        "question": f"Why {n}?",
        "answer": f"Because {n}, says {model}.",
        "model": model,
    }
    for n in range(6)
    for model in ("atlas", "birch")
]


def csv_of(rows) -> bytes:
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()


def answers(rows, mapped=(), rubric=None):
    return answer_file.load(csv_of(rows), "s.csv", mapped, rubric)


def taken(store, rows, name="s", partial=False, mapped=(), rubric=None):
    return sheet_import.take_sheet(store, answers(rows, mapped, rubric), name, rubric, partial)


def grades_of(rows, score=2, grader="Ana", **more):
    return [
        {
            "item_id": row["item_id"],
            "criterion": "correctness",
            "grader": grader,
            "kind": "person",
            "score": score,
            **more,
        }
        for row in rows
    ]


def graded(store, rows, name="s", partial=False, on_conflict=None):
    found = sheets.chosen(store, name)
    read = grade_file.load(csv_of(rows), "g.csv", rubric=RUBRIC, known=item_keys(store, found.id))
    return sheet_import.take_grades(store, found, read, RUBRIC, partial, on_conflict)


def counted(store) -> dict[str, int]:
    tables = store.rows("select name from sqlite_master where type = 'table'")
    return {t["name"]: store.value(f"select count(*) from {t['name']}") for t in tables}


def contents(store) -> list[tuple]:
    """Everything the items and questions hold but row numbers."""
    rows = store.rows(
        "select s.name, i.own_id, i.identity, i.content_hash, i.contexts, i.answer, i.answer_model,"
        " i.reference, i.metadata, q.key, q.own_id, q.text, q.cluster from items i"
        " join questions q on q.id = i.question_id join sheets s on s.id = i.sheet_id"
        " order by s.name, i.identity"
    )
    return [tuple(row) for row in rows]


def test_the_same_files_twice_change_nothing_but_the_list_of_imports(store):
    taken(store, QUESTIONS)
    graded(store, grades_of(QUESTIONS))
    before = counted(store)
    again = taken(store, QUESTIONS), graded(store, grades_of(QUESTIONS))
    after = counted(store)
    assert {name for name in after if after[name] != before[name]} <= {"imports"}
    assert [(a.items, a.grades) for a in again] == [(0, 0), (0, 0)]


def test_two_halves_are_the_whole(store, tmp_path):
    taken(store, QUESTIONS, "whole")
    for half in (QUESTIONS[:5], QUESTIONS[5:]):
        taken(store, half, "halves")
    whole, halves = (
        [row[1:] for row in contents(store) if row[0] == name] for name in ("whole", "halves")
    )
    assert halves == whole and len(whole) == 12


def test_a_preview_says_what_happens_and_changes_nothing(store):
    taken(store, QUESTIONS[:4])
    before = counted(store)
    rows = [*QUESTIONS, {**QUESTIONS[0], "item_id": "x", "question": " "}]
    read = answers(rows)
    previewed = sheet_import.take_sheet(store, read, "s", None, dry_run=True)
    assert counted(store) == before
    assert previewed == sheet_import.take_sheet(store, read, "s", None, partial=True)


def test_another_grade_by_the_same_grader_is_refused_kept_or_replaced_on_the_users_word(store):
    taken(store, QUESTIONS)
    graded(store, grades_of(QUESTIONS))
    changed = grades_of(QUESTIONS[:2], score=3) + grades_of(QUESTIONS[2:4])
    with pytest.raises(Conflict, match="Ana graded correctness with 2 in the") as refused:
        graded(store, changed)
    assert "--" not in for_screen(refused.value.on_screen)
    kept = graded(store, changed, on_conflict="keep")
    assert (kept.grades_replaced, len(kept.conflicts)) == (0, 2)
    replaced = graded(store, changed, on_conflict="replace")
    assert (replaced.grades_replaced, replaced.grades_unchanged) == (2, 2)
    assert "2 grades replaced" in replaced.sentence("s")
    scores = store.rows("select score, supersedes, why from grades order by id")
    assert [row["score"] for row in scores] == [2] * 12 + [3, 3]
    assert all(row["supersedes"] and row["why"] for row in scores[12:])


def test_all_or_nothing_also_where_the_disk_gives_out_in_the_middle(store, monkeypatch):
    taken(store, QUESTIONS)
    before = counted(store)

    def full(*_):
        raise Problem("The disk is full.")

    monkeypatch.setattr(sheet_import.imports, "log", full)
    with pytest.raises(Problem, match="disk"):
        graded(store, grades_of(QUESTIONS))
    assert counted(store) == before
    assert not store.connection.in_transaction


def test_a_sheet_that_vanished_meanwhile_is_a_problem(store):
    taken(store, QUESTIONS)
    found = sheets.chosen(store, "s")
    read = grade_file.load(
        csv_of(grades_of(QUESTIONS)), "g.csv", rubric=RUBRIC, known=item_keys(store, found.id)
    )
    sheets.delete(store, found)
    with pytest.raises(Problem, match="sheet changed"):
        sheet_import.take_grades(store, found, read, RUBRIC)
    assert store.value("select count(*) from grades") == 0


def without_ids(rows):
    return [{k: v for k, v in row.items() if not k.endswith("_id")} for row in rows]


def test_grades_of_a_file_without_ids_go_to_the_stored_answers(store):
    taken(store, QUESTIONS)
    rows = [{**row, "ann": "2"} for row in without_ids(QUESTIONS)]
    said = ["score:person:Ann:correctness=ann"]
    previewed = sheet_import.take_sheet(
        store, answers(rows, said, RUBRIC), "s", RUBRIC, dry_run=True
    )
    found = taken(store, rows, mapped=said, rubric=RUBRIC)
    for one in (previewed, found):
        assert (one.items, one.items_unchanged, one.grades) == (0, 12, 12)
    assert store.value("select count(distinct item_id) from grades") == 12
    again = taken(store, rows, mapped=said, rubric=RUBRIC)
    assert (again.items, again.grades, again.grades_unchanged) == (0, 0, 12)


LONG = "item_id,criterion,grader,grader_kind,score\n"


def table(text):
    return open_table(text.encode(), "g.csv")


def chosen(store, sheet, text, said=()):
    found = table(text)
    return of_file(store, sheet, found, column_map(found.columns, said, GRADE_FIELDS))


def grade(store, sheet, rubric, criterion):
    text = f"{LONG}000-atlas,{criterion},Ana,annotator,1\n"
    read = grade_file.load(text.encode(), "g.csv", rubric=rubric, known=item_keys(store, sheet.id))
    sheet_import.take_grades(store, sheet, read, rubric)


@pytest.mark.parametrize("word", ["tone", "Tone of voice", " TONE "])
def test_the_only_rubric_with_the_files_criteria_is_taken(store, sheet, own_rubric, word):
    assert chosen(store, sheet, f"{LONG}000-atlas,{word},Ana,annotator,1\n") == [own_rubric]


def test_the_sheets_own_rubric_comes_before_all_others(store, sheet, rubric):
    grade(store, sheet, rubric[1], "correctness")
    [found] = chosen(store, sheet, f"{LONG}001-atlas,readability,Ana,annotator,1\n")
    assert found.name == "doc-qa-0-3"


def test_two_rubrics_of_the_sheet_are_never_chosen_between(store, sheet, rubric):
    grade(store, sheet, rubric[1], "correctness")
    grade(store, sheet, rubric_versions.named(store, "doc-qa-0-4")[1], "correctness")
    with pytest.raises(Problem, match=r"--rubric: doc-qa-0-3, doc-qa-0-4\."):
        chosen(store, sheet, f"{LONG}001-atlas,correctness,Ana,annotator,1\n")


def test_a_rubric_of_the_sheet_that_does_not_fit_is_not_taken(store, sheet, rubric, own_rubric):
    grade(store, sheet, rubric[1], "correctness")
    assert chosen(store, sheet, f"{LONG}001-atlas,tone,Ana,annotator,1\n") == [own_rubric]


def test_columns_of_scores_name_their_criteria(store, sheet, own_rubric):
    said = ["score:person:Ana:tone=ana"]
    assert chosen(store, sheet, "item_id,ana\n000-atlas,1\n", said) == [own_rubric]


def test_a_file_without_criteria_fits_rubrics_of_one_criterion(store, sheet, own_rubric):
    text = "item_id,grader,grader_kind,score\n000-atlas,Ana,annotator,1\n"
    with pytest.raises(Problem) as told:
        chosen(store, sheet, text)
    assert told.value.code == "several_rubrics"
    assert "own" in str(told.value) and "doc-qa" not in str(told.value)


def test_a_file_that_holds_no_grades_is_called_that_first(store, sheet):
    with pytest.raises(Problem) as told:
        chosen(store, sheet, "name,colour\na,b\n")
    assert told.value.code == "no_column"


def judged(store, sheet, rubric, criterion="correctness", kind="judge", n=3):
    rows = "".join(f"{i:03}-atlas,{criterion},Jo,{kind},1\n" for i in range(n))
    text = f"{LONG}{rows}"
    read = grade_file.load(text.encode(), "g.csv", rubric=rubric, known=item_keys(store, sheet.id))
    sheet_import.take_grades(store, sheet, read, rubric)


def test_the_rubric_of_annotators_stays_the_default_whatever_judges_were_run_with(
    store, sheet, rubric
):
    other = rubric_versions.named(store, "doc-qa-0-4")[1]
    grade(store, sheet, other, "correctness")
    judged(store, sheet, rubric[1])
    assert rubric_versions.annotators_use(store, sheet.id) == "doc-qa-0-4"
    assert rubric_versions.graded(store, sheet.id) == ["doc-qa-0-4", "doc-qa-0-3"]
    assert rubric_versions.of_sheet(store, sheet)[1] == other
    assert proposed_rubric(store, sheet) == "doc-qa-0-4"
    grade(store, sheet, rubric[1], "correctness")
    with pytest.raises(Problem, match="doc-qa-0-3, doc-qa-0-4"):
        rubric_versions.of_sheet(store, sheet)
    assert rubric_versions.of_sheet(store, sheet, "doc-qa-0-3")[1] == rubric[1]


def test_figures_of_a_sheet_that_no_annotator_graded_are_of_the_rubric_that_judges_used(
    store, sheet, rubric
):
    with pytest.raises(Problem, match="Nothing in sheet “numbers” is graded yet"):
        rubric_versions.of_sheet(store, sheet)
    assert proposed_rubric(store, sheet) == FIRST
    judged(store, sheet, rubric[1])
    judged(store, sheet, rubric_versions.named(store, "doc-qa-0-4")[1])
    assert rubric_versions.of_sheet(store, sheet) == rubric


def test_annotators_who_have_not_graded_yet_keep_the_rubric_of_their_newest_set(
    store, sheet, rubric
):
    judged(store, sheet, rubric[1])
    assert proposed_rubric(store, sheet) == "doc-qa-0-3"
    rubric_id, _ = rubric_versions.named(store, "doc-qa-1-5")
    grading_sets.create(store, sheet.id, rubric_id, "Team", None, 1)
    assert proposed_rubric(store, sheet) == "doc-qa-1-5"
