from playwright.sync_api import expect

from browser import visit


def test_a_cold_deep_link_keeps_its_page_and_query_and_gets_the_frame(page, server):
    visit(page, server, "/sheets?sheet=numbers")
    expect(page).to_have_url(f"{server.url}/sheets?sheet=numbers")
    expect(page.get_by_test_id("stSidebarNav")).to_contain_text("Agreement")
