"""Adjudication in the grading pane, by keyboard: blind, with causes and notes, kept and undone."""

import pytest
from playwright.sync_api import expect

from concord.store import graders
from concord.store.rubrics import rubric_versions
from tests.support.browser import visit
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
    for width in (850, 1440):
        page.set_viewport_size({"width": width, "height": 850})
        for part in (".answer", ".cause", ".keys"):
            expect(page.locator(part)).to_be_in_viewport(ratio=1)
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
    give(store, rubric, "Ben", {1: 0})  # as Ana: it is in the list no more
    page.reload()
    expect(page.locator(".done")).to_have_text("0 done")


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


def test_a_grade_changed_meanwhile_refuses_the_key(page, server, store, differing):
    visit(page, server, "/adjudicate?grader=Lea")
    expect(page.locator(".done")).to_have_text("0 done")
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    give(store, rubric, "Ben", {0: 0, 1: 1})
    page.keyboard.press("3")
    expect(page.locator(".news")).to_contain_text("an annotator changed a grade of this answer")
    assert store.rows(ROWS) == []
