"""Where the focus goes when the keyboard opened a popover or pressed what is then gone."""

import streamlit as st

from concord.ui.components.payload import FOLDER

_KEY = "keyboard-focus"
_FOCUS = st.components.v2.component(
    "keyboard_focus",
    js=(FOLDER / "keyboard_focus.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def keyboard_focus() -> None:
    """Mount the script that moves the focus; it shows nothing."""
    _FOCUS(key=_KEY)
