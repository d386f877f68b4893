"""Render documents and tables, as grids of Streamlit's own and as CSV."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from concord.importing.readers import formula_escaping
from concord.messages import message_of, said
from concord.reports.cells import constants, shown
from concord.reports.document import Document, Table
from concord.text.display import one_line
from concord.ui.frame import offer_download
from concord.ui.language import plain, say, word
from concord.ui.widgets import explanation, finding

_WHOLE, _MOST = 20, 10  # rows: of a grid that is whole in sight, and in sight of a longer one
_SEEN = 200  # letters of a text in a grid; what its row opens shows all


def show(document: Document, name: str, *, folded: bool = False) -> None:
    """Show the headline, facts, tables, notes and provenance; `name` begins the downloads' names.

    A `folded` document is a part of a screen, so its headline is no title.
    """
    head(document, folded=folded)
    body(document, name)


def head(document: Document, *, folded: bool = False, in_one: bool = False) -> None:
    """Show the headline and facts, where a screen has pickers or charts before the rest.

    With `in_one` the facts are one paragraph, which takes less of the window.
    """
    headline = document.headline
    if not folded:
        finding(headline)
    elif headline:
        st.markdown(plain(headline + ("" if headline.endswith((".", ":", "?", "!")) else ".")))
    facts = (" ".join(filter(None, document.facts)),) if in_one else document.facts
    for fact in filter(None, facts):
        st.markdown(plain(fact))


def body(document: Document, name: str) -> None:
    """Show the first table, and behind Details the others, notes and provenance."""
    first, *others = [table for table in document.tables if table.rows] or [None]
    if first:
        show_table(first, name)
    notes = [*filter(None, (*document.notes, document.provenance))]
    if others or notes:
        with st.expander(say("Details")):
            for table in others:
                show_table(table, name)
            for note in notes:
                st.caption(plain(note))


def show_table(table: Table, name: str, *, titled: bool = True) -> None:
    """Show one table, which downloads as unrounded CSV.

    One that is not `titled` has its title above it already.
    """
    if not table.rows:
        return
    if table.title and titled:
        st.markdown(f"**{plain(table.title)}**")
    if same := constants(table):
        st.caption(plain(same))
    frame = translated_rows(rows_of(table))
    helps = {} if table.across else _helps(table)
    plain_table(frame, called(table.title, frame), column_config=helps)
    offer(table, name)


def offer(table: Table, name: str) -> None:
    """Offer a table as unrounded CSV without showing it."""
    _offer(unrounded(table), f"{name}-{table.name}")


def _offer(frame: pd.DataFrame, name: str) -> None:
    offer_download(partial(formula_escaping.frame_csv, frame), f"{name}.csv", "text/csv")


def _helps(table: Table) -> dict[str, Any]:
    """Return the explanations behind the heads of a table, as they are shown."""
    return {
        word(column.title): st.column_config.Column(help=explanation(column.help))
        for column in table.columns
        if column.help
    }


def pick_row(
    table: Table,
    name: str,
    key: str,
    first: int | None = None,
    column_order: Iterable[str] = (),
    **options: Any,
) -> int | None:
    """Show a table whose rows can be selected, offered as unrounded CSV; return the selected row.

    `first` is the initial selection; a new `key` resets it. `column_order` is by untranslated head;
    `options` are those of `picked_rows`.
    """
    offer(table, name)
    begun = {"selection": {"rows": [] if first is None else [first]}}
    rows = translated_rows(rows_of(table))
    options |= {"selection_default": begun, "column_config": _helps(table)}
    options |= {"column_order": [*map(word, column_order)]} if column_order else {}
    return picked_row(rows, key, called(table.title, rows), **options)


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
            head = column.in_file or str.__str__(column.title)
            if hasattr(cell, "why_none"):
                line[head] = cell.value
                line |= {f"{head} {part}": getattr(cell, part) for part in ("low", "high")}
                line[f"{head} undefined because"] = message_of(cell.why_none)
            else:
                line[head] = message_of(cell)
        rows.append(line)
    return pd.DataFrame(rows)


def table_of(
    rows: Sequence[Mapping[str, Any]],
    name: str,
    whole: pd.DataFrame | None = None,
    title: str = "",
) -> None:
    """Show rows as a table, offered as CSV: `whole`, in English, or the rows if None."""
    frame = translated_rows(rows)
    plain_table(frame, called(title, frame))
    _offer(pd.DataFrame(rows) if whole is None else whole, name)


def translated_rows(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as they are shown: heads and values that are said in the language, data as it is.

    A column of numbers and texts becomes text: Arrow, which Streamlit sends, refuses the mixture.
    """
    frame = pd.DataFrame([{word(head): word(one) for head, one in row.items()} for row in rows])
    kinds = {head: pd.api.types.infer_dtype(frame[head]) for head in frame}
    mixed = [head for head, kind in kinds.items() if kind in ("mixed", "mixed-integer")]
    return frame.astype(dict.fromkeys(mixed, str))


def called(title: str, frame: pd.DataFrame) -> str:
    """What a screen reader calls a table: its title, or its heads where it has none."""
    return said("Table: {name}", name=title or ", ".join(map(str, frame.columns)))


def plain_table(frame: pd.DataFrame, alt: str, **options: Any) -> None:
    """A table without a download; `options` are those of `st.dataframe`."""
    st.dataframe(alt=say(alt), **_in_grid(frame, options))


def picked_row(frame: pd.DataFrame, key: str, alt: str, **options: Any) -> int | None:
    """Show a table of which one row can be selected; return it, None without.

    `options` are those of `picked_rows`.
    """
    rows = picked_rows(frame, key, alt, selection_mode="single-row", **options)
    return next(iter(rows), None)


def picked_rows(
    frame: pd.DataFrame, key: str, alt: str, selection_mode: str = "multi-row", **options: Any
) -> Sequence[int]:
    """Show a table whose rows can be selected; return the selected ones.

    The options are those of `st.dataframe`.
    """
    mode = {"on_select": "rerun", "selection_mode": selection_mode}
    picked = st.dataframe(key=key, alt=say(alt), **mode, **_in_grid(frame, options))
    return picked.selection.rows


def _in_grid(frame: pd.DataFrame, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a grid: long texts cut, thousands parted, longer ones scrolled."""
    texts = frame.select_dtypes(["object", "string"])
    begun = frame.assign(**{head: texts[head].map(_begun) for head in texts})
    config = dict(options.get("column_config") or {})
    for head in frame.select_dtypes("integer"):
        parted = st.column_config.NumberColumn(format="localized")
        config[head] = parted | {k: v for k, v in config.get(head, {}).items() if v is not None}
        config[head]["type_config"] = parted["type_config"]
    height = "content" if len(frame) <= _WHOLE else 38 + 35 * _MOST  # pixels: head and rows
    given = {"height": height} | options
    return given | {"data": begun, "column_config": config, "hide_index": True}


def _begun(cell: Any) -> Any:
    return one_line(cell, _SEEN) if isinstance(cell, str) else cell
