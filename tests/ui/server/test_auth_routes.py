"""The addresses beside the screens: what lets a browser in, and what does not."""

import asyncio

import httpx2
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route
from uvicorn.lifespan.on import LifespanOn

from concord.messages import Problem
from concord.store.database import open_store
from concord.team import members, sessions
from concord.ui import sign_in
from concord.ui.server import security_middleware, server_requirements
from concord.ui.server.auth_routes import routes
from concord.ui.server.security_middleware import BEHIND_PROXY, COOKIE
from concord.ui.server.server_requirements import KNOWN, NEEDED, faults


def asked(method: str, path: str, base: str = "http://concord.test", **headers: str):
    """The server's reply to one request."""

    async def ask():
        transport = httpx2.ASGITransport(Starlette(routes=routes()))
        async with httpx2.AsyncClient(transport=transport, base_url=base) as client:
            return await client.request(method, path, headers=headers)

    return asyncio.run(ask())


def test_a_link_that_is_only_looked_at_lets_nobody_in(link):
    reply = asked("GET", link)
    assert (reply.status_code, "set-cookie" in reply.headers) == (200, False)
    assert reply.headers["cache-control"] == "no-store"
    with open_store() as store:
        assert store.value("select count(*) from sign_ins") == 0


def test_a_door_speaks_the_language_of_the_browser_or_of_its_address(link):
    asks = {"accept-language": "de, ko;q=0.9, en;q=0.5"}
    assert '<html lang="ko">' in asked("GET", link, **asks).text
    assert "로그인" in asked("GET", link, **asks).text
    assert "유효하지 않은 링크입니다" in asked("POST", "/join/none", **asks).text
    assert "サインアウトしました" in asked("POST", "/leave?lang=ja", **asks).text


def test_the_button_of_a_link_gives_the_browser_a_session_that_no_script_can_read(link):
    reply = asked("POST", link, origin="http://concord.test")
    assert (reply.status_code, reply.headers["location"]) == (303, "/")
    said = reply.headers["set-cookie"]
    assert "HttpOnly" in said and "SameSite=lax" in said and "Secure" not in said
    with open_store() as store:
        assert sessions.who(store, reply.cookies[COOKIE]).name == "Ann"


def test_over_https_the_session_goes_over_https_only_also_where_a_proxy_ends_it(link, monkeypatch):
    assert "Secure" in asked("POST", link, "https://concord.test").headers["set-cookie"]
    passed_on = {"x-forwarded-proto": "https"}
    assert "Secure" not in asked("POST", link, **passed_on).headers["set-cookie"]
    monkeypatch.setenv(BEHIND_PROXY, "1")
    assert "Secure" in asked("POST", link, **passed_on).headers["set-cookie"]


def test_a_link_that_does_not_open_says_so_and_a_guesser_is_counted_by_address(link, monkeypatch):
    monkeypatch.setenv(BEHIND_PROXY, "1")
    for _ in range(sessions.TRIES):
        reply = asked("POST", "/join/guessed", **{"x-forwarded-for": "1.1.1.1, 9.9.9.9"})
        assert (reply.status_code, "set-cookie" in reply.headers) == (403, False)
    assert asked("POST", link, **{"x-forwarded-for": "1.1.1.1"}).status_code == 303


def test_a_line_of_ipv6_is_one_guesser(link, monkeypatch):
    monkeypatch.setenv(BEHIND_PROXY, "1")
    for n in range(sessions.TRIES):
        asked("POST", "/join/guessed", **{"x-forwarded-for": f"2001:db8::{n}"})
    assert asked("POST", link, **{"x-forwarded-for": "2001:db8:0:1::"}).status_code == 303


def test_another_sites_page_opens_no_link(link):
    for origin in ("http://evil.test", "null"):
        assert asked("POST", link, origin=origin).status_code == 403


def test_the_way_out_is_a_button_of_concords_own(link):
    assert "method='post'" in asked("GET", "/leave").text
    session = asked("POST", link).cookies[COOKIE]
    asked("POST", "/leave", cookie=f"{COOKIE}={session}", origin="http://evil.test")
    with open_store() as store:
        assert sessions.who(store, session)


def test_who_comes_in_anew_has_left_as_whoever_was_here_before(link):
    before = asked("POST", link).cookies[COOKIE]
    reply = asked("POST", link, cookie=f"{COOKIE}={before}")
    assert reply.headers["referrer-policy"] == "no-referrer"  # the next address is told no secret
    with open_store() as store:
        assert sessions.who(store, before) is None and sessions.who(store, reply.cookies[COOKIE])


def test_who_leaves_is_signed_out_on_the_server_too(link):
    session = asked("POST", link).cookies[COOKIE]
    reply = asked("POST", "/leave", cookie=f"{COOKIE}={session}")
    assert "Max-Age=0" in reply.headers["set-cookie"]
    with open_store() as store:
        assert sessions.who(store, session) is None
    assert "refresh" not in reply.headers


def test_whom_a_provider_let_in_it_lets_out_too(link):
    reply = asked("POST", "/leave", cookie="_streamlit_user=signed")
    assert reply.headers["refresh"] == "0; url=/auth/logout"


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
