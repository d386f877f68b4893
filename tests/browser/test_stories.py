"""One story per screen, on the sample: it is opened, its main action is done by mouse and keys."""

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import expect

from concord.grading import grading_sets
from concord.resources import SKILLS
from concord.store import decisions, graders, runs, sheets
from concord.store.rubrics import rubric_versions
from tests.support import browser
from tests.support.browser import (
    clean_environment,
    click_into,
    finished,
    fits,
    keyed,
    press,
    settled,
    visit,
)
from tests.support.grading_room import given, ready, saved
from tests.support.patience import until
from tests.support.source import ROOT, name

CELLS = "[class*='st-key-figure-confusion'] .scatterlayer .points path"
LUNA = "gpt-6-luna-zero-shot"
FINDING = ".stMain h2:visible"


def test_overview_loads_the_sample_and_leads_on(page, server, store):
    visit(page, server)
    fits(page)
    press(page, "sample.load")
    expect(page.locator(FINDING)).to_contain_text("192")
    assert sheets.find(store, "sample").items == 192
    fits(page)
    press(page, "start.next")
    expect(page).to_have_url(re.compile(r"/decide\b"))


def test_data_imports_a_file_and_finds_an_answer(page, server, sample_store, spring_answers):
    visit(page, server, "/data")
    expect(page.locator(FINDING)).to_contain_text("192")
    fits(page)
    press(page, "sheets.new")
    page.locator("input[type=file]").set_input_files(spring_answers)
    press(page, "import.go")
    expect(page).to_have_url(re.compile(r"sheet=spring(\+|%20)answers"))
    assert sheets.find(sample_store, "spring answers").items == 30
    search = page.get_by_role("textbox", name="Search")
    search.fill("Why 7?")
    search.press("Enter")
    expect(page).to_have_url(re.compile("words=Why"))
    settled(page)
    page.get_by_test_id("stDataFrame").first.click(position={"x": 20, "y": 55})  # the first row
    expect(page.locator("dl.concord-item").first).to_contain_text("Because of 7.")
    expect(page).to_have_url(re.compile(r"item=\d+"))
    fits(page)


def test_a_rubric_is_read_edited_and_saved(page, server, sample_store):
    visit(page, server, "/rubrics?rubric=doc-qa-0-3")
    expect(page.locator(".concord-level")).to_have_count(12)
    fits(page)
    press(page, "rubric.edit")
    meaning = keyed(page, "rubric.0.correctness.0", "textarea")
    meaning.fill("All wrong.")
    meaning.press("Tab")
    settled(page)
    fits(page)
    press(page, "rubric.save")
    expect(page).to_have_url(re.compile("rubric=my-doc-qa-0-3"))
    saved_as = rubric_versions.named(sample_store, "my-doc-qa-0-3")[1]
    assert saved_as.criteria[0].levels[0].meaning == "All wrong."


def test_a_grading_set_is_created(page, server, sample_store):
    visit(page, server, "/annotate")
    fits(page)
    press(page, "sets.make")
    [made] = grading_sets.of_sheet(sample_store, 1)
    assert (made.questions, made.answers) == (12, 36)
    expect(page.locator("code").first).to_contain_text(f"set={made.id}")
    fits(page)


def test_an_annotator_grades_by_keys_and_by_mouse(page, server, sample_store):
    visit(page, server, "/grade")
    fits(page)
    press(page, "grader.first")
    page.get_by_label("Your name").fill("Ann")
    page.get_by_label("Your name").press("Enter")
    ready(page)
    fits(page)
    for key in "32":
        page.keyboard.press(key)
    page.locator(".focused .level").nth(1).click()
    expect(page.locator(".done")).to_have_text("1 done")
    page.keyboard.press("u")
    page.keyboard.press("0")
    page.keyboard.press("Backspace")
    saved(page)
    ann = graders.named(sample_store, "person", "Ann").id
    mine = [one for one in given(sample_store) if one["grader_id"] == ann]
    assert [(one["status"], one["score"], one["blind"]) for one in mine] == [
        *(("scored", 3, 1), ("scored", 2, 1), ("scored", 1, 1), ("cannot_grade", None, 1)),
    ]
    fits(page)


def test_annotators_who_differ_are_adjudicated_blind(page, server, sample_store):
    lea = graders.ensure(sample_store, "person", "Lea")
    visit(page, server, "/adjudicate?grader=Lea")
    expect(page.locator(".count")).to_contain_text("1 of 91")
    fits(page)
    for hidden in ("author", "simulated-grader", "simulated-careful-judge"):
        expect(page.locator(".pane")).not_to_contain_text(hidden)
    steps = page.locator(".steps li").count() or 1
    page.keyboard.press("l")
    for _ in range(steps):
        page.keyboard.press("1")
    expect(page.locator(".done")).to_have_text("1 done")
    saved(page)
    found = sample_store.rows("select score, cause, blind, grader_id from adjudications")
    assert [tuple(row) for row in found] == [(1, "overlooked", 1, lea)] * steps
    fits(page)


