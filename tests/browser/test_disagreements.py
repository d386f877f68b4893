"""The work list in a real Chromium: tags, a note and taking back by keyboard."""

import pytest
from playwright.sync_api import expect

from tests.support.browser import settled, visit
from tests.support.patience import until

pytestmark = pytest.mark.browser
ROWS = ".worklist .list .row"


def causes_on_disk(store):
    return [
        tuple(row) for row in store.rows("select item_id, cause from adjudications order by id")
    ]


def test_a_list_is_worked_through_by_keyboard_and_each_key_tags_what_is_shown(
    page, sample_store, server
):
    visit(page, server, "/review?judge=simulated-lenient-judge&cell=2:3")
    expect(page.locator(ROWS)).to_have_count(20)
    page.keyboard.press("1")
    expect(page.locator(".worklist .tagged.refused")).to_have_count(1)  # nobody is named yet
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
    page.keyboard.press("Backspace")
    expect(page.locator(f"{ROWS} .cause:not(.none)")).to_have_count(4)
    until(lambda: len(causes_on_disk(sample_store)) == 6)
    *tagged, (undone, cause) = causes_on_disk(sample_store)
    assert [one for _, one in tagged] == [
        *("rubric_unclear", "judge_wrong", "bad_question", "person_wrong", "both_defensible"),
    ]
    tagged = [item for item, _ in tagged]
    assert len(set(tagged)) == 5
    assert set(tagged) <= set(opened)
    assert (undone, cause) == (tagged[-1], "")

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
