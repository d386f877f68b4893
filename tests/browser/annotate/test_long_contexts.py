"""The grading screen in a real Chromium: contexts of 20,000 characters next to the answer."""

from playwright.sync_api import expect

from concord.grading import grading_sets
from concord.model import Context
from concord.store import additions
from concord.store.rubrics import rubric_versions
from tests.support.grading_room import begin, given, saved
from tests.support.made_items import made_item

LONG = "Tea is grown in Assam, where it rains a lot. " * 444 + "The last words."


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
    context.get_by_role("button").click()
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
