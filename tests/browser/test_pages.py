"""The frame in a real browser: links, themes and narrow windows."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import DRAWN, settled, visit


@pytest.mark.parametrize("name", ["agreement", "grade"])  # with a drawing; and the closed frame's
def test_a_cold_deep_link_keeps_its_page_and_query_and_gets_the_frame(name, page, sample_db, serve):
    """The very first thing that a new server is asked for is a page with a query."""
    visit(page, serve(sample_db), f"/{name}?sheet=sample&kept=this")
    expect(page).to_have_url(re.compile(rf"/{name}\?.*sheet=sample.*kept=this"))
    expect(page).to_have_title(re.compile("Concord"))
    expect(_navigation(page)).to_contain_text("Overview")
    expect(_navigation(page)).to_contain_text("Agreement")
    expect(page.get_by_text("Page not found")).to_have_count(0)


def test_a_new_server_never_lists_the_files_of_the_pages(page, sample_db, serve):
    page.add_init_script(
        "new MutationObserver(() => { window.listed ||= !!document.querySelector("
        "'[data-testid=stSidebarNav]') }).observe(document, {childList: true, subtree: true})"
    )
    visit(page, serve(sample_db), "/")
    expect(_navigation(page)).to_contain_text("Overview")
    assert not page.evaluate("window.listed")


def test_tabs_lead_through_a_screen_and_the_list_keeps_it(page, sampled_server):
    visit(page, sampled_server, "/agreement")
    page.locator(".st-key-tabs").get_by_role("link", name="Ranking").click()
    expect(page).to_have_url(re.compile("/ranking"))
    settled(page)
    here = _navigation(page).get_by_role("link", name="Agreement")
    expect(here).to_have_attribute("href", "ranking")
    expect(page.locator(".st-key-open-tab a")).to_have_text("Ranking")


def test_a_tab_left_open_finds_its_page_again_when_the_server_is_restarted(
    page, noticed, sampled_server
):
    visit(page, sampled_server, "/agreement?kept=this")
    sampled_server.kill()
    expect(page.get_by_test_id("stApp")).not_to_have_attribute(
        "data-test-connection-state", "CONNECTED"
    )
    sampled_server.restart()
    settled(page)
    expect(page).to_have_url(re.compile(r"/agreement\?.*kept=this"))
    expect(_navigation(page)).to_contain_text("Overview")
    noticed.forgive("script error")  # requests that the kill cut off


FOLLOWS = """button => button.compareDocumentPosition(document.activeElement)
  === Node.DOCUMENT_POSITION_FOLLOWING"""


MOVING = """() => [...document.querySelectorAll('.stApp *')].filter(one => {
  const style = getComputedStyle(one);
  return style.animationName !== 'none' || /[1-9]/.test(style.transitionDuration);
}).map(one => one.className)"""


def test_nothing_moves_for_who_asks_for_less_motion(chromium_browser, sampled_server):
    context = chromium_browser.new_context(locale="en", reduced_motion="reduce")
    page = context.new_page()
    page.goto(sampled_server.url + "/agreement")
    expect(page.locator(".modebar").first).to_be_attached()
    assert page.evaluate(MOVING) == []
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(MOVING) != []
    context.close()


def test_the_keyboard_enters_an_opened_menu_keeps_its_place_in_it_and_leaves_it(
    page, sampled_server
):
    visit(page, sampled_server, "/agreement")
    _follows_the_focus(page)
    menu = page.get_by_role("button", name="Download").first
    menu.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Download")).to_be_focused()
    file = page.get_by_role("button", name=re.compile(r"\.html$")).first
    expect(file).to_be_visible()
    page.evaluate(DRAWN)
    page.keyboard.press("Tab")
    expect(file).to_be_focused()
    with page.expect_download():
        page.keyboard.press("Enter")
    settled(page)
    expect(file).to_be_focused()  # it was disabled while the file was made
    page.keyboard.press("Escape")
    expect(menu).to_be_focused()


def test_a_pressed_button_that_is_gone_leaves_the_focus_to_the_new_heading(page, sampled_server):
    visit(page, sampled_server, "/rubrics")
    _follows_the_focus(page)
    edit = page.get_by_role("button", name="Edit a copy")
    edit.focus()
    page.keyboard.press("Enter")
    title = page.get_by_role("heading", name="Editing a copy")
    expect(title).to_be_focused()


def test_tab_leaves_an_opened_glossary_to_what_follows_its_button(page, sampled_server):
    visit(page, sampled_server, "/agreement")
    _follows_the_focus(page)
    button = page.get_by_role("button", name="Glossary").first
    button.focus()
    for leave in ("Tab", "Shift+Tab"):
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog", name="Glossary")).to_be_focused()
        settled(page)
        page.keyboard.press(leave)
        expect(page.get_by_role("dialog", name="Glossary")).to_have_count(0)
        if leave == "Tab":
            assert button.evaluate(FOLLOWS)
            page.keyboard.press("Shift+Tab")
        expect(button).to_be_focused()


def test_an_opened_form_gets_the_focus_of_the_button_that_it_disables(page, sampled_server):
    visit(page, sampled_server, "/judges")
    _follows_the_focus(page)
    page.get_by_role("button", name="Add judge").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox", name="Start from")).to_be_focused()


def test_a_pointer_moves_no_focus_to_a_heading_or_a_menu(page, sampled_server):
    visit(page, sampled_server, "/rubrics")
    page.get_by_role("button", name="Download").first.click()
    expect(page.get_by_role("dialog", name="Download")).not_to_be_focused()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Edit a copy").click()
    expect(page.get_by_role("heading", name="Editing a copy")).not_to_be_focused()


def test_the_language_box_and_every_choice_say_what_the_address_says(page, sampled_server):
    """Also after the browser's own way back, which changes the address of a running session."""
    visit(page, sampled_server, "/build?lang=ko")
    box = page.locator("[data-testid=stSidebar] [data-testid=stSelectbox] input")
    encoding = page.locator("[data-testid=stExpander] [data-testid=stSelectbox] input")
    expect(encoding).to_have_value("자동 감지")
    box.click()
    page.get_by_role("option", name="日本語").click()
    expect(page).to_have_url(re.compile("lang=ja"))
    expect(encoding).to_have_value("自動検出")
    page.evaluate(
        "history.pushState({}, '', '/build?lang=ko'); dispatchEvent(new Event('popstate'))"
    )
    expect(encoding).to_have_value("자동 감지")
    expect(box).to_have_value("한국어")


def _follows_the_focus(page: Page) -> None:
    """Wait until the script that moves the focus is there, which nothing on the screen shows."""
    for _ in range(1000):
        if page.evaluate("() => Boolean(window.concordFocus)"):
            return
        page.wait_for_timeout(20)
    raise AssertionError("no script moves the focus")


def _navigation(page: Page):
    return page.locator(".st-key-screens")
