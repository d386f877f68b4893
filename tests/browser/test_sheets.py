"""Files of answers through a real Chromium: upload, what is said about them, and what is stored."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.support.browser import settled, visit


def upload(page: Page, path: Path) -> None:
    page.locator("input[type=file]").set_input_files(path)
    expect(page.get_by_text("Into sheet")).to_be_visible()
    settled(page)


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
