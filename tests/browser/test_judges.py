"""A judge run from the page in a real Chromium, against a real server, through thick and thin."""

import json
import os
import re
import signal
from pathlib import Path

from playwright.sync_api import expect

from concord.store import runs, sheets
from concord.store.database import open_store
from tests.support.browser import settled, visit
from tests.support.endpoint import KEY
from tests.support.patience import until

JUDGE = "/judges?judge=gpt-6-luna-zero-shot"


def newest(db: Path):
    with open_store(db) as store:
        found = runs.of_sheet(store, sheets.all_sheets(store)[0].id)
        row = next(row for row in found if row["name"] == "gpt-6-luna-zero-shot")
        return row["status"], json.loads(row["counts"]), row["pid"]


def heard_of_the_stop(db: Path) -> None:
    """Wait until a run has had a whole heartbeat since it was asked to stop."""

    def stopping():
        with open_store(db) as store:
            found = "select heartbeat_at from runs where stop_requested and status = 'running'"
            return store.value(found)

    until(stopping)
    heartbeats = {stopping()}
    until(lambda: len(heartbeats.add(stopping()) or heartbeats) > 2)


def test_a_run_is_started_watched_reloaded_stopped_resumed_and_done(
    page, sample_at_endpoint, patient_endpoint, sample_db
):
    visit(page, sample_at_endpoint, JUDGE)
    page.get_by_role("button", name="Run: 192 requests, price unknown").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    until(lambda: newest(sample_db)[1].get("done", 0) > 10)
    page.reload()
    settled(page)
    expect(page.get_by_text("of 192 done")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    heard_of_the_stop(sample_db)
    patient_endpoint.release()
    expect(page.get_by_text("Stopped on request.")).to_be_visible()
    status, counts, _ = newest(sample_db)
    assert status == "stopped" and 10 < counts["done"] < 192
    page.get_by_role("button", name="Resume:").click()
    expect(page.get_by_text("The last run is done")).to_be_visible()
    expect(page.get_by_role("link", name="Agreement with annotators")).to_be_visible()
    assert len(patient_endpoint.delivered) == 192 and set(patient_endpoint.delivered.values()) == {
        1
    }
    kept_nowhere(page, sample_at_endpoint, sample_db)


def kept_nowhere(page, concord, db: Path):
    """The key is neither on the screen nor in any file beside the database, the logs included."""
    for view in ("Replies", "Settings", "Runs"):
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
    expect(page.get_by_text("The last run is done")).to_be_visible()
    assert sum(patient_endpoint.delivered.values()) <= 192 + 16


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
    expect(page.get_by_text("The key typed in this session is used")).to_be_visible()
    page.get_by_role("button", name="Check with one request").click()
    expect(page.get_by_text("The key in OPENAI_API_KEY was accepted.")).to_be_visible()
    run.click()
    patient_endpoint.release()
    expect(page.get_by_text("The last run is done")).to_be_visible()
    kept_nowhere(page, app, sample_db)


def test_a_preset_is_changed_in_the_form_saved_and_opened(page, sample_at_endpoint):
    visit(page, sample_at_endpoint, "/judges")
    page.get_by_role("button", name="Add judge").click()
    page.get_by_role("combobox", name="Start from").click()
    page.get_by_role("option", name="gpt-6-luna-zero-shot").click()
    name = page.get_by_label("Name", exact=True)
    expect(name).to_have_value("my-gpt-6-luna-zero-shot")  # the form has a model before, too
    settled(page)
    model = page.get_by_label("Model", exact=True)
    model.fill("gpt-6-mega")
    model.press("Tab")
    expect(page.get_by_label("Definition (TOML)")).to_have_value(re.compile('"gpt-6-mega"'))
    page.get_by_role("button", name="Save judge").click()
    expect(page.get_by_role("heading", name="my-gpt-6-luna-zero-shot")).to_be_visible()
    expect(page.get_by_role("button", name="Run: 192 requests")).to_be_visible()
    expect(page).to_have_url(re.compile("judge=my-gpt-6-luna-zero-shot(%40|@)"))
