"""The frame in a real browser: links, themes and narrow windows."""

import re
import tomllib

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import ROOT, settled, visit

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


def test_light_and_dark_are_our_own(page, sampled_server):
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        visit(page, sampled_server)
        app, ours = page.locator(".stApp"), THEME[scheme]
        expect(app).to_have_css("background-color", _rgb(ours["backgroundColor"]))
        expect(app).to_have_css("color", _rgb(ours["textColor"]))


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
