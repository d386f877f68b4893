"""A team in a real browser: a link lets a grader in, to the own queue and nothing else."""

import re

import pytest
from playwright.sync_api import expect

from browser import settled, visit
from data import grading_sets, invitations, members, rubric_versions, set_graders, sheets
from data.store import open_store

pytestmark = pytest.mark.browser


@pytest.fixture
def joined(sample_db, serve):
    """A server for a team with a set that is open to Ann, and her link's path."""
    with open_store(sample_db) as store:
        members.add(store, "Lea", "lead", "test")
        ann = members.add(store, "Ann", "grader", "Lea")
        rubric_id, _ = rubric_versions.named(store, "doc-qa-0-3")
        sheet = sheets.find(store, "sample")
        made = grading_sets.create(store, sheet.id, rubric_id, "Team", 2, 1)
        set_graders.join(store, made, ann.grader_id, "Lea")
        link = f"/join/{invitations.make(store, ann, 'Lea')}"
    return serve(sample_db, script="server.py"), link


def test_a_grader_comes_in_by_a_link_grades_and_reaches_nothing_else_by_any_address(page, joined):
    server, link = joined
    visit(page, server, "/agreement?sheet=sample")  # a cold server, and nobody signed in
    expect(page.get_by_text("Please sign in")).to_be_visible()
    expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)
    page.goto(server.url + link)
    page.get_by_role("button", name="Enter").click()
    expect(page.locator("#answer, .answer").first).to_be_visible()
    page.keyboard.press("3")
    expect(page.get_by_text(re.compile("^saved "))).to_be_visible()
    out = page.get_by_role("link", name="Sign out")
    assert out.get_attribute("href") == "/leave?lang=en"
    for path in ("/agreement?sheet=sample", "/judges?sheet=sample", "/", "/sheets", "/grading"):
        page.goto(server.url + path)
        expect(page).to_have_url(re.compile(r"/grade\\?"))
        settled(page)
        expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)
    with open_store(server.db) as store:
        [row] = store.rows(
            "select score, r.name from grades g join graders r on r.id = g.grader_id"
            " where g.press_id is not null and r.name = 'Ann'"
        )
        assert tuple(row) == (3, "Ann")
        members.give_role(store, "Ann", "none", "Lea")
    page.reload()
    expect(page.get_by_text("Please sign in")).to_be_visible()
