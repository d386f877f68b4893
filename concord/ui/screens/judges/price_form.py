"""The price of a judge whose grades came from a file: what was stated, and stating another."""

import streamlit as st

from concord.judges.definition import prices, stated_price
from concord.judges.definition.stated_price import WITHDRAWN, Statement
from concord.messages import said
from concord.model import Grader
from concord.reports.decision.cost import dollars
from concord.ui.actions import changing, show_refused
from concord.ui.language import plain, say
from concord.ui.widgets import explained

_BY, _NOTICE = "app", "price.refused"
_USD, _TOKENS = "usd", "tokens"


def price_form(judge: Grader) -> None:
    """Show what the judge costs per 1,000 answers, and the form that states it."""
    with st.container(border=True, key="judge-price"):
        st.markdown(f"**{say('Price per 1,000 answers')}**")
        show_refused(_NOTICE)
        found = stated_price.stated(judge)
        st.write(plain(_words(found)))
        _history(stated_price.history(judge))
        ways = {
            _USD: said("USD per 1,000 answers"),
            _TOKENS: said("Tokens per answer and model"),
        }
        way = st.segmented_control(
            say("State it as"),
            list(ways),
            default=_USD,
            format_func=lambda one: say(ways[one]),
            required=True,
            key="price.way",
        )
        _fields(judge, way)
        with st.container(horizontal=True):
            if found and found.usd is not None:
                st.button(
                    say("Withdraw price"),
                    icon=":material/undo:",
                    key="price.withdraw",
                    on_click=_state,
                    args=(judge, WITHDRAWN),
                )
            explained(said("stated price"))


def _fields(judge: Grader, way: str) -> None:
    """The fields of one way to state a price, and the button that records it."""
    with st.form("price.form", border=False):
        if way == _USD:
            st.text_input(
                say("USD per 1,000 answers"),
                placeholder="2.50",
                key="price.usd",
                label_visibility="collapsed",
            )
        else:
            models = sorted({one.model for one in prices.load() if one.host is None})
            st.selectbox(say("Model (prices.toml)"), models, key="price.model")
            left, right = st.columns(2)
            left.text_input(say("Input tokens per answer"), placeholder="1200", key="price.input")
            right.text_input(say("Output tokens per answer"), placeholder="80", key="price.output")
        st.form_submit_button(
            say("Record price"), icon=":material/sell:", on_click=_submitted, args=(judge, way)
        )


def _submitted(judge: Grader, way: str) -> None:
    typed = {key: str(st.session_state.get(f"price.{key}") or "") for key in _KEYS}
    tokens = "{model}:{input}/{output}".format_map(typed)
    _state(judge, typed["usd"] if way == _USD else tokens)


_KEYS = ("usd", "model", "input", "output")


def _state(judge: Grader, text: str) -> None:
    with changing(_NOTICE) as store:
        stated_price.state(store, judge.label(), text, _BY)


def _words(found: Statement | None) -> str:
    """What counts now, with its day, who stated it and what it was computed from."""
    if found is None or found.usd is None:
        return said(
            "Unknown: its grades came from a file, so nothing was measured. Without a price this "
            "judge cannot be named as the cheapest good enough judge."
        )
    price, values = dollars(float(found.usd)), {"day": found.on, "by": found.by}
    if found.tokens is None:
        return said("{price}, stated on {day} by {by}; not measured.", price=price, **values)
    return said(
        "{price}, stated on {day} by {by} as {input} input and {output} output tokens per answer "
        "of {model} ({source}); not measured.",
        price=price,
        input=found.tokens.input,
        output=found.tokens.output,
        model=found.tokens.model,
        source=found.price,
        **values,
    )


def _history(every: list[Statement]) -> None:
    """Show the earlier statements, newest first."""
    for one in reversed(every[:-1]):
        price = said("withdrawn") if one.usd is None else dollars(float(one.usd))
        earlier = said("Before: {price}, {day}, {by}.", price=price, day=one.on, by=one.by)
        st.caption(plain(earlier))
