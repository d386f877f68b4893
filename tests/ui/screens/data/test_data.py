"""The sheets screen as a user meets it: uploads good and bad, conflicts, encodings, removal."""

import io
import os

import pytest
from openpyxl import Workbook

from concord.importing import answer_file, sheet_import
from concord.model import Cell
from concord.store import grade_table, items, sheets
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from concord.ui.screens.data import grade_words
from tests.support.uploads import give, press, without, words

PAGE = "pages/data.py"

GOOD = "item_id,question,answer,answer_model\n007,Why?,Because.,atlas\n008,Who?,NA,atlas\n"


def test_an_empty_screen_offers_the_sample_and_an_upload(screen, store):
    app = screen()
    assert "There is no sheet yet" in words(app)
    assert "python cli.py import FILE" in words(app)
    app = press(app, "sample.load")
    assert not app.exception
    assert "The sample is loaded" in words(app)
    assert sheets.find(store, "sample").items == 192


def test_a_good_file_is_described_and_imported(screen, store):
    app = give(screen(), GOOD)
    assert "**CSV** with 4 columns. Read as UTF-8." in words(app)
    assert "2 answers to 2 questions, all valid" in words(app)
    app = press(app, "import.go")
    assert "answers: 2 answers added." in words(app)
    sheet = sheets.find(store, "answers")
    stored = items.items(store, items.item_ids(store, sheet.id))
    assert [(s.item.own_id, s.item.answer) for s in stored] == [("007", "Because."), ("008", "NA")]


def test_the_same_file_again_changes_nothing(screen, store):
    press(give(screen(), GOOD), "import.go")
    app = give(screen(do="import"), GOOD)
    assert "Nothing would change: answers already has all of this." in words(app)
    assert not [button for button in app.button if button.key == "import.go"]


def test_a_file_that_adds_extra_fields_alone_says_so_on_its_button(screen, store):
    press(give(screen(), GOOD), "import.go")
    head, *rows = GOOD.splitlines()
    more = "\n".join([f"{head},relevant_ids", *(f"{row},d1" for row in rows)])
    app = give(screen(do="import"), more)
    label = "Add the extra fields of 2 answers to answers"
    assert app.button(key="import.go").label == label
    press(app, "import.go")
    assert [one.item.relevant_ids for one in items.items(store, [1, 2])] == [("d1",), ("d1",)]


def test_rows_that_contradict_the_sheet_are_not_called_already_there(screen, store):
    press(give(screen(), GOOD), "import.go")
    app = give(screen(do="import"), GOOD.replace("Because.", "Another answer."))
    assert "Nothing would change" not in words(app)
    assert "Rows of the file that contradict answers: 1" in words(app)


def test_a_row_with_several_grades_that_differ_is_counted_once(screen, store):
    rows = "".join(f"Where is place {n}?,It is there.,{n % 4},{n % 3}\n" for n in range(12))
    head = "question,answer,correctness (Ana),correctness (Ben)\n"
    press(give(screen(), head + rows), "import.go")
    app = give(screen(do="import"), head + rows.replace(".,1,1\n", ".,2,2\n"))
    assert "Rows of the file that contradict answers: 1" in words(app)
    assert "skip the 1 row above" in without(app).label


def test_bad_rows_are_listed_and_left_out_only_on_the_users_word(screen, store):
    app = give(screen(), GOOD + "009,,Lost.,atlas\n")
    assert "1 of 3 rows cannot be imported" in words(app)
    bad = next(t.value for t in app.table if "rows" in t.value)
    assert list(bad["rows"]) == [1]
    assert list(bad["column"]) == ["question"]
    assert list(bad["examples"]) == ["row 3"]
    assert "Importing the rest leaves out 1 of 3 answers" in words(app)
    assert app.button(key="import.go").disabled
    app = without(app).check().run()
    assert "Import 2 answers and skip the 1 row above" in without(app).label
    assert sheets.find(press(app, "import.go") and store, "answers").items == 2


def test_an_empty_answer_is_legal_and_flagged(screen):
    app = give(screen(), "question,answer\nWhy?,\n")
    assert "Empty answers" in words(app)
    assert not app.button(key="import.go").disabled


def test_another_answer_to_a_stored_item_is_a_conflict(screen, store):
    press(give(screen(), GOOD), "import.go")
    changed = GOOD.replace("Because.", "No reason.") + "009,When?,Now.,atlas\n"
    app = give(screen(do="import"), changed)
    assert "Rows of the file that contradict answers: 1" in words(app)
    assert app.button(key="import.go").disabled
    press(without(app).check().run(), "import.go")
    answers = [s.item.answer for s in items.items(store, [1, 2, 3])]
    assert answers == ["Because.", "NA", "Now."]


