"""The lead makes files for annotators without access on the screen of grading sets."""

import io
import zipfile

import openpyxl

from concord.grading import grading_sets
from concord.grading.offline import make, packages
from tests.support.screens import opened


def test_files_are_made_for_named_annotators_and_offered_as_one_archive(
    store, four, rubric, monkeypatch
):
    made = grading_sets.create(store, four.id, rubric[0], "Team", None, 1, 6, 0.0)
    key = f"packs.{made.id}"
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert app.button(key=f"{key}.make").disabled
    app.multiselect(key=f"{key}.names").set_value(["漢字", "Bo"]).run()
    app.button(key=f"{key}.make").click().run()
    assert not app.exception and not app.error
    name, content, notes = app.session_state[f"{key}.made"]
    held = zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert (name, notes, len(held)) == ("Team.zip", [], 2)
    assert "Team - 漢字.xlsx" in held
    assert [one.grader for one, rows, back in packages.of_set(store, made.id) if rows == 4] == [
        "漢字",
        "Bo",
    ]


def test_of_a_returned_file_what_is_valid_is_taken_only_on_the_leads_word(
    store, four, rubric, monkeypatch
):
    grading_set = grading_sets.create(store, four.id, rubric[0], "Team", None, 1, 6, 0.0)
    made = make.make(store, grading_set, ["Ana"], None, 0, "Lead")
    book = openpyxl.load_workbook(io.BytesIO(made.held["Team - Ana.xlsx"]))
    for number, row in enumerate(book["Answers"].iter_rows(min_row=2)):
        for cell in row[-4:-1]:
            cell.value = 2 if number else 9
    held = io.BytesIO()
    book.save(held)
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    (back,) = (one for one in app.file_uploader if one.label == "Returned file")
    back.set_value([("Team - Ana.xlsx", held.getvalue(), "application/x-xlsx")]).run()
    assert not app.exception
    (alone,) = (one for one in app.checkbox if one.label.startswith("Import 9 grades and skip"))
    (button,) = (one for one in app.button if one.label == "Import grades")
    assert button.disabled
    app = alone.check().run()
    (button,) = (one for one in app.button if one.label == "Import grades")
    button.click().run()
    assert not app.exception and store.value("select count(*) from grades") == 9
