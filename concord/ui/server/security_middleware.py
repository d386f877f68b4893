"""Walls: what of Streamlit's own addresses stays shut, and what every reply of the server forbids.

They stand on what `server_requirements` finds when the server starts.

Whoever reaches the server gets a session of Streamlit's, also one who is not signed in, and could
fill its memory with files. So an upload is taken only in a session whose person may import, which
the frame notes here in every run of a screen. A file that a screen offers for download has an
address that only its content tells, and goes to browsers that were let in. What another site's
page asks for is turned away here: Streamlit would do so too, but to be sure of its own address it
asks a server on the internet.
"""

import asyncio
import os
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import streamlit
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config
from streamlit.runtime.runtime_util import get_max_widget_state_size_bytes
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from concord.language.languages import LANGUAGES, accepted, shown
from concord.messages import said
from concord.problems import Problem
from concord.ui.language import mark
from concord.ui.server import server_requirements
from concord.ui.server.server_requirements import PROVIDERS
from concord.ui.server.sign_in_limit import MESSAGE_BYTES, Lobby, Sparing

COOKIE = "concord_session"  # of a browser that a link let in
LEAVE = "/leave"  # the address by which a browser signs out
BEHIND_PROXY = "CONCORD_BEHIND_PROXY"
UPLOAD = "/_stcore/upload_file/"
SHUT = ("/_stcore/metrics", "/_stcore/script-health-check", "/_stcore/agent/")
MEDIA = "/media/"
_STREAMLITS = ("/_stcore/", MEDIA, "/component/")
LOOK_S = 5.0  # how often it is looked whether somebody has been let in meanwhile
POLICY = 1008  # how a websocket says that it is closed on principle
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_STREAMLITS_PAGE = Path(streamlit.__file__).parent / "static" / "index.html"


def _hashes() -> Iterator[str]:
    """The scripts in a page itself: Streamlit's own, and the one that names the language."""
    for page in (_STREAMLITS_PAGE.read_text(encoding="utf-8"), *map(mark, LANGUAGES)):
        for script in _INLINE.findall(page):
            yield f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


