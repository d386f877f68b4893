"""The rubric editor in a real Chromium: what is wrong stays in view beside a long form."""

from playwright.sync_api import expect

from tests.support.browser import settled, visit


def test_what_is_wrong_is_in_view_where_the_field_is(page, sampled_server):
    visit(page, sampled_server, "/rubrics?rubric=doc-qa-0-3&edit=1")
    weight = page.get_by_role("textbox", name="Weight").first
    weight.fill("0.9")
    weight.press("Enter")
    expect(page.get_by_text("they sum to 1.3")).to_be_in_viewport()
    weight.fill("0.6")
    weight.press("Enter")
    expect(page.get_by_text("they sum to 1.3")).to_have_count(0)
    title = page.get_by_role("textbox", name="Title").first
    title.fill(" ")
    title.press("Enter")
    expect(page.get_by_text("title — is missing or blank")).to_be_in_viewport()
    settled(page)
    expect(page.get_by_role("button", name="Save as")).to_have_count(0)
