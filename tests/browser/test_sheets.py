"""Files of answers through a real Chromium: upload, what is said about them, and what is stored."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from concord.store import sheets
from tests.support.browser import settled, visit


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
    page.get_by_role("button", name="Import 30 answers into spring").click()
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
    page.get_by_text("Import 30 answers, without what is wrong in the 1 row above").click()
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
    page.mouse.click(box["x"] + 44, box["y"] + 35 * 3 + 17)  # the tick of the third column
    expect(page.get_by_text("10 answers, 10 questions, 2 annotators, 20 grades")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Import 10 answers and 20 grades into review").click()
    expect(page.get_by_role("link", name="Next: let judges grade these answers")).to_be_visible()
    assert kept_store.value("select count(*) from grades") == 20
