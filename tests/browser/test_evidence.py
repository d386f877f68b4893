"""From a low metric to the words it rests on, in a real Chromium."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.browser import click_into, settled, visit

pytestmark = pytest.mark.browser


def test_from_a_low_metric_to_the_passage_that_decides(page, kept_server, judged_claims):
    visit(page, kept_server, "/metrics?sheet=tea&view=do")
    expect(page.get_by_text("Faithfulness: 2 of 2 answers fail")).to_be_visible()
    page.get_by_text("Faithfulness: 2 of 2 answers fail").click()
    expect(page.get_by_text("use only its contexts")).to_be_visible()
    page.get_by_role("link", name="What is <i>0</i>?").click()
    expect(page.get_by_role("heading", name="Graders differ on claims of 1 of 2")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/evidence.*answer=\d+"))
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


def test_a_row_of_the_list_and_the_button_below_it_open_other_answers(
    page, kept_server, judged_claims
):
    visit(page, kept_server, "/evidence?sheet=tea")
    asked = page.get_by_test_id("stMainBlockContainer").locator("strong")
    expect(asked.filter(has_text="What is <i>0</i>?")).to_be_visible()
    page.get_by_role("button", name="Next", exact=True).click()
    expect(asked.filter(has_text="What is <i>1</i>?")).to_be_visible()
    expect(page.get_by_role("button", name="Next", exact=True)).to_be_disabled()
    rows = page.locator(".dvn-scroller").first
    first = asked.filter(has_text="What is <i>0</i>?")
    click_into(page, lambda: rows.click(position={"x": 14, "y": 35 + 17}), first.count)
    expect(first).to_be_visible()
