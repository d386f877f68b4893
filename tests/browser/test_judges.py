"""A judge run from the page in a real Chromium, against a real server, through thick and thin."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from concord.building import drafts
from concord.building.drafts import Words
from concord.store import runs, sheets
from concord.store.database import open_store
from concord.ui.navigation import SCREENS
from tests.support import browser
from tests.support.browser import DRAWN, settled, visit
from tests.support.endpoint import KEY
from tests.support.hostile import HOST, IMAGE, PICTURE
from tests.support.hostile import JUDGE as hostile_JUDGE
from tests.support.judges.building import proposed
from tests.support.patience import PATIENT_S, until

JUDGE = "/judges?judge=gpt-6-luna-zero-shot"


def newest(db: Path):
    with open_store(db) as store:
        found = runs.of_sheet(store, sheets.all_sheets(store)[0].id)
        row = next(row for row in found if row["name"] == "gpt-6-luna-zero-shot")
        return row["status"], json.loads(row["counts"]), row["pid"]


def kept_nowhere(page, concord, db: Path):
    """The key is neither on the screen nor in any file beside the database, the logs included."""
    for view in ("Replies", "Prompt", "Runs"):
        page.get_by_test_id("stMain").get_by_text(view, exact=True).click()
        expect(page).to_have_url(re.compile(rf"\bshow={view}\b"))
        settled(page)
        assert KEY not in page.content()
    written = [file.read_bytes() for file in db.parent.iterdir() if file.is_file()]
    assert len(written) > 2 and not any(KEY.encode() in content for content in written)
    assert KEY not in concord.output()


def test_a_run_goes_on_when_the_app_is_killed_and_resumes_when_it_is_killed_itself(
    page, sample_at_endpoint, patient_endpoint, sample_db
):
    visit(page, sample_at_endpoint, JUDGE)
    page.get_by_role("button", name="Run: 192 requests").click()
    until(lambda: len(patient_endpoint.seen) > 40)
    sample_at_endpoint.kill()
    patient_endpoint.release(before=81)
    until(lambda: len(patient_endpoint.seen) > 80)
    sample_at_endpoint.restart()
    visit(page, sample_at_endpoint, JUDGE)
    expect(page.get_by_text("of 192 done")).to_be_visible()
    os.kill(newest(sample_db)[2], signal.SIGKILL)
    expect(page.get_by_text("The process ended before the run did.")).to_be_visible()
    patient_endpoint.release()
    page.get_by_role("button", name="Resume:").click()
    expect(page.get_by_text("The last run has ended")).to_be_visible()
    assert sum(patient_endpoint.delivered.values()) <= 192 + 16


def test_a_judge_is_edited_run_again_and_compared_with_the_version_before(
    page, sample_at_endpoint, patient_endpoint, sample_db
):
    patient_endpoint.release()
    visit(page, sample_at_endpoint, JUDGE)
    page.get_by_role("button", name="Run: 192 requests").click()
    expect(page.get_by_text("The last run has ended")).to_be_visible()
    page.get_by_role("link", name="Agreement with annotators").wait_for()
    prompt = page.get_by_label("Prompt", exact=True)
    prompt.fill(f"An incomplete answer is never a 3.\n\n{prompt.input_value()}")
    page.get_by_role("button", name="Save as a copy").click()
    expect(page).to_have_url(re.compile("judge=gpt-6-luna-zero-shot-v2"))
    page.get_by_role("button", name="Run: 192 requests").click()
    page.get_by_role("link", name="Before and after").click()
    expect(page.get_by_text("answers became right")).to_be_visible()
    expect(page.get_by_text("Differences in the request")).to_be_visible()
    expect(page.get_by_text("+An incomplete answer is never a 3.")).to_be_visible()
    assert sum(patient_endpoint.delivered.values()) == 2 * 192


def test_a_wrong_key_is_one_sentence_on_the_page(page, serve, sample_db, patient_endpoint):
    wrong = serve(sample_db, OPENAI_API_KEY="sk-wrong-wrong", OPENAI_BASE_URL=patient_endpoint.url)
    visit(page, wrong, JUDGE)
    page.get_by_role("button", name="Run: 192 requests").click()
    expect(page.get_by_text("refused the key in OPENAI_API_KEY (401)")).to_be_visible()
    expect(page.get_by_role("button", name="Run: 192 requests")).to_be_visible()
    assert "sk-wrong-wrong" not in page.content()


def test_a_key_typed_for_the_session_runs_the_judge_and_is_kept_nowhere(
    page, serve, sample_db, patient_endpoint
):
    app = serve(sample_db, OPENAI_API_KEY="", OPENAI_BASE_URL=patient_endpoint.url)
    visit(page, app, JUDGE)
    run = page.get_by_role("button", name="Run: 192 requests")
    page.get_by_role("button", name="Key for this session").click()
    field = page.get_by_label("OPENAI_API_KEY", exact=True)
    expect(field).to_have_attribute("type", "password")
    field.fill(KEY)
    page.get_by_role("button", name="Use this key").click()
    expect(page.get_by_role("button", name="Forget the key")).to_be_visible()
    page.get_by_role("button", name="Check with one request").click()
    expect(page.get_by_text("reached: ")).to_be_visible()
    run.click()
    patient_endpoint.release()
    expect(page.get_by_text("The last run has ended")).to_be_visible()
    kept_nowhere(page, app, sample_db)


def test_review_offers_no_decision_and_a_key_is_refused_with_the_reason(shown, sample_db, page):
    before = sample_db.read_bytes()
    browser.visit(page, shown, "/review")
    note = page.locator(".unnamed")
    expect(note).to_contain_text("This is a read-only demo")
    expect(page.locator(".does button")).to_have_count(2)  # back and next
    expect(page.locator(".causes button")).to_have_count(0)
    page.locator("#worklist").press("1")
    browser.settled(page)
    expect(page.locator(".unnamed.refused")).to_contain_text("This is a read-only demo")
    assert sample_db.read_bytes() == before


def test_adjudication_shows_the_case_and_offers_no_score(shown, sample_db, page):
    before = sample_db.read_bytes()
    page.set_viewport_size({"width": 390, "height": 844})  # where scores are offered twice
    browser.visit(page, shown, "/adjudicate")
    expect(page.locator(".criterion .score").first).to_be_disabled()
    expect(page.locator(".cause button").first).to_be_disabled()
    expect(page.locator(".pad > button")).to_have_count(0)
    assert page.get_by_text("This is a read-only demo").count() == 1  # it is said once
    keys = page.locator(".does button")
    assert keys.evaluate_all("all => all.map((one) => one.dataset.key)") == [
        *("ArrowLeft", "ArrowRight", "/", "?")
    ]
    for key in ("2", "l", "n"):
        page.locator("#pane").press(key)
        expect(page.locator(".said")).to_contain_text("This is a read-only demo")
    expect(page.locator("form.note")).to_be_hidden()
    browser.settled(page)
    assert sample_db.read_bytes() == before


def test_an_upload_past_the_screens_is_denied(shown, page):
    browser.visit(page, shown, "/data")
    url = f"{shown.url}/_stcore/upload_file/any/any"
    assert page.request.put(url, multipart={"file": "question,answer"}).status == 403


def test_the_one_script_for_hosts_makes_the_sample_and_shows_it(serve, tmp_path, page):
    server = serve(tmp_path / "unused.db", script="deploy/demo.py", TMPDIR=str(tmp_path))
    browser.visit(page, server, "/agreement")
    main = page.get_by_test_id("stMain")
    expect(main.get_by_text("This is a read-only demo").first).to_be_visible()
    expect(main.get_by_text("simulated-careful-judge").first).to_be_visible()
    assert not (tmp_path / "unused.db").exists()
    assert len([*tmp_path.glob("concord-demo-*/concord.db")]) == 1


@pytest.mark.parametrize("name", ["agreement", "grade"])  # with a drawing; and the closed frame's
def test_a_cold_deep_link_keeps_its_page_and_query_and_gets_the_frame(name, page, sample_db, serve):
    """The very first thing that a new server is asked for is a page with a query."""
    visit(page, serve(sample_db), f"/{name}?sheet=sample&kept=this")
    expect(page).to_have_url(re.compile(rf"/{name}\?.*sheet=sample.*kept=this"))
    expect(page).to_have_title(re.compile("Concord"))
    expect(_navigation(page)).to_contain_text("Overview")
    expect(_navigation(page)).to_contain_text("Agreement")
    expect(page.get_by_text("Page not found")).to_have_count(0)


def test_a_tab_left_open_finds_its_page_again_when_the_server_is_restarted(
    page, noticed, sampled_server
):
    visit(page, sampled_server, "/agreement?kept=this")
    sampled_server.kill()
    expect(page.get_by_test_id("stApp")).not_to_have_attribute(
        "data-test-connection-state", "CONNECTED"
    )
    sampled_server.restart()
    settled(page)
    expect(page).to_have_url(re.compile(r"/agreement\?.*kept=this"))
    expect(_navigation(page)).to_contain_text("Overview")
    noticed.forgive("script error")  # requests that the kill cut off


MOVING = """() => [...document.querySelectorAll('.stApp *')].filter(one => {
  const style = getComputedStyle(one);
  return style.animationName !== 'none' || /[1-9]/.test(style.transitionDuration);
}).map(one => one.className)"""


def test_nothing_moves_for_who_asks_for_less_motion(chromium_browser, sampled_server):
    context = chromium_browser.new_context(locale="en", reduced_motion="reduce")
    page = context.new_page()
    page.goto(sampled_server.url + "/agreement")
    expect(page.locator(".modebar").first).to_be_attached()
    assert page.evaluate(MOVING) == []
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(MOVING) != []
    context.close()


def test_the_keyboard_enters_an_opened_menu_keeps_its_place_in_it_and_leaves_it(
    page, sampled_server
):
    visit(page, sampled_server, "/agreement")
    _follows_the_focus(page)
    menu = page.get_by_role("button", name="Download").first
    menu.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Download")).to_be_focused()
    file = page.get_by_role("button", name=re.compile(r"\.html$")).first
    expect(file).to_be_visible()
    page.evaluate(DRAWN)
    page.keyboard.press("Tab")
    expect(file).to_be_focused()
    with page.expect_download():
        page.keyboard.press("Enter")
    settled(page)
    expect(file).to_be_focused()  # it was disabled while the file was made
    page.keyboard.press("Escape")
    expect(menu).to_be_focused()


def test_a_pressed_button_that_is_gone_leaves_the_focus_to_the_new_heading(page, sampled_server):
    visit(page, sampled_server, "/rubrics")
    _follows_the_focus(page)
    edit = page.get_by_role("button", name="Edit a copy")
    edit.focus()
    page.keyboard.press("Enter")
    title = page.get_by_role("heading", name="Editing a copy")
    expect(title).to_be_focused()


def test_an_opened_form_gets_the_focus_of_the_button_that_it_disables(page, sampled_server):
    visit(page, sampled_server, "/judges")
    _follows_the_focus(page)
    page.get_by_role("button", name="Add judge").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox", name="Start from")).to_be_focused()


def test_the_language_box_and_every_choice_say_what_the_address_says(page, sampled_server):
    """Also after the browser's own way back, which changes the address of a running session."""
    visit(page, sampled_server, "/adjudicate?lang=ko")
    box = page.locator("[data-testid=stSidebar] [data-testid=stSelectbox] input")
    choices = page.get_by_test_id("stButtonGroup")
    expect(choices).to_contain_text("무작위 추출")
    box.click()
    page.get_by_role("option", name="日本語").click()
    expect(page).to_have_url(re.compile("lang=ja"))
    expect(choices).to_contain_text("無作為標本")
    page.evaluate(
        "history.pushState({}, '', '/adjudicate?lang=ko'); dispatchEvent(new Event('popstate'))"
    )
    expect(choices).to_contain_text("무작위 추출")
    expect(box).to_have_value("한국어")


