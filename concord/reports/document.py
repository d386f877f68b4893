"""Document: the displayed form of a report, rendered by the screen and the terminal.

A report is a function that returns a frozen dataclass. `document(result)` next to it returns its
displayed form. Each renderer is written once: `terminal.text` and `ui.render.show`; `as_json`
writes the result itself.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from itertools import compress
from operator import attrgetter
from typing import Any, Literal

from concord.messages import message_of
from concord.stats.core.estimate import Estimate, Reason

# Of the fields of a result: its keys are among those of the result in JSON; it is left out of
# JSON where it is None, since it was not asked for; it is never in JSON.
FLAT, OPTIONAL, INTERNAL = {"flat": True}, {"optional": True}, {"internal": True}

Kind = Literal[
    "text",
    "count",
    "share",
    "bound",
    "points",
    "number",
    "value",
    "precise",
    "difference",
    "p",
    "usd",
]
JSON_SCALARS = {str, int, float, bool, type(None)}
Cell = str | int | float | Estimate | Reason | None


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        title: Its head, a message.
        kind: How a cell is written: `share` in percent, `bound` as an upper bound in percent that
            is never rounded down, `points` as a difference of shares in points, `number` with two
            decimals, `value` with three, `precise` with four digits, `difference` with its sign,
            `p` as a p-value, `usd` as a price, `count` with thousands separators, `text` as it is.
            An estimate is written with its confidence interval.
        help: A term of docs/figures.md that explains it; '' for none.
        in_file: Its head in a CSV file, where shares are fractions; '' for the title.
    """

    title: str
    kind: Kind = "text"
    help: str = ""
    in_file: str = ""


@dataclass(frozen=True)
class Table:
    """A table of a document; an undefined cell (None) is shown as a dash.

    With `across` each row is shown as a column under its first cell, for a few rows with many
    figures; figures missing in all rows are then not shown.
    """

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    across: bool = False


@dataclass(frozen=True)
class Chart:
    """A chart; `reports.charts` has the kinds of them.

    Attributes:
        name: Its name among the charts of a document.
        title: The finding; '' where a headline states it.
        alt: The chart in words.
    """

    name: str
    title: str
    alt: str


@dataclass(frozen=True)
class Document:
    """Displayed parts of a report, most important first.

    Attributes:
        headline: The finding, one sentence that is true when read alone.
        facts: Sentences that the headline needs: the bound, the saving, the exclusions.
        notes: Reasons for what is undefined, assumptions and limits.
        provenance: How the statistics were computed, sufficient to reproduce them.
        charts: What a screen draws above the tables; a terminal leaves it out.
    """

    headline: str
    facts: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    provenance: str = ""
    charts: tuple[Chart, ...] = ()


# A head alone is a column of texts; a cell is a function of a row, its key, or an attribute's path.
Part = tuple[Column | str, Callable[[Any], Cell] | str]


def table_of(
    name: str,
    rows: Iterable[Any],
    parts: Iterable[Part],
    title: str = "",
    sparse: bool = False,
) -> Table:
    """Return a table of results: each part is a column and the cell that a result has in it.

    A `sparse` table is without the columns in which no row has anything.
    """
    heads, cells = zip(*parts, strict=True)
    columns = tuple(Column(head) if isinstance(head, str) else head for head in heads)
    lines = [tuple(_cell(row, cell) for cell in cells) for row in rows]
    if sparse and lines:
        kept = [any(line[place] not in (None, "") for line in lines) for place in range(len(cells))]
        columns, *lines = (tuple(compress(line, kept)) for line in (columns, *lines))
    return Table(name, columns, tuple(lines), title)


def listing(
    name: str,
    rows: Sequence[Any],
    parts: Iterable[Part],
    headline: str,
    total: int = 0,
    notes: Iterable[str] = (),
) -> Document:
    """Return a table of the first rows of `total`, and how many are not shown."""
    hidden = total - len(rows)
    more = f"{hidden:,} more, not shown; --limit shows more." if hidden > 0 else ""
    return Document(headline, (), (table_of(name, rows, parts),), (more, *notes))


def _cell(row: Any, cell: Callable[[Any], Cell] | str) -> Cell:
    if callable(cell):
        return cell(row)
    keyed = hasattr(row, "keys") and cell in {*row.keys()}  # a row of the database is no Mapping
    return row[cell] if keyed else attrgetter(cell)(row)


def sentences(document: Document) -> list[str]:
    """Return the headline, facts and notes, as JSON has them."""
    return [one for one in (document.headline, *document.facts, *document.notes) if one]


def as_json(result: Any) -> Any:
    """Return a result as plain JSON values: dataclasses and named tuples by field name.

    NumPy scalars become numbers. Text keeps its English, and a reason its code. A field `from_`,
    which Python does not allow without its underscore, is `from`. A class whose JSON is not its
    fields has a method `to_json`.
    """
    if type(result) in JSON_SCALARS:  # by far the most
        return result
    if isinstance(result, Reason):
        return message_of(result)
    if is_dataclass(result):
        return as_json(result.to_json()) if hasattr(result, "to_json") else _by_field(result)
    if isinstance(result, tuple) and hasattr(result, "_asdict"):
        return {name: as_json(value) for name, value in result._asdict().items()}
    if isinstance(result, Mapping):
        return {key: as_json(value) for key, value in result.items()}
    if isinstance(result, (list, tuple)):
        return [as_json(one) for one in result]
    # By name: most commands print without any statistics, and numpy takes longer than they do.
    return result.item() if type(result).__module__ == "numpy" else result


def _by_field(result: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for name, key, optional, flat in _fields_in_json(type(result)):
        value = getattr(result, name)
        if value is not None or not optional:
            if flat:
                plain |= as_json(value)
            else:
                plain[key] = as_json(value)
    return plain


@cache
def _fields_in_json(of: type) -> tuple[tuple[str, str, bool, bool], ...]:
    """Return name, key in JSON, "optional" and "flat" of each field of a dataclass in JSON."""
    return tuple(
        (one.name, one.name.rstrip("_"), "optional" in one.metadata, "flat" in one.metadata)
        for one in fields(of)
        if "internal" not in one.metadata
    )


def with_codes(found: object) -> object:
    """Add to each `why_none` of a document its stable `why_code`, None where unknown."""
    if isinstance(found, Mapping):
        coded = {}
        for key, value in found.items():
            coded[key] = with_codes(value)
            if key == "why_none":
                coded["why_code"] = getattr(value, "code", None)
        return coded
    return [with_codes(one) for one in found] if isinstance(found, list | tuple) else found