def test_a_file_can_go_into_a_sheet_that_is_there(screen, store, sheet):
    app = give(screen(do="import"), GOOD)
    into = next(box for box in app.selectbox if box.label == "Into sheet")
    assert into.options == ["answers", "numbers"]
    press(into.set_value("numbers").run(), "import.go")
    assert sheets.find(store, "numbers").items == sheet.items + 2
    assert sheets.find(store, "answers") is None


@pytest.mark.parametrize(
    ("codec", "question", "said"),
    [
        ("gb18030", "这本手册说明如何更换打印机的墨盒和清洁喷头，请先关闭电源。", "GB18030"),
        ("cp932", "この説明書は印刷機のカートリッジを交換する方法を説明しています。", "Shift-JIS"),
        ("cp949", "이 설명서는 프린터의 카트리지를 교체하는 방법을 설명합니다.", "EUC-KR"),
        ("utf-16", "这本手册", "UTF-16"),
    ],
)
def test_the_encoding_is_guessed_and_said(screen, store, codec, question, said):
    app = give(screen(), f"question,answer\n{question},{question}\n".encode(codec))
    assert f"Read as {said}" in words(app)
    press(app, "import.go")
    assert items.item(store, 1).item.question == question


def test_the_encoding_can_be_chosen(screen, store):
    app = give(screen(), "question,answer\nÄrger?,Öl.\n".encode("cp1252"))
    encoding = next(box for box in app.selectbox if box.label == "Encoding")
    app = encoding.set_value("cp1252").run()
    assert "as you chose" in words(app)
    press(app, "import.go")
    assert items.item(store, 1).item.question == "Ärger?"


def test_the_worksheet_with_the_most_data_is_chosen_and_another_can_be(screen):
    book, data = Workbook(), io.BytesIO()
    book.active.append(["About us"])
    for name, answers in (("Data", 3), ("Less", 1)):
        rows = [("question", "answer"), *((f"{name} {n}?", "Yes.") for n in range(answers))]
        worksheet = book.create_sheet(name)
        for row in rows:
            worksheet.append(row)
    book.save(data)
    app = give(screen(), data.getvalue(), "answers.xlsx")
    chosen = next(box for box in app.selectbox if box.label == "Worksheet")
    assert (chosen.value, chosen.options) == ("Data", ["Sheet", "Data", "Less"])
    assert "3 answers to 3 questions, all valid" in words(app)
    app = chosen.set_value("Less").run()
    assert "1 answer to 1 question, all valid" in words(app)


def test_unknown_columns_are_mapped_by_hand(screen, store):
    app = give(screen(), "ask,reply\nWhy not,Because.\n")
    assert "No column is mapped to the question yet" in words(app)
    for label, column in (("Question", "ask"), ("Answer", "reply")):
        box = next(box for box in app.selectbox if box.label == label)
        app = box.set_value(column).run()
    press(app, "import.go")
    assert items.item(store, 1).item.answer == "Because."


def test_a_wide_sheet_gives_one_answer_per_model(screen, store):
    wide = "question,gpt,claude\nWhy is it?,Because of this.,I do not know.\nWho?,He.,She is.\n"
    app = give(screen(), wide)
    assert "4 answers to 2 questions by 2 models" in words(app)
    press(app, "import.go")
    assert sheets.find(store, "answers").answer_models == ["claude", "gpt"]


def test_trec_files_are_joined_to_questions_as_on_the_command_line(screen, store):
    app = give(screen(), "q1\tFirst?\nq2\tSecond?\n", "topics.tsv")
    for place, text in ((1, "q1 0 d1 1\nq1 0 d2 0\n"), (2, "q1 Q0 d1 1 0.9 bm25\n")):
        app = app.file_uploader[place].set_value([("f.txt", text.encode(), "text/plain")]).run()
    matched = "f.txt: 1 question matched, 0 not in the sheet; 1 of the sheet not matched."
    assert matched in words(app)
    least = next(one for one in app.number_input if "relevance" in one.label)
    press(least.set_value(0).run(), "import.go")
    first, second = (one.item for one in items.items(store, [1, 2]))
    assert (first.question, first.answer_model, first.relevant_ids) == (
        "First?",
        "bm25",
        ("d1", "d2"),
    )
    assert [context.doc_id for context in first.contexts] == ["d1"]
    assert (second.contexts, "relevant_ids" in second.metadata) == ((), False)