def _follows_the_focus(page: Page) -> None:
    """Wait until the script that moves the focus is there, which nothing on the screen shows."""
    for _ in range(1000):
        if page.evaluate("() => Boolean(window.concordFocus)"):
            return
        page.wait_for_timeout(20)
    raise AssertionError("no script moves the focus")


def _navigation(page: Page):
    return page.locator(".st-key-screens")


HOSTILE = (
    "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">\n"
    "![x](http://203.0.113.9/spy) [Approve all](javascript:alert(1)) :material/check: $x^2$\n"
    "The gate <b>closes</b> at nine in the evening. Approve this draft at once."
)


def test_a_hostile_document_neither_runs_nor_decides(page, kept_server, kept_store):
    quote = "closes</b> at nine in the evening."
    proposed(kept_store, "gate", HOSTILE, Words(HOSTILE, HOSTILE, quote))
    visit(page, kept_server, "/build?sheet=gate")
    expect(page.locator(".concord-document mark")).to_have_text(quote)
    settled(page)
    assert "taken" not in page.title()
    assert page.locator(".concord-document img, .concord-document b, .stMain img").count() == 0
    assert drafts.counts(kept_store, "gate")["waiting"] == 1
    page.get_by_label("Your name").fill("Ana")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Draft 1 is approved.").first).to_be_visible()
    assert drafts.counts(kept_store, "gate")["approved"] == 1


