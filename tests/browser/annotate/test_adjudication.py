"""Adjudication in the grading pane, by keyboard: blind, with causes and notes, kept and undone."""

import pytest
from playwright.sync_api import expect

from concord.grading import grading_sets
from concord.grading.adjudication import adjudicators
from concord.store import additions, graders, items
from concord.store.rubrics import rubric_versions
from tests.support.browser import settled, visit
from tests.support.grading_room import question, saved
from tests.support.made_items import made_item
from tests.support.panels import give

ROWS = "select score, cause, note, blind, grader_id from adjudications order by id"


def test_two_answers_are_adjudicated_by_key(page, server, store, differing):
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    for who in ("Ana", "Ben"):
        give(store, rubric, who, {0: 3, 1: 3}, criterion="readability")
    visit(page, server, "/adjudicate?grader=Lea")
    expect(page.locator(".done")).to_have_text("0 done")
    hidden = "Hidden: 1 criterion on which annotators do not differ"
    expect(page.locator(".alike summary")).to_have_text(hidden)
    expect(page.locator(".voices:visible tbody tr")).to_have_count(2)
    expect(page.locator(".voices:visible")).to_contain_text("said one")
    expect(page.locator(".letters")).to_have_count(2)
    for hidden in ("judge said", "Ben", "Ana"):
        expect(page.locator(".pane")).not_to_contain_text(hidden)
    first = question(page).inner_text()
    page.keyboard.press("l")
    cause = page.locator(".cause [aria-pressed=true]")
    expect(cause).to_have_text("Lan annotator overlooked something")
    page.keyboard.press("n")
    page.keyboard.type("the date")
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    expect(page.locator(".done")).to_have_text("1 done")
    page.keyboard.press("u")
    page.keyboard.press("9")
    page.keyboard.press("2")
    saved(page)
    expect(page.locator(".count")).to_have_text("2 of 2")
    expect(page.get_by_text("All 2 answers are adjudicated.")).to_be_visible()
    assert [tuple(row) for row in store.rows(ROWS)] == [
        (1, "overlooked", "the date", 1, differing),
        (2, "", "", 1, differing),
    ]
    page.keyboard.press("Backspace")
    saved(page)
    expect(page.locator(".done")).to_have_text("1 done")
    assert store.rows(ROWS)[-1]["score"] is None
    page.reload()
    expect(page.locator(".done")).to_have_text("1 done")
    page.keyboard.press("Backspace")  # what was decided before this visit stays
    expect(page.locator(".flash")).to_have_text("Nothing to undo here.")
    page.keyboard.press("ArrowLeft")
    expect(question(page)).to_have_text(first)
    expect(page.locator(".before")).to_contain_text("Adjudicated as 1 by Lea")
    give(store, rubric, "Ben", {1: 0})  # as Ana: what was done stays done
    page.reload()
    expect(page.locator(".done")).to_have_text("1 done")
    expect(page.locator(".top .left")).to_have_text("done and no longer in this list: 1 answer")


def test_a_name_is_typed_at_once_and_the_key_after_it_is_heard(page, server, store, differing):
    visit(page, server, "/adjudicate")
    expect(page.locator(".done")).to_have_text("0 done")
    page.get_by_role("button", name="Your name").focus()
    page.keyboard.press("?")  # a control outside the pane keeps its keys
    expect(page.locator(".help")).to_be_hidden()
    page.keyboard.press("Enter")
    box = page.get_by_role("combobox", name="You")
    expect(box).to_be_focused()
    settled(page)
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    page.get_by_role("button", name="Your name").click()
    expect(box).to_be_focused()
    settled(page)
    page.keyboard.type("Lea")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-you-menu button")).to_contain_text("Lea")
    expect(page.get_by_role("dialog")).to_have_count(0)
    settled(page)
    # The pane is drawn a moment after the run has ended.
    expect(page.locator(".who:not(.out)")).to_have_text("Lea")
    page.keyboard.press("1")
    saved(page)
    page.locator(".st-key-tabs a").first.focus()
    page.keyboard.press("2")
    page.locator("#pane").focus()
    page.keyboard.press("d")  # of the score before
    saved(page)
    assert [(row["score"], row["cause"]) for row in store.rows(ROWS)] == [
        (1, ""),
        (1, "both_defensible"),
    ]


