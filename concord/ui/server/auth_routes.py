"""Authentication routes: HTTP endpoints for signing in by link and signing out.

Fetching a link, as a mail client's preview does, signs no one in: its page has a button, and
pressing that redeems the link. The browser then keeps the session secret in an HttpOnly cookie.
Signing out is a POST too, so that no other site's image or link can sign a user out.
"""

import os
from html import escape

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from concord.language.languages import LANGUAGES, accepted, translate
from concord.messages import Problem, said
from concord.store.database import open_store
from concord.team import sessions
from concord.ui.server.security_middleware import BEHIND_PROXY, COOKIE, LEAVE, address, is_foreign
from concord.ui.server.server_requirements import PROVIDERS
from concord.ui.server.sign_in_limit import network

_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self';"
    " frame-ancestors 'none'",
}
_PAGE = """<!doctype html>
<html lang="__LANGUAGE__"><head><meta charset="utf-8"><title>Concord</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif; }
main { max-width: 30rem; margin: 18vh auto; padding: 0 1.5rem; }
button { font: inherit; padding: .6rem 1.4rem; border: 0; border-radius: .5rem;
  background: #0b6e99; color: #fff; cursor: pointer; }
</style></head><body><main><h1>Concord</h1>__SAID__</main></body></html>"""
_PROVIDERS_WAY_OUT = "/auth/logout"  # Streamlit's own


def routes() -> list[Route]:
    """Return the authentication routes, served next to Streamlit's own."""
    return [
        Route("/join/{secret}", _look, methods=["GET"]),
        Route("/join/{secret}", _join, methods=["POST"]),
        Route(LEAVE, _about_to_leave, methods=["GET"]),
        Route(LEAVE, _leave, methods=["POST"]),
    ]


async def _look(request: Request) -> Response:
    # A GET must not sign in: mail scanners and previews open every link, and another page could
    # embed it.
    return _confirmation_page(request, said("This link signs you in to Concord."), said("Sign in"))


async def _about_to_leave(request: Request) -> Response:
    return _confirmation_page(request, said("What you graded stays saved."), said("Sign out"))


async def _join(request: Request) -> Response:
    if is_foreign(request.headers):
        return _message_page(request, said("Open the link directly, not from another page."), 403)
    try:
        # SQLite blocks; on the loop's thread it would stall every screen.
        # By network: a line of IPv6 has more addresses than attempts can be counted for.
        home = network(address(request))
        session = await run_in_threadpool(_let_in, request.path_params["secret"], home)
    except Problem as problem:
        return _message_page(request, str(problem), 403)
    await _end_session(request)  # one browser is one person at a time
    # The next page must not learn the link, which is a secret, from the Referer header.
    response = RedirectResponse("/", 303, _HEADERS | {"Referrer-Policy": "no-referrer"})
    response.set_cookie(
        COOKIE,
        session,
        max_age=round(sessions.HOURS * 3600),
        # Lax and not strict: a link in a mail must arrive signed in. Posts from other sites carry
        # no cookie.
        httponly=True,
        samesite="lax",
        secure=_is_safe(request),
    )
    return response


async def _leave(request: Request) -> Response:
    if is_foreign(request.headers):
        return _message_page(
            request, said("Sign out on Concord itself, not from another page."), 403
        )
    await _end_session(request)
    response = _message_page(request, said("You are signed out. What you graded is kept."))
    # With the attributes it was set with, or the browser keeps the cookie.
    response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=_is_safe(request))
    if PROVIDERS in request.cookies:  # no redirect, which a form's page may not make to a provider
        response.headers["Refresh"] = f"0; url={_PROVIDERS_WAY_OUT}"
    return response


async def _end_session(request: Request) -> None:
    secret = request.cookies.get(COOKIE)
    if secret:
        await run_in_threadpool(_end, secret)


def _let_in(secret: str, address: str) -> str:
    with open_store() as store:
        return sessions.begin(store, sessions.opened_link(store, secret, address))


def _end(secret: str) -> None:
    with open_store() as store:
        sessions.end(store, secret)


def _is_safe(request: Request) -> bool:
    # Behind a proxy alone, since any client may send the header.
    passed_on = request.headers.get("x-forwarded-proto") if os.environ.get(BEHIND_PROXY) else None
    return (passed_on or request.url.scheme) == "https"


def _language(request: Request) -> str:
    """The language that the address names, else the one that the browser asks for."""
    named = request.query_params.get("lang")
    return named if named in LANGUAGES else accepted(request.headers.get("accept-language", ""))


def _confirmation_page(request: Request, text: str, does: str) -> HTMLResponse:
    """A page with a button that does what it says."""
    button = escape(translate(does, _language(request)))
    return _message_page(
        request, text, then=f"<form method='post'><button>{button}</button></form>"
    )


def _message_page(request: Request, text: str, status: int = 200, then: str = "") -> HTMLResponse:
    """A page with a sentence, in the language of who reads it."""
    language = _language(request)
    body = f"<p>{escape(translate(text, language))}</p>{then}"
    page = _PAGE.replace("__LANGUAGE__", language).replace("__SAID__", body)
    return HTMLResponse(page, status, _HEADERS)
