"""The read-only demo of the sample as one script, for hosts such as Streamlit Community Cloud.

`streamlit run deploy/demo.py` makes a database with the sample in a temporary folder when the
server starts, and shows it to anyone. No key is needed, nothing is stored, and no judge is run.
"""

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the host installs requirements.txt, and not Concord itself

import streamlit as st

from concord.judges.baseline.run import demo
from concord.store.database import READ_ONLY, open_store
from concord.ui.server.security_middleware import BEHIND_PROXY, middleware
from concord.ui.sign_in import is_inside

if not os.environ.get(READ_ONLY):
    database = Path(tempfile.mkdtemp(prefix="concord-demo-")) / "concord.db"
    with open_store(database) as store:
        demo(store)
    # The host's proxy decides which names are served.
    os.environ |= {"CONCORD_DB": str(database), READ_ONLY: "1", BEHIND_PROXY: "1"}

app = st.App(str(ROOT / "app.py"), middleware=middleware(is_inside))
