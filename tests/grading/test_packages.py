"""Packs that come back: recognised, held against what was sent, taken once and under their name."""

import csv
import io

import openpyxl
import pytest

from concord.grading import (
    assignments,
    campaigns,
    gold_items,
    grading_sets,
    inclusion_probabilities,
    package_workbook,
    packages,
)
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from concord.store import additions, graders, grades
from concord.store.database import open_store
from concord.store.permissions import Who
from tests.support.grading_room import known, prepared
from tests.support.made_items import made_item
from tests.support.packs import graded, take, team_set


def book_of(made):
    return openpyxl.load_workbook(io.BytesIO(made.files["Team - Ana.xlsx"]))


def filled(made, change=lambda sheet: None, score=2):
    """The workbook as somebody fills it in and a spreadsheet program saves it."""
    book = book_of(made)
    sheet = book["Answers"]
    for row in sheet.iter_rows(min_row=2):
        for cell in row[-4:-1]:
            cell.value = score
        row[-1].value = "読みやすい"
    change(sheet)
    held = io.BytesIO()
    book.save(held)
    return held.getvalue()


def test_a_workbook_shows_the_rubric_refuses_other_scores_and_locks_its_texts(packed, rubric):
    book = book_of(packed)
    assert book.sheetnames == ["Rubric", "Answers"]
    assert all(sheet.sheet_state == "visible" for sheet in book)
    told = "\n".join(str(cell.value) for row in book["Rubric"] for cell in row)
    for criterion in rubric[1].criteria:
        assert criterion.question in told
        assert all(level.meaning in told for level in criterion.levels)
    sheet = book["Answers"]
    heads = [cell.value for cell in sheet[1]]
    assert heads[:4] == ["Row code", "Question", "Contexts", "Answer"] and heads[-1] == "Note"
    (rule,) = sheet.data_validations.dataValidation
    assert (rule.type, rule.formula1) == ("list", '"0,1,2,3,cannot grade"')
    assert str(rule.sqref) == "E2:G7" and rule.showErrorMessage
    assert sheet.protection.sheet and sheet["D2"].protection.locked
    assert not sheet["E2"].protection.locked and not sheet["H2"].protection.locked
    answers = {row[3].value: row[3].data_type for row in sheet.iter_rows(min_row=2)}
    hard = next(text for text in answers if text.startswith("=SUM"))
    assert answers[hard] == "s" and "␋" in hard and "_x005F_x0041_" in hard


def test_nothing_in_the_files_tells_who_answered_or_which_answer_it_is(packed):
    for name, data in packed.files.items():
        book = openpyxl.load_workbook(io.BytesIO(data))
        text = repr([[c.value for c in row] for sheet in book for row in sheet])
        text = (text + repr(book.properties) + repr(book.custom_doc_props)).encode()
        texts_alone = text.replace(b"says atlas", b"")
        assert b"atlas" not in texts_alone and b"item_id" not in texts_alone, name
        assert b"004-" not in text and b'"repeat"' not in text, name


def test_a_filled_workbook_comes_back_under_its_graders_name_blind_and_only_once(
    store, packed, rubric
):
    read, taken = take(store, filled(packed), "back.xlsx")
    assert read.bad_rows == [] and taken.grades == 18
    held = graded(store)
    assert {tuple(row)[2:6] for row in held} == {("scored", 2.0, "読みやすい", 1)}
    assert sorted(row["repeat"] for row in held) == [1] * 15 + [2] * 3
    assert store.value("select count(*) from pack_grades") == 18
    assert packages.of_set(store, team_set(store).id)[0][1:] == (6, 6)
    counted = inclusion_probabilities.drawn_grades(
        store, team_set(store).sheet_id, [*rubric[1].versions().values()]
    )
    assert len(counted.pairs) == 5 and counted.excluded == []
    again = take(store, filled(packed), "back.xlsx")[1]
    assert (again.grades, again.grades_unchanged) == (0, 18)
    with pytest.raises(Problem, match=r"with 2 .* 3 "):
        take(store, filled(packed, score=3), "back.xlsx")
    assert take(store, filled(packed, score=3), "b.xlsx", on_conflict="replace")[1].grades_replaced


def correctness(store, item_id):
    found = store.rows(
        f"select score, supersedes from grades g where item_id = ? and {grades.CURRENT}"
        " and version in (select version from criteria where name = 'correctness')",
        (item_id,),
    )
    return [tuple(row) for row in found]


def test_what_was_graded_before_goes_out_filled_in_and_comes_back_as_it_is(store, half_graded):
    packed, item_id, _ = half_graded
    sheet = book_of(packed)["Answers"]
    assert [cell.value for cell in sheet[2][-4:]] == [1, None, None, None]

    def left_alone(sheet):
        sheet["E2"].value = 1

    def emptied_again(sheet):
        sheet["E2"].value = None

    for change in (left_alone, emptied_again):
        taken = take(store, filled(packed, change), "back.xlsx")[1]
        assert (taken.grades_replaced, taken.conflicts) == (0, [])
    assert correctness(store, item_id) == [(1, None)]
    assert len(graded(store)) == 18


