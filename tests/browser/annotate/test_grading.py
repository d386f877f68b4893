"""The grading screen in a real Chromium: exact at any speed, nothing lost, nothing doubled."""

import re

from playwright.sync_api import expect

from concord.grading import grading_sets
from concord.model import Context
from concord.rubrics.model import Rubric, presets
from concord.store import additions, graders, items, sheets
from concord.store.rubrics import rubric_versions
from tests.support.browser import visit
from tests.support.grading_room import begin, given, question, queue, ready, saved, scores
from tests.support.made_items import made_item
from tests.support.patience import until


def press_at_once(page, keys: str) -> None:
    """Press keys with no pause at all: all of them within one turn of the browser."""
    page.evaluate(
        """keys => { for (const key of keys) document.dispatchEvent(
            new KeyboardEvent('keydown', {key, bubbles: true, composed: true})); }""",
        keys,
    )


def test_forty_keys_without_a_pause_are_forty_grades_on_the_right_answers(
    page, server, store, grading, ana
):
    begin(page, server, grading)
    keys = "3234987654" * 4
    press_at_once(page, keys)
    saved(page)
    laid = queue(store, grading, ana)
    wanted = [(p.item_id, p.repeat) for p in laid]
    found = scores(store)
    assert [(item, repeat) for item, repeat, _ in found] == wanted
    assert "".join(str(int(score)) for *_, score in found) == keys
    assert len(found) == 40
    expect(page.get_by_text("All answers are graded")).to_be_visible()


def test_the_last_grades_hurry_and_the_ends_of_a_block_and_of_the_set_are_told(
    page, server, store, sheet, ana
):
    rubric_id, _ = rubric_versions.named(store, "holistic-1-10")
    made = grading_sets.create(store, sheet.id, rubric_id, "Set 1", None, seed=1, block_size=8)
    visit(page, server, f"/grade?set={made.id}&grader=Ana")  # alone, without a link or sign-in
    ready(page)
    page.keyboard.press("Tab")
    page.keyboard.press("7")
    expect(page.locator(".last")).to_have_text("Last answer: 7")
    press_at_once(page, "234")
    expect(page.locator(".rest")).to_contain_text(" answers in a row")
    page.locator(".rest button").click()
    expect(page.locator(".rest")).to_have_count(0)
    saved(page)
    laid = queue(store, made, ana)
    block = [place.block for place in laid].count(laid[0].block)
    press_at_once(page, "5" * (block - 5))
    expect(page.locator(".last")).to_have_text("Last answer: 5")
    press_at_once(page, "6")
    expect(page.locator(".last")).to_have_text("Last answer: 6 Block done: ~1 min ■")
    press_at_once(page, "8" * 40)
    saved(page)
    press_at_once(page, "8" * 40)
    link = page.get_by_role("link", name="See agreement")
    expect(link).to_have_attribute("href", re.compile("^agreement[?]sheet="))


def test_a_killed_server_loses_nothing_and_doubles_nothing(page, server, store, grading, ana):
    begin(page, server, grading)
    for key in "2345":
        page.keyboard.press(key)
    saved(page)
    server.kill()
    for key in "678":
        page.keyboard.press(key)
    expect(page.locator(".state")).to_have_attribute("data-unsaved", "3")
    expect(page.locator(".state")).to_contain_text("3 not saved yet")
    server.start()
    saved(page)
    for key in "932":
        page.keyboard.press(key)
    saved(page)
    laid = queue(store, grading, ana)
    assert [(i, r) for i, r, _ in scores(store)] == [(p.item_id, p.repeat) for p in laid[:10]]
    assert "".join(str(int(score)) for *_, score in scores(store)) == "2345678932"
    assert store.value("select count(*) from grades") == 10


# Counts the boxes that Streamlit opens over the page.
COUNT_BOXES = """
window.boxes = 0;
new MutationObserver((changes) => {
  for (const { addedNodes } of changes)
    for (const node of addedNodes) window.boxes += node.dataset?.testid === 'stDialog';
}).observe(document.body, { childList: true });
"""


