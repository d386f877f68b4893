"""Concord: `streamlit run app.py` opens it. The server around the screens, and their frame.

Streamlit reads this file twice: once to start the server, and in every run of a screen.
"""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from concord.ui import navigation
from concord.ui.language import pick_language, say, settle_language
from concord.ui.page_run import ICON, framed, is_closed, keyboard_focus, limited
from concord.ui.server.security_middleware import middleware
from concord.ui.sign_in import is_inside

if get_script_run_ctx(suppress_warning=True) is None:
    app = st.App("app.py", middleware=middleware(is_inside))
else:
    st.set_page_config(
        page_title=say("Concord"),
        page_icon=str(ICON),
        layout="wide",
        initial_sidebar_state=232,  # what the longest name of a screen needs; tables take the rest
    )
    settle_language()

    closed = is_closed()
    with limited(closed):
        page = st.navigation(navigation.pages(), position="hidden")
        name = page.url_path or "overview"
        if closed:
            with st.container(key="language"):
                pick_language()
        else:
            with st.sidebar:
                navigation.sidebar(name)
                pick_language()
            navigation.tabs(name)
        keyboard_focus(key="keyboard_focus")
        framed(page)
