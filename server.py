"""Concord for a team: the same screens, and doors through which invited people come in.

`streamlit run server.py` opens it; `app.py` is all that one person on one machine needs.
"""

import streamlit as st

from ui.doors import routes
from ui.sign_in import is_inside
from ui.walls import walls
from ui.warm import warm

app = st.App("app.py", routes=routes(), middleware=walls(is_inside))
warm()  # before fifty graders open their screens at once
