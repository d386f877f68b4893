"""The training round in the grading pane: the agreed scores, with reasons where some were given."""

import pytest
from playwright.sync_api import expect

from concord.grading import campaigns, grading_sets, training_round
from concord.sampling import split_assignment, splits
from concord.store import graders
from tests.support.grading_room import begin, question, ready, saved
from tests.support.known import known, prepared


@pytest.mark.parametrize(
    ("reason", "columns"), [("agreed", ["", "you", "agreed", "why"]), ("", ["", "you", "agreed"])]
)
def test_agreed_scores_have_reasons_only_where_some_were_given(
    page, server, store, sheet, rubric, ana, reason, columns
):
    examples = splits.questions_named(store, sheet, ["000"])
    split_assignment.assign(store, examples, "few-shot", "for training")
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    begin(page, server, made)
    for _ in rubric[1].criteria:
        page.keyboard.press("3")
    saved(page)
    first_open = question(page).inner_text()
    scores = known(store, made, rubric, ["000-atlas"], reason=reason)
    training_round.agree(store, made, scores, "Lea")
    begin(page, server, made)
    for _ in rubric[1].criteria:
        page.keyboard.press("2")
    expect(page.locator(".settled th[scope=col]")).to_have_text(columns)
    told = "Criteria on which your grade matches the agreed score: 3 of 3."
    expect(page.locator(".said")).to_have_text(told)
    expect(page.locator(".settled tr").nth(1).locator("th, td")).to_have_count(len(columns))
    page.set_viewport_size({"width": 390, "height": 844})  # the reasons are below the scores
    last = page.locator(".settled td:last-child").first
    assert last.bounding_box()["width"] > 250 or not reason
    # What was said of the training goes with it, and what was graded before it is not shown again.
    left = "one => { one.textContent = 'told'; document.dispatchEvent(new KeyboardEvent('keydown',"
    left += " {key: 'ArrowRight', bubbles: true, composed: true})); return one.textContent; }"
    assert page.locator(".flash").evaluate(left) == ""
    expect(question(page)).to_have_text(first_open)


def test_what_is_saved_is_in_sight_below_the_agreed_scores_and_a_note(
    page, server, store, sheet, rubric, ana
):
    page.set_viewport_size({"width": 390, "height": 664})
    examples = splits.questions_named(store, sheet, ["000"])
    split_assignment.assign(store, examples, "few-shot", "for training")
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    training_round.agree(store, made, known(store, made, rubric, ["000-atlas"]), "Lea")
    begin(page, server, made)
    for _ in rubric[1].criteria:
        page.keyboard.press("2")
    expect(page.locator(".settled th[scope=col]").first).to_be_attached()
    saved(page)
    page.keyboard.press("n")
    expect(page.locator(".note")).to_be_visible()
    expect(page.locator(".state")).to_contain_text("saved")
    expect(page.locator(".state")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    expect(page.locator(".remark")).to_be_visible()
    expect(page.locator(".state")).to_be_in_viewport(ratio=1)


def test_a_comment_that_is_begun_is_still_there_and_a_context_open_on_the_next_answer(
    page, server, store, sheet, rubric, ana
):
    page.set_viewport_size({"width": 1280, "height": 560})
    examples = splits.questions_named(store, sheet, ["000"])
    split_assignment.assign(store, examples, "few-shot", "for training")
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    scores = known(store, made, rubric, ["000-atlas", "000-birch"])
    training_round.agree(store, made, scores, "Lea")
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


def test_who_has_no_block_of_a_campaign_is_told_so_after_the_training_round(
    page, server, store, sheet, rubric, ana
):
    made = prepared(store, sheet, rubric, "Team")
    campaigns.begin(store, made, [graders.ensure(store, "person", "Bo")], 1)
    begin(page, server, made)
    for _ in rubric[1].criteria:
        page.keyboard.press("2")
    expect(page.locator(".settled th[scope=col]").first).to_be_attached()
    saved(page)
    page.keyboard.press("ArrowRight")
    told = "There is nothing to grade yet No answer of this set is assigned to you. Ask the lead."
    expect(page.locator(".end")).to_have_text(told.replace("yet No", "yetNo"))
