"""Splits and the plan in a real browser: questions are sealed, and the next set is drawn."""

from playwright.sync_api import expect

from concord.grading import grading_sets
from concord.sampling import splits
from tests.support.browser import settled, visit


def test_questions_are_sealed_after_it_is_said_what_that_takes(
    page, kept_server, kept_store, sixty_judged
):
    visit(page, kept_server, "/splits")
    expect(
        page.get_by_text("15 questions move to the held-out test: no figure counts them")
    ).to_be_visible()
    page.get_by_role("button", name="Hold out 15 questions").click()
    expect(page.get_by_text("45 questions of “numbers” for evaluation")).to_be_visible()
    assert len(splits.held_out(kept_store, sixty_judged.id)) == 15


def test_every_question_that_is_chosen_stays_in_sight(page, kept_server, sixty_judged):
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, kept_server, "/splits")
    field = page.get_by_test_id("stMultiSelect")
    for number in range(3):
        field.locator("input").click()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(field.locator("[data-tag]")).to_have_count(number + 1)
        settled(page)
    page.keyboard.press("Escape")
    expect(page.get_by_text("3 questions move to the few-shot pool: judges may")).to_be_visible()
    within = field.get_by_test_id("stMultiSelectTagsContainer").bounding_box()
    for chip in field.locator("[data-tag]").all():
        box = chip.bounding_box()
        assert box["y"] >= within["y"] and box["x"] >= within["x"]
        assert box["y"] + box["height"] <= within["y"] + within["height"]
        assert box["x"] + box["width"] <= within["x"] + within["width"]


def test_a_set_with_more_suspected_failures_is_drawn_on_a_narrow_screen(
    page, kept_server, kept_store, sixty_judged
):
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, kept_server, "/plan")
    page.get_by_text("Oversample suspected failures").click()
    expect(page.get_by_text("40 questions with 80 answers")).to_be_visible()
    page.get_by_role("button", name="Create grading set").click()
    expect(page.get_by_text("contains 40 questions with 80 answers")).to_be_visible()
    settled(page)
    width = page.evaluate("document.scrollingElement.scrollWidth")
    assert width <= 390
    (made,) = grading_sets.of_sheet(kept_store, sixty_judged.id)
    assert grading_sets.strata(kept_store, made.id)["atlas + birch; suspected"] == (15, 15)


def test_enter_in_the_list_of_questions_chooses_one_of_them(page, kept_server, sixty_judged):
    visit(page, kept_server, "/splits")
    field = page.get_by_test_id("stMultiSelect")
    field.locator("input").click()
    page.keyboard.type("1")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(field.locator("[data-tag]")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Move 1 question to the")).to_be_visible()
