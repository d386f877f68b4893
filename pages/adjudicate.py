"""Adjudicate: what people differ on is settled, blind to judges and to who said what."""

import streamlit as st

from data import blinding
from ui.adjudicate import headline, one, pick
from ui.frame import enter
from ui.widgets import no_sheet, pick_sheet
from words.said import said

store = enter(__file__)
sheet = pick_sheet(store)
if sheet is None:
    no_sheet(said("people grade them, and what they differ on is settled here."))
    st.stop()
blinding.blind(store)
title = st.container()
wanted = pick(store, sheet)
if wanted is None:
    st.stop()
with title:
    headline(wanted)
one(store, wanted)