def run_of(store, judge: str) -> tuple[str, int]:
    """The status of the judge's newest run, and how many answers are done."""
    found = (one for one in runs.of_sheet(store, 1) if one["name"] == judge)
    newest = next(found, {"status": "", "counts": "{}"})
    return newest["status"], json.loads(newest["counts"]).get("done", 0)


def test_a_judge_is_run_watched_stopped_and_resumed(
    page, sample_at_endpoint, patient_endpoint, sample_store
):
    visit(page, sample_at_endpoint, "/judges")
    fits(page)
    visit(page, sample_at_endpoint, f"/judges?judge={LUNA}")
    press(page, "judge.run")
    expect(page.get_by_role("progressbar")).to_be_visible()
    until(lambda: run_of(sample_store, LUNA)[1] > 10)
    page.reload()
    settled(page)
    fits(page)
    keyed(page, "judge.stop", "button").click()
    beats = "select heartbeat_at from runs where stop_requested and status = 'running'"
    heard = set()
    until(lambda: heard.add(sample_store.value(beats)) or len(heard) > 3)  # one is whole since
    patient_endpoint.release()
    until(lambda: run_of(sample_store, LUNA)[0] == "stopped")
    assert 10 < run_of(sample_store, LUNA)[1] < 192
    keyed(page, "judge.run", "button").click()
    until(lambda: run_of(sample_store, LUNA)[0] == "done")
    delivered = patient_endpoint.delivered
    assert len(delivered) == 192 and {*delivered.values()} == {1}
    expect(page.locator("[data-testid=stMain] a[href*='agreement']")).to_be_visible()
    fits(page)


def test_a_cell_of_the_confusion_opens_its_answers(page, server, sample_store):
    visit(
        page,
        server,
        "/agreement?judge=simulated-careful-judge&criterion=correctness&detail=scores",
    )
    expect(page.locator(CELLS)).to_have_count(16)
    fits(page)
    cell = page.locator(CELLS).nth(3 * 4 + 1)  # an annotator gave 3, the judge 1

    def click():
        cell.scroll_into_view_if_needed()
        box = cell.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    click_into(page, click, lambda: re.search("cell=3(:|%3A)1", page.url))
    expect(page.locator(".concord-comparison")).to_have_count(1)
    assert sample_store.value("select count(*) from openings") == 1
    fits(page)
    for tab in ("annotators", "ranking", "compare"):
        page.locator(f".st-key-tabs a[href*='{tab}']").click()
        expect(page).to_have_url(re.compile(f"/{tab}"))
        fits(page)


def test_disagreements_are_tagged_by_keys(page, server, sample_store):
    visit(page, server, "/review?judge=simulated-lenient-judge&cell=2:3")
    rows = page.locator(".worklist .list .row")
    expect(rows).to_have_count(20)
    fits(page)
    page.get_by_role("button", name="Your name").click()
    you = page.get_by_role("combobox", name="You")
    you.fill("Zoë")
    you.press("Enter")
    press(page, "beside.show")
    expect(rows.first).to_be_visible()
    for key in "31":  # faster than any answer of the server
        page.keyboard.press(key)
    page.keyboard.press("n")
    page.keyboard.type("3 rooms or 2?")
    page.keyboard.press("Enter")
    page.keyboard.press("Backspace")
    until(lambda: sample_store.value("select count(*) from adjudications") == 4)
    found = sample_store.rows("select cause, note from adjudications order by id")
    assert [tuple(row) for row in found] == [
        *(("rubric_unclear", ""), ("judge_wrong", "")),
        *(("", "3 rooms or 2?"), ("", "")),
    ]
    fits(page)


def test_metrics_are_computed_and_lead_to_the_weakest_answer(page, server, sample_store):
    visit(page, server, "/metrics")
    fits(page)
    page.locator("[data-testid=stMain] a[href*='judge=computed']").click()
    settled(page)
    press(page, "judge.run")
    until(lambda: run_of(sample_store, "computed")[0] == "done")
    visit(page, server, "/metrics")
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()
    fits(page)
    visit(page, server, "/metrics?view=one")
    page.locator("[data-testid=stMain] a[href*='review']").first.click()
    expect(page).to_have_url(re.compile(r"/review\?.*list=claims"))
    fits(page)


