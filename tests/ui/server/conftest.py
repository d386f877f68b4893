"""Fixtures of the tests of server."""

from threading import BoundedSemaphore, Event, Thread

import pytest
import uvicorn

import app as concord
from concord.store.database import open_store
from concord.team import members, sessions
from concord.ui import page_run as module
from concord.ui.page_run import AT_ONCE, limited
from concord.ui.server.auth_routes import routes
from concord.ui.server.security_middleware import COOKIE
from tests.support.patience import PATIENT_S


@pytest.fixture
def link(tmp_path, monkeypatch):
    """The path of a link that lets a grader in."""
    monkeypatch.setenv("CONCORD_DB", str(tmp_path / "concord.db"))
    with open_store() as store:
        members.add(store, "Lea", "lead", "test")
        ann = members.add(store, "Ann", "grader", "Lea")
        return f"/join/{sessions.invite(store, ann, 'Lea')}"


@pytest.fixture
def turns(monkeypatch):
    """Turns of this test alone."""
    monkeypatch.setattr(module, "_turns", BoundedSemaphore(AT_ONCE))
    monkeypatch.setattr(module, "PATIENCE_S", PATIENT_S)
    return module._turns


@pytest.fixture
def held():
    """As many graders' screens as may open at once, under way until the event is set."""
    enough, inside = Event(), [Event() for _ in range(AT_ONCE)]

    def open_screen(here: Event) -> None:
        with limited(closed=True):
            here.set()
            enough.wait(PATIENT_S)

    screens = [Thread(target=open_screen, args=(here,)) for here in inside]
    for screen in screens:
        screen.start()
    assert all(here.wait(PATIENT_S) for here in inside)
    yield enough
    enough.set()
    for screen in screens:
        screen.join()


@pytest.fixture
def uvicorn_settings():
    """The settings that Streamlit gives uvicorn, loaded."""
    config = uvicorn.Config(concord.app, ws="websockets-sansio", log_config=None)
    config.load()
    return config


@pytest.fixture
def team_server(db, serve):
    """A server for a team, and the cookie of its lead."""
    with open_store(db) as store:
        lead = members.add(store, "Lea", "lead", "test")
        cookie = f"{COOKIE}={sessions.begin(store, lead)}"
    return serve(db, script="server.py"), cookie


@pytest.fixture
def there():
    """The addresses that Streamlit has, and Concord's auth_routes."""
    return [*concord.app._build_starlette_app().routes, *routes()]