_OWN, _NONE = "'self'", "'none'"
# What a page of Concord's may load: nothing from elsewhere, whatever a text in it says. Streamlit
# sets styles by itself, and reads the scripts of panes and drawings from what it holds (blob).
_CONTENT = {
    "default-src": (_OWN,),
    "script-src": (_OWN, "blob:", "'wasm-unsafe-eval'", *_hashes()),
    "style-src": (_OWN, "'unsafe-inline'"),
    "img-src": (_OWN, "data:", "blob:"),
    "font-src": (_OWN, "data:"),
    "object-src": (_NONE,),
    "base-uri": (_OWN,),
    "form-action": (_OWN,),
    "frame-ancestors": (_OWN,),
}
HEADERS = {
    "Content-Security-Policy": "; ".join(" ".join([what, *_CONTENT[what]]) for what in _CONTENT),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_uploading: set[str] = set()
_standing = False


def note(session: str, may_upload: bool) -> None:
    """Let a session of Streamlit's send files from now on, or no more."""
    (_uploading.add if may_upload else _uploading.discard)(session)


def stand() -> bool:
    """Whether the walls were put up when this server started."""
    return _standing


def walls(
    is_inside: Callable[[Mapping[str, str]], bool], doors: Sequence[BaseRoute] = ()
) -> list[Middleware]:
    """What stands around the server; where a proxy is in front, it knows the names to answer to.

    Args:
        is_inside: Says by its cookies whether a browser was let in.
        doors: The addresses at which people are let in; a server that has some does not start
            where the walls cannot stand.
    """
    if _has_proxy():
        config.set_option("server.allowedHosts", [])
    return [Middleware(_Walls, is_inside, doors)]


def is_foreign(headers: Headers) -> bool:
    """Whether another site's page sends this."""
    origin = headers.get("origin")
    return bool(origin) and origin.split("//")[-1] != headers.get("host")


def address(connection: HTTPConnection) -> str:
    """Where a request comes from; what a proxy says of it counts only where one is in front."""
    passed_on = connection.headers.get("x-forwarded-for", "") if _has_proxy() else ""
    there = connection.client.host if connection.client else ""
    return passed_on.split(",")[-1].strip() or there


def _has_proxy() -> bool:
    return bool(os.environ.get(BEHIND_PROXY))


class _Walls:
    def __init__(
        self,
        app: ASGIApp,
        is_inside: Callable[[Mapping[str, str]], bool],
        doors: Sequence[BaseRoute],
    ):
        self._app, self._inside, self._doors = app, is_inside, doors
        self._lobby = Lobby()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        by_kind = {"lifespan": self._start, "websocket": self._connect, "http": self._reply}
        await by_kind[scope["type"]](scope, receive, send)

    async def _start(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Put the walls up, or say that they do not stand; a team is then not served."""
        global _standing
        server = server_requirements.server_of(receive)
        found = server_requirements.faults(
            server_requirements.routes_of(scope), self._doors, server
        )
        _standing = not found
        if found and self._doors:
            await send(
                {"type": "lifespan.startup.failed", "message": server_requirements.told(found)}
            )
            return
        if not found:
            server_requirements.tighten(server, MESSAGE_BYTES, _has_proxy())
        await self._app(scope, receive, send)

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A websocket, over which a screen is shown; sparingly, until somebody signed in."""
        headers, here = Headers(scope=scope), HTTPConnection(scope)
        if is_foreign(headers) or not is_host_allowed(headers.get("host")):
            await send({"type": "websocket.close", "code": POLICY})
        elif await self._is_inside(here):
            self._widen(receive)
            await self._app(scope, receive, send)
        elif self._lobby.enter(address(here)):
            stay = _Stay(self, here, receive)
            try:
                await self._app(scope, stay, send)
            finally:
                stay.end()
        else:
            await send({"type": "websocket.close", "code": POLICY})

    async def _is_inside(self, connection: HTTPConnection) -> bool:
        """Whether a browser was let in; where the store says nothing, its screen says why."""
        try:
            return await run_in_threadpool(self._inside, connection.cookies)
        except Problem:
            return False

    def _widen(self, receive: Receive) -> None:
        if _standing:
            server_requirements.widen(receive, get_max_widget_state_size_bytes())

    async def _reply(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A request: shut, or answered with what every reply forbids."""

        async def forbidding(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        reply = _shut(scope) if _is_shut(scope) else self._app
        if MEDIA in scope["path"] and not await self._is_inside(HTTPConnection(scope)):
            reply = _pictures(reply)
        await reply(scope, receive, forbidding)


class _Stay:
    """What comes over a connection whose person has not signed in, until that person has."""

    def __init__(self, around: _Walls, connection: HTTPConnection, receive: Receive):
        self._walls, self._connection = around, connection
        self._wide, self._receive = receive, Sparing(receive)
        self._is_counted = True
        self._later: asyncio.Task | None = None

    async def __call__(self) -> Message:
        message = await self._receive()
        if self._is_counted and PROVIDERS in self._connection.cookies:  # links let in by a new one
            await self._look()
            self._later = self._later or asyncio.create_task(self._look_later())
        return message

    async def _look_later(self) -> None:
        """Look until the screen has said who that is, since that person may say nothing more."""
        while self._is_counted:
            await asyncio.sleep(LOOK_S)
            await self._look()

    async def _look(self) -> None:
        if await self._walls._is_inside(self._connection) and self._is_counted:
            self._leave(lingers=False)
            self._walls._widen(self._wide)
            self._receive = self._wide

    def end(self) -> None:
        if self._later:
            self._later.cancel()
        if self._is_counted:
            self._leave(lingers=True)

    def _leave(self, lingers: bool) -> None:
        self._is_counted = False
        self._walls._lobby.leave(address(self._connection), lingers)


def _pictures(app: ASGIApp) -> ASGIApp:
    """What of files those may have who were not let in: the icon, and no download of anybody's."""

    async def reply(scope: Scope, receive: Receive, send: Send) -> None:
        shut = False

        async def sifting(message: Message) -> None:
            nonlocal shut
            if message["type"] == "http.response.start":
                is_picture = Headers(raw=message["headers"]).get("content-type", "")
                shut = message["status"] < 300 and not is_picture.startswith("image/")
                if shut:
                    await _shut(scope)(scope, receive, send)
            if not shut:
                await send(message)

        await app(scope, receive, sifting)

    return reply


def _shut(scope: Scope) -> PlainTextResponse:
    language = accepted(Headers(scope=scope).get("accept-language", ""))
    return PlainTextResponse(shown(said("This is shut."), language), 403)


def _is_shut(scope: Scope) -> bool:
    """Whether nobody in that session, or from that site, may ask for that."""
    path, headers = scope["path"], Headers(scope=scope)
    if not is_host_allowed(headers.get("host")):
        return True
    if is_foreign(headers) and any(part in path for part in _STREAMLITS):
        return True
    if UPLOAD in path:
        session = path.partition(UPLOAD)[2].partition("/")[0]
        return scope["method"] != "OPTIONS" and session not in _uploading
    return any(part in f"{path}/" for part in SHUT)
