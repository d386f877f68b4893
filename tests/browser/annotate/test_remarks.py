"""Flags and corrected answers in a real Chromium: written by key, told of a reply, kept."""

from playwright.sync_api import expect

from concord.grading import comments
from concord.grading.comments import At
from tests.support.grading_room import begin, given, question, queue, saved


def test_a_flag_is_sent_by_key_and_its_reply_is_found_again(page, server, store, grading, ana):
    begin(page, server, grading)
    flagged = question(page).inner_text()
    for key in ("f", *"Is 1 tea?", "Enter"):
        page.keyboard.press("Space" if key == " " else key)
    expect(page.locator(".remarks")).to_have_text("Flagged Is 1 tea?")
    page.keyboard.press("f")
    page.keyboard.type("half a thought")
    page.keyboard.press("Escape")
    page.keyboard.press("7")
    page.keyboard.press("7")
    saved(page)
    assert [row["score"] for row in given(store)] == [7, 7]
    [text] = store.column("select text from comments")
    assert text == "Is 1 tea?"
    first = queue(store, grading, ana)[0]
    comments.reply(store, At(grading.id, first.item_id, ana), "Lea", "It is.")
    page.keyboard.press("8")
    news = page.locator(".news")
    expect(news).to_contain_text("A lead replied to your flag.")
    news.get_by_role("button", name="Show").click()
    expect(question(page)).to_have_text(flagged)
    expect(page.locator(".remarks .reply")).to_have_text("Lea It is.")
    expect(news).to_be_empty()


def test_a_corrected_answer_is_written_changed_and_survives_a_reload(
    page, server, store, grading, ana
):
    begin(page, server, grading)
    for text in ("Better.", "Best.\nOf all."):
        page.keyboard.press("w")
        page.keyboard.press("Control+a")
        page.keyboard.type(text)
        page.keyboard.press("Control+Enter")
        saved(page)
    assert store.column("select text from comments order by id") == ["Better.", "Best.\nOf all."]
    page.reload()
    expect(page.locator(".remarks")).to_contain_text("Best.\nOf all.")
    page.locator(".remarks").get_by_role("button", name="edit").click()
    expect(page.locator(".remark textarea")).to_have_value("Best.\nOf all.")
    page.locator(".remark").get_by_role("button", name="Cancel").click()
    page.keyboard.press("5")
    saved(page)
    assert [row["score"] for row in given(store)] == [5]