def test_while_the_server_is_away_mouse_and_keys_go_on_and_no_box_covers_the_pane(
    page, server, store, grading, ana
):
    begin(page, server, grading)
    page.evaluate(COUNT_BOXES)
    for outage in (1, 2):
        page.keyboard.press("n")
        page.keyboard.type("half a ")
        server.kill()
        until(lambda goal=outage: page.evaluate("window.boxes") == goal)
        page.keyboard.type("note")
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert page.evaluate("document.querySelector('#root').inert") is False
        page.locator(".score").filter(has_text=re.compile("^7$")).click()
        expect(page.locator(".state")).to_have_attribute("data-unsaved", "1")
        page.keyboard.press("8")
        expect(page.locator(".state")).to_contain_text("2 not saved yet")
        server.start()
        saved(page)
    told = [(row["score"], row["reason"]) for row in given(store)]
    assert told == [(7, "half a note"), (8, "")] * 2


def test_a_closed_tab_keeps_its_keys_for_the_next_one(
    page, context, server, store, grading, ana, noticed
):
    begin(page, server, grading)
    page.keyboard.press("1")
    saved(page)
    server.kill()
    page.keyboard.press("2")
    page.keyboard.press("3")
    page.close()
    server.start()
    again = context.new_page()
    begin(again, server, grading)
    saved(again)
    laid = queue(store, grading, ana)
    assert scores(store) == [(p.item_id, p.repeat, n) for n, p in enumerate(laid[:3], 1)]
    item = items.item(store, laid[3].item_id).item
    expect(question(again)).to_have_text(item.question)
    noticed.faults.clear()


def test_a_reload_keeps_the_place(page, server, store, three_criteria, ana):
    begin(page, server, three_criteria)
    for key in "3331":
        page.keyboard.press(key)
    saved(page)
    shown = question(page).inner_text()
    page.reload()
    ready(page)
    expect(question(page)).to_have_text(shown)
    expect(page.locator("h2").filter(has_text="Comprehensiveness")).to_be_visible()
    expect(page.locator(".done")).to_have_text("1 done")


def wait(page, milliseconds: int) -> None:
    """Let time pass in the browser at once."""
    page.evaluate(
        """more => { const now = performance.now.bind(performance);
            performance.now = () => now() + more; }""",
        milliseconds,
    )


TWO_PLACES = """
import streamlit as st
from concord.ui.components.grading_pane import pane

with st.columns(2)[int(st.toggle("On the right"))]:
    pane({set_id}, {grader_id})
"""


def test_a_pane_drawn_anew_in_the_same_session_shows_the_answers_that_are_left(
    page, serve, store, three_criteria, ana, tmp_path
):
    """The server believes that it has the texts, and a rerun that moves it may draw it anew."""
    script = tmp_path / "page.py"
    script.write_text(TWO_PLACES.format(set_id=three_criteria.id, grader_id=ana))
    page.goto(serve(store.path, script=str(script)).url)
    ready(page)
    shown = question(page).inner_text()
    page.keyboard.press("3")
    saved(page)
    page.get_by_text("On the right").click()
    expect(page.get_by_test_id("stColumn").nth(1).locator(".count")).to_be_visible()
    expect(question(page)).to_have_text(shown)
    page.keyboard.press("2")
    saved(page)
    assert [score for *_, score in scores(store)] == [3, 2]


def test_the_time_an_answer_was_read_goes_to_its_grade_alone(page, server, store, grading, ana):
    begin(page, server, grading)
    first = question(page).inner_text()
    wait(page, 20_000)
    for key in ("f", *"Odd", "Enter"):
        page.keyboard.press(key)
    page.keyboard.press("ArrowRight")
    expect(question(page)).not_to_have_text(first)
    wait(page, 7_000)
    page.keyboard.press("ArrowLeft")
    expect(question(page)).to_have_text(first)
    saved(page)
    wait(page, 30_000)
    page.reload()
    ready(page)
    expect(question(page)).to_have_text(first)
    page.keyboard.press("5")
    page.keyboard.press("6")
    saved(page)
    seconds = [row["seconds"] for row in given(store)]
    assert seconds[0] >= 50
    assert seconds[1] >= 7


