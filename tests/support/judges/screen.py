"""The table of the judges screen, without a browser."""

import json

from streamlit.testing.v1 import AppTest


def select(app: AppTest, judge: str | None) -> None:
    """Select the row of a judge, as a click does; None deselects."""
    table = app.dataframe[0]
    rows = [] if judge is None else [[*table.value["judge"]].index(judge)]
    app.session_state[table.key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    app.run()
    assert not app.exception


def selected(app: AppTest) -> str:
    """Return the judge in the row that is selected where nobody has clicked."""
    table = app.dataframe[0]
    (row,) = json.loads(table.proto.selection_default)["selection"]["rows"]
    return table.value["judge"][row]
