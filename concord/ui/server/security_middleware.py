"""Security middleware: blocks some of Streamlit's own routes and adds response headers.

It relies on what `server_requirements` checks when the server starts.

Every visitor gets a Streamlit session, signed in or not, and could fill its memory with uploads. So
an upload is accepted only in a session whose user may import, which the frame records in every
script run. A file offered for download has an address derived from its content, and is served to
signed-in browsers only. Cross-site requests are rejected here: Streamlit would do so too, but looks
up its own public address on the internet for it.
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
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.runtime_util import get_max_widget_state_size_bytes
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from concord.language.languages import LANGUAGES, accepted, translate
from concord.messages import N_, Problem
from concord.ui.language import mark
from concord.ui.server import server_requirements
from concord.ui.server.server_requirements import PROVIDERS
from concord.ui.server.sign_in_limit import MESSAGE_BYTES, PendingConnections, Throttled

COOKIE = "concord_session"  # of a browser that a link let in
LEAVE = "/leave"  # the address by which a browser signs out
BEHIND_PROXY = "CONCORD_BEHIND_PROXY"
UPLOAD = "/_stcore/upload_file/"
DENIED = ("/_stcore/metrics", "/_stcore/script-health-check", "/_stcore/agent/")
MEDIA = "/media/"
_STREAMLITS = ("/_stcore/", MEDIA, "/component/")
LOOK_S = 5.0  # how often a waiting connection is checked for a sign-in
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
    # Streamlit writes inline styles with every element, so their hashes cannot be listed.
    "style-src": (_OWN, "'unsafe-inline'"),
    "img-src": (_OWN, "data:", "blob:"),
    "font-src": (_OWN, "data:"),
    "object-src": (_NONE,),
    "base-uri": (_OWN,),
    "form-action": (_OWN,),
    # Own frames only: in a foreign one, clicks could be redirected to hidden buttons.
    "frame-ancestors": (_OWN,),
}
HEADERS = {
    "Content-Security-Policy": "; ".join(" ".join([what, *_CONTENT[what]]) for what in _CONTENT),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_uploading: set[str] = set()
_active = False


def note(session: str, may_upload: bool) -> None:
    """Allow a session of Streamlit's to send files from now on, or no longer."""
    (_uploading.add if may_upload else _uploading.discard)(session)


def is_active() -> bool:
    """True where the middleware was active when this server started."""
    return _active


def middleware(
    is_inside: Callable[[Mapping[str, str]], bool], auth_routes: Sequence[BaseRoute] = ()
) -> list[Middleware]:
    """Return the server's middleware; behind a proxy it also knows the accepted host names.

    `is_inside` tells from the cookies if a browser is signed in. A server with `auth_routes` does
    not start where the middleware cannot be active.
    """
    # Else Streamlit runs a file of `pages/` without app.py, and its sign-in, before a screen was
    # opened, and a pane goes from the screen when a server comes back.
    PagesManager.uses_pages_directory = False
    if _has_proxy():
        # An empty list accepts every name: the proxy decides which host names it serves.
        config.set_option("server.allowedHosts", [])
    return [Middleware(_SecurityMiddleware, is_inside, auth_routes)]


def is_foreign(headers: Headers) -> bool:
    """True for a request from another site's page."""
    origin = headers.get("origin")
    # Compared by host alone: behind a proxy the app sees http where the browser says https.
    # Scripts and command lines send no Origin and no cookies of a browser, so they are not foreign.
    return bool(origin) and origin.split("//")[-1] != headers.get("host")


def address(connection: HTTPConnection) -> str:
    """Return the client address of a request; proxy headers count only behind a proxy."""
    passed_on = connection.headers.get("x-forwarded-for", "") if _has_proxy() else ""
    there = connection.client.host if connection.client else ""
    # The proxy appends the address it saw; earlier entries are the client's own claim.
    return passed_on.split(",")[-1].strip() or there


def _has_proxy() -> bool:
    return bool(os.environ.get(BEHIND_PROXY))


