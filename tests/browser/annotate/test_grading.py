"""The grading screen in a real Chromium: exact at any speed, nothing lost, nothing doubled."""

import re

from playwright.sync_api import expect

from concord.store import items
from tests.support.grading_room import begin, given, question, queue, ready, saved, scores
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


def test_forty_real_key_presses_grade_three_criteria_in_order(
    page, server, store, three_criteria, ana
):
    begin(page, server, three_criteria)
    keys = "3210" * 10
    for key in keys:
        page.keyboard.press(key)
    saved(page)
    found = scores(store)
    laid = queue(store, three_criteria, ana)
    assert [item for item, *_ in found] == [laid[n // 3].item_id for n in range(40)]
    assert "".join(str(int(score)) for *_, score in found) == keys
    expect(page.locator(".done")).to_have_text("13 done")
    assert all(row["blind"] == 1 and row["seconds"] >= 0 for row in given(store))


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
    expect(
        page.locator("[aria-current=step] h3, h3").filter(has_text="Comprehensiveness")
    ).to_be_visible()
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


def test_a_screen_reader_hears_which_answer_is_shown(page, server, store, grading, ana):
    begin(page, server, grading)
    for key in "567":
        page.keyboard.press(key)
    said = page.locator(".said")
    expect(said).to_contain_text("Answer 4 of 40.")
    for number in (3, 2, 1):
        page.keyboard.press("ArrowLeft")
        expect(said).to_contain_text(f"Answer {number} of 40.")
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("Answer 2 of 40.")


def test_undo_takes_the_last_grade_back_and_returns_there(page, server, store, three_criteria, ana):
    begin(page, server, three_criteria)
    first = question(page).inner_text()
    for key in "321":
        page.keyboard.press(key)
    expect(question(page)).not_to_have_text(first)
    page.keyboard.press("Backspace")
    expect(question(page)).to_have_text(first)
    expect(page.locator(".criterion.focused h3")).to_have_text("Readability")
    page.keyboard.press("z")
    expect(page.locator(".criterion.focused h3")).to_have_text("Comprehensiveness")
    page.keyboard.press("0")
    page.keyboard.press("0")
    saved(page)
    assert [score for *_, score in scores(store)] == [3, 0, 0]
    page.reload()
    ready(page)
    page.keyboard.press("Backspace")
    expect(page.locator(".criterion.focused h3")).to_have_text("Readability")
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


def test_going_back_changes_a_grade_and_returns_to_where_one_was(page, server, store, grading, ana):
    begin(page, server, grading)
    for key in "234":
        page.keyboard.press(key)
    here = question(page).inner_text()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".level.chosen .score")).to_contain_text("3")
    page.keyboard.press("9")
    expect(question(page)).to_have_text(here)
    saved(page)
    assert sorted(score for *_, score in scores(store)) == [2, 4, 9]
    assert store.value("select count(*) from grades") == 4


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


def test_cannot_grade_is_a_status_and_no_score(page, server, store, three_criteria, ana):
    begin(page, server, three_criteria)
    for key in "u3U":
        page.keyboard.press(key)
    saved(page)
    found = [(row["status"], row["score"]) for row in given(store)]
    assert found == [("cannot_grade", None), ("scored", 3), ("cannot_grade", None)]
    expect(page.locator(".done")).to_have_text("1 done")


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
