"""The sheets screen, opened on a database."""

import pytest
from streamlit.testing.v1 import AppTest

from concord.resources import ROOT
from tests.support.patience import PATIENT_S


@pytest.fixture
def screen(store, monkeypatch):
    """Opens the sheets screen, with a query, on the database of the fixture `store`."""
    monkeypatch.setenv("CONCORD_DB", store.path)

    def opened(**query) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENT_S).run()
        app.query_params.update(query)
        return app.switch_page("pages/sheets.py").run()

    return opened
