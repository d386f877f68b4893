"""Concord for a team: the same screens, and doors through which invited annotators come in.

`streamlit run server.py` opens it; `app.py` is all that one annotator on one machine needs.
"""

import streamlit as st

from concord.ui.server.auth_routes import routes
from concord.ui.server.preload import warm
from concord.ui.server.security_middleware import walls
from concord.ui.sign_in import is_inside

doors = routes()
app = st.App("app.py", routes=doors, middleware=walls(is_inside, doors))
warm()  # before fifty graders open their screens at once
