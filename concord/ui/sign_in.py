"""Sign-in: the user in front of the screen, where authentication is on.

Without members there is no authentication; but behind a proxy, which may face the internet, access
is denied until there is a member. Otherwise a browser has the session that a link gave it
(`auth_routes`), or an identity provider names the user (`st.login`); either is looked up in every
script run, so that an ended session or a changed role takes effect at once.
"""

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from html import escape

import streamlit as st

from concord import clock
from concord.messages import N_, Problem, said
from concord.store import graders
from concord.store.database import Store, lent_store, open_store
from concord.store.permissions import ADJUDICATOR, GRADER, LEAD, VIEWER, Who
from concord.team import members, sessions
from concord.team.members import BOUND
from concord.ui.language import language, plain, say
from concord.ui.server import security_middleware
from concord.ui.server.security_middleware import BEHIND_PROXY, COOKIE, LEAVE
from concord.ui.server.server_requirements import PROVIDERS

# Set where a provider says nothing of whether an address is verified, yet every one of them is.
TRUSTED = "CONCORD_TRUST_ADDRESSES"
_ROLES = {GRADER: N_("annotator"), LEAD: N_("lead"), VIEWER: N_("viewer")}


# Whoever opens a read-only app; only the database's own members have names.
VISITOR = Who("", VIEWER)
_known: set[str] = set()  # browsers whom a provider let in, by what they keep of it


class SignedOut(Problem):
    """The user is not signed in, or no longer."""


def person() -> Who | None:
    """Return the signed-in user; None without authentication. Raises `SignedOut`.

    Without authentication, the user of a read-only app is a visitor.
    """
    with lent_store() as store:
        if not _are_asked(store):
            return VISITOR if store.read_only else None
        found = _by_link(store) or _by_provider(store)
        _note(st.context.cookies, found)
    if found is None:
        raise SignedOut(
            "You are not signed in, or your session has ended. Open the link you received again; "
            "what you have typed is kept."
        )
    # Without the middleware the uploads and downloads of all users would be exposed.
    if not security_middleware.is_active():
        raise Problem(
            "Sign-in is not possible: this server runs versions of its packages that Concord was "
            "not built for. Install the versions in requirements.txt, and start “streamlit run "
            "server.py” again."
        )
    return found


def own_store() -> Store:
    """The store as the person before the screen may reach it."""
    return open_store(who=person())


def lent_own_store() -> AbstractContextManager[Store]:
    """The same, lent: for what is asked with every key press."""
    return lent_store(person())


def adjudicating_store(link_of: str | None) -> Store:
    """The store on the screen Adjudicate: of an annotator only what a lead assigned to them.

    `link_of` names, without sign-in, the annotator of a grader's link; None where none was opened.
    """
    who = person()
    if who is None and link_of is not None:
        # An annotator as an adjudicator; one who is not known has nothing to adjudicate.
        with open_store() as store:
            known = graders.annotator(store, link_of)
        who = Who(known.name, ADJUDICATOR, known.id) if known else Who("", ADJUDICATOR, 0)
    elif who and who.role == GRADER:
        who = who._replace(role=ADJUDICATOR)
    return open_store(who=who)


def is_inside(cookies: Mapping[str, str]) -> bool:
    """True where these cookies belong to a signed-in browser, or there is no authentication."""
    with lent_store() as store:
        if not _are_asked(store):
            return True
        secret = cookies.get(COOKIE)
        return bool(secret and sessions.who(store, secret)) or cookies.get(PROVIDERS) in _known


def door() -> None:
    """Show the sign-in page."""
    st.title(say("Please sign in"), anchor=False)
    st.write(say("Open the link you received, or ask a lead of your team for one."))
    if _has_provider():
        st.button(say("Sign in"), type="primary", icon=":material/login:", on_click=st.login)
        if st.user.get("email"):
            st.info(plain(_why_not()))
            st.button(say("Sign out"), icon=":material/logout:", on_click=st.logout)


def signed_in(who: Who) -> None:
    """Show the signed-in user and the sign-out button in the sidebar."""
    with st.sidebar:
        identity(who)


def identity(who: Who) -> None:
    """Show the signed-in user and the sign-out button."""
    st.caption(f"{plain(who.name)} · {say(_ROLES[who.role])}")
    st.html(_WAY_OUT.format(language=language(), out=escape(say("Sign out"))))


_WAY_OUT = (
    f'<form method="post" action="{LEAVE}?lang={{language}}"><button style="font: inherit;'
    " font-size: .9rem; padding: .2rem .7rem; border: 1px solid currentColor; border-radius: .5rem;"
    ' background: none; color: inherit; opacity: .8; cursor: pointer">{out}</button></form>'
)


def _are_asked(store: Store) -> bool:
    """True where users must sign in: with members, or behind a proxy."""
    # A read-only demo may face the internet as it is: there is nothing to change in it.
    faces_internet = bool(os.environ.get(BEHIND_PROXY)) and not store.read_only
    asked = members.are_asked(store) or faces_internet
    if asked:
        os.environ[BOUND] = "1"  # for good: who has members once has them always
    return asked


def _note(cookies: Mapping[str, str], found: Who | None) -> None:
    """Note whether a browser that a provider let in is still in."""
    kept = cookies.get(PROVIDERS)
    if kept:
        (_known.add if found else _known.discard)(kept)


def _by_link(store: Store) -> Who | None:
    secret = st.context.cookies.get(COOKIE)
    return sessions.who(store, secret) if secret else None


def _by_provider(store: Store) -> Who | None:
    """Return the member with the provider's verified address; None without one."""
    address = st.user.get("email") if _has_provider() else None
    if not address or not _is_verified() or _is_over():
        return None
    member = members.find(store, address)
    return member.who() if member else None


def _why_not() -> str:
    """Return why a user known to the provider is not let in."""
    address = st.user.get("email")
    if not _is_verified():
        return said(
            "You signed in as {address}, but your provider does not say that this address is "
            "verified.",
            address=address,
        )
    if _is_over():
        return said(
            "You signed in as {address} more than {hours} hours ago. Sign in again.",
            address=address,
            hours=sessions.HOURS,
        )
    return said(
        "You signed in as {address}, who is not a member here. Ask a lead to add you.",
        address=address,
    )


def _is_verified() -> bool:
    """Anybody can claim an address at some providers, so that one has to say it is verified."""
    is_so = str(st.user.get("email_verified")).lower() == "true"
    return is_so or os.environ.get(TRUSTED) == "1"


def _is_over() -> bool:
    """True where the provider's sign-in exceeds our session length; Streamlit keeps it 30 days."""
    since = st.user.get("iat")
    return not since or clock.hours_since(float(since)) > sessions.HOURS


def _has_provider() -> bool:
    """True where an identity provider is configured in Streamlit's own secrets file."""
    return st.secrets.load_if_toml_exists() and "auth" in st.secrets
