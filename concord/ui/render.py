"""Render documents and tables: as CSV too, as cards on a telephone, as a grid of rows to select."""

import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from concord.importing.readers import formula_escaping
from concord.messages import joined, message_of, said
from concord.reports.cells import shown
from concord.reports.document import Document, Table
from concord.text.display import css_text, end_cut, width
from concord.ui.frame import is_narrow, offer_download, table_room
from concord.ui.language import plain, say, word
from concord.ui.widgets import explanation, finding

_LARGE = 60, 14  # rows, columns: a larger table scrolls
_BESIDE_A_LETTER = re.compile(r"(?<=\b[a-z])-(?=[a-z])|(?<=[a-z])-(?=[a-z]\b)")  # as in “tau-b”
_COLUMNS = 4  # more of a table do not fit a narrow screen
_LONG_WORD, _LINE = 18, 30  # letters; a longer one is a name, or takes more than a line
# Pixels: of a letter in a grid, of what a cell has beside its letters, of the head of a grid and
# its rows, of which the tall ones hold three lines, and of a grid of more than a few rows
_LETTER, _CELL, _HEAD, _ROW, _TALL, _GRID = 8.0, 18, 38, 35, 65, 400
_FEW, _SEEN = 10, 200  # rows and letters
_NARROW, _WIDE = "fijlrt-.:/ ", "mwMW@"  # letters that take less and more than others
_SENTENCE, _SENTENCE_WIDE = 60, 420  # letters of one line, pixels of a column of longer texts
# Pixels of the width: what selects a row takes, what an expander takes, the least for a long text
_PICK, FOLD, _LEAST = 36, 32, 120


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
    titled: bool = True,
    **options,
) -> None:
    """Show one table, which downloads as unrounded CSV.

    `whole` is downloaded in its place. One that is not `titled` has its title above it already.
    `options` go to `table_of`.
    """
    if not table.rows:
        return
    if table.title and titled:
        st.markdown(f"**{plain(table.title)}**")
    helps = {} if table.across else _helps(table)
    table_of(
        rows_of(table),
        f"{name}-{table.name}",
        whole=unrounded(whole or table),
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
    kept: Iterable[str] = (),
    **options,
) -> int | None:
    """Show a table whose rows can be selected, offered as unrounded CSV; return the selected row.

    `first` is the initial selection; a new `key` resets it. `kept` is that of `_fitting`, `options`
    are those of `st.dataframe`; `kept` and `column_config` are by untranslated head.
    """
    offer(table, name)
    begun = {"selection": {"rows": [] if first is None else [first]}}
    config = _helps(table) | options.pop("column_config", {})
    helps = {word(head): one for head, one in config.items()}
    rows = translated_rows(rows_of(table))
    alt = called(table.title, rows)
    options |= {"selection_default": begun, "column_config": helps, "kept": [*map(word, kept)]}
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
    first: Iterable[str] = (),
    **options,
) -> None:
    """Show rows as a table, offered as CSV.

    Heads and values that are messages are translated. The download is `whole`, in English, or the
    rows if None; `column_config` and `first` are by untranslated head; `options` go to `table`.
    """
    held = pd.DataFrame(rows) if whole is None else whole
    config = {word(head): one for head, one in (column_config or {}).items()}
    kept = [*map(word, first)]
    table(translated_rows(rows), name, whole=held, column_config=config, first=kept, **options)


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
    first: Sequence[str] = (),
    **options,
) -> None:
    """A table, offered as CSV.

    `whole` is what is downloaded where it is more than what is shown, or in English. One shown
    `in_full` breaks its lines: none of it is scrolled out of sight, also on a narrow screen, where
    every table of not too many rows is shown so. A longer one has there the columns that fit, those
    in `first` before others.
    """
    alt = called(title, frame)
    if in_full or (is_narrow() and len(frame) <= _LARGE[0]):
        whole_table(frame, name, alt)
    elif is_narrow():
        st.dataframe(alt=say(alt), hide_index=True, **_fitting(frame, first, options))
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
    key = f"table-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
    places = [frame.columns.get_loc(head) + 1 for head in _heads_of_names(frame, _LONG_WORD)]
    rules = [
        f"tr > :nth-child({place}) {{ min-width: clamp(4.5rem, 12vw, 8rem);"
        f" &, & * {{ overflow-wrap: anywhere !important }} }}"
        for place in places
    ]
    if len(frame.columns) > _COLUMNS:
        key = f"cards-{key}"
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
        # A name that does not fit beside its head stands whole below it
        cards += (f"tr td:nth-child({place}) > * {{ display: inline-block }}" for place in places)
        rules.append(f"@media (max-width: 640px) {{ {' '.join(cards)} }}")
    with st.container(key=key) if rules else nullcontext():
        if rules:
            st.html(f"<style>.st-key-{key} {{ {' '.join(rules)} }}</style>")
        st.table(_unmarked(frame), hide_index=True, alt=say(alt))


