"""The frame in a real browser: links, themes and narrow windows."""

import re
import tomllib
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import DRAWN, ROOT, settled, visit

THEME = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]


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


def test_an_old_address_leads_to_the_screen_that_took_its_place(page, sampled_server):
    """Bookmarks, and links in messages between colleagues, outlive the screens."""
    for old, now in (("sheets", "data"), ("choose", "decide")):
        visit(page, sampled_server, f"/{old}?sheet=sample&kept=this")
        expect(page).to_have_url(re.compile(rf"/{now}\?.*sheet=sample.*kept=this"))
        expect(page.get_by_text("Page not found")).to_have_count(0)


def test_tabs_lead_through_a_screen_and_the_list_keeps_it(page, sampled_server):
    visit(page, sampled_server, "/agreement")
    page.locator(".st-key-tabs").get_by_role("link", name="Ranking").click()
    expect(page).to_have_url(re.compile("/ranking"))
    settled(page)
    here = _navigation(page).get_by_role("link", name="Agreement")
    expect(here).to_have_attribute("href", "ranking")
    page.mouse.move(0, 0)  # a tab is underlined under the pointer, too
    lined = """tabs => tabs.filter(one => getComputedStyle(one).borderBottomColor ===
      getComputedStyle(one.querySelector('p')).color).map(one => one.innerText)"""
    assert page.locator(".st-key-tabs a").evaluate_all(lined) == ["Ranking"]
    page.set_viewport_size({"width": 390, "height": 844})  # tabs in two rows
    below = page.locator(".st-key-tabs").get_by_role("link", name="Prompts and scales")
    line, next_row = (one.bounding_box() for one in (_open_tab(page), below))
    assert line["y"] + line["height"] <= next_row["y"] + 1


def _open_tab(page: Page):
    return page.locator(".st-key-open-tab a")


def test_no_link_of_the_list_of_screens_covers_another(page, sampled_server):
    """WCAG 2.5.8: at least 24 pixels of each can be hit."""
    visit(page, sampled_server, "/settings")
    links = _navigation(page).get_by_role("link")
    expect(links).to_have_count(10)
    boxes = [one.bounding_box() for one in links.all()]
    for above, below in pairwise(boxes):
        assert above["height"] >= 24 and above["y"] + above["height"] <= below["y"]


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


def test_light_and_dark_are_our_own(page, sampled_server):
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        visit(page, sampled_server)
        app, ours = page.locator(".stApp"), THEME[scheme]
        expect(app).to_have_css("background-color", _rgb(ours["backgroundColor"]))
        expect(app).to_have_css("color", _rgb(ours["textColor"]))


def test_every_screen_of_preparation_fits_a_phone(page, sampled_server):
    page.set_viewport_size({"width": 390, "height": 844})
    for path in ("/", "/data?sheet=sample", "/data?do=import", "/rubrics", "/rubrics?edit=1"):
        visit(page, sampled_server, path)
        too_wide = "e => e.scrollWidth > e.clientWidth"
        assert not page.get_by_test_id("stMain").evaluate(too_wide), path


FOLLOWS = """button => button.compareDocumentPosition(document.activeElement)
  === Node.DOCUMENT_POSITION_FOLLOWING"""

CUT = """() => [...document.querySelectorAll('.stMain :is(button, label) .stMarkdownEllipsis')]
  .filter(one => one.clientWidth && one.scrollWidth > one.clientWidth).map(one => one.innerText)"""


def test_a_button_says_all_that_it_costs_on_a_phone(page, sampled_server):
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, sampled_server, "/judges?judge=gpt-6-luna-few-shot")
    expect(page.get_by_role("button", name="Run canaries")).to_be_visible()
    assert page.evaluate(CUT) == []


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
    words = title.locator("span").first
    expect(words).to_have_css("outline-style", "solid")
    offset = "one => parseFloat(getComputedStyle(one).outlineOffset)"
    assert words.evaluate(offset) > 3  # the frame touches no letter


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


