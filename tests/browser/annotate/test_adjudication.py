"""Adjudication in the grading pane, by keyboard: blind, with causes and notes, kept and undone."""

import pytest
from playwright.sync_api import expect

from concord.store import graders
from concord.store.rubrics import rubric_versions
from tests.support.browser import settled, visit
from tests.support.grading_room import question, saved
from tests.support.panels import give

ROWS = "select score, cause, note, blind, grader_id from adjudications order by id"


def test_two_answers_are_adjudicated_by_key(page, server, store, differing):
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    for who in ("Ana", "Ben"):
        give(store, rubric, who, {0: 3, 1: 3}, criterion="readability")
    visit(page, server, "/adjudicate?grader=Lea")
    expect(page.locator(".done")).to_have_text("0 done")
    expect(page.locator(".alike summary")).to_have_count(1)  # where they do not differ
    expect(page.locator(".voices:visible tbody tr")).to_have_count(2)
    for hidden in ("judge said", "Ben", "Ana"):
        expect(page.locator(".pane")).not_to_contain_text(hidden)
    first = question(page).inner_text()
    page.keyboard.press("l")
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
    page.keyboard.press("ArrowLeft")
    expect(question(page)).to_have_text(first)
    give(store, rubric, "Ben", {1: 0})  # as Ana: what was done stays done
    page.reload()
    expect(page.locator(".done")).to_have_text("1 done")


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


def test_a_grade_changed_meanwhile_refuses_the_key(page, server, store, differing):
    visit(page, server, "/adjudicate?grader=Lea")
    expect(page.locator(".done")).to_have_text("0 done")
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    give(store, rubric, "Ben", {0: 0, 1: 1})
    page.keyboard.press("3")
    expect(page.locator(".news")).to_contain_text("an annotator changed a grade of this answer")
    assert store.rows(ROWS) == []
