"""Choosing a judge in a real Chromium: from the terms to the locked finding and its chart."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.browser import settled, visit
from tests.support.panels import give
from tests.support.reports.certifiable import look

SCROLLED = """
[...document.querySelectorAll('[data-testid=stTable] *, [data-testid=stTable]')].filter(one =>
  one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX == 'auto').length
"""

pytestmark = pytest.mark.browser


def test_a_lead_names_the_terms_and_reads_the_finding_with_its_price(page, sample_db, serve):
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, serve(sample_db), "/decide")
    expect(page.get_by_role("heading", name="Fix the terms of the decision")).to_be_visible()
    settled(page)
    page.get_by_role("combobox", name="Reference judge").click()
    page.get_by_role("option", name="simulated-careful-judge").click()
    page.get_by_role("spinbutton", name="Minimum exact agreement").fill("50")
    page.keyboard.press("Enter")  # submits nothing
    settled(page)
    expect(page.get_by_role("button", name="Fix terms and take an interim look")).to_have_count(0)
    page.get_by_role("button", name="Review terms").click()
    expect(page.get_by_text("These terms become final")).to_be_visible()
    fix = page.get_by_role("button", name="Fix terms and take an interim look")
    # A value typed since is not what was reviewed, also where the button is pressed at once.
    page.get_by_role("spinbutton", name="Margin").fill("12")
    fix.click()
    expect(page.get_by_text("These terms become final")).to_have_count(0)
    page.get_by_role("spinbutton", name="Margin").fill("10")
    page.keyboard.press("Tab")
    settled(page)
    page.get_by_role("button", name="Review terms").click()
    fix.click()
    found = "is good enough on correctness"  # the name is cut on a telephone
    expect(page.get_by_role("heading", name=found).filter(visible=True)).to_be_visible()
    expect(page.get_by_text("Prices are simulated.")).to_be_visible()
    expect(page).to_have_url(re.compile("decision=1"))
    expect(page.get_by_role("spinbutton")).to_have_count(0)
    chart = page.locator("[class*='st-key-figure'] svg.main-svg").first
    expect(chart).to_be_visible()
    expect(page.get_by_text("always 3: 57%")).to_be_visible()
    assert chart.bounding_box()["width"] <= 390
    conditions = page.get_by_test_id("stTable").first
    expect(conditions.get_by_text("inconclusive")).to_be_visible()
    box = conditions.locator("table").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390  # no column is scrolled out of sight
    assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth")


def test_the_tables_of_nine_judges_are_read_on_a_narrow_screen_without_scrolling(
    page, store, close_judges, serve, tmp_path
):
    for number in range(7):
        scores = {place: place % 4 for place in range(number, 120 + number) if place < 120}
        name = f'provider/a-long-name-of-a-model-"{number}"-zero-shot'
        give(store, close_judges, name, scores | {0: 1}, kind="judge")
    look(store, close_judges)
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, serve(tmp_path / "concord.db"), "/decide")
    expect(page.get_by_role("heading", name="Cost and agreement")).to_be_visible()
    # The conditions come first, then the judges.
    cards = page.locator("[class*='st-key-cards-'] [data-testid='stTable']").nth(1)
    expect(cards).to_be_visible()
    head = "one => getComputedStyle(one, '::before').content"
    assert cards.locator("td").nth(1).evaluate(head) == '"verdict: "'
    sides = "all => [...new Set(all.map(one => getComputedStyle(one).textAlign))]"
    assert page.locator("[class*='st-key-cards-'] td").evaluate_all(sides) == ["left"]
    settled(page)
    assert page.evaluate(SCROLLED) == 0
    page.set_viewport_size({"width": 1280, "height": 900})
    assert cards.locator("td").nth(1).evaluate(head) == "none"


def test_what_is_chosen_is_read_in_the_language_that_is_picked(page, sample_db, serve):
    visit(page, serve(sample_db), "/decide?figure=qwk")
    chosen = page.get_by_role("combobox", name="Deciding figure")
    expect(chosen).to_have_value("Quadratic kappa")
    page.get_by_role("spinbutton", name="Minimum quadratic kappa").fill("0.4")
    page.keyboard.press("Tab")
    settled(page)
    page.get_by_role("combobox", name="Language").click()
    page.get_by_role("option", name="日本語").click()
    expect(page).to_have_url(re.compile("lang=ja"))
    settled(page)
    chosen = page.get_by_role("combobox", name="判定に使う統計量")
    expect(chosen).not_to_have_value("Quadratic kappa")
    expect(chosen).not_to_have_value("")
    expect(page.locator("input[value='0.4']")).to_have_count(1)
