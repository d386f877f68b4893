"""Every page opens, by way of app.py, on whatever database there is."""

import os
import sqlite3
from pathlib import Path

import pytest

from concord.store.database import READ_ONLY, open_store
from concord.ui import navigation
from concord.ui.server.old_addresses import MOVED
from tests.support.screens import PAGES, labelled, opened, said


def test_every_page_is_a_tab_of_one_screen():
    tabs = [navigation.path(name) for screen in navigation.SCREENS for name in screen.tabs]
    assert sorted(tabs) == PAGES


def test_old_addresses_lead_to_pages_and_hide_none():
    led_to = {navigation.path(name.partition("?")[0]) for name in MOVED.values() if name}
    assert led_to <= {*PAGES}
    assert not {navigation.path(name) for name in MOVED if name != "overview"} & {*PAGES}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_on_an_empty_store_and_says_what_to_do(page, tmp_path, monkeypatch):
    app = opened(monkeypatch, tmp_path / "concord.db", page)
    assert not app.exception and not app.error
    assert len(said(app).split()) >= 5


@pytest.mark.parametrize(
    ("page", "then"),
    [
        ("agreement", "how far the judges may be trusted"),
        ("review", "where a judge and annotators differ"),
        ("decide", "the cheapest judge that is good enough"),
        ("certificate", "what is certified about a judge"),
        ("ranking", "as the annotators do"),
    ],
)
def test_an_empty_screen_says_what_it_will_say_itself(page, then, tmp_path, monkeypatch):
    app = opened(monkeypatch, tmp_path / "concord.db", f"pages/{page}.py")
    assert then in said(app)


@pytest.mark.parametrize("page", PAGES)
def test_a_read_only_app_without_a_sheet_advises_no_import(page, store, monkeypatch):
    monkeypatch.setenv(READ_ONLY, "1")
    app = opened(monkeypatch, store.path, page)
    assert not app.exception and "Import answers, or load the sample" not in said(app)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_on_the_sample(page, sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, page)
    assert not app.exception and not app.error
    assert said(app)


@pytest.mark.parametrize("page", PAGES)
def test_a_stale_link_opens_its_page_all_the_same(page, sample_db, monkeypatch):
    """A link may name a sheet, rubric, judge or item that is gone, or be mistyped."""
    query = {key: "gone" for key in ("sheet", "rubric", "grader", "judge", "item", "set", "run")}
    app = opened(monkeypatch, sample_db, page, **query)
    assert not app.exception


def no_database(path: Path) -> Path:
    path.write_text("just some notes " * 100)
    return path


def a_newer_one(path: Path) -> Path:
    open_store(path).close()
    connection = sqlite3.connect(path)
    connection.execute("pragma user_version = 99")
    connection.close()
    return path


def in_a_folder_that_cannot_be_written(path: Path) -> Path:
    if os.geteuid() == 0:  # root may write anywhere but into the kernel's own file system
        return Path("/proc/concord.db")
    path.parent.chmod(0o555)
    return path


def in_no_folder(path: Path) -> Path:
    return path.parent / "nowhere" / "concord.db"


def a_damaged_one(path: Path) -> Path:
    open_store(path).close()
    content = bytearray(path.read_bytes())
    content[100:4096] = b"\xff" * 3996
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("spoil", "cause", "remedy"),
    [
        (no_database, "is not a Concord database", "restore a backup"),
        (a_newer_one, "was written by a newer Concord", "Update Concord"),
        (in_a_folder_that_cannot_be_written, "cannot be", "name another file"),
        (in_no_folder, "does not exist", "Create it"),
        (a_damaged_one, "is damaged", "Restore a backup"),
    ],
)
@pytest.mark.parametrize("page", ["pages/overview.py", "pages/grade.py", "pages/agreement.py"])
def test_a_database_that_cannot_be_used_is_said_with_its_remedy(
    spoil, cause, remedy, page, tmp_path, monkeypatch
):
    app = opened(monkeypatch, spoil(tmp_path / "concord.db"), page)
    tmp_path.chmod(0o755)
    assert not app.exception
    assert [cause in error.value and remedy in error.value for error in app.error] == [True]


def test_all_tables_and_charts_of_a_screen_are_in_one_download_menu(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, "pages/agreement.py")
    files = [button.label for button in app.get("download_button")]
    assert {name.rpartition(".")[2] for name in files} == {"csv", "html"}
    assert [menu.proto.popover.label for menu in app.get("popover")].count("Download") == 1
    assert len(files) == len({*files})


OF_SHEETS = ["overview", "data", "splits", "annotate", "plan", "progress", "grade", "adjudicate"]
OF_SHEETS += ["judges", "agreement", "annotators", "ranking", "compare", "topicality", "review"]
OF_SHEETS += ["metrics", "decide", "certificate"]


@pytest.mark.parametrize("page", OF_SHEETS)
def test_a_sheet_that_is_not_there_is_never_replaced_by_another(page, sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, navigation.path(page), sheet="gone")
    assert not app.exception and app.query_params["sheet"] in ("gone", ["gone"])
    assert [one.value for one in app.subheader] == ["There is no sheet “gone” with answers"]
    assert not app.header and not app.table and not app.dataframe
    assert not any("192" in one.proto.body for one in app.get("html"))


def test_of_a_sheet_that_is_not_there_another_can_be_chosen(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, "pages/agreement.py", sheet="gone")
    labelled(app, "Sheet").select("sample").run()
    assert app.query_params["sheet"] in ("sample", ["sample"])
    assert app.header and not app.subheader[0].value.startswith("There is no sheet")


def test_a_filter_holds_on_the_other_screens_of_its_sheet(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, "pages/agreement.py")
    assert labelled(app, "Criterion").value == "correctness"
    labelled(app, "Criterion").set_value("readability").run()
    best, judge = labelled(app, "Judge").value, "simulated-lenient-judge"
    labelled(app, "Judge").select(judge).run()
    for page in ("annotators", "review", "agreement"):
        app.query_params.clear()
        app.switch_page(navigation.path(page)).run()
        assert not app.exception and labelled(app, "Criterion").value == "readability", page
    assert labelled(app, "Judge").value == judge != best
    app.query_params["criterion"] = "correctness"
    app.switch_page("pages/annotators.py").run()
    assert labelled(app, "Criterion").value == "correctness"  # an address wins


def test_a_default_does_not_take_the_place_of_a_filter_that_a_screen_has_not(
    sample_db, monkeypatch
):
    app = opened(monkeypatch, sample_db, "pages/review.py")
    labelled(app, "Criterion").set_value("*").run()
    app.query_params.clear()
    app.switch_page("pages/annotators.py").run()
    assert labelled(app, "Criterion").value == "correctness"
    app.query_params.clear()
    app.switch_page("pages/review.py").run()
    assert app.query_params["criterion"] in ("*", ["*"])


def test_a_judge_and_a_criterion_of_a_link_that_are_not_there_are_said(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, "pages/agreement.py", judge="nope", criterion="none")
    assert "There is no judge “nope”. Name one of: " in said(app)
    assert "There is no criterion “none”. Name one of: " in said(app)
    assert app.run().query_params["judge"] in ("nope", ["nope"])
    labelled(app, "Criterion").set_value("readability").run()
    assert "criterion “none”" not in said(app) and "judge “nope”" in said(app)
