"""What may be said before any run: how fast it asks, and what it may spend."""

import streamlit as st

from judges.course import CONCURRENCY


def concurrency(key: str) -> int:
    """How many requests are in flight at most."""
    return st.number_input(
        "Requests at once, at most",
        min_value=1,
        max_value=512,
        value=CONCURRENCY,
        key=key,
        help="A server on this machine mostly takes few; a large provider takes many.",
    )


def budget(key: str, label: str = "Budget, USD") -> float | None:
    """What a run may spend in USD; None for no limit."""
    return st.number_input(
        label,
        min_value=0.0,
        value=None,
        step=0.5,
        format="%.2f",
        placeholder="no limit",
        key=key,
        help="The run stops before it is passed, but for the requests in flight.",
        width=220,
    )