def _heads_of_names(frame: pd.DataFrame, most: int) -> list[str]:
    """The heads of columns that hold a word of more than `most` letters, such as a name.

    Wide letters, as of Chinese, part anywhere.
    """
    return [
        head
        for head, cells in frame.items()
        if any(
            len(word) > most and width(word) == len(word)
            for text in (head, *cells)
            for word in str(text).split()
        )
    ]


def _label(head: object) -> str:
    """The head of a cell in front of it, with the colon of the reader's language."""
    return say("{title}: {text}", title=str(head), text="")


def plain_table(frame: pd.DataFrame, alt: str, most: int = 0, **options) -> None:
    """A table without a download, of what is in a file of the user's already.

    `most` rows are in sight, the others by scrolling in the table; 0 for the usual number.
    """
    options["column_config"] = _with_thousands(frame, options.pop("column_config", None) or {})
    options = _in_lines(frame, options)
    row = options.get("row_height", _ROW)
    rows = min(len(frame), most or (_GRID - _HEAD) // row)  # whole ones
    options["height"] = _HEAD + row * max(1, rows)
    st.dataframe(hide_index=True, alt=say(alt), **options)


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
    first: Sequence[str] = (),
    height: int = 0,
    inset: int = 0,
    tall: bool = False,
    kept: Sequence[str] = (),
    on_select: Any = "rerun",
    selection_mode: str = "multi-row",
    **options,
) -> Sequence[int]:
    """Show a table whose rows can be selected; return the selected ones.

    `first` to `kept` are those of `_fitting`, the options those of `st.dataframe`. What a row opens
    shows all of it.
    """
    picked = st.dataframe(
        hide_index=True,
        key=key,
        on_select=on_select,
        selection_mode=selection_mode,
        alt=say(alt),
        **_fitting(frame, first, options, height, inset + _PICK, tall, kept),
    )
    return picked.selection.rows


