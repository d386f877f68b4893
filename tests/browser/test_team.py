"""A team in a real browser: a link lets a grader in, to the own queue and nothing else."""

import json
import re

import pytest
from playwright.sync_api import expect

from concord.grading import adjudications, grading_sets, workspace
from concord.grading.adjudications import Part
from concord.reports import adjudicate
from concord.reports.adjudicate import parts as parts_of
from concord.reports.panel import panel as panel_reading
from concord.store import graders, sheets
from concord.store.database import open_store
from concord.store.rubrics import rubric_versions
from concord.team import members
from tests.support.browser import settled, visit
from tests.support.grading_room import ready, saved

pytestmark = pytest.mark.browser


def enter(page, joined) -> None:
    """Come in by the link, and wait for the grading pane."""
    server, link = joined
    page.goto(server.url + link)
    page.get_by_role("button", name="Sign in").click()
    ready(page)


def told(server) -> list[tuple]:
    """What Ann's current grades say, oldest first."""
    with open_store(server.db) as store:
        rows = store.rows(
            "select g.status, g.score, g.label, g.reason from grades g"
            " join graders r on r.id = g.grader_id where r.name = 'Ann' and not exists"
            " (select 1 from grades later where later.supersedes = g.id) order by g.id"
        )
    return [tuple(row) for row in rows]


def test_a_grader_comes_in_by_a_link_grades_and_reaches_nothing_else_by_any_address(page, joined):
    server, link = joined
    visit(page, server, "/agreement?sheet=sample")  # a cold server, and nobody signed in
    expect(page.get_by_text("Please sign in")).to_be_visible()
    expect(page.locator(".st-key-screens")).to_have_count(0)
    page.goto(server.url + link)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#answer, .answer").first).to_be_visible()
    page.keyboard.press("3")
    expect(page.get_by_text(re.compile("^saved "))).to_be_visible()
    for width, height in ((1024, 768), (1280, 800), (1360, 768), (640, 400)):  # the last at 200%
        page.set_viewport_size({"width": width, "height": height})
        assert page.locator(".top").evaluate("top => top.scrollWidth <= top.clientWidth")
    page.locator(".menu").click()
    out = page.get_by_role("link", name="Sign out")
    assert out.get_attribute("href") == "/leave?lang=en"
    for path in ("/agreement?sheet=sample", "/judges?sheet=sample", "/", "/data", "/annotate"):
        page.goto(server.url + path)
        expect(page).to_have_url(re.compile(r"/grade\\?"))
        settled(page)
        expect(page.locator(".st-key-screens")).to_have_count(0)
    with open_store(server.db) as store:
        [row] = store.rows(
            "select score, r.name from grades g join graders r on r.id = g.grader_id"
            " where g.press_id is not null and r.name = 'Ann'"
        )
        assert tuple(row) == (3, "Ann")
        members.give_role(store, "Ann", "none", "Lea")
    page.reload()
    expect(page.get_by_text("Please sign in")).to_be_visible()


def test_a_grader_adjudicates_what_a_lead_assigned_and_nothing_else(page, joined):
    enter(page, joined)
    server, _ = joined
    expect(page.get_by_role("link", name="Adjudicate")).to_have_count(0)
    visit(page, server, "/adjudicate")
    expect(page.get_by_text("No answer is assigned to you to adjudicate.")).to_be_visible()
    expect(page.locator(".pane")).to_have_count(0)
    with open_store(server.db) as store:
        ann = members.named(store, "Ann").grader_id
        sheet = sheets.find(store, "sample")
        panel = panel_reading.read(store, sheet, rubric_versions.named(store, "doc-qa-0-3")[1])
        parts = adjudications.assign(
            store, parts_of(panel, adjudicate.differing(panel))[:20], ann, "Lea"
        )
        assert parts
    visit(page, server, "/grade")
    ready(page)
    page.get_by_role("link", name="Adjudicate").click()
    expect(page.locator(".voices:visible")).to_contain_text(
        "Simulated grade, not given by an annotator."
    )
    for hidden in ("simulated-1", "author", "gpt"):
        expect(page.locator(".pane")).not_to_contain_text(hidden)
    page.keyboard.press("1")
    saved(page)
    with open_store(server.db) as store:
        [row] = store.rows("select item_id, version, score, grader_id, blind from adjudications")
        assert Part(*row[:2]) in parts and tuple(row)[2:] == (1, ann, 1)
        [noted] = store.rows("select who, what, table_name from changes where who = 'Ann'")
        assert tuple(noted) == ("Ann", "insert", "adjudications")
        adjudications.withdraw(store, parts, ann, "Lea")
    page.reload()
    expect(page.get_by_text("No answer is assigned to you to adjudicate.")).to_be_visible()
    page.get_by_role("link", name="Your grading sets").click()
    ready(page)


