"""From a low metric to the words it rests on, in a real Chromium."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.browser import settled, visit

pytestmark = pytest.mark.browser


def test_from_a_low_metric_to_the_passage_that_decides(page, kept_server, judged_claims):
    visit(page, kept_server, "/metrics?sheet=tea&view=do")
    expect(page.get_by_text("Faithfulness: 2 of 2 answers fail")).to_be_visible()
    page.get_by_text("Faithfulness: 2 of 2 answers fail").click()
    expect(page.get_by_text("use only its contexts")).to_be_visible()
    page.get_by_role("link", name="What is <i>0</i>?").click()
    expect(page.get_by_role("heading", name="Graders differ on claims of 1 of 2")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/review.*entry=claims\.\d+"))
    units = page.locator(".unit")
    expect(units).to_have_count(3)
    expect(units.first).to_contain_text("It never rains.")
    expect(units.first.locator(".chip")).to_have_text(["supportedAna", "contradictedmine"])
    here = page.locator("mark.here")
    expect(here).to_have_text("It rains a lot there.")
    units.filter(has_text="东京是首都。").get_by_role("button").click()
    expect(here).to_have_text("日本的首都")
    expect(units.filter(has_text="东京是首都。")).to_have_attribute("aria-current", "true")
    page.keyboard.press("ArrowUp")
    expect(here).to_have_text("grown in Assam")
    units.first.get_by_text("Why").click()
    expect(units.first.get_by_text("It denies it.")).to_be_visible()
    expect(page.locator(".texts")).to_contain_text("<b>bold</b>")
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth")


def test_the_list_of_units_is_called_so_in_the_language_of_the_reader(
    page, kept_server, judged_claims
):
    visit(page, kept_server, "/review?sheet=tea&list=claims&lang=ja")
    expect(page.locator(".units")).to_have_attribute("aria-label", re.compile("単位"))


def test_a_row_of_the_list_and_a_key_open_other_answers(page, kept_server, judged_claims):
    visit(page, kept_server, "/review?sheet=tea&list=claims")
    asked = page.locator(".worklist .question")
    expect(asked).to_have_text("What is <i>0</i>?")
    page.keyboard.press("ArrowRight")
    expect(asked).to_have_text("What is <i>1</i>?")
    expect(page.locator(".unit")).to_have_count(3)
    page.locator(".worklist .list .row").first.click()
    expect(asked).to_have_text("What is <i>0</i>?")
    expect(page).to_have_url(re.compile(r"entry=claims\.\d+"))


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
