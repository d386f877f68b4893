"""The work list in a real Chromium: tags, a note and taking back by keyboard."""

import pytest
from playwright.sync_api import expect

from tests.support.browser import settled, visit
from tests.support.patience import until

pytestmark = pytest.mark.browser
ROWS = ".worklist .list .row"


def causes_on_disk(store):
    rows = store.rows("select item_id, cause, note from adjudications order by id")
    return [(row["item_id"], row["cause"], row["note"]) for row in rows]


def test_a_list_is_worked_through_by_keyboard_and_each_key_tags_what_is_shown(
    page, sample_store, server
):
    visit(page, server, "/review?judge=simulated-lenient-judge&cell=2:3")
    expect(page.locator(ROWS)).to_have_count(20)
    page.keyboard.press("1")
    expect(page.locator(".worklist .tagged.refused")).to_contain_text("first choose “Your name”")
    page.get_by_role("button", name="Your name").click()
    you = page.get_by_role("combobox", name="You")
    you.fill("Zoë")
    you.press("Enter")
    page.get_by_role("button", name="Continue as").click()
    expect(page.locator(".worklist .tagged.refused")).to_have_count(0)  # it knows who that is
    expect(page.locator(ROWS).first).to_be_visible()
    opened = [
        row["item_id"]
        for row in sample_store.rows(
            "select item_id from openings o join graders g on g.id = grader_id and g.name = 'Zoë'"
        )
    ]
    for key in "31425":  # faster than any answer of the server
        page.keyboard.press(key)
    expect(page.locator(f"{ROWS} .cause:not(.none)")).to_have_count(5)
    expect(page.get_by_text("5 of ")).to_be_visible()
    page.keyboard.press("n")
    page.keyboard.type("3 rooms or 2?")
    page.keyboard.press("Enter")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    expect(page.locator(f"{ROWS} .cause:not(.none)")).to_have_count(4)
    expect(page.locator(".worklist .state")).to_contain_text("saved as Zoë")
    until(lambda: len(causes_on_disk(sample_store)) == 8)
    found = causes_on_disk(sample_store)
    tagged = [item for item, _, _ in found[:5]]
    assert [cause for _, cause, _ in found] == [
        *("rubric_unclear", "judge_wrong", "bad_question", "person_wrong", "both_defensible"),
        *("", "", ""),
    ]
    assert len(set(tagged)) == 5
    assert set(tagged) <= set(opened)
    assert [note for _, _, note in found[5:]] == ["3 rooms or 2?", "", ""]
    assert found[-1][0] == tagged[-1]

    page.get_by_title("Next page").click()
    expect(page.locator(".pager")).to_contain_text("page 2 of 3")
    page.keyboard.press("z")  # takes back what was done on the page before
    expect(page.locator(".pager")).to_contain_text("page 1 of 3")
    expect(page.locator(f"{ROWS} .cause:not(.none)")).to_have_count(3)

    settled(page)  # the rows are drawn again with the server's answer, and lose the focus
    page.locator(ROWS).nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.locator(ROWS).nth(1)).to_have_attribute("aria-current", "true")
    expect(page.locator(ROWS).nth(1)).to_be_focused()  # though the list was drawn anew

    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_text("Prompt as sent").click()
    expect(page.get_by_text("No prompt is stored")).to_be_visible()
    wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    assert not wide


def test_only_what_can_be_pressed_is_enabled(page, sample_store, server):
    visit(page, server, "/review?judge=simulated-lenient-judge&cell=2:3")
    expect(page.locator(ROWS)).to_have_count(20)
    expect(page.locator(".causes button:enabled")).to_have_count(0)  # no name, and a line says so
    expect(page.locator(".does button:enabled")).to_have_text(["→ next"])
    expect(page.locator(".unnamed")).to_contain_text("To decide, choose “Your name”")
    page.get_by_role("button", name="Your name").click()
    you = page.get_by_role("combobox", name="You")
    you.fill("Ana")
    you.press("Enter")
    page.get_by_role("button", name="Continue as").click()
    expect(page.locator(".causes button:disabled")).to_have_count(0)
    expect(page.locator(".does button:enabled")).to_have_text(["→ next", "N note"])
    page.locator(".worklist").press("1")
    expect(page.locator(".does button:disabled")).to_have_text(["0 no cause"])


def test_the_list_is_one_stop_for_the_tab_key(page, sample_store, server):
    visit(page, server, "/review?judge=simulated-lenient-judge&cell=2:3")
    expect(page.locator(ROWS)).to_have_count(20)
    settled(page)
    page.locator(ROWS).first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(ROWS).nth(1)).to_be_focused()
    expect(page.locator(ROWS).nth(1)).to_have_attribute("aria-current", "true")
    page.keyboard.press("Tab")
    expect(page.get_by_title("Next page")).to_be_focused()


def test_the_entry_that_an_address_names_and_the_line_below_are_whole(page, sample_store, server):
    """The line below the list takes room from it once the list is there."""
    visit(page, server, "/review?judge=simulated-lenient-judge&cell=2:3")
    expect(page.locator(ROWS)).to_have_count(20)
    page.locator(ROWS).nth(9).click()
    expect(page.locator(ROWS).nth(9)).to_have_attribute("aria-current", "true")
    page.goto(page.url)
    expect(page.locator(f"{ROWS}[aria-current]")).to_have_count(1)
    settled(page)
    for selector in (f"{ROWS}[aria-current]", ".worklist .unnamed"):
        until(lambda selector=selector: page.evaluate(CUT, selector) == 0)


# By how much an element is cut off at the end of what holds it, or by its own height.
CUT = """selector => {
  const pierced = root => root.querySelector(selector) ??
    [...root.querySelectorAll('*')].map(e => e.shadowRoot && pierced(e.shadowRoot)).find(Boolean);
  const one = pierced(document);
  const held = one.closest('.list') ?? one;
  const over = one.getBoundingClientRect().bottom - held.getBoundingClientRect().bottom;
  return Math.max(0, Math.round(over), one.scrollHeight - one.clientHeight - 2);
}"""
