"""Splits and the plan in a real browser: questions are sealed, and the next set is drawn."""

from playwright.sync_api import expect

from concord.grading import grading_sets
from concord.sampling import splits
from tests.support.browser import settled, visit


def test_questions_are_sealed_after_it_is_said_what_that_takes(
    page, kept_server, kept_store, sixty_judged
):
    visit(page, kept_server, "/splits")
    expect(page.get_by_text("15 questions move to the held-out test.")).to_be_visible()
    page.get_by_role("button", name="Hold out 15 questions").click()
    expect(page.get_by_text("45 questions of “numbers” for evaluation")).to_be_visible()
    assert len(splits.held_out(kept_store, sixty_judged.id)) == 15


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
