"""The frame in a real browser: links, themes, and nothing that leaves this machine."""

import re
import tomllib

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import ROOT, settled, visit

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
THEME = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]


@pytest.mark.parametrize("name", ["agreement", "grade"])  # with a drawing; and the closed frame's
def test_a_cold_deep_link_keeps_its_page_and_query_and_gets_the_frame(name, page, sample_db, serve):
    """The very first thing that a new server is asked for is a page with a query."""
    visit(page, serve(sample_db), f"/{name}?sheet=sample&kept=this")
    expect(page).to_have_url(re.compile(rf"/{name}\?.*sheet=sample.*kept=this"))
    expect(page).to_have_title(re.compile("Concord"))
    expect(_navigation(page)).to_contain_text("Prepare")
    expect(_navigation(page)).to_contain_text("Agreement")
    expect(page.get_by_text("Page not found")).to_have_count(0)


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
    expect(_navigation(page)).to_contain_text("Prepare")
    noticed.forgive("script error")  # requests that the kill cut off


def test_a_walk_through_every_screen_asks_nothing_of_the_world(page, noticed, sampled_server):
    visit(page, sampled_server)
    links = _navigation(page).get_by_test_id("stSidebarNavLink")
    expect(links).to_have_count(len(PAGES))
    for number in range(len(PAGES)):
        address = links.nth(number).get_attribute("href")
        links.nth(number).click()
        expect(page).to_have_url(re.compile(f"^{re.escape(address)}"))
        settled(page)
    assert len(noticed.requests) > 20
    assert all(f"127.0.0.1:{sampled_server.port}" in url for url in noticed.requests)


def test_light_and_dark_are_our_own(page, sampled_server):
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        visit(page, sampled_server)
        app, ours = page.locator(".stApp"), THEME[scheme]
        expect(app).to_have_css("background-color", _rgb(ours["backgroundColor"]))
        expect(app).to_have_css("color", _rgb(ours["textColor"]))


def test_a_graders_link_opens_the_grading_screen_whatever_path_is_typed(page, sampled_server):
    for name in ("grade", "agreement", "judges", "sheets"):
        visit(page, sampled_server, f"/{name}?view=grader&set=1&grader=Ben")
        expect(page).to_have_url(re.compile(r"(?=.*view=grader)(?=.*grader=Ben)"))
        expect(_navigation(page)).to_have_count(0)
        shown = page.get_by_test_id("stMain")
        expect(shown).not_to_contain_text(re.compile("agreement|judge", re.IGNORECASE))


def test_every_screen_of_preparation_fits_a_phone(page, sampled_server):
    page.set_viewport_size({"width": 390, "height": 844})
    for path in ("/", "/sheets?sheet=sample", "/sheets?do=import", "/rubric", "/rubric?edit=1"):
        visit(page, sampled_server, path)
        too_wide = "e => e.scrollWidth > e.clientWidth"
        assert not page.get_by_test_id("stMain").evaluate(too_wide), path


def _navigation(page: Page):
    return page.get_by_test_id("stSidebarNav")


def _rgb(colour: str) -> str:
    """A colour as a browser says it: '#0b6e99' is 'rgb(11, 110, 153)'."""
    return "rgb({}, {}, {})".format(*bytes.fromhex(colour.removeprefix("#")))
