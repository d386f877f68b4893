"""Compare prompts and scales: variants of a judge side by side on the same answers."""

import streamlit as st

from concord.reports.panel.criterion_comparison import EACH
from concord.ui.frame import enter
from concord.ui.screens.comparison import (
    FLIPS,
    pick_comparison,
    pick_variants,
    pick_view,
    side_by_side,
    what_flips,
)

store = enter(__file__)
found = pick_comparison(store)
if found is not None:
    title = st.container()
    if pick_view() == FLIPS:
        what_flips(store, found, EACH, title)
    elif choice := pick_variants(found):
        side_by_side(found, choice, title)
