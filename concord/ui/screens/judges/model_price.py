"""The price of a judge's model in its form: USD per million tokens, in two fields."""

import math
from collections.abc import Mapping
from typing import Any

import streamlit as st

from concord.judges.definition.endpoint import OwnPrice
from concord.judges.definition.judge_price import DayPrice
from concord.judges.definition.model import Judge
from concord.messages import Problem
from concord.ui.language import say

INPUT, OUTPUT = "usd_input", "usd_output"


def price_fields(judge: Judge | None, form: str, off: dict) -> None:
    """Show both fields; a price that applies without one in the definition is only a hint.

    `form` begins the keys of the form's fields.
    """
    listed = DayPrice(judge).of(judge.model) if judge and judge.price is None else None
    usual = (listed.input, listed.output) if listed else (None, None)
    left, right = st.columns(2)
    left.text_input(
        say("USD per million input tokens"),
        placeholder=_hint(usual[0]),
        key=f"{form}{INPUT}",
        help=say(
            "Leave both fields blank if the price is unknown or in prices.toml. Enter 0 in both "
            "if the model is free."
        ),
        **off,
    )
    right.text_input(
        say("USD per million output tokens"),
        placeholder=_hint(usual[1]),
        key=f"{form}{OUTPUT}",
        **off,
    )
    if judge and is_half({key: st.session_state[f"{form}{key}"] for key in (INPUT, OUTPUT)}):
        st.caption(say("Enter both prices; one alone does not count."))


def texts(judge: Judge) -> dict[str, str]:
    """Return what the fields show for the price in a definition; blank where it has none."""
    if judge.price is None:
        return {INPUT: "", OUTPUT: ""}
    if judge.price == 0:
        return {INPUT: "0", OUTPUT: "0"}
    return {INPUT: _text(judge.price.input), OUTPUT: _text(judge.price.output)}


def is_half(shown: Mapping[str, Any]) -> bool:
    """True where one of the two fields is blank."""
    return bool(shown.get(INPUT, "").strip()) != bool(shown.get(OUTPUT, "").strip())


def changes(judge: Judge, shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return the price under its key of the definition where the fields differ from it, else {}.

    Raises:
        Problem: A field holds no price.
    """
    given = {key: shown[key].strip() for key in (INPUT, OUTPUT)}
    if given == texts(judge):
        return {}
    numbers = [_number(text) for text in given.values() if text]
    if len(numbers) < len(given):
        return {"price": None}
    if not any(numbers):
        return {"price": 0}
    cached = judge.price.cached if isinstance(judge.price, OwnPrice) else None
    return {"price": OwnPrice(input=numbers[0], output=numbers[1], cached=cached)}


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        raise Problem(
            "“{text}” is not a price. Enter USD per million tokens, such as 0.25, or leave both "
            "fields blank.",
            text=text,
        )
    return abs(number)


def _text(usd: float) -> str:
    return repr(usd).removesuffix(".0")


def _hint(usd: Any) -> str:
    return say("unknown") if usd is None else say("{usd} (prices.toml)", usd=usd)
