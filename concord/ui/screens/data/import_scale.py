"""Third step of an import: the rubric that the grades of the file are read under."""

from typing import NamedTuple

import streamlit as st

from concord.importing import sheet_rubric
from concord.importing.columns import ColumnMap
from concord.importing.fields import folded
from concord.importing.readers.table import Table
from concord.importing.spec import Spec
from concord.messages import said
from concord.reports.panel import rubric_names
from concord.rubrics.model import FIRST, Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui import import_findings
from concord.ui.language import say, word


class Scaled(NamedTuple):
    """The rubric of the grades; None where the file has none, or they are left out."""

    rubric: Rubric | None


def scale(store: Store, table: Table, columns: ColumnMap, spec: Spec | None, key: str) -> Scaled:
    """Show how the grades are read; `key` changes with the file and where its mapping began."""
    if not (columns.scores or columns.column("score")):
        return Scaled(None)
    with st.container(border=True):
        st.markdown(say("**3. Scale:** what the scores mean"))
        criteria = import_findings.read_once(
            f"{key}.criteria",
            (table.worksheet, columns.spoken()),
            lambda: sheet_rubric.criteria(table, columns),
            said("Checking every row…"),
        )
        names = rubric_versions.names(store)
        titles = rubric_names.called(store, names)
        chosen = st.selectbox(
            say("Rubric"),
            names,
            names.index(_wanted(store, names, criteria, spec)),
            format_func=lambda name: word(titles[name]),
            key=f"{key}.scale.rubric",
        )
        return Scaled(rubric_versions.named(store, chosen)[1])


def _wanted(store: Store, names: list[str], criteria: set[str], spec: Spec | None) -> str:
    """The rubric of the spec, else the first that has all criteria of the file."""
    if spec and spec.rubric in names:
        return spec.rubric
    for name in sorted(names, key=lambda one: one != FIRST):
        rubric = rubric_versions.named(store, name)[1]
        known = {folded(text) for c in rubric.criteria for text in (c.name, c.heading())}
        if {folded(one) for one in criteria} <= known:
            return name
    return FIRST if FIRST in names else names[0]
