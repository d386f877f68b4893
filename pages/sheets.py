"""The sheets screen."""

import streamlit as st

from ui.frame import enter

store = enter(__file__)
st.title("sheets")
