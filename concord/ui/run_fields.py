"""What may be said before any run: how fast it asks, and what it may spend."""

import streamlit as st

from concord.judges.running.run_loop import CONCURRENCY
from concord.messages import said
from concord.ui.language import say
from concord.ui.widgets import number_field

BUDGET = said("Budget, USD")


def concurrency(key: str) -> int:
    """How many requests are in flight at most; what was said stays while the field is away."""
    kept = f"kept.{key}"
    most = number_field(
        say("Requests at once, at most"),
        min_value=1,
        max_value=512,
        value=st.session_state.get(kept, CONCURRENCY),
        key=key,
        help=say("A server on this machine mostly takes few; a large provider takes many."),
    )
    st.session_state[kept] = most
    return most


def budget(key: str, before: float | None, label: str = BUDGET) -> float | None:
    """What a run may spend in USD, at first what the one before might; None for no limit."""
    return number_field(
        say(label),
        min_value=0.0,
        value=before,
        step=0.5,
        format="%g",
        placeholder=say("no limit"),
        key=key,
        help=say(
            "The run stops before it is passed, but for the requests in flight. A run that goes "
            "on where another stopped may spend as much again."
        ),
        width=220,
    )
