"""Render documents and tables: as CSV too, as cards on a telephone, as a grid of rows to select."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from concord.importing.readers import formula_escaping
from concord.messages import joined, message_of, said
from concord.reports.cells import constants, shown
from concord.reports.document import Document, Table
from concord.text.display import css_text, one_line
from concord.ui.frame import offer_download
from concord.ui.language import plain, say, word
from concord.ui.widgets import explanation, finding

_LARGE = 60, 14  # rows, columns: a larger table scrolls
_COLUMNS = 4  # more of a table do not fit a narrow screen
# Pixels: the head of a grid, a row, and a grid of more than a few rows.
_HEAD, _ROW, _GRID = 38, 35, 400
_SEEN = 200  # letters of a text in a grid; what its row opens shows all


def show(document: Document, name: str, *, folded: bool = False, in_full: bool = False) -> None:
    """Show the headline, facts, tables, notes and provenance; `name` begins the downloads' names.

    A `folded` document is a part of a screen, so its headline is no title. Tables shown `in_full`
    break their lines in place of scrolling, unless they are large.
    """
    head(document, folded=folded)
    body(document, name, in_full=in_full)


def head(document: Document, *, folded: bool = False, in_one: bool = False) -> None:
    """Show the headline and facts, where a screen has pickers or charts before the rest.

    With `in_one` the facts are one paragraph, which takes less of the window.
    """
    if not folded:
        finding(document.headline)
    facts = (joined(" ", document.facts),) if in_one else document.facts
    for fact in filter(None, (_full(document.headline) if folded else "", *facts)):
        st.markdown(plain(fact))


def _full(headline: str) -> str:
    """Return a headline as a paragraph has it: with its full stop."""
    ends = not headline or headline.endswith((".", ":", "?", "!"))
    return headline if ends else said("{sentence}.", sentence=headline)


def body(document: Document, name: str, *, in_full: bool = False) -> None:
    """Show the first table, and behind Details the others, notes and provenance."""
    first, *others = [table for table in document.tables if table.rows] or [None]
    if first:
        show_table(first, name, in_full=in_full)
    notes = [*filter(None, (*document.notes, document.provenance))]
    if others or notes:
        with st.expander(say("Details")):
            for table in others:
                show_table(table, name, in_full=in_full)
            for note in notes:
                st.caption(plain(note))


def show_table(
    table: Table,
    name: str,
    *,
    in_full: bool = False,
    titled: bool = True,
    **options,
) -> None:
    """Show one table, which downloads as unrounded CSV.

    One that is not `titled` has its title above it already.
    `options` go to `table_of`.
    """
    if not table.rows:
        return
    if table.title and titled:
        st.markdown(f"**{plain(table.title)}**")
    if same := constants(table):
        st.caption(plain(same))
    helps = {} if table.across else _helps(table)
    table_of(
        rows_of(table),
        f"{name}-{table.name}",
        whole=unrounded(table),
        column_config=helps | options.pop("column_config", {}),
        title=table.title,
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


def pick_row(
    table: Table,
    name: str,
    key: str,
    first: int | None = None,
    column_order: Iterable[str] | None = None,
    **options,
) -> int | None:
    """Show a table whose rows can be selected, offered as unrounded CSV; return the selected row.

    `first` is the initial selection; a new `key` resets it. `options` are those of `picked_rows`,
    `column_config` and `column_order` by untranslated head.
    """
    offer(table, name)
    begun = {"selection": {"rows": [] if first is None else [first]}}
    config = _helps(table) | options.pop("column_config", {})
    helps = {word(head): one for head, one in config.items()}
    rows = translated_rows(rows_of(table))
    alt = called(table.title, rows)
    options |= {"selection_default": begun, "column_config": helps}
    if column_order:
        options["column_order"] = [*map(word, column_order)]
    return picked_row(rows, key, alt, **options)


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
    column_config: Mapping[str, Any] | None = None,
    **options,
) -> None:
    """Show rows as a table, offered as CSV.

    Heads and values that are messages are translated. The download is `whole`, in English, or the
    rows if None; `column_config` is by untranslated head; `options` go to `table`.
    """
    held = pd.DataFrame(rows) if whole is None else whole
    config = {word(head): one for head, one in (column_config or {}).items()}
    table(translated_rows(rows), name, whole=held, column_config=config, **options)


def translated_rows(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as they are shown: heads and values that are said in the language, data as it is.

    A column of numbers and texts becomes text: Arrow, which Streamlit sends, refuses the mixture.
    """
    frame = pd.DataFrame([{word(head): word(one) for head, one in row.items()} for row in rows])
    kinds = {head: pd.api.types.infer_dtype(frame[head]) for head in frame}
    mixed = [head for head, kind in kinds.items() if kind in ("mixed", "mixed-integer")]
    return frame.astype(dict.fromkeys(mixed, str))


