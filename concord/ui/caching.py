"""Caching of what a screen computes, for a state of the store.

A spinner says in the reader's language what is being computed.
"""

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from concord.model import Sheet
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.sheets import state_key
from concord.ui.language import say

Given = ParamSpec("Given")
Found = TypeVar("Found")


class Keyed:
    """A value read from the store that is compared by a key instead of by its content.

    Attributes:
        key: Changes whenever what was read may have changed.
    """

    key: tuple


def kept(
    text: str | str = "", most: int = 24, *, shared: bool = False
) -> Callable[[Callable[Given, Found]], Callable[Given, Found]]:
    """Keep what a function returned, while nothing changes in the sheets it reads.

    Args:
        text: What the spinner says; without it none is shown.
        most: How many results are kept.
        shared: True where all are given the same result, which they must not change, in place of
            copies.

    Returns:
        A decorator. The function takes what it depends on by position: something `Keyed`, or the
        store and a sheet, or a tuple of sheets. An argument whose parameter begins with an
        underscore follows from the others and is not compared.
    """
    keep = st.cache_resource if shared else st.cache_data

    def around(function: Callable[Given, Found]) -> Callable[Given, Found]:
        @wraps(function)
        def computed(key: tuple, _args: tuple) -> Found:
            return function(*_args)

        del computed.__wrapped__  # else Streamlit reads the parameters of the function
        cached = keep(max_entries=most, show_spinner=False)(computed)
        compared = [not name.startswith("_") for name in signature(function).parameters]

        @wraps(function)
        def asked(*args):
            chosen = (one for one, is_part in zip(args, compared, strict=True) if is_part)
            with st.spinner(say(text)) if text else nullcontext():
                return cached(tuple(_key(one, args[0]) for one in chosen), args)

        return asked

    return around


def once(key: str, wanted: tuple, compute: Callable[[], Found], text: str | str = "") -> Found:
    """Return what a computation gave, done once for what is wanted and kept in the session.

    `key` is where it is kept, and `text` what the spinner says; without it none is shown.
    """
    held = st.session_state.get(key)
    if held is None or held[0] != wanted:
        st.session_state.pop(key, None)
        with st.spinner(say(text), show_time=True) if text else nullcontext():
            held = wanted, compute()
        st.session_state[key] = held
    return held[1]


def _key(one: Any, store: Any) -> Any:
    """Return by what an argument is compared; nothing has to be invalidated by hand.

    `store` is the first argument of the function.
    """
    if isinstance(one, Keyed):
        return one.key
    if isinstance(one, Store):
        return None  # its state is in the key of each sheet
    if isinstance(one, Sheet):
        return state_key(store, one)
    if isinstance(one, Rubric):
        return one.body()
    if isinstance(one, tuple) and not hasattr(one, "_fields"):
        return tuple(_key(part, store) for part in one)
    return one
