"""The grading screen in a real Chromium: contexts of 20,000 characters next to the answer."""

from playwright.sync_api import expect

from concord.grading import grading_sets
from concord.model import Context
from concord.store import additions
from concord.store.rubrics import rubric_versions
from tests.support.browser import visit
from tests.support.grading_room import begin, given, saved
from tests.support.made_items import made_item

LONG = "Tea is grown in Assam, where it rains a lot. " * 444 + "The last words."
LENGTH = f"{len(LONG):,} characters"


def long_set(store, words=40):
    """One answer with a short context and one of 20,000 characters."""
    contexts = (Context("", "", "It is short.", 1), Context("", "", LONG, 2))
    made = [made_item(1, contexts=contexts, answer="Assam. " * words)]
    sheet = additions.add(store, "long", made, "long.csv", "8" * 64, {})
    rubric_id, _ = rubric_versions.named(store, "doc-qa-0-3")
    return grading_sets.create(store, sheet.id, rubric_id, "Long", None, seed=1)


def test_a_long_context_is_read_next_to_the_answer(page, server, store, ana):
    begin(page, server, long_set(store))
    answer, context = page.locator(".answer"), page.locator(".context").nth(1)
    expect(context.locator(".length")).to_have_text(LENGTH)
    expect(page.get_by_role("button", name="back to the answer")).to_be_hidden()
    expect(page.get_by_text("expand all")).to_have_attribute("title", "Expand all contexts (O)")
    context.get_by_role("button").click()
    expect(context.locator(".length")).to_be_hidden()
    expect(page.get_by_text("collapse all")).to_have_attribute("title", "Collapse all contexts (O)")
    left, right = answer.bounding_box(), context.bounding_box()
    assert left["x"] + left["width"] <= right["x"]
    assert left["y"] < 400 and right["y"] < 400
    page.keyboard.press("End")  # scrolls what was opened
    sources = page.locator(".sources")
    assert sources.evaluate("one => one.scrollTop") > 5000
    expect(answer).to_be_in_viewport()
    expect(page.get_by_role("button", name="back to the answer")).to_be_in_viewport()
    context.get_by_role("button").click()
    expect(page.locator(".read.split")).to_have_count(0)


def test_back_at_a_long_answer_keys_scroll_the_answer(page, server, store, ana):
    begin(page, server, long_set(store, words=900))
    page.locator(".context").nth(1).get_by_role("button").click()
    page.keyboard.press("End")
    sources = page.locator(".sources")
    page.keyboard.press("a")
    far = sources.evaluate("one => one.scrollTop")
    page.keyboard.press("Home")
    assert far > 5000 and sources.evaluate("one => one.scrollTop") == far


def test_keys_scroll_the_long_context_where_the_answer_is_whole_on_screen(page, server, store, ana):
    begin(page, server, long_set(store))
    page.locator(".context").nth(1).get_by_role("button").click()
    before = page.locator(".sources").evaluate("one => one.scrollTop")
    page.keyboard.press("a")
    page.keyboard.press("ArrowDown")
    assert page.locator(".sources").evaluate("one => one.scrollTop") > before


def test_keys_scroll_on_from_what_was_found(page, server, store, ana):
    begin(page, server, long_set(store, words=900))
    page.keyboard.press("/")
    page.keyboard.type("last words")
    expect(page.locator("mark.here")).to_be_in_viewport()
    page.keyboard.press("Escape")
    found = page.locator(".sources").evaluate("one => one.scrollTop")
    page.keyboard.press("ArrowUp")
    assert page.locator(".sources").evaluate("one => one.scrollTop") < found


def test_on_a_narrow_screen_one_jumps_back_to_the_answer(page, server, store, ana):
    page.set_viewport_size({"width": 390, "height": 844})
    begin(page, server, long_set(store))
    page.locator(".context").nth(1).get_by_role("button").click()
    page.keyboard.press("End")
    expect(page.locator(".answer")).not_to_be_in_viewport()
    page.locator(".read").evaluate("one => one.scrollTop = 3000")
    page.get_by_role("button", name="back to the answer").click()
    expect(page.locator(".answer")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_two_columns_of_texts_leave_room_for_lines_that_can_be_read(page, server, store, ana):
    page.set_viewport_size({"width": 1280, "height": 800})
    visit(page, server, f"/grade?set={long_set(store).id}&grader=Ana")  # beside the list of screens
    page.locator(".context").nth(1).get_by_role("button").click()
    assert page.locator(".context.open .plain").last.bounding_box()["width"] > 320
    assert page.locator(".answer").bounding_box()["width"] > 220


def test_what_is_found_in_a_long_context_is_extended_and_marked_by_keyboard(
    page, server, store, ana
):
    begin(page, server, long_set(store))
    page.keyboard.press("/")
    page.keyboard.type("The last")
    expect(page.locator(".find")).to_contain_text("1 of 1")
    page.keyboard.press("Escape")
    for _ in range(6):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("e")
    expect(page.locator("mark.evidence")).to_have_text("The last words")
    expect(page.locator("mark.evidence")).to_be_in_viewport()
    page.keyboard.press("Shift+ArrowLeft")  # with nothing selected it is an arrow
    page.keyboard.press("3")
    saved(page)
    assert [(row["score"], row["quote"]) for row in given(store)] == [(3, "The last words")]


def test_what_is_found_in_a_long_context_is_shown_next_to_the_answer(page, server, store, ana):
    begin(page, server, long_set(store))
    page.keyboard.press("/")
    page.keyboard.type("last words")
    expect(page.locator("mark.here")).to_be_in_viewport()
    expect(page.locator(".answer")).to_be_in_viewport()
