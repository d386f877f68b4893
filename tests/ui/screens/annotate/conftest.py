"""Fixtures of the tests of the grading pages."""

import pytest
from streamlit.testing.v1 import AppTest

from concord.resources import ROOT
from tests.support.patience import PATIENT_S


@pytest.fixture
def app(store, monkeypatch):
    """Opens a page of app.py with a query, on the database of the fixture `store`."""
    monkeypatch.setenv("CONCORD_DB", store.path)

    def opened(page: str, **query) -> AppTest:
        test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENT_S).run()
        test.query_params.update({key: str(value) for key, value in query.items()})
        return test.switch_page(page).run()

    return opened