def test_the_terms_of_a_decision_are_fixed_and_its_finding_read(page, server, sample_store):
    visit(page, server, "/decide")
    fits(page)
    keyed(page, "choose.against", "input").click()
    page.get_by_role("option", name="simulated-careful-judge").click()
    minimum = keyed(page, "choose.minimum", "input")
    minimum.fill("50")
    minimum.press("Enter")  # submits nothing
    settled(page)
    expect(keyed(page, "choose.fix_and_look", "button")).to_have_count(0)
    press(page, "choose.review")
    margin = keyed(page, "choose.margin", "input")
    margin.fill("12")
    keyed(page, "choose.fix_and_look", "button").click()  # what was typed since was not reviewed
    expect(keyed(page, "choose.fix_and_look", "button")).to_have_count(0)
    settled(page)
    assert decisions.of_sheet(sample_store, 1) == []
    press(page, "choose.review")
    press(page, "choose.fix_and_look")
    expect(page).to_have_url(re.compile("decision=1"))
    [decision] = decisions.of_sheet(sample_store, 1)
    assert (decision.against, decision.margin) == ("simulated-careful-judge", 0.12)
    assert sample_store.value("select count(*) from looks") == 1
    expect(page.get_by_role("spinbutton")).to_have_count(0)
    fits(page)


SHIPPED = (
    *("app.py", "server.py", ".streamlit/config.toml", "pages"),
    *("rubrics", "judges", "data/samples", "docs", "skills"),
)


class Process(subprocess.Popen):
    """A process that is asked as those of `multiprocessing` are."""

    def is_alive(self) -> bool:
        return self.poll() is None

    def join(self, timeout: float | None = None) -> None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(timeout)


class Installed(browser.Server):
    """The app as the installed `concord app` opens it, in a process of its own."""

    def __init__(self, scripts: Path, folder: Path, log: Path):
        super().__init__(folder / "concord.db", log)
        self.scripts, self.folder = scripts, folder

    def _started(self) -> Process:
        command = [self.scripts / "concord", "app", "--port", str(self.port)]
        with self.log.open("ab") as log:
            where = {"cwd": self.folder, "env": clean_environment(self.folder)}
            return Process(command, stdout=log, stderr=log, **where)


def test_the_wheel_holds_what_the_program_reads(wheel):
    expected = set(_files("concord"))
    for place in SHIPPED:
        expected |= {f"concord/shipped/{path}" for path in _files(place)}
    held = {path for path in zipfile.ZipFile(wheel).namelist() if path.startswith("concord/")}
    assert held == expected


def _files(place: str) -> Iterator[str]:
    found = [ROOT / place] if (ROOT / place).is_file() else (ROOT / place).rglob("*")
    return (name(path) for path in found if path.is_file() and "__pycache__" not in path.parts)


def test_the_installed_concord_loads_the_sample_and_computes_agreement(
    installed, empty_folder, installed_sample
):
    environment = {"env": clean_environment(empty_folder)}
    where = [installed / "python", "-c", "import concord; print(concord.__file__)"]
    assert Path(finished(where, empty_folder, **environment).strip()).is_relative_to(
        installed.parent
    )
    concord = installed / "concord-judges"
    assert finished([concord, "--help"], empty_folder, **environment).startswith(
        "Usage: concord-judges "
    )
    found = finished([concord, "agreement", "--json"], empty_folder, **environment)
    assert json.loads(found)["rows"]
    assert found == finished(
        [sys.executable, "cli.py", "--db", installed_sample, "agreement", "--json"], ROOT
    )
    assert list(empty_folder.iterdir()) == []


def test_the_installed_concord_writes_the_skill(installed, empty_folder, tmp_path):
    environment = clean_environment(empty_folder)
    finished([installed / "concord-judges", "skill", tmp_path], empty_folder, env=environment)
    written = {path.relative_to(tmp_path): path for path in tmp_path.rglob("*.md")}
    assert {*written} == {path.relative_to(SKILLS) for path in SKILLS.rglob("*.md")}
    assert all(path.read_bytes() == (SKILLS / one).read_bytes() for one, path in written.items())


def test_the_installed_package_gives_pytest_its_fixture(installed, empty_folder):
    environment = {"env": clean_environment(empty_folder)}
    asked = [installed / "python", "-m", "pytest", "--fixtures", "-p", "no:cacheprovider"]
    listed = subprocess.run(
        list(map(str, asked)), cwd=empty_folder, capture_output=True, text=True, **environment
    )
    assert "certified_judge" in listed.stdout


@pytest.mark.usefixtures("installed_sample")
def test_the_installed_app_shows_the_sample_in_the_browser(installed, empty_folder, tmp_path, page):
    server = Installed(installed, empty_folder, tmp_path / "server.log").start()
    try:
        browser.visit(page, server, "/agreement")
        expect(page.locator(".st-key-screens")).to_be_visible()
        expect(page.get_by_text("text model").first).to_be_visible()
        assert "127.0.0.1" in server.output()
    finally:
        server.stop()
