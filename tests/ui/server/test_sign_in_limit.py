"""What people may take up of the server before they signed in, tried against a real one."""

import asyncio
import time
from contextlib import AsyncExitStack

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import NewSession
from websockets.exceptions import InvalidStatus

from concord.store.database import open_store
from concord.ui.server import preload, security_middleware, sign_in_limit
from concord.ui.server.security_middleware import (
    BEHIND_PROXY,
    HEADERS,
    _of_own_runs,
    middleware,
    note,
)
from concord.ui.server.sign_in_limit import (
    FROM_ONE_ADDRESS,
    IN_ALL,
    MESSAGE_BYTES,
    MESSAGES,
    PendingConnections,
    Throttled,
    network,
)
from tests.support.visitor import XSRF, Visitor


async def healthy_within(server, seconds: float) -> bool:
    begun = time.monotonic()
    async with httpx2.AsyncClient() as client:
        reply = await client.get(f"{server.url}/_stcore/health", timeout=seconds)
    return reply.status_code == 200 and time.monotonic() - begun < seconds


def resident_mb(server) -> float:
    with open(f"/proc/{server.process.pid}/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def test_before_signing_in_few_connections_and_small_messages_are_taken(team_server):
    server, cookie = team_server

    async def flooded():
        async with Visitor(server.url) as first:
            assert "Please sign in" in await first.visit("")
        before = resident_mb(server)
        async with AsyncExitStack() as held:
            taken = []
            for _ in range(150):
                try:
                    taken.append(await held.enter_async_context(Visitor(server.url)))
                except InvalidStatus as refused:
                    assert refused.response.status_code == 403
            assert len(taken) < FROM_ONE_ADDRESS  # the first lingers
            opened = [asyncio.create_task(one.visit("")) for one in taken]
            assert await healthy_within(server, 5)
            assert all("Please sign in" in seen for seen in await asyncio.gather(*opened))
            assert {await one.close_by(b"x" * (MESSAGE_BYTES + 1)) for one in taken} == {1009}
            async with Visitor(server.url, cookie) as lead:  # whom the others do not keep out
                assert "Lea" in await lead.visit("sheets")
        assert resident_mb(server) - before < 100

    asyncio.run(flooded())


def test_who_signed_in_sends_long_messages_and_files_of_200_mb(team_server):
    server, cookie = team_server

    async def sent():
        async with Visitor(server.url, cookie) as lead:
            await lead.visit("sheets?do=import")
            await lead.visit("sheets?do=import&long=" + "x" * 500_000)
            assert await uploaded(lead.session, b"x" * 200_000_000) == 204
        async with Visitor(server.url) as nobody:
            await nobody.visit("sheets?do=import")
            assert await uploaded(nobody.session, b"x") == 403

    async def uploaded(session, content):
        async with httpx2.AsyncClient(timeout=60) as client:
            await client.get(f"{server.url}/_stcore/health")  # brings what a browser sends twice
            own = {"X-Xsrftoken": client.cookies[XSRF]}
            path = f"{server.url}/_stcore/upload_file/{session}/1"
            return (await client.put(path, files={"file": content}, headers=own)).status_code

    asyncio.run(sent())


def test_a_place_is_given_back_a_while_after_and_each_address_has_its_own(monkeypatch):
    monkeypatch.setattr(sign_in_limit, "LINGER_S", 0.05)

    async def come_and_gone():
        here = PendingConnections()
        assert all(here.enter("192.0.2.1") for _ in range(FROM_ONE_ADDRESS))
        assert not here.enter("192.0.2.1") and here.enter("192.0.2.2")
        here.leave("192.0.2.1", lingers=True)
        assert not here.enter("192.0.2.1")
        await asyncio.sleep(0.2)
        assert here.enter("192.0.2.1")
        others = [here.enter(f"198.51.100.{n}") for n in range(IN_ALL)]
        assert sum(others) == IN_ALL - FROM_ONE_ADDRESS - 1

    asyncio.run(come_and_gone())


def test_whom_a_provider_let_in_gives_the_place_back_without_saying_more(monkeypatch):
    """After a restart nobody is known until the screen has run, and a reader sends nothing more."""
    monkeypatch.setattr(security_middleware, "LOOK_S", 0.01)
    monkeypatch.setattr(sign_in_limit, "PAUSE_S", 0)
    known = set()

    async def shown(scope, receive, send):
        await receive()
        known.add("of a provider")
        await receive()

    async def came_back():
        around = security_middleware._SecurityMiddleware(shown, lambda cookies: bool(known), ())
        said, gone = [{"type": "websocket.receive", "bytes": b""}], asyncio.Event()

        async def receive():
            if not said:
                await gone.wait()
            return said.pop() if said else {"type": "websocket.disconnect", "code": 1000}

        cookie = f"{security_middleware.PROVIDERS}=one".encode()
        headers = [(b"host", b"localhost"), (b"cookie", cookie)]
        client = ("192.0.2.1", 1)
        scope = {"type": "websocket", "path": "/", "headers": headers, "client": client}
        stays = asyncio.create_task(around(scope, receive, None))
        await until(lambda: known)
        await until(lambda: not around._pending._here)
        gone.set()
        await stays

    async def until(holds):
        for _ in range(1_000):
            if holds():
                return
            await asyncio.sleep(0.01)
        raise AssertionError("it did not come about")

    asyncio.run(came_back())


def test_an_ipv6_line_is_one_address():
    assert network("2001:db8::1") == network("2001:db8::ffff:1") != network("2001:db8:0:1::1")
    assert network("::ffff:192.0.2.1") == network("192.0.2.1") == "192.0.2.1"
    assert network("a socket") == "a socket"


def test_a_connection_that_says_too_much_ends(monkeypatch):
    monkeypatch.setattr(sign_in_limit, "PAUSE_S", 0)

    async def said():
        async def receive():
            return {"type": "websocket.receive", "bytes": b""}

        sparing = Throttled(receive)
        return [(await sparing())["type"] for _ in range(MESSAGES + 1)]

    heard = asyncio.run(said())
    assert heard == ["websocket.receive"] * MESSAGES + ["websocket.disconnect"]


def test_strangers_cannot_fill_the_log(team_server):
    server, _ = team_server

    async def send_nonsense():
        for nonsense in (b"\xff\xff", "no bytes") * 20:
            async with Visitor(server.url) as stranger:
                await stranger.close_by(nonsense)

    asyncio.run(send_nonsense())
    log = server.log.read_text()
    assert log.count("Error deserializing back message") == preload.TIMES
    assert log.count("Exception in ASGI application") <= preload.TIMES
    assert log.count("[…]") == 2


def test_a_header_does_not_say_where_a_guesser_comes_from(team_server, db):
    """Streamlit's server believes `X-Forwarded-For` of whoever comes from this machine."""
    server, _ = team_server

    async def guessed():
        async with httpx2.AsyncClient() as client:
            for n in range(3):
                said = {"X-Forwarded-For": f"192.0.2.{n}"}
                assert (await client.post(f"{server.url}/join/x", headers=said)).status_code == 403

    asyncio.run(guessed())
    with open_store(db) as store:
        assert [row["address"] for row in store.rows("select address from sign_ins")] == [
            "127.0.0.1"
        ] * 3


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


def test_the_end_of_a_run_that_began_over_an_earlier_connection_is_not_sent():
    """Told of it, the page would remove what that run had not drawn: the pane with its keys."""
    sent = []
    of_before, own = (ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY) for _ in "ab")
    begun = ForwardMsg(new_session=NewSession(name="app"))
    frames = [one.SerializeToString() for one in (of_before, begun, own)]

    async def note_bytes(message):
        sent.append(message["bytes"])

    async def run():
        send = _of_own_runs(note_bytes)
        for data in frames:
            await send({"type": "websocket.send", "bytes": data})

    asyncio.run(run())
    assert sent == frames[1:]