class _SecurityMiddleware:
    def __init__(
        self,
        app: ASGIApp,
        is_inside: Callable[[Mapping[str, str]], bool],
        auth_routes: Sequence[BaseRoute],
    ):
        self._app, self._inside, self._auth_routes = app, is_inside, auth_routes
        self._pending = PendingConnections()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        by_kind = {"lifespan": self._start, "websocket": self._connect, "http": self._reply}
        await by_kind[scope["type"]](scope, receive, send)

    async def _start(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Activate the middleware or report that it cannot; a team is then not served."""
        # Known only now: the routes and the server's settings exist once Streamlit has started.
        global _active
        server = server_requirements.server_of(receive)
        found = server_requirements.faults(
            server_requirements.routes_of(scope), self._auth_routes, server
        )
        _active = not found
        if found and self._auth_routes:
            await send(
                {"type": "lifespan.startup.failed", "message": server_requirements.refusal(found)}
            )
            return
        if not found:
            server_requirements.tighten(server, MESSAGE_BYTES, _has_proxy())
        await self._app(scope, receive, send)

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a websocket, which serves a screen; limited until the user signs in."""
        headers, here, send = Headers(scope=scope), HTTPConnection(scope), _of_own_runs(send)
        if is_foreign(headers) or not is_host_allowed(headers.get("host")):
            await send({"type": "websocket.close", "code": POLICY})
        elif await self._is_inside(here):
            self._widen(receive)
            await self._app(scope, receive, send)
        elif self._pending.enter(address(here)):
            # Screens before sign-in run scripts as well, so an anonymous visitor must not open
            # many.
            stay = _PendingConnection(self, here, receive)
            try:
                await self._app(scope, stay, send)
            finally:
                stay.end()
        else:
            await send({"type": "websocket.close", "code": POLICY})

    async def _is_inside(self, connection: HTTPConnection) -> bool:
        """True for a signed-in browser; False on a store error, which its screen shows."""
        try:
            # SQLite blocks; on the loop's thread it would stall every other connection.
            return await run_in_threadpool(self._inside, connection.cookies)
        except Problem:
            return False

    def _widen(self, receive: Receive) -> None:
        if _active:
            server_requirements.widen(receive, get_max_widget_state_size_bytes())

    async def _reply(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A request: shut, or answered with what every reply forbids."""

        async def forbidding(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    # Not overwritten: the authentication routes set stricter ones.
                    headers.setdefault(name, value)
            await send(message)

        reply = _denied(scope) if _is_denied(scope) else self._app
        if MEDIA in scope["path"] and not await self._is_inside(HTTPConnection(scope)):
            reply = _pictures(reply)
        await reply(scope, receive, forbidding)


class _PendingConnection:
    """Messages of a connection before sign-in."""

    def __init__(self, around: _SecurityMiddleware, connection: HTTPConnection, receive: Receive):
        self._middleware, self._connection = around, connection
        self._wide, self._receive = receive, Throttled(receive)
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
        if await self._middleware._is_inside(self._connection) and self._is_counted:
            self._leave(lingers=False)
            self._middleware._widen(self._wide)
            self._receive = self._wide

    def end(self) -> None:
        if self._later:
            self._later.cancel()
        if self._is_counted:
            self._leave(lingers=True)

    def _leave(self, lingers: bool) -> None:
        self._is_counted = False
        self._middleware._pending.leave(address(self._connection), lingers)


def _of_own_runs(send: Send) -> Send:
    """Send on all but the end of a run that began before the connection.

    Streamlit stopped it when the earlier connection was cut. Told that it is over, the page would
    remove what it had not drawn yet, be it a pane with a grade.
    """
    has_begun = False

    async def sifting(message: Message) -> None:
        nonlocal has_begun
        if not has_begun and message.get("bytes"):
            kind = ForwardMsg.FromString(message["bytes"]).WhichOneof("type")
            has_begun = kind == "new_session"
            if kind == "script_finished":
                return
        await send(message)

    return sifting


def _pictures(app: ASGIApp) -> ASGIApp:
    """Serve the icon of Streamlit's media files before sign-in, and no user's download."""

    async def reply(scope: Scope, receive: Receive, send: Send) -> None:
        shut = False

        async def sifting(message: Message) -> None:
            nonlocal shut
            if message["type"] == "http.response.start":
                is_picture = Headers(raw=message["headers"]).get("content-type", "")
                shut = message["status"] < 300 and not is_picture.startswith("image/")
                if shut:
                    await _denied(scope)(scope, receive, send)
            if not shut:
                await send(message)

        await app(scope, receive, sifting)

    return reply


def _denied(scope: Scope) -> PlainTextResponse:
    language = accepted(Headers(scope=scope).get("accept-language", ""))
    return PlainTextResponse(translate(N_("Access denied."), language), 403)


def _is_denied(scope: Scope) -> bool:
    """True where the session, or a request from that site, may not use the route."""
    path, headers = scope["path"], Headers(scope=scope)
    if not is_host_allowed(headers.get("host")):
        return True
    if is_foreign(headers) and any(part in path for part in _STREAMLITS):
        return True
    # Streamlit accepts files for any session id that is open; only leads' tabs are noted as
    # allowed.
    if UPLOAD in path:
        session = path.partition(UPLOAD)[2].partition("/")[0]
        # The preflight of a browser carries no session and changes nothing.
        return scope["method"] != "OPTIONS" and session not in _uploading
    return any(part in f"{path}/" for part in DENIED)
