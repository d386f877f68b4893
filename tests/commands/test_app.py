import os
import sys

import pytest

from concord.resources import ROOT
from concord.store.database import READ_ONLY, open_store


def test_app_opens_the_screens_on_the_database_that_is_named(run, db, started):
    run("app", "--port", "8600", "--", "--server.baseUrlPath=concord")
    (command,) = started
    assert command[:6] == [sys.executable, "-P", "-m", "streamlit", "run", str(ROOT / "app.py")]
    assert command[6] == "--server.port=8600" and command[-1] == "--server.baseUrlPath=concord"
    assert os.environ["CONCORD_DB"] == str(db)


def test_app_for_a_team_starts_the_server_that_lets_annotators_sign_in(run, started):
    run("app", "--team")
    assert str(ROOT / "server.py") in started[0]


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has a display without saying so")
@pytest.mark.parametrize(
    ("there", "headless"),
    [
        ({}, "true"),
        ({"DISPLAY": ":0"}, "false"),
        ({"DISPLAY": ":0", "SSH_CONNECTION": "a"}, "true"),
    ],
)
def test_a_browser_is_opened_where_somebody_sees_it(run, started, monkeypatch, there, headless):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    for name, value in there.items():
        monkeypatch.setenv(name, value)
    run("app")
    assert f"--server.headless={headless}" in started[0]


def test_app_read_only_shows_a_database_that_is_there(run, db, started, monkeypatch):
    monkeypatch.setenv(READ_ONLY, "")  # which the command sets, and the test takes back
    run("app", "--read-only", code=2)
    assert started == [] and not db.exists()
    monkeypatch.setenv(READ_ONLY, "")
    open_store(db).close()
    run("app", "--read-only")
    assert len(started) == 1 and os.environ[READ_ONLY] == "1"