BROKEN = """() => {
  const broken = [];
  for (const head of document.querySelectorAll('[data-testid="stTable"] th')) {
    const texts = document.createTreeWalker(head, NodeFilter.SHOW_TEXT);
    for (let text; text = texts.nextNode();)
      for (const word of text.data.matchAll(/[^\\s-]+/g)) {
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
        if (lines.size > 1) broken.push(word[0]);
      }
  }
  return broken;
}"""


def test_no_word_at_the_head_of_a_column_is_broken_on_a_telephone(page, sampled_server):
    page.set_viewport_size({"width": 390, "height": 844})
    for path in ("/annotators", "/progress"):
        visit(page, sampled_server, path)
        expect(page.get_by_role("columnheader").first).to_be_attached()
        assert page.evaluate(BROKEN) == [], path


def test_on_a_telephone_the_tools_of_charts_and_tables_cover_nothing(
    chromium_browser, sampled_server
):
    how = {"viewport": {"width": 390, "height": 844}, "locale": "en", "has_touch": True}
    context = chromium_browser.new_context(**how)
    page = context.new_page()
    for path, tools in (("/ranking", ".modebar"), ("/splits", "[data-testid=stElementToolbar]")):
        page.goto(sampled_server.url + path)
        expect(page.locator(tools).first).to_be_attached()
        expect(page.locator(tools).first).to_have_css("opacity", "0")
    context.close()


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


def test_korean_breaks_no_word_and_no_number_of_a_table(page, sampled_server):
    """Its text breaks at any letter where it must, which made columns as narrow as a letter."""
    visit(page, sampled_server, "/agreement?lang=ko")
    cells = page.locator("[data-testid=stTable]").first.locator("tbody td:nth-child(-n+3) p")
    expect(cells.first).to_be_visible()
    broken = """cells => cells.filter(one => {
      const range = document.createRange();
      range.selectNodeContents(one);
      const lines = new Set([...range.getClientRects()].map(box => Math.round(box.bottom)));
      return lines.size > 1 && !/[\\s-]/.test(one.innerText);
    }).map(one => one.innerText)"""
    assert cells.evaluate_all(broken) == []
    page.get_by_text("용어 설명").click()
    words = page.locator("[data-testid=stPopoverBody] p").first
    expect(words).to_have_css("word-break", "keep-all")
    visit(page, sampled_server, "/review?lang=ko")
    expect(page.locator("#worklist")).to_have_attribute("aria-label", "검토")
    expect(page.locator("#worklist .meaning").first).to_have_css("word-break", "keep-all")
    foreign = page.locator("#worklist .asked:not([lang=ko])").first
    expect(foreign).to_have_css("word-break", "normal")


@pytest.mark.parametrize(("language", "name"), [("zh", "正确性"), ("ja", "正確さ")])
def test_no_name_of_a_criterion_is_broken_in_a_table(page, sampled_server, language, name):
    visit(page, sampled_server, f"/agreement?lang={language}")
    named = page.locator("[data-testid=stTable]").first.locator("tbody td:nth-child(2) p").first
    expect(named).to_have_text(name)
    lines = """one => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return new Set([...range.getClientRects()].map(box => Math.round(box.bottom))).size;
    }"""
    assert named.evaluate(lines) == 1


def _follows_the_focus(page: Page) -> None:
    """Wait until the script that moves the focus is there, which nothing on the screen shows."""
    for _ in range(1000):
        if page.evaluate("() => Boolean(window.concordFocus)"):
            return
        page.wait_for_timeout(20)
    raise AssertionError("no script moves the focus")


def _navigation(page: Page):
    return page.locator(".st-key-screens")


def _rgb(colour: str) -> str:
    """A colour as a browser says it: '#0b6e99' is 'rgb(11, 110, 153)'."""
    return "rgb({}, {}, {})".format(*bytes.fromhex(colour.removeprefix("#")))
