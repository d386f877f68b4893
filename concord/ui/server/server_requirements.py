"""Server requirements: what the middleware needs of Streamlit and uvicorn, checked at start.

Neither documents any of it, so a change must be noticed before users are let in, and not through
the security gap. Two settings are made here that only the underlying server can enforce: the
message size limit before sign-in, and whether forwarded headers are trusted.
"""

from collections.abc import Iterable
from typing import Any

import streamlit
import uvicorn
from starlette.routing import BaseRoute
from starlette.types import Receive, Scope
from streamlit import config
from streamlit.runtime.pages_manager import PagesManager
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.server import ServerProtocol

from concord.messages import joined, said

PROVIDERS = "_streamlit_user"  # the cookie of whom a provider let in
# Every address that Streamlit 1.67 has. Any other is not covered by the middleware.
NEEDED = {
    *("/_stcore/health", "/_stcore/metrics", "/_stcore/host-config", "/_stcore/stream"),
    *("/media/{file_id:path}", "/_stcore/upload_file/{session_id}/{file_id}"),
    *("/component/{path:path}", "/_stcore/bidi-components/{path:path}"),
    *("/auth/login", "/auth/logout", "/oauth2callback"),
}
KNOWN = NEEDED | {
    *("/_stcore/agent/interact", "/_stcore/agent/openapi.json", "/_stcore/agent/mcp"),
    *("/_stcore/script-health-check", "/app/static/{path:path}", ""),
}


def faults(routes: Iterable[BaseRoute], own: Iterable[BaseRoute], server: Any) -> list[str]:
    """Return the unmet requirements of the middleware; empty where all are met.

    `own` are Concord's authentication routes among them, `server` the settings of the underlying
    server.
    """
    base = (config.get_option("server.baseUrlPath") or "").strip("/")
    base = f"/{base}" if base else ""
    auth_routes = {route.path for route in own}
    # Compared as sets: a route that a new Streamlit adds is a door that the middleware does not
    # guard.
    there = {getattr(route, "path", "") or "" for route in routes} - auth_routes
    there = {path.removeprefix(base) for path in there}
    found = [said("the route {path} is unknown", path=path) for path in sorted(there - KNOWN)]
    found += [said("the route {path} is missing", path=path) for path in sorted(NEEDED - there)]
    if USER_COOKIE_NAME != PROVIDERS:
        found.append(said("the sign-in cookie is called {name}", name=USER_COOKIE_NAME))
    if not isinstance(server, uvicorn.Config) or not isinstance(server.ws_max_size, int):
        return [*found, said("the settings of the underlying server are not accessible")]
    if server.ws_protocol_class is not WebSocketsSansIOProtocol:
        found.append(said("another library handles its websockets"))
    if server.proxy_headers and not isinstance(server.loaded_app, ProxyHeadersMiddleware):
        found.append(said("it is unknown what reads the headers of a proxy"))
    if not hasattr(PagesManager, "uses_pages_directory"):
        found.append(said("pages may be run without app.py"))
    if not hasattr(ServerProtocol(), "max_message_size"):
        found.append(said("the message size cannot be limited for one connection"))
    return found


def server_of(receive: Receive) -> Any:
    """The settings of the server that starts an app; None where they are not found."""
    return getattr(getattr(receive, "__self__", None), "config", None)


def tighten(server: uvicorn.Config, message_bytes: int, has_proxy: bool) -> None:
    """Take no longer message than that, and no header's word for where a request comes from."""
    server.ws_max_size = message_bytes
    if server.proxy_headers and not has_proxy:
        # uvicorn trusts X-Forwarded-For from this machine by default, and any local client could
        # forge it.
        server.loaded_app = server.loaded_app.app


def widen(receive: Receive, message_bytes: int) -> None:
    """Take longer messages over this websocket; who sends them is known by now."""
    # The size is an attribute of the connection, since the server's setting applies to all of them.
    receive.__self__.conn.max_message_size = message_bytes


def refusal(found: Iterable[str]) -> str:
    """Return the error message of a server that does not start."""
    return said(
        "Concord does not serve a team on Streamlit {streamlit} with uvicorn {uvicorn}, because "
        "its access control does not support these versions: {faults}. Install the versions in "
        "requirements.txt (pip install -r requirements.txt).",
        streamlit=streamlit.__version__,
        uvicorn=uvicorn.__version__,
        faults=joined("; ", found),
    )


def routes_of(scope: Scope) -> list[BaseRoute]:
    """The addresses of the app that a message is for."""
    return list(getattr(scope.get("app"), "routes", []))