def test_no_key_grades_from_the_language_nor_from_a_control_outside(
    page, server, store, grading, ana
):
    begin(page, server, grading)
    page.keyboard.press("7")
    page.keyboard.press("f")
    page.locator(".menu").click()
    page.locator(".tongues").focus()
    page.locator(".tongues").select_option("ja")
    expect(page.locator(".does")).not_to_contain_text("undo")
    for text in page.locator(".last, .remark label, .remark button, .remark p").all_inner_texts():
        assert re.search("[ぁ-んァ-ン一-龥]", text), text
    expect(page.locator(".tongues")).to_be_focused()
    page.keyboard.press("4")
    page.keyboard.press("Escape")  # to the box that is open
    expect(page.locator(".remark textarea")).to_be_focused()
    page.keyboard.press("Escape")
    page.locator(".menu").click()
    page.locator(".tongues").focus()
    page.keyboard.press("4")
    page.keyboard.press("Escape")  # to the keys that grade
    page.keyboard.press("5")
    page.evaluate(
        """() => { const box = Object.assign(document.createElement('input'), {type: 'checkbox'});
            document.body.append(box); box.focus(); }"""
    )
    page.keyboard.press("6")
    page.keyboard.press("f")  # no key of the pane acts there
    expect(page.locator(".remark")).to_be_hidden()
    saved(page)
    assert [row["score"] for row in given(store)] == [7, 5]


def test_undo_takes_the_last_grade_back_and_returns_there(page, server, store, three_criteria, ana):
    begin(page, server, three_criteria)
    first = question(page).inner_text()
    for key in "321":
        page.keyboard.press(key)
    expect(question(page)).not_to_have_text(first)
    page.keyboard.press("Backspace")
    expect(question(page)).to_have_text(first)
    expect(page.locator(".criterion.focused h2")).to_have_text("Readability")
    page.keyboard.press("z")
    expect(page.locator(".criterion.focused h2")).to_have_text("Comprehensiveness")
    page.keyboard.press("0")
    page.keyboard.press("0")
    saved(page)
    assert [score for *_, score in scores(store)] == [3, 0, 0]
    page.reload()
    ready(page)
    page.keyboard.press("Backspace")
    expect(page.locator(".criterion.focused h2")).to_have_text("Readability")
    saved(page)
    assert [score for *_, score in scores(store)] == [3, 0]


def test_undo_after_a_change_restores_the_grade_before_and_says_so(
    page, server, store, grading, ana
):
    begin(page, server, grading)
    for key in ("2", "ArrowLeft", "5", "ArrowLeft", "9"):
        page.keyboard.press(key)
    page.keyboard.press("Backspace")
    expect(page.locator(".flash")).to_have_text("Previous grade restored: Overall: 5.")
    expect(page.locator(".level.chosen .score")).to_contain_text("5")
    saved(page)
    assert [score for *_, score in scores(store)] == [5]
    page.reload()  # what was before is then known from the server
    ready(page)
    for expected in ([2], []):
        page.keyboard.press("Backspace")
        saved(page)
        until(lambda expected=expected: [score for *_, score in scores(store)] == expected)
    assert [row[0] for row in store.rows("select score from grades order by id")] == [
        *(2, 5, 9),
        *(5, 2, None),
    ]
    page.keyboard.press("Backspace")
    expect(page.locator(".said")).to_have_text("Nothing to undo here.")


def test_later_brings_the_answer_back_at_the_end(page, server, store, grading, ana):
    begin(page, server, grading)
    first = question(page).inner_text()
    page.keyboard.press("s")
    expect(question(page)).not_to_have_text(first)
    press_at_once(page, "5" * 39)
    expect(question(page)).to_have_text(first)
    page.keyboard.press("7")
    saved(page)
    assert [score for *_, score in scores(store)] == [5] * 39 + [7]


def test_a_held_key_grades_once_and_the_number_pad_works(page, server, store, grading, ana):
    begin(page, server, grading)
    page.evaluate(
        """() => { const send = (extra) => document.dispatchEvent(new KeyboardEvent('keydown',
            {bubbles: true, composed: true, ...extra}));
          send({key: '4', code: 'Digit4'});
          for (let i = 0; i < 5; i++) send({key: '4', code: 'Digit4', repeat: true});
          send({key: '6', code: 'Numpad6'});
          send({key: 'é', code: 'Digit2'});
          send({key: '1', code: 'Digit1'});
          send({key: '0', code: 'Digit0'});
          send({key: '3', code: 'Digit3', ctrlKey: true}); }"""
    )
    saved(page)
    assert [score for *_, score in scores(store)] == [4, 6, 2, 10]