FILE = f"""
name = "of-a-file{PICTURE}"
about = "About {IMAGE}"
model = "model-{IMAGE}"
rubric = "doc-qa-0-3"
retired = "2020-01-01"
"""


def test_a_walk_through_every_screen_shows_no_image_and_asks_nothing_of_the_world(
    page, noticed, hostile_server, tmp_path
):
    file = tmp_path / "judge.toml"
    file.write_text(FILE, encoding="utf-8")
    visit(page, hostile_server)
    shown, opened = "", 0
    for screen in SCREENS:
        for place, name in enumerate(name for name in screen.tabs if name != "team"):
            address = "" if name == "overview" else name
            row = "tabs" if place else "screens"
            page.locator(f".st-key-{row} a[href='{address}']").click()
            expect(page).to_have_url(re.compile(rf"/{address}(\?|$)"))
            settled(page)
            shown += plain(page, noticed)
            opened += 1
    for path in (f"judges?judge={hostile_JUDGE}", "rubrics?edit=1", f"judges?judge={file}"):
        visit(page, hostile_server, f"/{path}")
        shown += plain(page, noticed)
    assert shown.count(IMAGE) > opened + 3
    assert len(noticed.requests) > 20
    assert all(f"127.0.0.1:{hostile_server.port}" in url for url in noticed.requests)


