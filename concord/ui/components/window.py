"""Scripts of every screen that show nothing: where the focus goes, and how wide the window is.

The focus is moved when the keyboard opened a popover or pressed what is then gone.
"""

import streamlit as st

from concord.ui.components.payload import FOLDER
from concord.ui.frame import WINDOW, table_room

_SCRIPTS = ("keyboard_focus", "window_width")
_WINDOW = st.components.v2.component(
    WINDOW,
    js="\n".join((FOLDER / f"{one}.js").read_text(encoding="utf-8") for one in _SCRIPTS),
    isolate_styles=False,
)


def window_scripts() -> None:
    """Mount the scripts."""
    _WINDOW(key=WINDOW, data={"room": table_room()}, on_room_change=lambda: None)
