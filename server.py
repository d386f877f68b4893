"""Concord for a team: the same screens, and doors through which invited people come in.

`streamlit run server.py` opens it; `app.py` is all that one person on one machine needs.
"""

import streamlit as st

from ui.doors import routes
from ui.sign_in import is_inside
from ui.walls import walls
from ui.warm import warm

doors = routes()
app = st.App("app.py", routes=doors, middleware=walls(is_inside, doors))
warm()  # before fifty graders open their screens at once
