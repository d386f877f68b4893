"""The price of a judge whose grades came from a file: what was stated, and stating another."""

import streamlit as st

from concord.judges.definition import prices as known_prices
from concord.judges.definition import stated_price
from concord.judges.definition.stated_price import WITHDRAWN
from concord.messages import said
from concord.model import Grader
from concord.reports.decision import price_statements as prices
from concord.store.database import Store
from concord.ui.actions import refusals
from concord.ui.language import plain, say
from concord.ui.render import show
from concord.ui.widgets import action_button, terms

_BY = "app"
_USD, _TOKENS = "usd", "tokens"
_WAYS = {_USD: said("USD per 1,000 answers"), _TOKENS: said("Tokens per answer and model")}


def price_form(store: Store, judge: Grader) -> None:
    """Show what the judge costs per 1,000 answers, and the form that states it."""
    with st.container(border=True, key="judge-price"):
        found = stated_price.stated(judge)
        show(prices.document(stated_price.history(judge)), judge.name, folded=True)
        way = st.segmented_control(
            say("State it as"),
            list(_WAYS),
            default=_USD,
            format_func=lambda one: say(_WAYS[one]),
            required=True,
            key="price.way",
        )
        _fields(store, judge, way)
        with st.container(horizontal=True):
            if found and found.usd is not None:
                label, icon = say("Withdraw price"), ":material/undo:"
                if action_button(label, store.why_no_lead(), icon=icon, key="price.withdraw"):
                    _state(store, judge, WITHDRAWN)
            terms(said("stated price"))


def _fields(store: Store, judge: Grader, way: str) -> None:
    """The fields of one way to state a price, and the button that records it."""
    with st.form("price.form", border=False):
        if way == _USD:
            text = st.text_input(
                say("USD per 1,000 answers"),
                placeholder="2.50",
                key="price.usd",
                label_visibility="collapsed",
            )
        else:
            models = sorted({one.model for one in known_prices.load() if one.host is None})
            model = st.selectbox(say("Model (prices.toml)"), models, key="price.model")
            left, right = st.columns(2)
            given = left.text_input(
                say("Input tokens per answer"), placeholder="1200", key="price.input"
            )
            written = right.text_input(
                say("Output tokens per answer"), placeholder="80", key="price.output"
            )
            text = f"{model}:{given}/{written}"
        label, refused = say("Record price"), store.why_no_lead()
        why = plain(refused) if refused else None
        icon, is_off = ":material/sell:", refused is not None
        if st.form_submit_button(label, icon=icon, disabled=is_off, help=why):
            _state(store, judge, text)
        if why:
            st.caption(why)


def _state(store: Store, judge: Grader, text: str) -> None:
    with refusals():
        stated_price.state(store, judge.label(), text, _BY)
        st.rerun()
