"""Concord for a team: the same screens with sign-in, also by the links of invited annotators.

`streamlit run server.py` opens it; `app.py` is all that one annotator on one machine needs.
"""

import streamlit as st

from concord.ui.server.auth_routes import routes
from concord.ui.server.preload import limit_log, preload
from concord.ui.server.security_middleware import middleware
from concord.ui.sign_in import is_inside

limit_log()
auth_routes = routes()
app = st.App("app.py", routes=auth_routes, middleware=middleware(is_inside, auth_routes))
preload()  # before fifty graders open their screens at once
