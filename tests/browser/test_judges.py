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
