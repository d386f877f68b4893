"""Render a document on the screen."""

from functools import partial

import pandas as pd
import streamlit as st

from concord.importing.readers import formula_escaping
from concord.messages import message_of, said
from concord.reports.cells import shown
from concord.reports.document import Document, Table
from concord.ui.frame import offer_download
from concord.ui.language import plain, word
from concord.ui.widgets import explanation, finding, picked_row, table_of, translated_rows

_LARGE = 60, 14  # rows, columns: a larger table scrolls


def show(document: Document, name: str, *, folded: bool = False, in_full: bool = False) -> None:
    """Show the headline, facts, tables, notes and provenance; `name` begins the downloads' names.

    A `folded` document is a part of a screen, so its headline is no title. Tables shown `in_full`
    break their lines in place of scrolling, unless they are large.
    """
    head(document, folded=folded)
    body(document, name, in_full=in_full)


def head(document: Document, *, folded: bool = False) -> None:
    """Show the headline and facts, where a screen has pickers or charts before the rest."""
    if not folded:
        finding(document.headline)
    for fact in filter(None, (document.headline if folded else "", *document.facts)):
        st.markdown(plain(fact))


def body(document: Document, name: str, *, in_full: bool = False) -> None:
    """Show tables, notes and provenance."""
    for table in document.tables:
        show_table(table, name, in_full=in_full)
    for note in filter(None, (*document.notes, document.provenance)):
        st.caption(plain(note))


def show_table(
    table: Table,
    name: str,
    whole: Table | None = None,
    *,
    in_full: bool = False,
    **options,
) -> None:
    """Show one table, which downloads as unrounded CSV.

    `whole` is downloaded in its place; `options` go to `widgets.table`, of which `column_config` is
    by untranslated head.
    """
    if not table.rows:
        return
    if table.title:
        st.markdown(f"**{plain(table.title)}**")
    helps = {} if table.across else _helps(table)
    table_of(
        rows_of(table),
        f"{name}-{table.name}",
        whole=unrounded(whole or table),
        column_config=helps | options.pop("column_config", {}),
        in_full=in_full and not _is_large(table),
        **options,
    )


def offer(table: Table, name: str) -> None:
    """Offer a table as unrounded CSV without showing it."""
    whole = partial(formula_escaping.frame_csv, unrounded(table))
    offer_download(whole, f"{name}-{table.name}.csv", "text/csv")


def _is_large(table: Table) -> bool:
    size = len(table.rows), len(table.columns)
    rows, columns = reversed(size) if table.across else size
    return rows > _LARGE[0] or columns > _LARGE[1]


def _helps(table: Table) -> dict:
    """Return the explanations behind the heads of a table."""
    return {
        column.title: st.column_config.Column(help=explanation(column.help))
        for column in table.columns
        if column.help
    }


def pick_row(table: Table, name: str, key: str, first: int | None = None, **options) -> int | None:
    """Show a table whose rows can be selected, offered as unrounded CSV; return the selected row.

    `first` is the initial selection; a new `key` resets it. `options` are those of `st.dataframe`,
    of which `column_config` is by untranslated head.
    """
    offer(table, name)
    begun = {"selection": {"rows": [] if first is None else [first]}}
    alt = said("Table: {name}", name=table.name)
    config = _helps(table) | options.pop("column_config", {})
    helps = {word(head): one for head, one in config.items()}
    rows = translated_rows(rows_of(table))
    return picked_row(rows, key, alt, selection_default=begun, column_config=helps, **options)


def rows_of(table: Table) -> list[dict[str, str | int]]:
    """Return the rows of a table as they are shown, each by its heads."""
    heads, cells = shown(table)
    return [dict(zip(heads, line, strict=True)) for line in cells]


def unrounded(table: Table) -> pd.DataFrame:
    """Return every figure unrounded; an estimate as value, low, high and why it is undefined."""
    rows = []
    for row in table.rows:
        line: dict = {}
        for cell, column in zip(row, table.columns, strict=True):
            # Shares and their differences are fractions here, and an interval has its own columns.
            head = str.__str__(column.title).removesuffix(", points").removesuffix(" [95% CI]")
            if hasattr(cell, "why_none"):
                line[head] = cell.value
                line |= {f"{head} {part}": getattr(cell, part) for part in ("low", "high")}
                line[f"{head} undefined because"] = message_of(cell.why_none)
            else:
                line[head] = message_of(cell)
        rows.append(line)
    return pd.DataFrame(rows)
