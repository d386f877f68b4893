"""Signing in: who the person before the screen is, where people sign in at all.

While there are no members nobody signs in. Else a browser comes with the session that a link gave
it (`ui.doors`), or a provider says who it is (`st.login`); either is looked up anew in every run,
so a session that ended or a role that changed counts at once.
"""

import streamlit as st

from data import members, sessions
from data.guard import Who
from data.store import Store, open_store
from problems import Problem
from ui.doors import COOKIE


class SignedOut(Problem):
    """Nobody has signed in here, or not any more."""


def person() -> Who | None:
    """Who is signed in; None where nobody signs in. A `SignedOut` where somebody has to."""
    with open_store() as store:
        if not members.are_asked(store):
            return None
        found = _by_link(store) or _by_provider(store)
    if found is None:
        raise SignedOut(
            "You are not signed in, or no longer. Open the link that you were sent once more; what "
            "you have typed is kept."
        )
    return found


def own_store() -> Store:
    """The store as the person before the screen may reach it."""
    return open_store(who=person())


def door() -> None:
    """What one sees who is not signed in."""
    st.title("Please sign in", anchor=False)
    st.write("Open the link that you were sent, or ask whoever leads the grading for one.")
    if _has_provider():
        st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login)
        said = st.user.get("email")
        if said:
            st.info(f"You signed in as {said}, who is not a member here. Ask a lead to add you.")
            st.button("Sign out", icon=":material/logout:", on_click=st.logout)


def _by_link(store: Store) -> Who | None:
    secret = st.context.cookies.get(COOKIE)
    return sessions.who(store, secret) if secret else None


def _by_provider(store: Store) -> Who | None:
    """The member whom the provider names by a verified address; None where there is none."""
    said = st.user.get("email") if _has_provider() else None
    if not said or st.user.get("email_verified") is False:
        return None
    member = members.find(store, said)
    return member.who() if member else None


def _has_provider() -> bool:
    """Whether a provider is set up, in Streamlit's own secrets file."""
    return st.secrets.load_if_toml_exists() and "auth" in st.secrets