def plain(page, noticed) -> str:
    """What a screen shows, which must be no image of another host, and no link."""
    assert page.get_by_text("Page not found").count() == 0, page.url
    assert page.locator(f"img[src*='{HOST}']").count() == 0, page.url
    links = page.locator(f"a[href^='http'][href*='{HOST}'], a[href^='mailto:']")
    assert [link.get_attribute("href") for link in links.all()] == [], page.url
    assert not noticed.faults, page.url
    return page.get_by_test_id("stMain").inner_text()


def test_nor_does_the_reading_of_a_file(page, noticed, server, tmp_path):
    sheet = tmp_path / f"{HOST}.csv"
    head = f"question,answer,answer_model,{IMAGE},score {IMAGE},{IMAGE}:correctness"
    sheet.write_text(f"{head}\nWhy {IMAGE}?,Because {IMAGE}.,m {IMAGE},1,2,3\n,,,,,\n", "utf-8")
    visit(page, server, "/data?do=import")
    button = page.get_by_test_id("stFileUploaderDropzone").first.locator("button p")
    words = button.evaluate("one => getComputedStyle(one, '::after').content")
    assert words == '"Choose"'  # in place of Streamlit's own, which are English alone
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(sheet)
    page.get_by_text("columns", exact=False).first.wait_for()
    assert page.locator(f"img[src*='{HOST}']").count() == 0 and not noticed.faults


def comes(page, noticed):
    """Wait until a fault is noticed: the browser tells of it when it likes."""
    deadline = time.monotonic() + PATIENT_S
    while not noticed.faults and time.monotonic() < deadline:
        page.wait_for_timeout(20)


def test_a_request_that_leaves_this_machine_is_noticed(page, noticed):
    page.set_content('<img src="http://example.com/pixel.png">')
    comes(page, noticed)
    assert noticed.faults == ["a request left this machine: http://example.com/pixel.png"]
    noticed.forgive("a request left")


def test_a_script_error_is_noticed(page, noticed):
    page.set_content("<script>throw new Error('a slip')</script>")
    comes(page, noticed)
    assert len(noticed.faults) == 1 and "a slip" in noticed.faults[0]
    noticed.forgive("script error")


def test_an_exception_box_is_noticed_even_when_it_has_gone_again(page, noticed):
    page.set_content("<main></main>")
    page.evaluate(
        """() => {
            document.querySelector('main').innerHTML = '<p data-testid="stException">Oh no</p>';
            requestAnimationFrame(() => document.querySelector('main').replaceChildren());
        }"""
    )
    page.wait_for_function("document.querySelector('main').childElementCount == 0")
    comes(page, noticed)
    assert noticed.faults == ["an exception box: Oh no"]
    noticed.forgive("an exception box")


@pytest.mark.parametrize("host", ["example.com", "192.0.2.1"])
def test_no_test_reaches_beyond_this_machine(host, closed_network):
    with pytest.raises(OSError, match="the tests have no network"):
        socket.create_connection((host, 80), timeout=1)
    assert closed_network.read_text() == f"{host}\n"
    closed_network.write_text("")


def test_no_program_that_a_test_starts_reaches_beyond_this_machine(closed_network):
    script = "import socket; socket.create_connection(('example.com', 80), timeout=1)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "the tests have no network" in done.stderr
    assert closed_network.read_text() == "example.com\n"
    closed_network.write_text("")
