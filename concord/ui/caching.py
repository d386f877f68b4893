"""Caching of what a screen computes from a sheet, for a state of the store.

A spinner says in the reader's language what is being computed.
"""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

import streamlit as st

from concord.messages import Said
from concord.rubrics.model import Rubric
from concord.store.version_key import state
from concord.ui.language import say

Given = ParamSpec("Given")
Found = TypeVar("Found")
_HASHED = {Rubric: Rubric.body}


def spinning(text: Said) -> Callable[[Callable[Given, Found]], Callable[Given, Found]]:
    """Show a text while a function computes, for caches that show no spinner of their own."""

    def around(function: Callable[Given, Found]) -> Callable[Given, Found]:
        @wraps(function)
        def watched(*args: Given.args, **kwargs: Given.kwargs) -> Found:
            with st.spinner(say(text)):
                return function(*args, **kwargs)

        return watched

    return around


def kept(
    text: Said, most: int, *, shared: bool = False
) -> Callable[[Callable[Given, Found]], Callable[Given, Found]]:
    """Keep what a function of a store and a sheet returned, while neither changes.

    `text` is what the spinner says and `most` how many results are kept. A `shared` result is the
    same for everyone, who must not change it, in place of copies.

    Returns:
        A decorator. The function takes the store and the sheet first; of what follows, an argument
        whose parameter begins with an underscore follows from the others and is not compared.
    """
    keep = st.cache_resource if shared else st.cache_data

    def around(function: Callable[Given, Found]) -> Callable[Given, Found]:
        @wraps(function)
        def computed(key: tuple, _store, _sheet, _rest: tuple) -> Found:
            return function(_store, _sheet, *_rest)

        del computed.__wrapped__  # else Streamlit reads the parameters of the function
        cached = keep(max_entries=most, show_spinner=False, hash_funcs=_HASHED)(computed)
        compared = [not name.startswith("_") for name in [*signature(function).parameters][2:]]

        @spinning(text)
        @wraps(function)
        def asked(store, sheet, *rest):
            chosen = (one for one, is_part in zip(rest, compared, strict=True) if is_part)
            # The state of the store is in the key, so nothing has to be invalidated by hand.
            return cached((state(store, sheet), *chosen), store, sheet, rest)

        return asked

    return around
