"""What every server that the tests start has imported already (see warm_server.py).

Their plans are simulated on few sheets: no test reads there what power a plan has.
"""

import logging
from importlib import import_module
from pkgutil import walk_packages

import pytest
import streamlit.web.cli  # noqa: F401

import concord
from tests.support import simulated_plans

logging.disable(logging.WARNING)  # without a server, Streamlit warns of each cache
for found in walk_packages(concord.__path__, "concord."):
    if not found.name.endswith("__main__"):
        import_module(found.name)
logging.disable(logging.NOTSET)
simulated_plans.few_sheets(pytest.MonkeyPatch())
