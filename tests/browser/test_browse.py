"""The answers browser in a real Chromium: search, a row that opens, and a link that shows it."""

import re

from playwright.sync_api import expect

from tests.support.browser import settled, visit

_NAMES_FIT = "dl => [...dl.querySelectorAll('dt')].every(dt => dt.scrollWidth <= dt.clientWidth)"


def test_an_answer_is_searched_opened_and_shown_by_its_link(page, kept_server, many):
    visit(page, kept_server, "/data")
    search = page.get_by_role("textbox", name="Search")
    search.fill("黑洞")
    search.press("Enter")
    expect(page.get_by_text("1 of 120 answers")).to_be_visible()
    settled(page)
    table = page.get_by_test_id("stDataFrame").first
    table.click(position={"x": 20, "y": 55})  # the box of the first row
    opened = page.locator("dl.concord-item").first
    expect(opened).to_contain_text("<img src=x onerror=alert(1)> 黑洞 70")
    assert opened.evaluate(_NAMES_FIT)
    expect(page).to_have_url(re.compile(r"item=\d+"))
    address = page.url
    page.goto("about:blank")
    visit(page, kept_server, address.removeprefix(kept_server.url))
    expect(page.locator("dl.concord-item").first).to_contain_text("黑洞 70")
    expect(page.get_by_role("textbox", name="Search")).to_have_value("黑洞")
    page.get_by_role("button", name="Clear search and filters").click()
    expect(page.get_by_text("1 of 120 answers")).to_be_hidden()
    settled(page)
    expect(page.get_by_role("textbox", name="Search")).to_have_value("")