def table(
    frame: pd.DataFrame,
    name: str,
    whole: pd.DataFrame | None = None,
    *,
    title: str = "",
    in_full: bool = False,
    **options,
) -> None:
    """A table, offered as CSV.

    `whole` is what is downloaded where it is more than what is shown, or in English. One shown
    `in_full` breaks its lines in place of scrolling.
    """
    alt = called(title, frame)
    if in_full:
        whole_table(frame, name, alt)
    else:
        plain_table(frame, alt, **options)
    held = frame if whole is None else whole
    offer_download(partial(formula_escaping.frame_csv, held), f"{name}.csv", "text/csv")


def called(title: str, frame: pd.DataFrame) -> str:
    """What a screen reader calls a table: its title, or its heads where it has none."""
    return said("Table: {name}", name=title or joined(", ", map(str, frame.columns)))


def _with_thousands(frame: pd.DataFrame, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a column configuration in which counts have their thousands parted."""
    parted = st.column_config.NumberColumn(format="localized")["type_config"]
    counts = frame.select_dtypes("integer")
    large = [head for head in counts if counts[head].max() >= 1000]
    return {**config, **{head: {**config.get(head, {}), "type_config": parted} for head in large}}


def whole_table(frame: pd.DataFrame, name: str, alt: str) -> None:
    """A table that does not scroll: one too wide for a narrow screen has a card per row there.

    `name` is unique on the screen.
    """
    if len(frame.columns) <= _COLUMNS:
        st.table(_unmarked(frame), hide_index=True, alt=say(alt))
        return
    key = f"cards-table-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
    cards = [
        f"td:nth-child({place})::before {{ content: '{css_text(label)}' }}"
        for place, label in enumerate(map(_label, frame.columns), 1)
    ]
    cards += (
        f"tr:nth-child({line}) td:nth-child({place}) {{ display: none }}"
        for line, row in enumerate(frame.itertuples(index=False), 1)
        for place, cell in enumerate(row, 1)
        if str(cell) == ""
    )
    with st.container(key=key):
        style = f".st-key-{key} {{ @media (max-width: 640px) {{ {' '.join(cards)} }} }}"
        st.html(f"<style>{style}</style>")
        st.table(_unmarked(frame), hide_index=True, alt=say(alt))


def _label(head: object) -> str:
    """The head of a cell in front of it, with the colon of the reader's language."""
    return say("{title}: {text}", title=str(head), text="")


def plain_table(frame: pd.DataFrame, alt: str, most: int = 0, **options) -> None:
    """A table without a download, of what is in a file of the user's already.

    `most` rows are in sight, the others by scrolling in the table; 0 for the usual number.
    """
    st.dataframe(alt=say(alt), **_in_grid(frame, options, most))


def picked_row(frame: pd.DataFrame, key: str, alt: str, **options) -> int | None:
    """Show a table of which one row can be selected; return it, None without.

    `options` are those of `picked_rows`.
    """
    rows = picked_rows(frame, key, alt, selection_mode="single-row", **options)
    return next(iter(rows), None)


def picked_rows(
    frame: pd.DataFrame,
    key: str,
    alt: str,
    on_select: Any = "rerun",
    selection_mode: str = "multi-row",
    **options,
) -> Sequence[int]:
    """Show a table whose rows can be selected; return the selected ones.

    The options are those of `st.dataframe`.
    """
    picked = st.dataframe(
        key=key,
        on_select=on_select,
        selection_mode=selection_mode,
        alt=say(alt),
        **_in_grid(frame, options),
    )
    return picked.selection.rows


def _in_grid(frame: pd.DataFrame, options: Mapping[str, Any], most: int = 0) -> dict[str, Any]:
    """Return the options of a grid of at most so many whole rows, with its long texts cut."""
    height = options.get("height", _GRID)
    if isinstance(height, int):
        rows = min(len(frame), most or (height - _HEAD) // _ROW)
        height = _HEAD + _ROW * max(1, rows)
    texts = frame.select_dtypes(["object", "string"])
    begun = frame.assign(**{head: texts[head].map(_begun) for head in texts})
    config = _with_thousands(frame, options.get("column_config") or {})
    long = [head for head in texts if begun[head].astype(str).str.len().max() > 40]
    # A long text leaves the columns after it in sight.
    narrowed = {head: st.column_config.Column(width="medium") for head in long} | config
    return {
        **options,
        "data": begun,
        "column_config": narrowed,
        "hide_index": True,
        "height": height,
    }


def _begun(cell: Any) -> Any:
    return one_line(cell, _SEEN) if isinstance(cell, str) else cell


def _unmarked(frame: pd.DataFrame) -> Any:
    """The frame for `st.table`, which reads Markdown in heads and cells, and parts no thousands."""
    shown = frame.map(lambda cell: plain(cell) if isinstance(cell, str) else cell)
    shown = shown.rename(columns=plain)
    large = [head for head in shown.select_dtypes("integer") if shown[head].max() >= 1000]
    return shown.style.format(thousands=",", subset=large) if large else shown