def test_a_digit_is_heard_after_a_switch_and_after_another_language(page, server, store, differing):
    visit(page, server, "/adjudicate?grader=Lea")
    expect(page.locator(".done")).to_have_text("0 done")
    page.get_by_text("Also answers that I graded myself").click()
    settled(page)
    page.keyboard.press("1")
    expect(page.locator(".done")).to_have_text("1 done")
    page.locator(".does [data-key=n]").click()
    page.keyboard.type("half a ")
    page.get_by_role("combobox", name="Language").click()
    page.get_by_role("option", name="日本語").click()
    expect(page.locator(".does")).not_to_contain_text("undo")
    settled(page)
    expect(page.locator(".note label")).not_to_contain_text("Note")
    expect(page.locator(".last")).not_to_contain_text("Last")
    page.keyboard.type("note")
    page.keyboard.press("Enter")
    page.keyboard.press("2")
    expect(page.locator(".count")).to_have_text("2 / 2")
    saved(page)
    assert [(row["score"], row["note"]) for row in store.rows(ROWS)] == [
        (1, ""),
        (2, "half a note"),
    ]


def test_one_cause_serves_all_criteria_of_an_answer_in_four_keys(page, server, store, sheet):
    disputed(store)
    visit(page, server, "/adjudicate?grader=Lea")
    expect(page.locator(".done")).to_have_text("0 done")
    page.keyboard.press("q")
    chosen = page.locator(".cause [aria-pressed=true]")
    expect(chosen).to_have_text("Qbad question or context")
    page.keyboard.press("1")
    expect(chosen).to_have_text("Qbad question or context")  # also of the next criterion
    page.keyboard.press("q")
    expect(chosen).to_have_count(0)
    page.keyboard.press("r")
    page.keyboard.press("2")
    page.keyboard.press("3")
    saved(page)
    assert [(row["score"], row["cause"]) for row in store.rows(ROWS)] == [
        (1, "bad_question"),
        (2, "rubric_unclear"),
        (3, "rubric_unclear"),
    ]


def test_a_cause_right_after_a_score_is_the_cause_of_that_score(
    page, server, store, sheet, differing
):
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    for criterion in rubric.criteria[1:]:
        give(store, rubric, "Ana", {0: 3, 1: 0}, criterion.name)
        give(store, rubric, "Ben", {0: 2, 1: 3}, criterion.name)
    visit(page, server, "/adjudicate?grader=Lea")
    expect(page.locator(".done")).to_have_text("0 done")
    for key in "1q23":  # after the first of three scores: all three have it
        page.keyboard.press(key)
    expect(page.locator(".done")).to_have_text("1 done")
    for key in "123":
        page.keyboard.press(key)
    expect(page.locator(".count")).to_have_text("2 of 2")
    page.keyboard.press("r")  # after the last score of an answer: that one has it
    expect(page.locator(".last")).to_have_text("Last answer: Readability · rubric unclear")
    saved(page)
    newest = [
        (row["score"], row["cause"])
        for row in store.rows(
            "select score, cause from adjudications where id in"
            " (select max(id) from adjudications group by item_id, version) order by id"
        )
    ]
    bad = "bad_question"
    assert sorted(newest) == [(1, ""), (1, bad), (2, ""), (2, bad), (3, bad), (3, "rubric_unclear")]


def disputed(store):
    """Let annotators differ on every criterion of one answer, which Lea adjudicates."""
    graders.ensure(store, "person", "Lea")
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    for criterion in rubric.criteria:
        give(store, rubric, "Ana", {0: 3}, criterion.name)
        give(store, rubric, "Ben", {0: 2}, criterion.name)
    return rubric


def newest(store):
    """Return the cause of each score as it is now."""
    ids = "(select max(id) from adjudications group by item_id, version)"
    return dict(store.rows(f"select score, cause from adjudications where id in {ids}"))


