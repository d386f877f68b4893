"""The sheets screen as a user meets it: uploads good and bad, conflicts, encodings, removal."""

import pytest

from concord.importing import answer_file, sheet_import
from concord.model import Cell
from concord.store import grade_table, items, sheets
from concord.store.units import units
from tests.support.uploads import give, press, without

PAGE = "pages/data.py"

GOOD = "item_id,question,answer,answer_model\n007,Why?,Because.,atlas\n008,Who?,NA,atlas\n"


def test_bad_rows_are_listed_and_left_out_only_on_the_users_word(screen, store):
    app = give(screen(), GOOD + "009,,Lost.,atlas\n")
    bad = next(t.value for t in app.table if "rows" in t.value)
    assert bad[["rows", "column"]].values.tolist() == [[1, "question"]]
    assert app.button(key="import.go").disabled
    app = without(app).check().run()
    assert sheets.find(press(app, "import.go") and store, "answers").items == 2


def test_another_answer_to_a_stored_item_is_a_conflict(screen, store):
    press(give(screen(), GOOD), "import.go")
    changed = GOOD.replace("Because.", "No reason.") + "009,When?,Now.,atlas\n"
    app = give(screen(do="import"), changed)
    assert app.button(key="import.go").disabled
    press(without(app).check().run(), "import.go")
    answers = [s.item.answer for s in items.items(store, [1, 2, 3])]
    assert answers == ["Because.", "NA", "Now."]


def test_unknown_columns_are_mapped_by_hand(screen, store):
    app = give(screen(), "ask,reply\nWhy not,Because.\n")
    for label, column in (("Question", "ask"), ("Answer", "reply")):
        box = next(box for box in app.selectbox if box.label == label)
        app = box.set_value(column).run()
    press(app, "import.go")
    assert items.item(store, 1).item.answer == "Because."


LONG = "item_id,criterion,grader,grader_kind,score\n000-atlas,correctness,Ana,annotator,{}\n"


@pytest.mark.parametrize("choice, stored", [(0, [0, 3]), (1, [0, 1])])
def test_numbers_of_zero_to_one_are_read_as_the_user_chooses(
    screen, store, sheet, rubric, choice, stored
):
    app = give(screen(do="grades"), LONG.format(1) + "001-atlas,correctness,Ana,annotator,0\n")
    assert not [button for button in app.button if button.key == "grades.go"]
    [asked] = app.radio
    assert asked.value is None
    press(asked.set_value(asked.options[choice]).run(), "grades.go")
    assert sorted(row["score"] for row in store.rows("select score from grades")) == stored


@pytest.mark.parametrize(("told", "blind"), [("", 0), ("no", None)])
def test_grades_are_blind_or_not_on_the_users_word(screen, store, sheet, rubric, told, blind):
    head, row = LONG.format(2).splitlines()
    column = (",blind", f",{told}") if told else ("", "")
    app = give(screen(do="grades"), f"{head}{column[0]}\n{row}{column[1]}\n")
    [saw] = [one for one in app.checkbox if one.label.startswith("The annotators saw")]
    press(saw.check().run(), "grades.go")
    assert store.value("select blind from grades") == blind


def test_verdicts_on_claims_come_in_under_a_rubric_of_units_that_the_sheet_has(
    screen, store, sheet
):
    item_id = items.item_ids(store, sheet.id)[0]
    units.keep(store, item_id, "claim", [Cell("A.", 0), Cell("B.", 1)], None)
    app = screen(do="grades", rubric="claims-in-contexts")
    rows = (
        "item_id,claim,grader,grader_kind,verdict\n" + "000-atlas,{},Ana,annotator,supported\n" * 2
    )
    app = give(app, rows.format("A.", "C."))
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
    assert app.button(key="grades.go").disabled
    app = app.radio[0].set_value(choice).run()
    press(app, "grades.go")
    versions = {v: n for n, v in rubric[1].versions().items()}
    assert sorted(grade_table.table(store, sheet.id, versions)["score"]) == sorted([score, 3])


def test_a_sheet_goes_only_when_its_name_is_typed(screen, store, sheet):
    app = screen()
    app.session_state["sheets.removing"] = True
    app = app.run()
    assert app.button(key="sheets.delete").disabled
    app = app.text_input(key=f"sheets.confirm.{sheet.id}").set_value("numbers").run()
    app = press(app, "sheets.delete")
    assert sheets.all_sheets(store) == []


def test_an_import_is_undone_after_its_counts_were_read(screen, store, sheet):
    more = answer_file.load(GOOD.encode(), "more.csv")
    sheet_import.take_sheet(store, more, "numbers")
    app = screen(sheet="numbers")
    (box,) = [one for one in app.selectbox if one.label == "Undo an import"]
    assert box.options == ["2: more.csv", "1: numbers.csv"]
    app = box.select(2).run()
    app = press(app, "sheets.undo")
    assert not app.exception
    assert sheets.find(store, "numbers").items == 36
