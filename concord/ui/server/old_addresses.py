"""Old addresses of screens: bookmarks, and links between colleagues, lead on to today's."""

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config

# The pages before they became tabs of nine screens, and the first of those, which has no name.
MOVED = {
    "overview": "",
    "start": "",
    "sheets": "data",
    "roles": "splits",
    "rubric": "rubrics",
    "grading": "annotate",
    "people": "annotators",
    "measures": "metrics",
    "disagreements": "review",
    "evidence": "review?list=claims",
    "contradicted": "review?list=contradicted",
    "refuted": "review?list=contradicted",
    "choose": "decide",
    "team": "settings",
}


class OldAddresses:
    """Middleware that redirects an old address, with its query.

    The server redirects, and no page: Streamlit would say first that there is no such page.
    """

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Redirect, or let through."""
        reply = self._app
        if scope["type"] == "http":
            base = (config.get_option("server.baseUrlPath") or "").strip("/")
            base = f"/{base}/" if base else "/"
            name = scope["path"].removeprefix(base).rstrip("/")
            if scope["path"].startswith(base) and name in MOVED:
                query = scope["query_string"].decode("latin-1")
                page, _, chosen = MOVED[name].partition("?")
                query = "&".join(filter(None, (chosen, query)))
                reply = RedirectResponse(f"{base}{page}{'?' if query else ''}{query}", 308)
        await reply(scope, receive, send)
