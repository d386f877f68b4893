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


def test_a_judge_whose_grades_alone_are_known_offers_no_export(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, judge="simulated-careful-judge")
    assert KEY not in [one.key for one in app.selectbox]
