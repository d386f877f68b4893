"""Notes, flags and corrected answers in a real Chromium: written by key, told of a reply, kept."""

from playwright.sync_api import expect

from concord.grading import comments
from concord.grading.comments import At
from tests.support.grading_room import begin, given, question, queue, ready, saved


def test_a_note_says_of_which_answer_and_on_a_given_grade_keeps_the_grade(
    page, server, store, grading, ana
):
    begin(page, server, grading)
    label = page.locator(".note label")
    page.keyboard.press("8")
    page.keyboard.press("n")
    expect(label).to_have_text("Answer 2 of 40: Note on overall")  # the grade led on
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("n")
    expect(label).to_have_text("Answer 1 of 40: Note on overall")
    page.keyboard.type("a fine answer")
    page.locator(".note").get_by_role("button", name="Save").click()
    saved(page)
    page.keyboard.press("n")
    page.keyboard.type(", or not")
    page.locator(".note").get_by_role("button", name="Cancel").click()
    page.keyboard.press("ArrowRight")
    saved(page)
    found = [(row["score"], row["reason"]) for row in given(store)]
    assert found == [(8, "a fine answer")]


def test_a_flag_is_sent_by_key_and_its_reply_is_found_again(page, server, store, grading, ana):
    begin(page, server, grading)
    flagged = question(page).inner_text()
    for key in ("f", *"Is 1 tea?", "Enter"):
        page.keyboard.press("Space" if key == " " else key)
    expect(page.locator(".remarks")).to_have_text("Flagged Is 1 tea?")
    page.keyboard.press("f")
    expect(page.locator(".remark label")).to_have_text("Answer 1 of 40: Flag for the lead")
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
    news = page.locator(".news p:not(.rest)")
    expect(news).to_contain_text("A lead replied to your flag.")
    news.get_by_role("button", name="Show").click()
    expect(question(page)).to_have_text(flagged)
    expect(page.locator(".remarks .reply")).to_have_text("Lea It is.")
    expect(news).to_have_text("Back to answer 4")
    news.get_by_role("button").click()
    expect(page.locator(".remarks")).to_be_hidden()
    expect(question(page)).not_to_have_text(flagged)
    expect(news).to_have_count(0)


def test_what_is_not_saved_yet_is_there_again_after_a_reload(
    page, server, store, three_criteria, ana
):
    begin(page, server, three_criteria)
    page.keyboard.press("n")
    page.keyboard.type("a note")
    page.keyboard.press("Enter")
    page.keyboard.press("/")
    page.keyboard.type("umbe")  # of a word that is found in part the whole is the evidence
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    rubric = page.locator(".criterion.focused")
    expect(rubric).to_contain_text("Evidence (saved with the grade)")
    page.keyboard.press("j")
    page.keyboard.press("n")
    page.keyboard.type("half a th")
    page.reload()
    ready(page)
    expect(rubric.locator("h2")).to_have_text("Comprehensiveness")
    expect(page.locator(".note textarea")).to_be_focused()
    expect(page.locator(".note textarea")).to_have_value("half a th")
    page.keyboard.type("ought")
    page.keyboard.press("Enter")
    page.keyboard.press("k")
    expect(rubric).to_contain_text("Note: a note (saved with the grade)")
    expect(rubric.get_by_role("listitem")).to_have_text("Context 1 “number”")
    page.keyboard.press("3")
    page.keyboard.press("2")
    saved(page)
    found = [(row["score"], row["reason"], row["quote"]) for row in given(store)]
    assert found == [(3, "a note", "number"), (2, "half a thought", "")]
