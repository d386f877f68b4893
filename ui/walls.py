"""Walls: what of Streamlit's own addresses stays shut, and what every reply of the server forbids.

Whoever reaches the server gets a session of Streamlit's, also one who is not signed in, and could
fill its memory with files. So an upload is taken only in a session whose person may import, which
the frame notes here in every run of a screen. A file that a screen offers for download has an
address that only its content tells, and goes to browsers that were let in. What another site's
page asks for is turned away here: Streamlit would do so too, but to be sure of its own address it
asks a server on the internet.
"""

import os
from collections.abc import Callable, Mapping

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config

from words.language import accepted, shown
from words.said import said

BEHIND_PROXY = "CONCORD_BEHIND_PROXY"
UPLOAD, SHUT = "/_stcore/upload_file/", ("/_stcore/metrics", "/_stcore/script-health-check")
MEDIA = "/media/"
_STREAMLITS = ("/_stcore/", MEDIA, "/component/")
POLICY = 1008  # how a websocket says that it is closed on principle
HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'self'",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_uploading: set[str] = set()


def note(session: str, may_upload: bool) -> None:
    """Let a session of Streamlit's send files from now on, or no more."""
    (_uploading.add if may_upload else _uploading.discard)(session)


def walls(is_inside: Callable[[Mapping[str, str]], bool]) -> list[Middleware]:
    """What stands around the server; where a proxy is in front, it knows the names to answer to.

    `is_inside` says by its cookies whether a browser was let in.
    """
    if os.environ.get(BEHIND_PROXY):
        config.set_option("server.allowedHosts", [])
    return [Middleware(_Walls, is_inside)]


def is_foreign(headers: Headers) -> bool:
    """Whether another site's page sends this."""
    origin = headers.get("origin")
    return bool(origin) and origin.split("//")[-1] != headers.get("host")


class _Walls:
    def __init__(self, app: ASGIApp, is_inside: Callable[[Mapping[str, str]], bool]):
        self._app, self._is_inside = app, is_inside

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and is_foreign(Headers(scope=scope)):
            await send({"type": "websocket.close", "code": POLICY})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def forbidding(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        reply = _shut(scope) if _is_shut(scope) else self._app
        if MEDIA in scope["path"]:
            cookies = HTTPConnection(scope).cookies
            if not await run_in_threadpool(self._is_inside, cookies):
                reply = _pictures(reply)
        await reply(scope, receive, forbidding)


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
    path = scope["path"]
    if is_foreign(Headers(scope=scope)) and any(part in path for part in _STREAMLITS):
        return True
    if UPLOAD in path:
        session = path.partition(UPLOAD)[2].partition("/")[0]
        return scope["method"] != "OPTIONS" and session not in _uploading
    return path.rstrip("/").endswith(SHUT)
