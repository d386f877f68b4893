"""The whole loop through a real Chromium: from an uploaded sheet to the report in words."""

import re

import pytest
from playwright.sync_api import expect

from concord.samples.load import ANSWERS, GRADES
from tests.support.browser import settled, visit


@pytest.mark.browser
def test_an_uploaded_sheet_and_its_grades_lead_to_the_report(page, server):
    visit(page, server, "/data")
    page.locator("input[type=file]").set_input_files(ANSWERS)
    page.get_by_role("button", name="Import 192 answers").click()
    expect(page.get_by_text("192 answers added").first).to_be_visible()

    page.get_by_role("button", name="Import grades").click()
    expect(page).to_have_url(re.compile("do=grades"))
    expect(page.get_by_text("192 answers added")).to_have_count(0)
    settled(page)
    page.locator("input[type=file]").set_input_files(GRADES)
    page.get_by_role("button", name="Import 3,168 new grades").click()
    expect(page.get_by_text("3,168 grades added").first).to_be_visible()

    visit(page, server, "/agreement?sheet=sample")
    title = "has 75% exact agreement on correctness"
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    expect(page.get_by_text("Inter-annotator agreement: 80%")).to_be_visible()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