def test_two_tabs_of_one_grader_do_not_double(page, context, server, store, grading, ana):
    other = context.new_page()
    begin(page, server, grading)
    begin(other, server, grading)
    for key in "234":
        page.keyboard.press(key)
        other.keyboard.press(key)
    saved(page)
    saved(other)
    laid = queue(store, grading, ana)
    assert scores(store) == [(p.item_id, p.repeat, n) for n, p in enumerate(laid[:3], 2)]
    starts = "select count(*) from grades where supersedes is null"
    assert store.value(starts) == 3
    page.keyboard.press("5")  # the other tab, at the same answer, shows it
    expect(other.locator(".level.chosen .score")).to_have_text("5")


def test_a_grade_from_another_device_is_replaced_only_where_it_was_seen(
    page, chromium_browser, server, store, grading, ana
):
    begin(page, server, grading)
    other = chromium_browser.new_context().new_page()
    begin(other, server, grading)
    press_at_once(page, "2347")
    saved(page)
    press_at_once(other, "25")  # the first is the same
    news = other.locator(".news")
    expect(news).to_contain_text(
        "One keystroke was not saved: you graded it meanwhile in another window, and that grade is"
    )
    other.get_by_role("button", name="Show", exact=True).click()
    expect(other.locator(".level.chosen .score")).to_have_text("3")
    other.keyboard.press("6")
    saved(other)
    laid = queue(store, grading, ana)
    assert sorted(scores(store)) == sorted(
        (place.item_id, place.repeat, score)
        for place, score in zip(laid, (2, 6, 4, 7), strict=False)
    )
    other.context.close()


def test_a_busy_database_keeps_the_keys_until_it_is_free(page, server, store, grading, ana):
    begin(page, server, grading)
    with store.write():
        page.keyboard.press("5")
        page.keyboard.press("6")
        expect(page.locator(".state")).to_contain_text("2 not saved yet")
    saved(page)
    assert [score for *_, score in scores(store)] == [5, 6]


def test_digits_in_a_note_do_not_grade(page, server, store, three_criteria, ana):
    begin(page, server, three_criteria)
    page.keyboard.press("n")
    page.keyboard.type("step 2 of 3 is missing", delay=0)
    page.keyboard.press("Enter")
    page.keyboard.press("2")
    page.keyboard.press("n")
    page.keyboard.type("123")
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    saved(page)
    found = [(row["score"], row["reason"]) for row in given(store)]
    assert found == [(2, "step 2 of 3 is missing"), (3, "")]
    page.keyboard.press("k")
    expect(page.locator(".noted")).to_have_count(0)
    page.keyboard.press("k")
    expect(page.locator(".noted")).to_contain_text("step 2 of 3")


HOSTILE = {
    "<script>window.ran = 1</script>": "<script>window.ran = 1</script>",
    "<img src=x onerror='window.ran=1'>": "onerror",
    "![seen](https://tracker.example/a.png)": "[image: seen https://tracker.example/a.png]",
    "[go](javascript:window.ran=1)": "javascript:window.ran=1",
    "<iframe srcdoc='<script>parent.ran=1</script>'></iframe>": "iframe",
}


def test_nothing_in_an_answer_runs_or_loads(page, server, store, ana, noticed):
    made = [
        made_item(n, answer=text, contexts=(Context("", "", text, 1),), question=text)
        for n, text in enumerate(HOSTILE)
    ]
    sheet = additions.add(store, "hostile", made, "hostile.csv", "1" * 64, {})
    rubric_id, _ = rubric_versions.named(store, "holistic-1-10")
    begin(page, server, grading_sets.create(store, sheet.id, rubric_id, "Set 1", None, seed=1))
    for _ in HOSTILE:
        text = question(page).inner_text()
        expect(page.locator(".answer")).to_contain_text(HOSTILE[text])
        page.keyboard.press("m")
        expect(page.locator(".raw")).to_have_text(text)
        expect(page.locator(".context .plain")).to_have_text(text)
        page.keyboard.press("m")
        assert page.locator(".read :is(script, img, iframe)").count() == 0
        page.keyboard.press("2")
    saved(page)
    assert page.evaluate("window.ran") is None
    assert {row["item_id"] for row in given(store)} == {*items.item_ids(store, sheet.id)}
    assert not [url for url in noticed.requests if "tracker" in url or url.endswith("/x")]