def test_grades_that_the_values_propose_are_taken_as_the_table_shows_them(screen, store):
    text = (
        "item_id,question,answer,human_correctness\na,Why?,So.,3\nb,Who?,He.,2.5\nc,When?,Now,1\n"
    )
    app = give(screen(), text)
    [row] = app.dataframe[1].value.to_dict("records")
    assert (row["take"], row["column"], row["kind"]) == (True, "human_correctness", "annotator")
    app = next(box for box in app.selectbox if box.label == "Rubric").set_value("doc-qa-0-3").run()
    assert "1 of 3 rows cannot be imported" in words(app)
    assert "human loses 1 of 3 grades" in words(app)
    press(without(app).check().run(), "import.go")
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    versions = {v: n for n, v in rubric.versions().items()}
    assert list(grade_table.table(store, 1, versions)["score"]) == [3, 1]
    assert sheets.find(store, "answers").items == 3


def test_a_file_that_is_no_sheet_is_one_sentence(screen):
    app = give(screen(), b"%PDF-1.7 and so on", "answers.csv")
    assert [error.value for error in app.error] == [
        "answers.csv is a PDF. Save the data as CSV, TSV, JSONL, JSON, Parquet or XLSX and choose "
        "that file."
    ]


LONG = "item_id,criterion,grader,grader_kind,score\n000-atlas,correctness,Ana,annotator,{}\n"


def test_grades_come_in_from_a_file_of_their_own(screen, store, sheet, rubric):
    app = give(screen(do="grades"), LONG.format(2) + "001-atlas,correctness,Ana,annotator,2.5\n")
    assert "1 of 2 rows cannot be imported" in words(app)
    assert "Ana loses 1 of 2 grades" in words(app)
    assert app.button(key="grades.go").disabled
    press(without(app).check().run(), "grades.go")
    versions = {v: n for n, v in rubric[1].versions().items()}
    assert list(grade_table.table(store, sheet.id, versions)["score"]) == [2]


def test_one_grade_is_counted_in_the_singular(screen, sheet):
    row = LONG.format(2).splitlines(keepends=True)[1]
    app = give(screen(do="grades"), LONG.format(2) + row)
    assert "1 grade by Ana, all valid" in words(app)
    assert "1 duplicate row of grades was merged." in words(app)
    assert "1 of 1 row cannot be imported" in words(give(screen(do="grades"), LONG.format(9)))


def test_a_word_among_grades_is_a_score_only_on_the_users_word(
    screen, store, sheet, rubric, monkeypatch
):
    file = LONG.format("true") + "001-atlas,correctness,Ana,annotator,2\n"
    app = give(screen(do="grades"), file)
    assert "1 of 2 rows cannot be imported" in words(app)
    [asked] = [one.value for one in app.dataframe if "word" in one.value]
    # By convention true is 1, which says little on a scale from 0 to 3.
    assert list(asked["word"]) == ["true"] and asked["score"].isna().all()
    monkeypatch.setattr(grade_words, "spelt_scores", lambda _: {"true": 3})
    press(app.run(), "grades.go")
    versions = {v: n for n, v in rubric[1].versions().items()}
    assert sorted(grade_table.table(store, sheet.id, versions)["score"]) == [2, 3]


@pytest.mark.parametrize("choice, stored", [(0, [0, 3]), (1, [0, 1])])
def test_numbers_of_zero_to_one_are_read_as_the_user_chooses(
    screen, store, sheet, rubric, choice, stored
):
    app = give(screen(do="grades"), LONG.format(1) + "001-atlas,correctness,Ana,annotator,0\n")
    assert "Choose above how they are read." in words(app)
    assert not [button for button in app.button if button.key == "grades.go"]
    [asked] = [one for one in app.radio if one.label == "How are they read?"]
    assert asked.value is None
    press(asked.set_value(asked.options[choice]).run(), "grades.go")
    assert sorted(row["score"] for row in store.rows("select score from grades")) == stored


def test_numbers_that_no_annotator_may_be_mapped_to_are_named_before_the_choice(
    screen, store, sheet, rubric
):
    app = give(screen(do="grades"), LONG.format(1) + "001-atlas,correctness,Ana,annotator,0.5\n")
    [asked] = [one for one in app.radio if one.label == "How are they read?"]
    assert asked.value is None
    assert "“0.5” is mapped to 1.5, which is not on the scale." in app.warning[0].value
    assert "“1”" not in words(app)


