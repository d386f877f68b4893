"""The grading screen in a real Chromium: exact at any speed, nothing lost, nothing doubled."""

import re

import pytest
from playwright.sync_api import expect

from browser import Server, settled, visit
from conftest import made_item
from data import contents, grading_sets, queues, rubric_versions, sheets
from data.model import Context
from data.store import open_store

CURRENT = (
    "select g.* from grades g where status <> 'withdrawn' and not exists"
    " (select 1 from grades later where later.supersedes = g.id) order by g.id"
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """One server for this file: started by the first test, on a database of its own."""
    folder = tmp_path_factory.mktemp("grading")
    server = Server(folder / "concord.db", folder / "server.log")
    yield server
    server.stop()


@pytest.fixture
def server(kept):
    if kept.process is None or kept.process.poll() is not None:
        kept.start()
    return kept


@pytest.fixture
def store(kept):
    """The server's database without what the test before left in it."""
    with open_store(kept.db) as opened:
        for sheet in sheets.all_sheets(opened):
            sheets.delete(opened, sheet)
        yield opened


@pytest.fixture
def grading(store, sheet, ana):
    """The whole sheet as a grading set with one criterion on 1-10: one key is one answer."""
    rubric_id, _ = rubric_versions.named(store, "holistic-1-10")
    return grading_sets.create(store, sheet.id, rubric_id, "Set 1", None, seed=1)


@pytest.fixture
def three(store, sheet, ana, rubric):
    """The whole sheet as a grading set with three criteria on 0-3."""
    return grading_sets.create(store, sheet.id, rubric[0], "Set 1", None, seed=1)


def begin(page, server, grading_set, query="") -> None:
    visit(page, server, f"/grade?view=grader&set={grading_set.id}&grader=Ana{query}")
    expect(page.locator(".count")).to_contain_text(" of ")


def saved(page) -> None:
    """Wait until every key is on disk."""
    expect(page.locator(".state")).to_have_attribute("data-unsaved", "0", timeout=20_000)


def question(page):
    return page.locator(".question")


def queue(store, grading_set, ana) -> list[queues.Assigned]:
    """Ana's queue in order."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    return queues.queue(store, grading_set, ana, list(rubric.versions().values()), 1)


def scores(store) -> list[tuple[int, int, int]]:
    """Item, repeat and score of every current grade, in the order they were given."""
    return [(row["item_id"], row["repeat"], row["score"]) for row in store.rows(CURRENT)]


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
    keys = "3210987654" * 4
    press_at_once(page, keys.replace("0", "1")[:40])
    saved(page)
    laid = queue(store, grading, ana)
    wanted = [(p.item_id, p.repeat) for p in laid]
    given = scores(store)
    assert [(item, repeat) for item, repeat, _ in given] == wanted
    assert "".join(str(int(score)) for *_, score in given) == keys.replace("0", "1")
    assert len(given) == 40
    expect(page.get_by_text("All 40 answers are graded")).to_be_visible()


def test_forty_real_key_presses_grade_three_criteria_in_order(page, server, store, three, ana):
    begin(page, server, three)
    keys = "3210" * 10
    for key in keys:
        page.keyboard.press(key)
    saved(page)
    given = scores(store)
    laid = queue(store, three, ana)
    assert [item for item, *_ in given] == [laid[n // 3].item_id for n in range(40)]
    assert "".join(str(int(score)) for *_, score in given) == keys
    expect(page.locator(".count")).to_have_text("13 of 40")
    assert all(row["blind"] == 1 and row["seconds"] >= 0 for row in store.rows(CURRENT))


def test_a_killed_server_loses_nothing_and_doubles_nothing(page, server, store, grading, ana):
    begin(page, server, grading)
    for key in "1234":
        page.keyboard.press(key)
    saved(page)
    server.kill()
    for key in "567":
        page.keyboard.press(key)
    expect(page.locator(".state")).to_have_attribute("data-unsaved", "3")
    expect(page.locator(".state")).to_contain_text("3 not saved yet", timeout=10_000)
    server.start()
    saved(page)
    for key in "891":
        page.keyboard.press(key)
    saved(page)
    laid = queue(store, grading, ana)
    assert [(i, r) for i, r, _ in scores(store)] == [(p.item_id, p.repeat) for p in laid[:10]]
    assert "".join(str(int(score)) for *_, score in scores(store)) == "1234567891"
    assert store.value("select count(*) from grades") == 10


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
    item = contents.item(store, laid[3].item_id).item
    expect(question(again)).to_have_text(item.question)
    noticed.faults.clear()


def test_a_reload_keeps_the_place(page, server, store, three, ana):
    begin(page, server, three)
    for key in "3331":
        page.keyboard.press(key)
    saved(page)
    shown = question(page).inner_text()
    page.reload()
    settled(page)
    expect(question(page)).to_have_text(shown)
    expect(
        page.locator("[aria-current=step] h3, h3").filter(has_text="Comprehensiveness")
    ).to_be_visible()
    expect(page.locator(".count")).to_have_text("1 of 40")


def test_undo_takes_the_last_grade_back_and_returns_there(page, server, store, three, ana):
    begin(page, server, three)
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
    settled(page)
    page.keyboard.press("Backspace")
    expect(page.locator(".criterion.focused h3")).to_have_text("Readability")
    saved(page)
    assert [score for *_, score in scores(store)] == [3, 0]


def test_going_back_changes_a_grade_and_returns_to_where_one_was(page, server, store, grading, ana):
    begin(page, server, grading)
    for key in "123":
        page.keyboard.press(key)
    here = question(page).inner_text()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".level.chosen .score")).to_contain_text("2")
    page.keyboard.press("9")
    expect(question(page)).to_have_text(here)
    saved(page)
    assert sorted(score for *_, score in scores(store)) == [1, 3, 9]
    assert store.value("select count(*) from grades") == 4


def test_later_brings_the_answer_back_at_the_end(page, server, store, grading, ana):
    begin(page, server, grading)
    first = question(page).inner_text()
    page.keyboard.press("s")
    expect(question(page)).not_to_have_text(first)
    press_at_once(page, "5" * 39)
    expect(question(page)).to_have_text(first, timeout=20_000)
    page.keyboard.press("7")
    saved(page)
    assert [score for *_, score in scores(store)] == [5] * 39 + [7]


def test_cannot_grade_is_a_status_and_no_score(page, server, store, three, ana):
    begin(page, server, three)
    for key in "u3U":
        page.keyboard.press(key)
    saved(page)
    given = [(row["status"], row["score"]) for row in store.rows(CURRENT)]
    assert given == [("cannot_grade", None), ("scored", 3), ("cannot_grade", None)]
    expect(page.locator(".count")).to_have_text("1 of 40")


def test_digits_in_a_note_do_not_grade(page, server, store, three, ana):
    begin(page, server, three)
    page.keyboard.press("n")
    page.keyboard.type("step 2 of 3 is missing", delay=0)
    page.keyboard.press("Enter")
    page.keyboard.press("2")
    page.keyboard.press("n")
    page.keyboard.type("123")
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    saved(page)
    given = [(row["score"], row["reason"]) for row in store.rows(CURRENT)]
    assert given == [(2, "step 2 of 3 is missing"), (3, "")]
    page.keyboard.press("k")
    expect(page.locator(".noted")).to_have_count(0)
    page.keyboard.press("k")
    expect(page.locator(".noted")).to_contain_text("step 2 of 3")


def test_a_note_on_a_given_grade_keeps_the_grade(page, server, store, grading, ana):
    begin(page, server, grading)
    page.keyboard.press("8")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("n")
    page.keyboard.type("a fine answer")
    page.keyboard.press("Enter")
    saved(page)
    given = [(row["score"], row["reason"]) for row in store.rows(CURRENT)]
    assert given == [(8, "a fine answer")]


def test_a_held_key_grades_once_and_the_number_pad_works(page, server, store, grading, ana):
    begin(page, server, grading)
    page.evaluate(
        """() => { const send = (extra) => document.dispatchEvent(new KeyboardEvent('keydown',
            {bubbles: true, composed: true, ...extra}));
          send({key: '4', code: 'Digit4'});
          for (let i = 0; i < 5; i++) send({key: '4', code: 'Digit4', repeat: true});
          send({key: '6', code: 'Numpad6'});
          send({key: 'é', code: 'Digit2'});
          send({key: '0', code: 'Digit0'});
          send({key: '3', code: 'Digit3', ctrlKey: true}); }"""
    )
    saved(page)
    assert [score for *_, score in scores(store)] == [4, 6, 2, 10]


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
    sheet = sheets.add(store, "hostile", made, "hostile.csv", "1" * 64, {})
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
        page.keyboard.press("1")
    saved(page)
    assert page.evaluate("window.ran") is None
    assert {row["item_id"] for row in store.rows(CURRENT)} == {*contents.item_ids(store, sheet.id)}
    assert not [url for url in noticed.requests if "tracker" in url or url.endswith("/x")]


def test_a_narrow_screen_grades_by_touch(chromium_browser, server, store, three, ana):
    phone = chromium_browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = phone.new_page()
    begin(page, server, three)
    for score in (3, 0, 2, 1):
        page.locator(".pad button", has_text=re.compile(f"^{score}$")).tap()
    saved(page)
    laid = queue(store, three, ana)
    assert scores(store) == [
        *((laid[0].item_id, 1, score) for score in (3, 0, 2)),
        (laid[1].item_id, 1, 1),
    ]
    box = page.locator(".pad").bounding_box()
    assert box["y"] + box["height"] <= 844
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".does button[data-key=Backspace]").tap()
    saved(page)
    assert len(scores(store)) == 3
    phone.close()


def test_a_mouse_can_do_everything(page, server, store, three, ana):
    begin(page, server, three)
    page.locator(".level").nth(2).click()
    page.get_by_role("button", name="Comprehensiveness 3").click()
    page.locator(".criterion.small").first.click()
    page.locator(".level").nth(1).click()
    saved(page)
    assert sorted(score for *_, score in scores(store)) == [1, 3]


def test_two_tabs_of_one_grader_do_not_double(page, context, server, store, grading, ana):
    other = context.new_page()
    begin(page, server, grading)
    begin(other, server, grading)
    for key in "123":
        page.keyboard.press(key)
        other.keyboard.press(key)
    saved(page)
    saved(other)
    laid = queue(store, grading, ana)
    assert scores(store) == [(p.item_id, p.repeat, n) for n, p in enumerate(laid[:3], 1)]
    starts = "select count(*) from grades where supersedes is null"
    assert store.value(starts) == 3


def test_find_unfolds_and_marks_and_help_shows_the_keys(page, server, store, three, ana):
    begin(page, server, three)
    page.keyboard.press("/")
    page.keyboard.type("NUMBER")
    expect(page.locator(".find")).to_contain_text("1 of 2")
    expect(page.locator("mark")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.locator("mark")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.locator(".help")).to_contain_text("Take the last grade back")
    page.keyboard.press("Escape")
    expect(page.locator(".help")).to_be_hidden()
    assert scores(store) == []


def test_a_busy_database_keeps_the_keys_until_it_is_free(page, server, store, grading, ana):
    begin(page, server, grading)
    with store.write():
        page.keyboard.press("5")
        page.keyboard.press("6")
        expect(page.locator(".state")).to_contain_text("2 not saved yet", timeout=15_000)
    saved(page)
    assert [score for *_, score in scores(store)] == [5, 6]


def test_a_deleted_sheet_is_said(page, server, store, sheet, grading, ana):
    begin(page, server, grading)
    sheets.delete(store, sheet)
    page.keyboard.press("5")
    expect(page.get_by_text("This grading set no longer exists")).to_be_visible()


@pytest.mark.parametrize("cold", [True, False])
def test_a_grader_s_link_opens_the_grading_screen_and_nothing_else(page, server, grading, cold):
    if cold:
        server.kill()
        server.start()
    else:
        visit(page, server, "/")
    for path in ("/grade", "/", "/agreement", "/judges", "/ranking", "/grading"):
        visit(page, server, f"{path}?view=grader&set={grading.id}")
        expect(page.get_by_role("heading", name="Who grades?")).to_be_visible()
        expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)
        expect(page.get_by_text("Agreement")).to_have_count(0)
        expect(page.get_by_text("Page not found")).to_have_count(0)
        expect(page).to_have_url(f"{server.url}/grade?view=grader&set={grading.id}")
