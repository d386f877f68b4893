"""The agreement screen in a real Chromium: a click on a cell opens its answers."""

import re
import shutil

import pytest
from playwright.sync_api import expect

from concord.store import additions, graders
from concord.store.database import open_store
from concord.store.rubrics import rubric_versions
from tests.support.browser import click_into, visit
from tests.support.evidence_room import number
from tests.support.made_items import made_item
from tests.support.panels import give

pytestmark = pytest.mark.browser
IS_WHOLE = "one => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + 1"
CELLS = "[class*='st-key-figure-confusion'] .scatterlayer .points path"


def click_cell(page, person, judge, size=4):
    """Click the middle of a cell of the heat map of a scale from 0."""
    cell = page.locator(CELLS).nth(person * size + judge)
    chosen = re.compile(f"cell={person}(:|%3A){judge}")

    def click():
        cell.scroll_into_view_if_needed()
        box = cell.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    click_into(page, click, lambda: chosen.search(page.url))


def test_a_click_on_a_cell_opens_its_answers_side_by_side(page, sampled_server):
    visit(page, sampled_server, "/agreement?judge=simulated-careful-judge&criterion=correctness")
    expect(page.locator(CELLS)).to_have_count(16)
    first_row = page.get_by_test_id("stTable").first.locator("tbody tr").first.bounding_box()
    assert first_row["y"] + first_row["height"] < 800  # chart and table open in the first window
    click_cell(page, 3, 1)
    expect(
        page.get_by_text("1 answer with correctness 3 from an annotator and 1 from")
    ).to_be_visible()
    expect(page).to_have_url(re.compile("cell=3(:|%3A)1"))
    expect(page.locator(".concord-comparison")).to_have_count(1)
    # Long names make it scroll, which a keyboard can do only where it has the focus.
    expect(page.locator(".concord-comparison .scroll")).to_have_attribute("tabindex", "0")
    expect(page.locator(".concord-comparison thead")).to_contain_text("simulated-careful-judge")
    expect(page.locator(".concord-comparison thead")).to_contain_text("author")
    click_cell(page, 0, 2)
    expect(page.get_by_text("2 answers with correctness 0 from an annotator and 2")).to_be_visible()


def test_a_narrow_window_needs_no_sideways_scrolling(page, sampled_server):
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, sampled_server, "/agreement")
    expect(page.locator(CELLS)).to_have_count(16)
    wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    assert not wide
    # In one step: a chart that is drawn anew has no box for a moment.
    charts = page.locator("[class*='st-key-figure'] svg.main-svg")
    expect(charts.first).to_be_visible()
    widest = "all => Math.max(...all.map(one => one.getBoundingClientRect().width))"
    assert charts.evaluate_all(widest) <= 390


def test_filters_and_names_of_judges_have_room_where_there_are_many(
    page, serve, made_sample, tmp_path
):
    db = shutil.copy(made_sample, tmp_path / "concord.db")
    with open_store(db) as store:
        give(store, rubric_versions.named(store, "doc-qa-0-1")[1], "Ana", {0: 1, 1: 0})
        number(store, graders.ensure(store, "metric", "rag", "f"), 1, 0.5)
        additions.add(store, "other", [made_item(0)], "other.csv", "0" * 64, {})
    page.set_viewport_size({"width": 1280, "height": 844})
    url = serve(db)
    visit(page, url, "/agreement?sheet=sample")
    filters = page.locator(".st-key-filters")
    expect(filters.get_by_text("Consensus")).to_be_visible()
    expect(filters.locator("> *")).to_have_count(6)
    assert filters.evaluate(IS_WHOLE)
    switch, field = filters.get_by_role("radio"), filters.locator(":has(> [role='combobox'])")
    heights = [of.first.bounding_box()["height"] for of in (switch, field)]
    assert heights == [40, 40]

    visit(page, url, "/review?sheet=sample&list=all")
    names = page.locator(".list .about")
    expect(names.first).to_contain_text("simulated-careful-judge")
    expect(filters.locator("> *")).to_have_count(7)
    assert filters.evaluate(IS_WHOLE)
    assert all(one.evaluate(IS_WHOLE) for one in names.all()[:9])


FITS = "input => input.scrollWidth <= input.clientWidth"


def test_two_sheets_leave_each_picker_room_for_its_name(page, serve, made_sample, tmp_path):
    db = shutil.copy(made_sample, tmp_path / "concord.db")
    with open_store(db) as store:
        additions.add(store, "other", [made_item(0)], "other.csv", "0" * 64, {})
    page.set_viewport_size({"width": 1280, "height": 844})
    visit(page, serve(db), "/agreement?sheet=sample")
    filters = page.locator(".st-key-filters")
    expect(filters.get_by_text("Consensus")).to_be_visible()
    expect(filters.locator("> *")).to_have_count(5)
    pickers = filters.get_by_role("combobox")
    names = [one.input_value() for one in pickers.all()]
    assert names == ["sample", "simulated-careful-judge", "Correctness"]
    assert all(one.evaluate(FITS) for one in pickers.all()) and filters.evaluate(IS_WHOLE)
    included = filters.get_by_role("button", name="3 annotators")
    assert included.bounding_box()["height"] == 40  # one line


LINES = "h => h.getBoundingClientRect().height / parseFloat(getComputedStyle(h).lineHeight)"


def test_a_title_takes_two_lines_on_a_telephone_and_tells_the_whole_name(page, serve, sample_db):
    name = "gpt-5.6-terra-few-shot-with-reasons-2026"
    with open_store(sample_db) as store, store.write():
        renamed = "update graders set name = ? where name = 'simulated-careful-judge'"
        store.execute(renamed, (name,))
    app = serve(sample_db)
    page.set_viewport_size({"width": 390, "height": 844})
    for screen in ("/agreement", "/ranking", "/compare"):
        visit(page, app, f"{screen}?judge={name}&criterion=comprehensiveness")
        (heading,) = page.locator(".stMain h2:visible").all()
        assert heading.evaluate(LINES) < 4, heading.inner_text()  # with 32 px of padding
        main = page.get_by_test_id("stMain")
        expect(main.get_by_text(name, exact=False).filter(visible=True).first).to_be_visible()
    visit(page, app, f"/agreement?judge={name}")
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.locator(".stMain h2:visible")).to_contain_text(f"{name} (simulated) has")


def test_a_link_opens_agreement_by_a_column(page, sampled_server):
    visit(page, sampled_server, "/agreement?by=answer_model")
    finding = page.get_by_text("No segment by answering model differs significantly from the rest")
    expect(finding).to_be_visible()