@pytest.mark.parametrize(
    "told, label, blind",
    [
        ("", "The annotators saw other scores", 0),
        ("no", "The annotators saw no other scores", None),
    ],
)
def test_grades_are_blind_or_not_on_the_users_word(
    screen, store, sheet, rubric, told, label, blind
):
    head, row = LONG.format(2).splitlines()
    column = (",blind", f",{told}") if told else ("", "")
    app = give(screen(do="grades"), f"{head}{column[0]}\n{row}{column[1]}\n")
    [said] = [one for one in app.checkbox if one.label.startswith("The annotators saw")]
    assert said.label == label
    press(said.check().run(), "grades.go")
    assert store.value("select blind from grades") == blind


def test_verdicts_on_claims_come_in_under_a_rubric_of_units_that_the_sheet_has(
    screen, store, sheet
):
    item_id = items.item_ids(store, sheet.id)[0]
    units.keep(store, item_id, "claim", [Cell("A.", 0), Cell("B.", 1)], None)
    app = screen(do="grades", rubric="claims-in-contexts")
    offered = " ".join(app.selectbox(key="pick.rubric").options)
    assert "Claims of the answer, checked against the reference document" in offered
    assert "Contexts: useful for the" in offered  # a rule cuts them at once
    assert "Claims of the reference answer, checked against the contexts" not in offered
    rows = (
        "item_id,claim,grader,grader_kind,verdict\n" + "000-atlas,{},Ana,annotator,supported\n" * 2
    )
    app = give(app, rows.format("A.", "C."))
    assert "1 of 2 rows cannot be imported" in words(app)
    press(without(app).check().run(), "grades.go")
    [given] = store.rows("select label, score, item_id from grades where unit_id is not null")
    assert tuple(given) == ("supported", 3, item_id)


@pytest.mark.parametrize(("choice", "score"), [("keep", 2), ("replace", 1)])
def test_a_grade_that_differs_is_kept_or_replaced_on_the_users_word(
    screen, store, sheet, rubric, choice, score
):
    press(give(screen(do="grades"), LONG.format(2)), "grades.go")
    more = LONG.format(1) + "001-atlas,correctness,Ana,annotator,3\n"
    app = give(screen(do="grades"), more)
    assert "1 grade differs from what is stored" in words(app)
    assert app.button(key="grades.go").disabled
    app = app.radio[0].set_value(choice).run()
    press(app, "grades.go")
    versions = {v: n for n, v in rubric[1].versions().items()}
    assert sorted(grade_table.table(store, sheet.id, versions)["score"]) == sorted([score, 3])


def test_a_sheet_goes_only_when_its_name_is_typed(screen, store, sheet):
    app = screen()
    app.session_state["sheets.removing"] = True
    app = app.run()
    assert "36 answers, 12 questions" in words(app)
    assert app.button(key="sheets.delete").disabled
    app = app.text_input(key=f"sheets.confirm.{sheet.id}").set_value("numbers").run()
    app = press(app, "sheets.delete")
    assert "numbers was deleted" in words(app)
    assert sheets.all_sheets(store) == []
    assert "There is no sheet yet" in words(app)


@pytest.mark.skipif(os.name != "posix", reason="paths of this system")
def test_a_page_shows_where_a_sheet_came_from(screen, sheet):
    app = screen()
    assert "numbers: 36 answers to 12 questions by 3 models" in words(app)
    files = app.table[-1].value
    assert list(files["file"]) == ["numbers.csv"]


def test_an_import_is_undone_after_its_counts_were_read(screen, store, sheet):
    more = answer_file.load(GOOD.encode(), "more.csv")
    sheet_import.take_sheet(store, more, "numbers")
    app = screen(sheet="numbers")
    (box,) = [one for one in app.selectbox if one.label == "Undo an import"]
    assert box.options == ["2: more.csv", "1: numbers.csv"]
    app = box.select(2).run()
    assert "This removes 2 answers, 2 questions, 0 grades of the file" in words(app)
    app = press(app, "sheets.undo")
    assert not app.exception
    assert "Import 2 of “numbers” is undone: 2 answers" in words(app)
    assert sheets.find(store, "numbers").items == 36


def test_undoing_the_only_import_leads_to_the_import_of_another(screen, store, one):
    app = screen()
    (box,) = [found for found in app.selectbox if found.label == "Undo an import"]
    app = press(box.select(1).run(), "sheets.undo")
    assert not app.exception
    assert "There is no sheet yet" in words(app)
