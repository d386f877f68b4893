"""Files of answers through a real Chromium: upload, what is said about them, and what is stored."""

import re
from contextlib import suppress
from pathlib import Path

import pandas as pd
from playwright.sync_api import Page, TimeoutError, expect

from concord.exporting import exported_tables
from concord.grading import grading_sets
from concord.store import graders, sheets
from concord.store.rubrics import rubric_versions
from tests.support.browser import click_into, settled, visit
from tests.support.grading_room import begin, saved


def upload(page: Page, path: Path) -> None:
    page.locator("input[type=file]").set_input_files(path)
    expect(page.get_by_text("Into sheet")).to_be_visible()
    settled(page)


def test_a_csv_is_uploaded_checked_and_imported_under_a_new_name(
    page, kept_server, kept_store, spring_answers
):
    visit(page, kept_server, "/data")
    expect(page.get_by_role("heading", name="There is no sheet yet")).to_be_visible()
    upload(page, spring_answers)
    expect(page.get_by_text("30 answers to 10 questions by 3 models, all valid")).to_be_visible()
    into = page.get_by_role("combobox", name="Into sheet")
    into.fill("spring")
    into.press("Enter")
    button = page.get_by_role("button", name="Import 30 answers into spring")
    expect(button).to_be_in_viewport()  # above the steps, as all rows are valid
    button.click()
    expect(page.get_by_text("spring: 30 answers added.").first).to_be_visible()
    expect(page.get_by_role("heading", name="spring: 30 answers to 10 questions")).to_be_visible()
    expect(page).to_have_url(re.compile("sheet=spring"))
    assert sheets.find(kept_store, "spring").items == 30


def test_a_row_that_is_bad_stays_out_and_only_on_the_users_word(
    page, kept_server, kept_store, spring_answers
):
    with spring_answers.open("a") as file:
        file.write("099-a,,An answer to nothing.,a\n")
    visit(page, kept_server, "/data")
    upload(page, spring_answers)
    expect(page.get_by_text("1 of 31 rows cannot be imported")).to_be_visible()
    button = page.get_by_role("button", name="Import 30 answers")
    expect(button).to_be_disabled()
    page.get_by_text("Import 30 answers and skip the 1 row above").click()
    expect(button).to_be_enabled()
    button.click()
    expect(page.get_by_text("30 answers added").first).to_be_visible()
    settled(page)
    assert sheets.find(kept_store, "spring answers").items == 30


def test_grades_of_an_unknown_spreadsheet_come_in_without_opening_anything(
    page, kept_server, kept_store, tmp_path
):
    """Three annotators on 1-10: seen, mapped, given a rubric, and one column left out."""
    path = tmp_path / "review.csv"
    rows = [f"Why is {n}?,Because of it {n}.,{n},{n % 4 + 1},{11 - n}\n" for n in range(1, 11)]
    path.write_text("Prompt,Output,rater_1,rater_2,rater_3\n" + "".join(rows), encoding="utf-8")
    visit(page, kept_server, "/data?do=import")
    upload(page, path)
    for step in ("1. See:", "2. Map:", "3. Scale:"):
        expect(page.get_by_text(step)).to_be_visible()
    expect(page.get_by_text("10 answers, 10 questions, 3 annotators, 30 grades")).to_be_visible()
    table = page.locator("[data-testid=stDataFrame]").nth(1)
    table.scroll_into_view_if_needed()
    box = table.bounding_box()
    page.mouse.click(box["x"] + 58, box["y"] + 35 * 3 + 17)  # the tick of the third column
    expect(page.get_by_text("10 answers, 10 questions, 2 annotators, 20 grades")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Import 10 answers and 20 grades into review").click()
    # The button was below the steps: the screen scrolls to what was done.
    link = page.get_by_role("link", name="Next: let judges grade these answers")
    expect(link).to_be_in_viewport()
    assert kept_store.value("select count(*) from grades") == 20


def choose(page: Page, label: str, option: str) -> None:
    """Choose an option with the mouse, again where its list was closed: a screen grew under it."""
    field = page.get_by_role("combobox", name=label)

    def pick():
        field.click()
        with suppress(TimeoutError):
            page.get_by_role("option", name=option).click(timeout=5_000)

    click_into(page, pick, lambda: option in field.input_value())


def test_a_saved_mapping_returns_to_its_worksheet_and_an_import_is_undone_after_grading(
    page, kept_server, kept_store, workbook, tmp_path
):
    visit(page, kept_server, "/data?do=import")
    upload(page, workbook)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save mapping").click()
    download.value.save_as(tmp_path / "mapping.toml")
    choose(page, "Worksheet", "Read me")
    expect(page.get_by_text("No column is mapped to the question yet")).to_be_visible()
    page.get_by_role("button", name="Saved mapping").click()
    saved_mapping = page.get_by_test_id("stPopoverBody").locator("input[type=file]")
    saved_mapping.set_input_files(tmp_path / "mapping.toml")
    page.get_by_role("button", name="Import 10 answers and 20 grades into round").click()
    expect(page.get_by_text("round: 10 answers added, 20 grades added.").first).to_be_visible()

    rubric_id, _ = rubric_versions.named(kept_store, "holistic-1-10")
    graders.ensure(kept_store, "person", "Ana")
    sheet = sheets.find(kept_store, "round")
    made = grading_sets.create(kept_store, sheet.id, rubric_id, "Set 1", None, seed=1)
    begin(page, kept_server, made)
    page.keyboard.press("7")
    saved(page)

    visit(page, kept_server, "/data?sheet=round")
    page.get_by_text("Imported files").click()
    choose(page, "Undo an import", "1: round.xlsx")
    told = "This removes 10 answers, 10 questions, 20 grades of the file, 1 grade given since."
    expect(page.get_by_text(told)).to_be_visible()
    page.get_by_role("button", name="Undo import 1").click()
    expect(page.get_by_text("Import the file again to map it again").first).to_be_visible()
    expect(page.get_by_role("heading", name="There is no sheet yet")).to_be_visible()
    exported_tables.export(kept_store, tmp_path / "out")
    kept = pd.read_csv(tmp_path / "out" / "undone_grades.csv").query("grader == 'Ana'")
    assert list(kept["score"]) == [7]
