"""From a low metric to the words it rests on, in a real Chromium."""

import pytest
from playwright.sync_api import expect

from tests.support.browser import visit

pytestmark = pytest.mark.browser


def test_contradicted_claims_are_decided_by_keyboard_and_stored_before_they_count(
    page, kept_server, kept_store, judged_claims
):
    visit(page, kept_server, "/review?sheet=tea&grader=Ana")
    page.get_by_role("button", name="Continue as Ana").click()
    marks = page.locator(".worklist .list .row .kind")
    expect(marks).to_have_text(["Contradicted claim"] * 2 + ["Claims"] * 2)
    expect(page.locator(".texts mark.here")).to_have_text("It rains a lot there.")
    page.locator(".worklist").focus()
    page.keyboard.press("x")
    page.keyboard.press("n")
    page.keyboard.type("y, see 2")  # letters of a note decide nothing
    page.keyboard.press("Enter")
    page.keyboard.press("y")
    expect(page.locator(".worklist .state")).to_contain_text("saved as Ana")
    expect(page.locator(".unit")).to_have_count(3)  # of the answers that follow nothing is decided
    expect(page.locator(".causes button")).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".causes button")).to_have_count(2)
    expect(page.get_by_text("1 of 2 “contradicted” verdicts confirmed")).to_be_visible()
    page.keyboard.press("0")
    expect(page.get_by_text("0 of 1 “contradicted” verdict confirmed")).to_be_visible()
    found = kept_store.rows("select cause, note from adjudications order by id")
    assert [tuple(row) for row in found] == [
        *(("overturned", ""), ("", "y, see 2"), ("confirmed", "y, see 2"), ("", "y, see 2")),
    ]
