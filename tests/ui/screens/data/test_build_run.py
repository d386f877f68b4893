"""The build screen from documents to an answer sheet: every run a process of its own."""

import json
import os
import signal

from concord.building import drafts
from concord.judges.running import launch
from concord.judges.running.run_lock import of_asker
from concord.store import runs
from tests.support.endpoint import Endpoint
from tests.support.judges.building import HARBOUR, MINISTRY, filled, local, writer
from tests.support.patience import until
from tests.support.screens import opened

PAGE = "pages/build.py"


def latest(store, purpose="drafts"):
    found = runs.newest_of_sheet(store, "port", purpose)
    return found[-1] if found else None


def over(store, purpose="drafts"):
    """Whether every process that asks for the sheet port has ended."""
    found = runs.newest_of_sheet(store, "port", purpose)
    places = [of_asker(row["asker"], "port") for row in found]
    return bool(found) and not any(launch.is_alive(store, place) for place in places)


def test_drafting_is_priced_started_watched_stopped_and_resumed(monkeypatch, store):
    filled(store, *[f"{HARBOUR} Berth {n}." for n in range(9)])
    with Endpoint(write=writer, holds_from=4) as server:
        app = opened(monkeypatch, store.path, PAGE, **local(server))
        place = "build.concurrency.drafts.port"
        app.number_input(key=place).set_value(2).run()
        app.button(key="build.run.drafts").click().run()
        assert not app.exception and not app.error
        until(lambda: drafts.counts(store, "port")["waiting"] == 3)
        until(lambda: json.loads(latest(store)["counts"]).get("done") == 3)
        app = opened(monkeypatch, store.path, PAGE, **local(server))
        stop = next(b.key for b in app.button if b.key.endswith(".stop"))
        app.button(key=stop).click().run()
        until(lambda: over(store))
        server.release()
        app = opened(monkeypatch, store.path, PAGE, **local(server))
        app.button(key="build.run.drafts").click().run()
        until(lambda: over(store) and latest(store)["status"] == "done")
        assert len(server.delivered) == 9 and max(server.delivered.values()) <= 2
    assert drafts.counts(store, "port")["waiting"] == 9


def test_a_run_that_was_killed_says_so_and_goes_on_as_it_was_begun(monkeypatch, store):
    """The screen opens again without a word in its address: all it needs is in the store."""
    filled(store, HARBOUR, MINISTRY)
    with Endpoint(write=writer, holds_from=2) as server:
        app = opened(monkeypatch, store.path, PAGE, **local(server))
        app.number_input(key="build.count.port").set_value(3).run()
        app.button(key="build.run.drafts").click().run()
        until(lambda: drafts.counts(store, "port")["waiting"] == 1)
        os.kill(latest(store)["pid"], signal.SIGKILL)
        until(lambda: over(store))
        server.release()
        app = opened(monkeypatch, store.path, PAGE)
        assert app.number_input(key="build.count.port").value == 3
        app.button(key="build.run.drafts").click().run()
        until(lambda: over(store) and latest(store)["status"] == "done")
    assert drafts.counts(store, "port")["waiting"] == 2
