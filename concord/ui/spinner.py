"""Spinner: what is being done while a computation keeps a person waiting, in their language."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import streamlit as st

from concord.messages import Said
from concord.ui.language import say

Given = ParamSpec("Given")
Found = TypeVar("Found")


def spinning(text: Said) -> Callable[[Callable[Given, Found]], Callable[Given, Found]]:
    """Show a text while a function computes; stands above a cache that shows no spinner itself."""

    def around(function: Callable[Given, Found]) -> Callable[Given, Found]:
        @wraps(function)
        def watched(*args: Given.args, **kwargs: Given.kwargs) -> Found:
            with st.spinner(say(text)):
                return function(*args, **kwargs)

        return watched

    return around