def test_what_was_graded_after_the_file_was_made_is_never_replaced_unasked(store, half_graded):
    packed, item_id, grade = half_graded
    grade(3, "second")

    def left_alone(sheet):
        sheet["E2"].value = 1

    take(store, filled(packed, left_alone), "back.xlsx")
    assert [score for score, _ in correctness(store, item_id)] == [3]
    with pytest.raises(Problem, match=r"with 3 .* 2 "):
        take(store, filled(packed), "back.xlsx")


def as_csv(data):
    table = open_table(data, "a.xlsx", worksheet="Answers")
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(table.columns)
    rows.writerows(record.cells for record in table.records())
    return ("\ufeff" + out.getvalue()).encode()


def test_a_csv_saved_from_the_workbook_comes_back_alike(store, packed):
    assert take(store, as_csv(filled(packed)), "back.csv")[1].grades == 18
    again = take(store, filled(packed), "back.xlsx")[1]
    assert (again.grades, again.grades_unchanged) == (0, 18)


def put(cell, value):
    return lambda sheet: setattr(sheet[cell], "value", value)


def copied(sheet):
    sheet["A3"].value = sheet["A2"].value


def doubled(sheet):
    sheet.append([cell.value for cell in sheet[2]])
    sheet.cell(sheet.max_row, 5).value = 0


def emptied(sheet):
    for column in "EFGH":
        sheet[f"{column}5"].value = None


def altered(sheet):
    sheet["A4"].value = sheet["A4"].value[:-1] + "?"


TAMPERED = [
    (put("D2", "Better"), "Row 2, column “Answer”: the text differs from the one"),
    (put("B2", "What?"), "column “Question”: the text differs from the one sent under this row"),
    (copied, "Row 3, column “Question”: the text differs from the one"),
    (altered, "column “Row code”: the row code “"),
    (put("A2", None), "column “Row code”: the row code “”"),
    (put("A2", "abcdefgh-abc"), "the row code “abcdefgh-abc”"),
    (
        put("E2", 4),
        "column “Score: Correctness”: the score 4 is not on the scale. Use a score of",
    ),
    (put("E2", 2.5), "the score “2.5” is not a whole number. Use a score of 0-3"),
    (put("F2", None), "the score is missing. Give one, or choose “cannot grade”."),
    (emptied, "Row 5: nothing is graded yet. Give scores, or choose"),
    (doubled, "the row code is in the file more than once. Keep one of these rows."),
    (lambda sheet: sheet.delete_rows(4), "Row 3 of the package: the row “"),
]


@pytest.mark.parametrize(("change", "sentence"), TAMPERED)
def test_what_is_wrong_with_a_pack_is_said_by_row_and_the_good_rows_are_taken(
    store, packed, change, sentence
):
    data = filled(packed, change)
    with pytest.raises(Problem) as refused:
        take(store, data, "back.xlsx")
    assert sentence in str(refused.value)
    assert graded(store) == []
    read, taken = take(store, data, "back.xlsx", partial=True)
    assert taken.grades == len(graded(store)) == 17 if "column “Score: " in sentence else 15
    assert taken.bad_rows == read.refused() >= 1


def test_a_row_of_another_graders_pack_is_foreign_and_named_so(store, packed):
    other = package_workbook.make(store, team_set(store), ["Bo"], "Lea")
    sheet = openpyxl.load_workbook(io.BytesIO(other.files["Team - Bo.xlsx"]))["Answers"]
    row = [*[cell.value for cell in sheet[2][:4]], 1, 1, 1, ""]
    with pytest.raises(Problem, match="Bo"):
        take(store, filled(packed, lambda sheet: sheet.append(row)), "back.xlsx")


def test_cannot_grade_is_no_score(store, packed):
    def change(sheet):
        for column in "EFG":
            sheet[f"{column}2"].value = "cannot grade"

    _, taken = take(store, filled(packed, change), "back.xlsx")
    assert taken.grades == 18
    held = [row for row in graded(store) if row["status"] == "cannot_grade"]
    assert len(held) == 3 and all(row["score"] is None for row in held)


def test_a_grade_is_not_blind_where_the_grader_had_seen_the_judges(store, packed):
    ana = graders.find(store, "person", "Ana").id
    item = store.value("select min(id) from items")
    grades.open_item(store, item, ana)
    take(store, filled(packed), "back.xlsx")
    assert {row["item_id"] for row in graded(store) if not row["blind"]} == {item}


def test_a_pack_without_a_column_it_needs_or_of_another_database_is_refused(store, packed):
    with pytest.raises(Problem, match="Answer"):
        take(store, filled(packed, lambda sheet: sheet.delete_cols(4)), "back.xlsx")
    with pytest.raises(Problem, match="no column “Score: Correctness”"):
        take(store, filled(packed, lambda sheet: sheet.delete_cols(5)), "back.xlsx")
    store.execute("delete from packs")
    with pytest.raises(Problem, match="package"):
        take(store, filled(packed), "back.xlsx")


