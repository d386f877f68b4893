"""A changed Streamlit, or a changed server under it, is noticed before people are let in."""

import asyncio

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route
from uvicorn.lifespan.on import LifespanOn

from concord.messages import Problem
from concord.store.database import open_store
from concord.team import members
from concord.ui import sign_in
from concord.ui.server import security_middleware, server_requirements
from concord.ui.server.auth_routes import routes
from concord.ui.server.server_requirements import KNOWN, NEEDED, faults

DOORS = routes()


def test_the_walls_stand_on_the_streamlit_that_is_installed(there, uvicorn_settings):
    assert faults(there, DOORS, uvicorn_settings) == []


def test_a_new_address_and_one_that_is_gone_are_named(there, uvicorn_settings):
    there = [route for route in there if "upload_file" not in route.path]
    there.append(Route("/_stcore/run_anything", lambda _: None))
    gone = "the route /_stcore/upload_file/{session_id}/{file_id} is missing"
    assert faults(there, DOORS, uvicorn_settings) == [
        "the route /_stcore/run_anything is unknown",
        gone,
    ]


def test_another_server_underneath_is_named(there, uvicorn_settings, monkeypatch):
    uvicorn_settings.ws_protocol_class = None
    unreachable = ["the settings of the underlying server are not accessible"]
    assert faults(there, DOORS, None) == unreachable
    uvicorn_settings.ws_max_size = None
    assert faults(there, DOORS, uvicorn_settings) == unreachable
    monkeypatch.setattr(server_requirements, "USER_COOKIE_NAME", "_user")


def test_every_message_and_header_is_bounded_before_the_first_one_comes(uvicorn_settings):
    inside = uvicorn_settings.loaded_app.app
    server_requirements.tighten(uvicorn_settings, 1000, has_proxy=True)
    assert uvicorn_settings.ws_max_size == 1000 and uvicorn_settings.loaded_app is not inside
    server_requirements.tighten(uvicorn_settings, 1000, has_proxy=False)
    assert uvicorn_settings.loaded_app is inside  # nothing reads X-Forwarded-For any more


def started(paths, auth_routes) -> LifespanOn:
    """A server that starts an app with these addresses."""
    streamlits = [Route(path or "/{rest:path}", lambda _: None) for path in paths]
    around = security_middleware.middleware(bool, auth_routes)
    asgi = Starlette(routes=[*auth_routes, *streamlits], middleware=around)
    config = uvicorn.Config(asgi, ws="websockets-sansio", log_config=None)

    async def start():
        life = LifespanOn(config)
        await life.startup()
        return life

    return asyncio.run(start())


def test_a_team_is_not_served_where_the_walls_do_not_stand(monkeypatch, caplog):
    monkeypatch.setattr(security_middleware, "_active", True)
    assert not started(NEEDED, DOORS).should_exit and security_middleware.is_active()
    assert (
        started(NEEDED | {"/_stcore/new"}, DOORS).should_exit
        and not security_middleware.is_active()
    )
    assert "the route /_stcore/new is unknown" in caplog.text and "pip install" in caplog.text
    assert (
        not started({"/_stcore/new"}, ()).should_exit and not security_middleware.is_active()
    )  # one person's own


def test_nobody_signs_in_where_the_walls_do_not_stand(db, monkeypatch):
    monkeypatch.setenv("CONCORD_DB", str(db))
    monkeypatch.setattr(security_middleware, "_active", False)
    assert sign_in.person() is None
    with open_store(db) as store:
        lead = members.add(store, "Lea", "lead", "test")
    monkeypatch.setattr(sign_in, "_by_link", lambda _: lead.who())
    with pytest.raises(Problem, match=r"requirements\.txt"):
        sign_in.person()
    assert {"/_stcore/upload_file/{session_id}/{file_id}", "/media/{file_id:path}"} <= KNOWN