def test_a_signed_in_grader_s_keys_are_all_saved(page, joined):
    enter(page, joined)
    first = page.locator(".question").inner_text()
    page.keyboard.press("s")
    expect(page.locator(".question")).not_to_have_text(first)
    for key in ("3", "u", "n"):
        page.keyboard.press(key)
    page.keyboard.type("2 of 3")
    for key in ("Enter", "0", "ArrowLeft", "1", "ArrowRight", "2", "Backspace"):
        page.keyboard.press(key)
    saved(page)
    expect(page.locator(".news")).to_be_empty()
    assert told(joined[0]) == [
        ("cannot_grade", None, None, ""),
        ("scored", 0, None, "2 of 3"),
        ("scored", 1, None, ""),
        ("withdrawn", None, None, ""),
    ]


def test_what_an_older_pane_could_not_save_is_saved_when_the_page_is_opened_again(page, joined):
    """`later` was refused to signed-in graders, and each key behind it waited in the browser."""
    enter(page, joined)
    server, _ = joined
    with open_store(server.db) as store:
        grader_id = graders.find(store, "person", "Ann").id
        [made] = [one for one in grading_sets.of_sheet(store, 1) if one.name == "Team"]
        rubric = rubric_versions.get(store, made.rubric_id)
        places = workspace.window(store, made, grader_id, rubric, None).places
        version = rubric.version(rubric.criteria[0])
        prefix = f"concord.1.{store.identity()}.{made.id}.{made.created_at}.{grader_id}."
    keys = [("p0", places[0].id, "", "later", None)]
    keys += [(f"p{n}", places[n].id, version, "scored", n) for n in (1, 2, 3)]
    for number, (press_id, place, slot, status, score) in enumerate(keys):
        key = {"press_id": press_id, "place": place, "version": slot, "status": status}
        key |= {"score": score, "note": "", "quote": "", "seconds": 1.5, "t": 1, "n": number}
        kept = json.dumps([prefix + press_id, json.dumps(key)])
        page.evaluate(f"localStorage.setItem(...{kept})")
    page.evaluate(f"localStorage.setItem({json.dumps(prefix)} + 'half', '{{half')")
    page.reload()
    ready(page)
    saved(page)
    assert told(server) == [("scored", n, None, "") for n in (1, 2, 3)]
    kept = page.evaluate("Object.keys(localStorage).filter((name) => name.includes('concord.1.'))")
    assert kept == [prefix + "half"]


def test_contradicted_claims_are_decided_by_keyboard_and_stored_before_they_count(
    page, kept_server, kept_store, judged_claims
):
    visit(page, kept_server, "/review?sheet=tea&grader=Ana")
    page.get_by_role("button", name="Continue as Ana").click()
    marks = page.locator(".worklist .list .row .kind")
    expect(marks).to_have_text(["Contradicted claims"] * 2 + ["Claims and metrics"] * 2)
    expect(page.locator(".texts mark.here")).to_have_text("It rains a lot there.")
    page.locator(".worklist").focus()
    page.keyboard.press("x")
    page.keyboard.press("n")
    page.keyboard.type("y, see 2")  # letters of a note decide nothing
    page.keyboard.press("Enter")
    page.keyboard.press("y")
    expect(page.locator(".worklist .state")).to_contain_text("saved as Ana")
    expect(page.locator(".unit")).to_have_count(3)  # of the answers that follow nothing is decided
    expect(page.locator(".causes button")).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".causes button")).to_have_count(2)
    expect(page.get_by_text("1 of 2 contradicted claims confirmed")).to_be_visible()
    page.keyboard.press("0")
    expect(page.get_by_text("0 of 1 contradicted claims confirmed")).to_be_visible()
    found = kept_store.rows("select cause, note from adjudications order by id")
    assert [tuple(row) for row in found] == [
        *(("overturned", ""), ("", "y, see 2"), ("confirmed", "y, see 2"), ("", "y, see 2")),
    ]
