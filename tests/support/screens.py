"""Screens opened through app.py, without a browser."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from concord.resources import ROOT
from tests.support.patience import PATIENT_S

PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "pages").glob("*.py"))


def opened(monkeypatch, db: Path, page: str, **query: str) -> AppTest:
    """A page as app.py shows it on a database, with a query in its address."""
    monkeypatch.setenv("CONCORD_DB", str(db))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENT_S).run()
    app.query_params.update(query)
    return app.switch_page(page).run()


def said(app: AppTest) -> str:
    """All that a page says in words."""
    elements = [*app.title, *app.header, *app.subheader, *app.markdown, *app.caption, *app.info]
    return " ".join(element.value for element in elements)