def test_a_text_longer_than_a_cell_goes_out_in_parts_and_comes_back_whole(store, rubric):
    long = "長い " * 9_000
    sheet = additions.add(store, "long", [made_item(1, answer=long)], "l.csv", "6" * 64, {})
    one = grading_sets.create(store, sheet.id, rubric[0], "Long", None, 1)
    made = package_workbook.make(store, one, ["Ana"], "Lea")
    book = openpyxl.load_workbook(io.BytesIO(made.files["Long - Ana.xlsx"]))
    heads = [cell.value for cell in book["Answers"][1]]
    assert "Answer, part 2" in heads
    for column in range(heads.index("Note") - 2, heads.index("Note") + 1):
        book["Answers"].cell(2, column).value = 1
    held = io.BytesIO()
    book.save(held)
    assert take(store, held.getvalue(), "back.xlsx")[1].grades == 3


def packed(store, grading_set, grader_id, repeats, by):
    """Everything that is left to an annotator, as a pack."""
    laid = packages.remaining(store, grading_set._replace(repeat_share=repeats), grader_id)
    return packages.keep(store, grading_set, grader_id, laid, by)


def test_a_pack_is_the_whole_queue_with_hidden_repeats_and_codes_that_tell_nothing(
    store, set_for_ana
):
    pack, rows = packed(store, *set_for_ana, 0.34, "Lea")
    held = packages.rows_by_code(store, pack)
    assert [row.code for row in rows] == [*held]
    assert len({row.code for row in rows}) == len(rows) == 36 + 12
    repeated = [place.item_id for place in held.values() if place.repeat == assignments.REPEAT]
    assert len(repeated) == len(set(repeated)) == 12
    assert all(row.code.startswith(f"{pack.token}-") for row in rows)
    assert {*rows[0].texts} == {"question", "contexts", "answer"}
    again, _ = packed(store, *set_for_ana, 0.34, "Lea")
    assert not {*packages.rows_by_code(store, again)} & {*held}
    assert [p.item_id for p in packages.rows_by_code(store, again).values()] == [
        p.item_id for p in held.values()
    ]


def test_a_campaign_decides_who_gets_which_blocks(store, set_for_ana):
    bo = graders.ensure(store, "person", "Bo")
    campaigns.begin(store, set_for_ana[0], [set_for_ana[1], bo], 1, 0.0, None, "Lea")
    assert packages.annotators(store, set_for_ana[0], ()) == sorted([set_for_ana[1], bo])
    held = [packed(store, set_for_ana[0], one, 0.0, "Lea")[0] for one in (set_for_ana[1], bo)]
    items = [{p.item_id for p in packages.rows_by_code(store, pack).values()} for pack in held]
    assert not items[0] & items[1] and len(items[0] | items[1]) == 36
    with pytest.raises(Problem, match="Cleo"):
        packages.annotators(store, set_for_ana[0], ["Cleo"])


def test_a_pack_has_the_known_answers_mixed_in_and_nothing_of_training(store, sheet, rubric):
    made = prepared(store, sheet, rubric, "Known")
    gold_items.mix_in(store, made, known(store, made, rubric, ["001-birch"]), "Lea")
    ana = graders.ensure(store, "person", "Ana")
    pack, rows = packed(store, made, ana, 0.0, "Lea")
    items = [place.item_id for place in packages.rows_by_code(store, pack).values()]
    practised, mixed_in = (
        known(store, made, rubric, [name])[0].item_id for name in ("000-atlas", "001-birch")
    )
    assert len(rows) == 31 and items.count(mixed_in) == 1 and practised not in items


def test_a_grader_who_is_deleted_takes_the_packs_along_and_a_merged_one_hands_them_over(
    store, set_for_ana
):
    pack, _ = packed(store, *set_for_ana, 0.0, "Lea")
    bo = graders.ensure(store, "person", "Bo")
    graders.merge(store, set_for_ana[1], bo)
    assert packages.of_codes(store, [f"{pack.token}-x"])[pack.token].grader == "Bo"
    graders.delete(store, bo)
    assert packages.of_set(store, set_for_ana[0].id) == []
    assert store.value("select count(*) from pack_keys") == 0


def test_neither_a_grader_nor_a_viewer_can_tell_what_a_row_is_of(store, set_for_ana):
    packed(store, *set_for_ana, 0.0, "Lea")
    with open_store(store.path, Who("Ana", "grader", set_for_ana[1])) as hers:
        for table in ("packs", "pack_keys", "pack_rows", "pack_grades"):
            with pytest.raises(Problem):
                hers.rows(f"select * from {table}")
        with pytest.raises(Problem):
            packages.remaining(hers, *set_for_ana)
    with open_store(store.path, Who("Vi", "viewer")) as watching:
        assert len(packages.of_set(watching, set_for_ana[0].id)) == 1
        with pytest.raises(Problem):
            watching.rows("select secret from pack_keys")