def test_a_key_that_is_refused_is_told_until_it_was_read_and_a_deleted_sheet_is_said(
    page, server, store, sheet, grading, ana
):
    begin(page, server, grading)
    with store.write():
        store.execute("delete from assignments")  # as where a lead moved the block on
    news = page.locator(".news")
    page.keyboard.press("2")
    expect(news).to_contain_text("One keystroke was not saved")
    page.keyboard.press("2")
    until(lambda: scores(store))
    expect(news).to_contain_text("One keystroke was not saved")
    page.reload()
    ready(page)
    expect(news).to_contain_text("One keystroke was not saved")
    news.get_by_role("button", name="Continue").click()
    expect(news).to_be_empty()
    sheets.delete(store, sheet)
    page.keyboard.press("5")
    expect(page.get_by_text("This grading set no longer exists")).to_be_visible()


def test_a_grader_s_link_opens_the_grading_screen_and_nothing_else(page, server, grading, ana):
    """On a server that was never asked for anything, and after the whole app in the same tab."""
    server.kill()
    server.start()
    for path in ("/grade", "/", "/agreement", "/judges", "/ranking", "/annotate"):
        opens_grading_alone(page, server, path, f"view=grader&set={grading.id}")
        expect(page.get_by_role("heading", name="Enter your name")).to_be_visible()
    visit(page, server, "/")
    expect(page.locator(".st-key-screens")).to_contain_text("Agreement")
    opens_grading_alone(page, server, "/", f"view=grader&set={grading.id}")
    expect(page.get_by_label("Your name")).to_be_focused()
    opens_grading_alone(page, server, "/judges", f"view=grader&set={grading.id}&grader=Ana")
    ready(page)


def opens_grading_alone(page, server, path: str, query: str) -> None:
    """Open a path with the query of a grader's link: nothing but the grading screen is there."""
    visit(page, server, f"{path}?{query}")
    # With an annotator's name the screen adds the answer it begins with.
    expect(page).to_have_url(
        re.compile(re.escape(f"{server.url}/grade?{query}") + r"(&item=\d+)?$")
    )
    expect(page.locator(".st-key-screens")).to_have_count(0)
    expect(page.get_by_test_id("stMain")).not_to_contain_text(re.compile("agreement|judge", re.I))
    expect(page.get_by_text("Page not found")).to_have_count(0)


def test_ten_has_a_key_of_its_own_and_long_scales_are_typed(page, server, store, sheet, ana):
    rubric_id, _ = rubric_versions.named(store, "doc-qa-0-10")
    begin(page, server, grading_sets.create(store, sheet.id, rubric_id, "0-10", None, seed=1))
    for key in ("x", "0", "1", "0", "1", "7", "1"):
        page.keyboard.press(key)
    expect(page.locator(".entry")).to_contain_text("press 0 for 10")
    saved(page)
    assert [score for *_, score in scores(store)] == [10, 0, 10, 1, 7, 1]
    rubric_id = rubric_versions.register(store, hundred(), "file")
    begin(page, server, grading_sets.create(store, sheet.id, rubric_id, "0-100", None, seed=1))
    for key in (
        "1",
        "0",
        "1",
        "Enter",
        "7",
        "8",
        "Backspace",
        "5",
        "Enter",
        "1",
        "0",
        "0",
        "Enter",
    ):
        page.keyboard.press(key)
    saved(page)
    assert [score for *_, score in scores(store)][6:] == [75, 100]


