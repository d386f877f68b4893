"""What stays shut around the screens, and what every reply forbids a browser."""

import asyncio

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from concord.ui.server.security_middleware import BEHIND_PROXY, HEADERS, middleware, note

FILE = "/_stcore/upload_file/tab/7"


def asked(method: str, path: str, **headers: str):
    """The reply of a server that says yes to whatever comes through."""

    async def ask():
        routes = [Route("/media/icon.png", lambda _: Response("yes", media_type="image/png"))]
        routes += [
            Route("/{path:path}", lambda _: PlainTextResponse("yes"), methods=["PUT", "GET"])
        ]
        around = middleware(lambda cookies: cookies.get("who") == "Ann")
        transport = httpx2.ASGITransport(Starlette(routes=routes, middleware=around))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, headers=headers)

    return asyncio.run(ask())


def test_a_file_is_taken_only_from_a_tab_whose_person_may_import():
    assert asked("PUT", FILE).status_code == 403
    note("tab", True)
    assert asked("PUT", FILE).text == "yes"
    assert asked("PUT", FILE.replace("tab", "other")).status_code == 403
    note("tab", False)
    assert asked("PUT", FILE).status_code == 403


def test_only_behind_a_proxy_any_name_of_the_machine_is_answered_to(monkeypatch):
    set_now = {}
    monkeypatch.setattr(
        "concord.ui.server.security_middleware.config.set_option", set_now.__setitem__
    )
    middleware(bool)
    assert set_now == {}
    monkeypatch.setenv(BEHIND_PROXY, "1")
    middleware(bool)
    assert set_now == {"server.allowedHosts": []}


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/metrics/", "/base/_stcore/metrics"])
def test_how_much_the_server_holds_is_told_nobody(path):
    assert asked("GET", path).status_code == 403


def test_no_other_site_frames_a_screen_and_no_reply_is_guessed_at():
    headers = asked("GET", "/grade").headers
    assert all(headers[name] == said for name, said in HEADERS.items())


def test_a_file_that_somebody_may_download_is_handed_to_nobody_who_was_not_let_in():
    reply = asked("GET", "/media/1.csv")
    assert (reply.status_code, "yes" in reply.text) == (403, False)
    assert asked("GET", "/media/1.png").status_code == 403  # whatever its address calls it
    assert asked("GET", "/media/1.csv", cookie="who=Ann").text == "yes"
    assert asked("GET", "/media/icon.png").text == "yes"


def test_another_sites_page_reaches_nothing_of_streamlits():
    for path in ("/_stcore/host-config", "/media/1.csv", "/component/x"):
        assert asked("GET", path, origin="http://evil.test").status_code == 403
        own = {"origin": "http://localhost", "cookie": "who=Ann"}
        assert asked("GET", path, **own).text == "yes"


def test_a_name_that_is_not_the_servers_reaches_nothing():
    for path in ("/", "/grade", "/_stcore/health", "/media/icon.png", "/join/secret"):
        assert asked("GET", path, host="evil.test").status_code == 403
        assert asked("GET", path, host="localhost:8501", cookie="who=Ann").text == "yes"


def test_another_program_than_a_browser_reaches_no_session():
    for path in ("interact", "openapi.json", "mcp"):
        assert asked("GET", f"/_stcore/agent/{path}").status_code == 403


def test_a_page_may_load_what_is_the_servers_own_and_nothing_from_elsewhere():
    said = dict(
        part.strip().split(" ", 1) for part in HEADERS["Content-Security-Policy"].split(";")
    )
    assert said["default-src"] == "'self'" and said["img-src"] == "'self' data: blob:"
    assert {"'unsafe-inline'", "'unsafe-eval'"}.isdisjoint(said["script-src"].split())
    assert not any("*" in whence or "http" in whence for whence in said.values())
