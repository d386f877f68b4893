"""Evidence of a grade in the grading pane: several passages, each in its place, and their undo."""

import json

from playwright.sync_api import expect

from concord.grading import grading_sets
from concord.model import Context
from concord.store import additions
from concord.store.rubrics import rubric_versions
from tests.support.grading_room import begin, given, ready, saved
from tests.support.made_items import made_item

TEXTS = ("Tea grows in Assam. Tea is old.", "In Assam it rains. 日本的首都是东京。In Assam.")


def shared_words(store):
    """A set of one answer with Markdown and two contexts that share words."""
    contexts = tuple(Context("", "", text, n) for n, text in enumerate(TEXTS, 1))
    made = [made_item(1, contexts=contexts, answer="- **Tea** grows in Assam.\n- It rains.")]
    sheet = additions.add(store, "evidence", made, "e.csv", "7" * 64, {})
    rubric_id, _ = rubric_versions.named(store, "doc-qa-0-3")
    return grading_sets.create(store, sheet.id, rubric_id, "Evidence", None, seed=1)


def find(page, words: str, hits: int) -> None:
    """Select the nth place of some words by keyboard alone."""
    page.keyboard.press("/")
    page.keyboard.insert_text(words)
    for _ in range(hits - 1):
        page.keyboard.press("Enter")
    expect(page.locator(".find span")).to_contain_text(f"{hits} of ")
    page.keyboard.press("Escape")


def marked(page) -> list[tuple[str, int, str]]:
    """What is highlighted: part, characters before it in its text, and words."""
    return page.locator("mark.evidence").evaluate_all(
        "all => all.map((one) => { const text = one.closest('[data-part]');"
        " return [text.dataset.part + text.dataset.number, before(text, one), one.textContent];"
        " function before(part, element) { const range = document.createRange();"
        " range.setStart(part, 0); range.setEndBefore(element); return range.toString().length; }"
        " })"
    )


def test_several_passages_are_marked_where_they_were_selected_and_stored_so(
    page, server, store, ana
):
    begin(page, server, shared_words(store))
    listed = page.locator(".criterion.focused .noted li")
    find(page, "in assam", 4)  # the second in the second context
    page.keyboard.press("e")
    find(page, "首都", 1)
    page.keyboard.press("e")
    find(page, "Tea", 1)
    for _ in range(6):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("e")
    names = ["Context 2 “In Assam”", "Context 2 “首都”", "Answer “Tea grows”"]
    expect(listed).to_have_text(names)
    places = [["context2", 28, "In Assam"], ["context2", 22, "首都"]]
    assert marked(page)[-2:] == sorted(places, key=lambda one: one[1])
    page.keyboard.press("m")  # raw
    expect(page.locator("pre mark.evidence")).to_have_text("Tea** grows")
    page.keyboard.press("m")
    page.keyboard.press("3")
    saved(page)
    [row] = store.rows("select quote, marked_passages from grades")
    assert row["quote"] == "In Assam […] 首都 […] Tea grows"
    kept = [tuple(one.values()) for one in json.loads(row["marked_passages"])]
    assert kept == [
        ("context", 2, 2, "In Assam"),
        ("context", 2, 1, "首都"),
        ("answer", 1, 1, "Tea grows"),
    ]
    page.reload()
    ready(page)
    page.keyboard.press("k")
    expect(listed).to_have_count(3)
    assert [tuple(one) for one in marked(page)[-2:]] == [
        ("context2", 22, "首都"),
        ("context2", 28, "In Assam"),
    ]
    find(page, "assam", 4)
    page.keyboard.press("e")  # overlaps a marked one
    expect(listed).to_have_text(["Context 2 “首都”", "Answer “Tea grows”"])
    page.locator("mark.evidence").last.click()
    page.keyboard.press("e")  # the cursor is in one
    expect(listed).to_have_text(["Answer “Tea grows”"])
    page.keyboard.press("e")  # the last
    expect(listed).to_have_count(0)
    saved(page)
    assert [(row["score"], row["quote"]) for row in given(store)] == [(3, "")]