def _fitting(
    frame: pd.DataFrame,
    first: Sequence[str],
    options: Mapping[str, Any],
    height: int = 0,
    inset: int = 0,
    tall: bool = False,
    kept: Sequence[str] = (),
) -> dict[str, Any]:
    """The options of a grid that is all in sight: it has the columns that fit.

    Those in `first` come before others, and a longer text ends in an ellipsis. `height` is the most
    pixels, 0 for the usual ones, `inset` how many of the width what is around it takes.
    Rows that are `tall` hold two lines of a text in any window. All columns in `kept` are in sight:
    the widest of them are narrowed until they fit, names last, and rows are tall then.
    """
    narrow = is_narrow()
    widest, letters = (164, 16) if narrow else (270, 30)
    room = table_room() - inset
    widths = {head: max(width(str(text)[:_SEEN]) for text in frame[head]) for head in frame}
    names = [head for head in _heads_of_names(frame, letters) if widths[head] <= 3 * letters]
    least = {head: _unbroken(head, frame[head], letters) for head in frame}
    wanted = {head: max(int(_CELL + _LETTER * widths[head]), least[head]) for head in frame}
    limited = {head: min(widest, pixels) for head, pixels in wanted.items()}
    held = {head: limited[head] for head in kept if head in wanted}
    narrowed = _narrowed(held, least, _heads_of_names(frame, _LONG_WORD), room)
    tall = tall or narrow or bool(names) or any(narrowed[head] < limited[head] for head in narrowed)
    row, most = (_TALL, 2 * letters) if tall else (_ROW, letters)
    texts = [head for head in frame if widths[head] > most and head not in names]
    config, columns = _with_thousands(frame, options.get("column_config") or {}), []
    first = [*first, *narrowed]
    for head in sorted(frame, key=lambda one: first.index(one) if one in first else len(first)):
        pixels = narrowed.get(head, limited[head])
        if head in texts and room >= _LEAST and head not in narrowed:
            pixels = min(pixels, room)
        if pixels > room:
            break
        room -= pixels
        columns.append(head)
        config[head] = {**config.get(head, st.column_config.Column()), "width": pixels}
    for head in names:  # what is left goes to names first, so that they need not break
        if head in columns:
            more = min(room, wanted[head] - config[head]["width"])
            config[head]["width"] += more
            room -= more
    fitting = (height or _GRID) - _HEAD
    rows = len(frame) if not height and len(frame) <= _FEW else min(len(frame), fitting // row)
    shrunk = [head for head in columns if head in narrowed and head not in names]
    most_of = dict.fromkeys(texts, most)
    most_of |= {head: _letters(config[head]["width"], most) for head in shrunk}
    broken = [head for head in columns if head in names or head in shrunk]
    pixels_of = {head: config[head]["width"] for head in broken}
    return {
        **options,
        "data": _laid_out(frame, most_of, pixels_of),
        "column_order": [head for head in frame if head in columns],
        "column_config": config,
        "row_height": row,
        "height": _HEAD + row * max(1, rows),
    }


def _laid_out(
    frame: pd.DataFrame, most_of: Mapping[str, int], pixels_of: Mapping[str, int]
) -> pd.DataFrame:
    """Return the frame with some columns cut to a number of letters, some broken at hyphens."""
    data = {head: _cut(frame[head], most) for head, most in most_of.items()}
    for head, pixels in pixels_of.items():
        data[head] = _at_hyphens(data.get(head, frame[head]), pixels)
    return frame.assign(**data)


def _letters(pixels: int, most: int) -> int:
    """Return how many letters the lines of a tall row hold, at most so many."""
    return min(most, 3 * int((pixels - _CELL) // _LETTER))


def _cut(cells: Iterable[Any], most: int) -> list[Any]:
    """Return cells of one line each, of which the longer ones end in an ellipsis."""
    return [end_cut(" ".join(one.split()), most) if isinstance(one, str) else one for one in cells]


def _at_hyphens(cells: Iterable[Any], pixels: int) -> list[Any]:
    """Return names too long for a line of so many pixels with a line break after some hyphens.

    A grid itself breaks a word anywhere. One that three lines do not hold is left as it is. A break
    where no line ends would be seen as a space.
    """
    room = pixels - _CELL
    return [
        " ".join(_lines(word, room) for word in one.split(" "))
        if isinstance(one, str) and _drawn(one) > room
        else one
        for one in cells
    ]


def _drawn(name: str) -> float:
    """Return about how many pixels a name takes in a line of a grid, rather too many."""
    narrow, wide = sum(map(name.count, _NARROW)), sum(map(name.count, _WIDE))
    return 5.5 * narrow + 13.6 * wide + 8.7 * (width(name) - narrow - wide)


def _lines(word: str, room: float) -> str:
    lines = [""]
    for part in re.split(r"(?<=[-_/])", word):
        if lines[-1] and _drawn(lines[-1] + part) > room:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines) if len(lines) <= 3 else word


def _unbroken(head: str, cells: Iterable[Any], most: int) -> int:
    """Return the pixels of a column that cuts neither its head nor a word of at most `most`."""
    words = {word for one in cells for word in str(one).split() if width(word) <= most}
    return math.ceil(_CELL + max([_LETTER * width(head), *map(_drawn, words)]))


def _narrowed(
    wanted: Mapping[str, int], least: Mapping[str, int], names: Sequence[str], room: int
) -> dict[str, int]:
    """Return pixels of columns, by head, of which the widest are narrowed until all fit.

    The columns of `names` give way last. No head nor word is cut, unless they do not fit otherwise.
    """
    named = {head: wanted[head] for head in wanted if head in names}
    others = {head: wanted[head] for head in wanted if head not in names}
    heads = {head: int(_CELL + _LETTER * width(head)) for head in named}
    named = _capped(named, heads, room - sum(min(least[head], others[head]) for head in others))
    found = named | _capped(others, least, room - sum(named.values()))
    return found if sum(found.values()) <= room else _capped(wanted, dict.fromkeys(wanted, 0), room)


def _capped(wanted: Mapping[str, int], least: Mapping[str, int], room: int) -> dict[str, int]:
    """Return the widths, the widest of them lowered to one that lets all fit, if any does."""
    for most in range(max(wanted.values(), default=0), 0, -1):
        found = {head: min(wanted[head], max(most, least[head])) for head in wanted}
        if sum(found.values()) <= room:
            return found
    return {head: min(wanted[head], least[head]) for head in wanted}


def _in_lines(frame: pd.DataFrame, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a grid in which long names and sentences take up to three lines.

    Below 65 pixels Streamlit's rows hold one line, whose end it cuts through a letter.
    """
    config = dict(options.get("column_config") or {})
    names = [head for head in _heads_of_names(frame, _LINE) if head not in config]
    texts = [head for head in frame if head not in {*names, *config} and _is_long(frame[head])]
    if not names and not texts:
        return options | {"data": frame}
    widths = dict.fromkeys(names, 200) | dict.fromkeys(texts, _SENTENCE_WIDE)
    config |= {head: st.column_config.TextColumn(width=wide) for head, wide in widths.items()}
    data = {head: _cut(frame[head], _letters(_SENTENCE_WIDE, _SEEN)) for head in texts}
    data |= {head: _at_hyphens(frame[head], widths[head]) for head in names}
    return options | {"data": frame.assign(**data), "column_config": config, "row_height": _TALL}


def _is_long(cells: Iterable[Any]) -> bool:
    """Return True where a text is longer than a line of a grid."""
    return any(isinstance(one, str) and width(one) > _SENTENCE for one in cells)


def _head(title: str) -> str:
    """Return a head of `_unmarked`, which does not break next to a single letter."""
    return _BESIDE_A_LETTER.sub("\N{NON-BREAKING HYPHEN}", plain(title))


def _unmarked(frame: pd.DataFrame) -> Any:
    """The frame for `st.table`, which reads Markdown in heads and cells, and parts no thousands."""
    shown = frame.map(lambda cell: plain(cell) if isinstance(cell, str) else cell)
    shown = shown.rename(columns=_head)
    large = [head for head in shown.select_dtypes("integer") if shown[head].max() >= 1000]
    return shown.style.format(thousands=",", subset=large) if large else shown
