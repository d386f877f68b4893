"""Second step of an import: which column is which, proposed, as saved, or as used before."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from concord.importing.columns import ColumnMap
from concord.importing.readers.table import Table
from concord.importing.spec import Spec
from concord.messages import Problem, said
from concord.store import imports
from concord.store.database import Store
from concord.store.imports import ImportMapping
from concord.ui import import_findings
from concord.ui.column_mapping import item_columns
from concord.ui.language import say
from concord.ui.mapping_proposal import proposed
from concord.ui.mapping_start import Start, of_words
from concord.ui.screens.data.import_spec import read_as_saved, uploaded_spec

_PROPOSED = said("Proposed from the values")
_MOST = 10


class Mapped(NamedTuple):
    """The column map, and the spec it began with, which may also name a rubric."""

    columns: ColumnMap
    spec: Spec | None
    key: str


def mapping(store: Store, table: Table, key: str, wanted: tuple) -> Mapped:
    """Show the mapping, prefilled; `wanted` is the cache key of the table.

    Raises:
        Problem: something that is needed is not chosen yet, or a saved mapping does not fit.
    """
    title, saved = st.columns([3, 1], vertical_alignment="center")
    title.markdown(say("**2. Map:** assign columns to fields"))
    with saved.popover(say("Saved mapping"), icon=":material/bookmark:", width="stretch"):
        spec, source, words = _source(store, table, key)
    start = import_findings.read_once(
        f"{key}.start",
        (*wanted, source, words),
        lambda: _start(table, spec, words),
        said("Reading the file…"),
    )
    if start.of_grades:
        st.info(
            say(
                "These look like grades of answers that are already imported. If so, use “Import "
                "grades”."
            )
        )
    widgets = f"{key}.{'.'.join(map(str, (*wanted, source)))}"
    return Mapped(item_columns(table, start, widgets), spec, widgets)


def _source(store: Store, table: Table, key: str) -> tuple[Spec | None, str, Sequence[str]]:
    """Return the source of the mapping: a spec, or the words of an earlier import; else neither."""
    earlier = import_findings.read_once(
        f"{key}.earlier",
        (table.columns,),
        lambda: _fitting(table, imports.mappings(store)),
        said("Reading the file…"),
    )
    by_name = {
        say("As in the import of {file} into {sheet}", file=one.file, sheet=one.sheet): one
        for one in earlier
    }
    chosen = None
    if by_name:
        chosen = st.selectbox(
            say("Mapping"),
            [_PROPOSED, *by_name],
            format_func=lambda one: say(_PROPOSED) if one == _PROPOSED else one,
            key=f"{key}.mapping",
        )
    file = st.file_uploader(
        say("A saved mapping (.toml)"),
        type="toml",
        key=f"{key}.spec",
        on_change=read_as_saved,
        args=(key,),
    )
    if file is not None:
        return uploaded_spec(file), file.file_id, ()
    if chosen in by_name:
        return None, chosen, by_name[chosen].words
    return None, "", ()


def _start(table: Table, spec: Spec | None, words: Sequence[str]) -> Start:
    if spec is not None:
        return of_words(table, spec.map)
    if table.origin:
        start = of_words(table, words or table.origin.words, complete=True)
        criteria = tuple(dict.fromkeys((*table.origin.annotated, *table.origin.judged)))
        return replace(start, criteria=criteria, offered=table.origin.same_criteria())
    return of_words(table, words, complete=True) if words else proposed(table)


def _fitting(table: Table, earlier: list[ImportMapping]) -> list[ImportMapping]:
    """The mappings whose columns the file has."""
    found = []
    for one in earlier:
        try:
            of_words(table, one.words, complete=True)
        except Problem:
            continue
        found.append(one)
    return found[:_MOST]
