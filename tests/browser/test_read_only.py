"""`concord app --read-only`: every screen opens, and nothing can be written."""

from playwright.sync_api import expect

from concord.ui.navigation import SCREENS
from tests.support import browser

# Labels of what would store something or cost money, on the screens as a single user has them.
ACTIONS = (
    *("Import answers", "Import grades", "Edit a copy", "Add judge", "Your name", "Review terms"),
    *("Create grading set", "Start grading", "Key for this session", "Write the certificate"),
    *("Upload", "Delete this sheet", "Load the sample", "Check with one request"),
    *("Set the terms", "Go to Judges", "Create a grading set and grade"),
    "Adjudicate without seeing judges or names",
)


def test_every_tab_opens_says_so_and_offers_no_action(shown, sample_db, page):
    before = sample_db.read_bytes()
    for name in (tab for screen in SCREENS for tab in screen.tabs):
        browser.visit(page, shown, f"/{'' if name == 'overview' else name}")
        main = page.get_by_test_id("stMain")
        expect(main.get_by_text("This is a read-only demo").first).to_be_visible()
        expect(main.get_by_test_id("stAlertContentError")).to_have_count(0)
        offered = [one for one in ACTIONS if main.get_by_text(one, exact=True).count()]
        assert offered == [], name
    assert sample_db.read_bytes() == before


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