def test_a_key_after_a_one_that_waits_is_for_the_answer_on_screen(page, server, store, sheet, ana):
    levels = [{"score": n, "meaning": f"{n} of 10"} for n in range(1, 11)]
    names = ("clear", "whole")
    criteria = [{"name": n, "weight": 0.5, "question": "?", "levels": levels} for n in names]
    rubric = Rubric(name="two", title="Two", scale=range(1, 11), criteria=criteria)
    rubric_id = rubric_versions.register(store, rubric, "file")
    made = grading_sets.create(store, sheet.id, rubric_id, "Two", None, seed=1)
    begin(page, server, made)
    laid = [place.item_id for place in queue(store, made, ana)]
    for keys, text, end in (
        *(("1n", "why", "Enter"), ("1f", "look", "Enter")),  # on the first answer
        ("1531w", " better", "Control+Enter"),
        ("31", "", "ArrowLeft"),
    ):
        for key in keys:
            page.keyboard.press(key)
        page.keyboard.type(text)
        page.keyboard.press(end)
    expect(question(page)).to_have_text(items.item(store, laid[2]).item.question)
    for key in ("ArrowRight", "ArrowRight", "3", "1", "s", "7"):
        page.keyboard.press(key)
    saved(page)
    assert [(laid.index(item), score) for item, _, score in scores(store)] == [
        *((0, 1), (0, 1), (1, 1), (1, 5), (2, 3), (2, 1), (3, 3), (3, 1), (4, 3), (4, 1), (5, 7))
    ]
    assert [row["reason"] for row in given(store)][:3] == ["why", "", ""]
    assert [place.item_id for place in queue(store, made, ana)] == laid  # what is graded stays
    told = store.rows("select item_id, kind, text from comments order by id")
    assert [(laid.index(row["item_id"]), row["kind"], row["text"].split()[-1]) for row in told] == [
        (0, "flag", "look"),
        (2, "correction", "better"),
    ]


def hundred() -> Rubric:
    """A rubric with the scores from 0 to 100."""
    levels = [{"score": n, "meaning": f"{n} of 100"} for n in range(101)]
    criterion = {"name": "overall", "weight": 1, "question": "How good?", "levels": levels}
    return Rubric(name="hundred", title="0-100", scale=range(101), criteria=[criterion])


def test_a_database_that_cannot_be_used_is_said_and_the_keys_are_kept(page, server, store, grading):
    begin(page, server, grading)
    version = store.value("pragma user_version")
    store.execute("pragma user_version = 99")
    page.keyboard.press("7")
    expect(page.locator(".end")).to_contain_text("written by another version of Concord")
    expect(page.locator(".end")).to_contain_text("One keystroke is not saved yet")
    page.keyboard.press("8")
    store.execute(f"pragma user_version = {version}")
    page.get_by_role("button", name="Try again").click()
    expect(question(page)).to_be_visible()
    saved(page)
    assert [score for *_, score in scores(store)] == [7]


def test_a_deleted_grader_is_said(page, server, store, grading, ana):
    begin(page, server, grading)
    graders.delete(store, ana)
    page.keyboard.press("5")
    expect(page.locator(".end")).to_contain_text("This annotator was deleted or merged")
    assert scores(store) == []


def test_a_grade_keeps_the_language_of_the_rubric_that_was_read(page, server, store, sheet, ana):
    own = {"language": "ko", "criteria": [{"name": "correctness", "title": "정확성"}]}
    held = presets()["doc-qa-0-3"].model_dump() | {"name": "ours", "translations": [own]}
    rubric_id = rubric_versions.register(store, Rubric(**held), "app")
    begin(page, server, grading_sets.create(store, sheet.id, rubric_id, "Set 1", None, seed=1))
    page.keyboard.press("3")  # in English
    page.keyboard.press("k")
    page.locator(".menu").click()
    page.locator(".tongues").select_option("ko")
    expect(page.locator(".focused h2")).to_have_text("정확성")
    page.locator(".original summary").click()
    expect(page.locator(".original")).to_contain_text("Incorrect: entirely wrong")
    page.locator("#pane").focus()
    page.keyboard.press("2")
    page.keyboard.press("1")  # the next criterion is not translated
    saved(page)
    found = [(row["score"], row["rubric_language"]) for row in given(store)]
    assert found == [(2, "ko"), (1, "")]
