"""Export of a judge in the download menu of its screen."""

import json

from concord.judges.exporting import targets
from concord.ui.language import plain
from tests.support.commandline import invoke, judge_file
from tests.support.screens import opened, said

PAGE = "pages/judges.py"
KEY = "judge.export"


def chosen(monkeypatch, db, judge, tool):
    return opened(monkeypatch, db, PAGE, {KEY: tool}, judge=judge)


def files(app):
    return [one.label for one in app.get("download_button")]


def test_a_judge_is_offered_as_the_file_of_each_tool_with_what_differs(
    sample_db, tmp_path, monkeypatch
):
    file = judge_file(tmp_path, "http://127.0.0.1:9/v1")
    app = opened(monkeypatch, sample_db, PAGE, judge=file)
    assert [one.split(":")[0] for one in app.selectbox(key=KEY).options] == [*targets.known()]
    assert "Download judge.py" not in files(app)
    app = chosen(monkeypatch, sample_db, file, "promptfoo")
    assert "Download judge.py" in files(app)
    done = invoke(sample_db, "export-judge", file, "--for", "promptfoo", "--json")
    told = json.loads(done.stdout)
    shown = said(app)
    assert told["differences"] and all(plain(one) in shown for one in told["differences"])
    assert "There is no certificate of this judge. Write one under Certificate." in shown


def test_the_pytest_export_says_which_file_it_reads_before_it_is_chosen(
    sample_db, tmp_path, monkeypatch
):
    file = judge_file(tmp_path, "http://127.0.0.1:9/v1")
    app = opened(monkeypatch, sample_db, PAGE, judge=file)
    offered = app.selectbox(key=KEY).options
    assert "pytest: a test file that reads answers.jsonl" in offered


def test_a_tool_that_cannot_run_the_judge_says_what_to_do(sample_db, monkeypatch):
    app = chosen(monkeypatch, sample_db, "jev", "promptfoo-llm-rubric")
    assert "is a decision model, which llm-rubric cannot ask. Export it for “python”" in said(app)


def test_a_judge_that_is_not_exported_says_what_to_do(sample_db, monkeypatch):
    for judge, remedy in (
        ("baseline", "Export a judge that grades by a rubric."),
        ("computed", "or export a judge that grades by a rubric."),
    ):
        app = opened(monkeypatch, sample_db, PAGE, judge=judge)
        assert remedy in said(app), judge
        assert f"{judge} cannot be exported for another tool: it " in said(app)
        assert KEY not in [one.key for one in app.selectbox]


def test_a_judge_whose_grades_alone_are_known_offers_no_export(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, judge="simulated-careful-judge")
    assert "Its prompt is unknown" in " ".join(one.value for one in app.info)
    assert KEY not in [one.key for one in app.selectbox] and "Export a judge" not in said(app)
