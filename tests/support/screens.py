"""Screens opened through app.py, without a browser."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest

from concord.resources import ROOT
from concord.store.permissions import Who
from concord.ui import page_run, sign_in
from tests.support.patience import PATIENT_S

PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "pages").glob("*.py"))


def opened(
    monkeypatch, db: Path, page: str, state: dict[str, Any] | None = None, /, **query: object
) -> AppTest:
    """A page as app.py shows it on a database, opened by its address with a query.

    No other page is run before it: AppTest hashes the name of its file, which is its address.
    """
    monkeypatch.setenv("CONCORD_DB", str(db))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENT_S)
    app.query_params.update({key: str(value) for key, value in query.items()})
    for key, value in (state or {}).items():
        app.session_state[key] = value
    return app.run() if page == "pages/overview.py" else app.switch_page(page).run()


def sign_in_as(monkeypatch, who: Who | None) -> None:
    """Have the pages that are opened from now on opened by this person; None without sign-in."""
    for module in (sign_in, page_run):  # both are loaded before either name is replaced
        monkeypatch.setattr(module, "person", lambda: who)


def said(app: AppTest) -> str:
    """All that a page says in words."""
    elements = [*app.title, *app.header, *app.subheader, *app.markdown, *app.caption, *app.info]
    return " ".join(element.value for element in elements)


def counts(app: AppTest) -> tuple[int, ...]:
    """The counts in the headline."""
    found = re.findall(r"\b\d[\d,]*\b", app.header[0].value)
    return tuple(int(number.replace(",", "")) for number in found)


def labelled(app: AppTest, label: str):
    """The only picker with a label."""
    (found,) = [one for one in app.selectbox if one.label == label]
    return found


def tables(app: AppTest) -> list[pd.DataFrame]:
    """Every table, as read by a person."""
    return [one.value for one in app.dataframe]


def forms(app: AppTest) -> dict[str, bool]:
    """Every form of a screen, and whether Enter submits it."""
    every = [node.proto.form for node in _blocks(app.main) if node.type == "form"]
    return {one.form_id: one.enter_to_submit for one in every}


def _blocks(node) -> Iterator:
    for child in getattr(node, "children", {}).values():
        yield child
        yield from _blocks(child)


def judge_field(app: AppTest, kind: str, name: str):
    """The field of the form of a judge; its key begins with what the form was filled with."""
    (found,) = (
        one
        for one in getattr(app, kind)
        if str(one.key).startswith("judge.form.") and str(one.key).split(".", 3)[3] == name
    )
    return found
