"""The training round in the grading pane: the agreed scores, with reasons where some were given."""

from playwright.sync_api import expect

from concord.grading import gold_items, grading_sets
from concord.sampling import split_assignment, splits
from tests.support.grading_room import begin, known, ready, saved


def test_a_comment_that_is_begun_is_still_there_and_a_context_open_on_the_next_answer(
    page, server, store, sheet, rubric, ana
):
    page.set_viewport_size({"width": 1280, "height": 560})
    examples = splits.questions_named(store, sheet, ["000"])
    split_assignment.assign(store, examples, "few-shot", "for training")
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    scores = known(store, made, rubric, ["000-atlas", "000-birch"])
    gold_items.agree(store, made, scores, "Lea")
    begin(page, server, made)
    for _ in rubric[1].criteria:
        page.keyboard.press("2")
    comment = page.locator("#comment")
    comment.fill("Why not a")
    saved(page)
    page.reload()
    ready(page)
    expect(comment).to_have_value("Why not a")
    page.locator(".settled button").click()  # to the next answer and back
    expect(page.locator(".agreed")).to_be_hidden()
    expect(page.locator(".context.open")).to_have_count(1)  # it has room again
    page.keyboard.press("ArrowLeft")
    expect(comment).to_have_value("Why not a")
    comment.press("End")
    page.keyboard.type(" 3?\n")
    expect(page.locator(".comments li")).to_contain_text("Why not a 3?")
    expect(comment).to_have_value("")
