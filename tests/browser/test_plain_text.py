"""What stands in a file is text on every screen: no name or title is an image, a link, or runs."""

import re

from playwright.sync_api import expect

from concord.ui.navigation import SCREENS
from tests.support.browser import settled, visit
from tests.support.hostile import HOST, IMAGE, JUDGE, PICTURE

FILE = f"""
name = "of-a-file{PICTURE}"
about = "About {IMAGE}"
model = "model-{IMAGE}"
rubric = "doc-qa-0-3"
retired = "2020-01-01"
"""


def test_a_walk_through_every_screen_shows_no_image_and_asks_nothing_of_the_world(
    page, noticed, hostile_server, tmp_path
):
    file = tmp_path / "judge.toml"
    file.write_text(FILE, encoding="utf-8")
    visit(page, hostile_server)
    shown, opened = "", 0
    for screen in SCREENS:
        for place, name in enumerate(screen.tabs):
            address = "" if name == "overview" else name
            row = "tabs" if place else "screens"
            page.locator(f".st-key-{row} a[href='{address}']").click()
            expect(page).to_have_url(re.compile(rf"/{address}(\?|$)"))
            settled(page)
            shown += plain(page, noticed)
            opened += 1
    for path in (f"judges?judge={JUDGE}", "rubrics?edit=1", f"judges?judge={file}"):
        visit(page, hostile_server, f"/{path}")
        shown += plain(page, noticed)
    assert shown.count(IMAGE) > opened + 3
    assert len(noticed.requests) > 20
    assert all(f"127.0.0.1:{hostile_server.port}" in url for url in noticed.requests)


def plain(page, noticed) -> str:
    """What a screen shows, which must be no image of another host, and no link."""
    assert page.get_by_text("Page not found").count() == 0, page.url
    assert page.locator(f"img[src*='{HOST}']").count() == 0, page.url
    links = page.locator(f"a[href^='http'][href*='{HOST}'], a[href^='mailto:']")
    assert [link.get_attribute("href") for link in links.all()] == [], page.url
    assert not noticed.faults, page.url
    return page.get_by_test_id("stMain").inner_text()


def test_nor_does_the_reading_of_a_file(page, noticed, server, tmp_path):
    sheet = tmp_path / f"{HOST}.csv"
    head = f"question,answer,answer_model,{IMAGE},score {IMAGE},{IMAGE}:correctness"
    sheet.write_text(f"{head}\nWhy {IMAGE}?,Because {IMAGE}.,m {IMAGE},1,2,3\n,,,,,\n", "utf-8")
    visit(page, server, "/data?do=import")
    button = page.get_by_test_id("stFileUploaderDropzone").first.locator("button p")
    words = button.evaluate("one => getComputedStyle(one, '::after').content")
    assert words == '"Choose"'  # in place of Streamlit's own, which are English alone
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(sheet)
    page.get_by_text("columns", exact=False).first.wait_for()
    assert page.locator(f"img[src*='{HOST}']").count() == 0 and not noticed.faults