def test_a_cause_after_each_score_is_that_of_the_score_before_it(page, server, store, sheet):
    rubric = disputed(store)
    for name, score in (("Ana", 3), ("Ben", 2)):
        give(store, rubric, name, {1: score})
    visit(page, server, "/adjudicate?grader=Lea")
    expect(page.locator(".done")).to_have_text("0 done")
    if page.locator(".steps li").count() == 1:  # first the answer with three criteria
        page.keyboard.press("ArrowRight")
    expect(page.locator(".steps li")).to_have_count(3)
    for key in "1q2r3d":
        page.keyboard.press(key)
    expect(page.locator(".last")).to_have_text("Last answer: Readability · both defensible")
    expect(page.locator(".cause [aria-pressed=true]")).to_have_count(0)  # of the other answer
    saved(page)
    assert newest(store) == {1: "bad_question", 2: "rubric_unclear", 3: "both_defensible"}


@pytest.mark.parametrize("keys", ["1qr2d3", "1qq2q3", "q1r2d3", "1q2r3d"])
def test_a_cause_before_a_score_is_of_the_answer_that_is_shown(page, server, store, sheet, keys):
    """Also where the cause of the answer before came after its score."""
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    graders.ensure(store, "person", "Lea")
    for name, score in (("Ana", 3), ("Ben", 2)):
        give(store, rubric, name, dict.fromkeys(range(3), score))
    visit(page, server, "/adjudicate?grader=Lea")
    expect(page.locator(".done")).to_have_text("0 done")
    for key in keys:
        page.keyboard.press(key)
    saved(page)
    names = {"q": "bad_question", "r": "rubric_unclear", "d": "both_defensible"}
    causes = [names[key] for key in keys if key in names]
    assert newest(store) == dict(zip((1, 2, 3), causes, strict=True))


def test_the_same_cause_after_each_score_is_that_of_all(page, server, store, sheet):
    disputed(store)
    visit(page, server, "/adjudicate?grader=Lea")
    expect(page.locator(".done")).to_have_text("0 done")
    for key in "1q2q3q":
        page.keyboard.press(key)
    saved(page)
    assert newest(store) == dict.fromkeys((1, 2, 3), "bad_question")


def test_a_cause_after_a_changed_score_leaves_the_next_score_as_it_is(page, server, store, sheet):
    disputed(store)
    visit(page, server, "/adjudicate?grader=Lea")
    expect(page.locator(".done")).to_have_text("0 done")
    for key in "023d":
        page.keyboard.press(key)
    expect(page.locator(".last")).to_contain_text("both defensible")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("1")
    page.keyboard.press("q")
    saved(page)
    assert newest(store) == {1: "bad_question", 2: "", 3: "both_defensible"}


def test_a_cause_after_the_last_score_is_not_that_of_the_next_answer(
    page, server, store, differing
):
    visit(page, server, "/adjudicate?grader=Lea")
    expect(page.locator(".done")).to_have_text("0 done")
    chosen = page.locator(".cause [aria-pressed=true]")
    page.keyboard.press("1")
    expect(page.locator(".done")).to_have_text("1 done")
    page.keyboard.press("d")
    expect(page.locator(".last")).to_contain_text("Correctness · both defensible")
    expect(chosen).to_have_count(0)
    page.keyboard.press("q")  # the last answer has its cause: this is of the one on screen
    expect(chosen).to_have_text("Qbad question or context")
    expect(page.locator(".said")).to_have_text(
        "Cause: bad question or context (Answer 2 of 2 · Correctness)"
    )
    page.keyboard.press("2")
    saved(page)
    assert [(row["score"], row["cause"]) for row in store.rows(ROWS)] == [
        (1, ""),
        (1, "both_defensible"),
        (2, "bad_question"),
    ]


def test_a_grade_changed_meanwhile_refuses_the_key(page, server, store, differing):
    visit(page, server, "/adjudicate?grader=Lea")
    expect(page.locator(".done")).to_have_text("0 done")
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    give(store, rubric, "Ben", {0: 0, 1: 1})
    page.keyboard.press("3")
    expect(page.locator(".news")).to_contain_text("an annotator changed a grade of this answer")
    assert store.rows(ROWS) == []


