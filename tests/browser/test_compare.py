"""The screen of prompts and scales in a real Chromium: from flip to flip, with the prompts."""

import re

import pytest
from playwright.sync_api import expect

from tests.support import scales
from tests.support.browser import click_into, settled, visit

pytestmark = pytest.mark.browser


def test_a_marked_flip_shows_its_answer_beside_the_diff_of_the_prompts(
    page, kept_store, kept_server
):
    sheet = scales.graded_sheet(kept_store)
    scales.judged(kept_store, sheet, "zero", every=3, temperature=0)
    scales.judged(kept_store, sheet, "few", every=9, temperature=0, prompt="few_shot")
    visit(page, kept_server, "/compare?sheet=numbers&view=flips")
    expect(page.get_by_role("heading", name="16 of 72 answers flip")).to_be_visible()
    expect(page.locator(".concord-diff .in").first).to_be_visible()
    expect(page.locator(".concord-comparison")).to_contain_text("What is 0?")
    table = page.locator("[class*='st-key-flips'] .dvn-scroller")
    beside = page.locator(".concord-comparison").filter(has_text="What is 1?")
    click_into(page, lambda: table.click(position={"x": 14, "y": 35 + 35 + 17}), beside.count)
    expect(beside).to_be_visible()
    expect(page).to_have_url(re.compile(r"view=flips.*item=\d+|item=\d+.*view=flips"))
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth")


def test_words_of_streamlit_in_a_list_are_in_the_readers_language(page, serve, sample_db):
    visit(page, serve(sample_db), "/compare?lang=ko")
    several = page.get_by_test_id("stMultiSelect").first
    for left in (3, 2):
        several.locator("[data-tag] button").last.click()
        expect(several.locator("[data-tag]")).to_have_count(left)
        settled(page)
    several.get_by_role("combobox").click()
    every = page.locator("[data-key='__select_all__'] > *")
    expect(every).to_have_css("font-size", "0px")
    assert every.evaluate("e => getComputedStyle(e, '::after').content") == '"모두 선택"'