def test_the_end_of_a_set_leads_to_what_is_left_to_adjudicate(
    page, server, store, sheet, differing
):
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    first, *_ = items.item_ids(store, sheet.id)
    for who, score in (("Ana", 0), ("Ben", 3)):
        give(store, rubric, who, {0: score}, criterion="readability")
    part = adjudicators.Part(first, rubric.versions()["correctness"])
    adjudicators.assign(store, [part], differing, "Max")
    other = additions.add(store, "other", [made_item(1)], "other.csv", "5" * 64, {})
    rubric_id, _ = rubric_versions.named(store, "holistic-1-10")
    made = grading_sets.create(store, other.id, rubric_id, "Set 1", None, seed=1, repeat_share=0)
    visit(page, server, f"/grade?view=grader&set={made.id}&grader=Lea")
    expect(page.locator(".done")).to_have_text("0 done")
    page.keyboard.press("5")
    saved(page)
    end = page.locator(".end")
    expect(end).to_contain_text("Still assigned to you to adjudicate: 1 answer.")
    expect(end).not_to_contain_text("close this window")
    page.get_by_role("link", name="Adjudicate 1 answer").click()
    expect(page.locator(".done")).to_have_text("0 done")
    # They differ on readability, too, which was not assigned.
    expect(page.locator(".voices:visible")).to_have_count(1)
    expect(page.locator(".alike")).to_have_count(0)
    page.keyboard.press("1")
    expect(page.locator(".count")).to_have_text("1 of 1")
    saved(page)
    page.get_by_role("link", name="Your grading sets").click()
    expect(end).to_contain_text("you can close this window")
    expect(page.get_by_role("link", name="Your adjudicated answers")).to_be_visible()


def test_what_the_pane_says_is_in_sight_where_the_pane_is_not_wholly(
    page, server, store, differing
):
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, server, "/adjudicate?grader=Lea")
    flash = page.locator(".flash")
    expect(page.locator(".answer")).to_have_count(1)
    pane = page.locator(".pane").bounding_box()
    assert pane["y"] + pane["height"] > 844
    page.keyboard.press("ArrowLeft")
    expect(flash).to_have_text("This is the first answer.")
    expect(flash).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size", [(640, 450), (390, 844)])
def test_a_small_screen_has_room_for_six_lines_of_the_answer(page, server, store, differing, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    visit(page, server, "/adjudicate?grader=Lea")
    answer, scores = page.locator(".answer"), page.locator(".voices:visible")
    page.locator(".pane").evaluate("one => one.scrollIntoView()")
    expect(answer).to_have_count(1)
    room = """one => (one.closest('.body').getBoundingClientRect().bottom
      - one.getBoundingClientRect().top) / parseFloat(getComputedStyle(one).lineHeight)"""
    covered = """one => Math.max(0, one.closest('.body').querySelector('.rubric')
      .getBoundingClientRect().top - one.getBoundingClientRect().bottom)"""
    assert answer.evaluate(room) >= 6
    assert answer.evaluate(covered) > 0  # the scores are below it
    expect(scores).not_to_be_in_viewport()
    page.get_by_test_id("stMain").evaluate("one => one.scrollTo(0, 0)")  # as the page opens
    page.keyboard.press("End")
    above_keys(scores, page.locator(".keys"))
    page.set_viewport_size({"width": 1280, "height": 720})  # the scores have a column of their own
    expect(page.locator(".does .range")).to_have_text("0–3 grade")
    expect(page.locator(".does :is(.range, [data-key='/']):visible")).to_have_count(2)
    page.keyboard.press("Home")
    page.keyboard.press("Home")
    expect(answer).to_be_in_viewport()
    page.keyboard.press("End")
    page.keyboard.press("End")
    above_keys(scores, page.locator(".keys"))


def above_keys(scores, keys):
    """What annotators gave can be read whole, and the line of keys covers none of it."""
    expect(scores).to_be_in_viewport(ratio=1)
    box = scores.bounding_box()
    assert box["y"] + box["height"] <= keys.bounding_box()["y"]
