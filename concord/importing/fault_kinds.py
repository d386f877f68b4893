"""Kinds of faults: bad rows with the same fault as one, with their count and three examples."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from concord.importing.readers.table import LINE, BadRow
from concord.messages import Said, is_message, joined, said

EXAMPLES = 3
# Up to so many ranges of rows are named, and of lines with them.
RANGES = 5
_DIFFERS = "…"
_QUOTED = re.compile("“[^”]*”")


class Example(NamedTuple):
    """One bad row of a kind; `value` is what its cell says, '' where the fault is in no cell."""

    row: int
    line: int | None
    column: str | None
    value: str


class FaultKind(NamedTuple):
    """All rows that are bad in the same column for the same reason.

    Attributes:
        problem: What is wrong and what can be done; … for a word in which the rows differ.
        column: The column; None where the row as a whole is bad.
        of: Of what the rows are rows where that is not the file.
        rows: The rows, each once, in order.
        lines: Their lines in the file; empty where it has none.
        examples: The first rows, at most three, of different values where there are any.
        code: What the fault is called by programs; None for a fault without a name.
    """

    problem: str
    column: str | None
    of: str
    rows: tuple[int, ...]
    lines: tuple[int, ...]
    examples: tuple[Example, ...]
    code: str | None = None

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def sentence(self) -> str:
        """The rows, the problem and the examples, as lines for a terminal."""
        of = f" {self.of}" if self.of else ""
        at = f", column “{self.column}”" if self.column else ""
        first, several = self.examples[0], self.count > 1
        is_cut = len(_runs(self.rows)) > RANGES
        lines = ""
        if several and len(self.lines) == self.count and not is_cut:
            lines = f" ({LINE}s {ranges(self.lines)})"
        elif first.line is not None and not several:
            lines = f" ({LINE} {first.line})"
        count = f" ({self.count:,} rows)" if is_cut else ""
        head = f"Row{'s' if several else ''} {ranges(self.rows)}{count}{of}{lines}{at}"
        return f"{head}: {self.problem}{self._examples() if several else ''}"

    def _examples(self) -> str:
        shown = [f"row {one.row}: “{one.value}”" for one in self.examples if one.value]
        return f"\n    For example {', '.join(shown)}." if shown else ""

    def as_json(self) -> dict[str, Any]:
        """The kind for `--json`."""
        return {
            "code": self.code,
            "problem": self.problem,
            "column": self.column,
            "of": self.of,
            "count": self.count,
            "examples": [one._asdict() for one in self.examples],
        }


def kinds(bad_rows: Iterable[BadRow]) -> list[FaultKind]:
    """Return every kind of fault once, in the order of its first row."""
    alike: dict[Hashable, list[BadRow]] = defaultdict(list)
    for bad in bad_rows:
        alike[bad.column, bad.of, _template(bad.problem)].append(bad)
    return [_kind(group) for group in alike.values()]


def ranges(numbers: Sequence[int]) -> Said:
    """Ascending numbers in words, neighbours drawn together, and how many more there are: 1-3, 7.

    A number that occurs twice is named once.
    """
    runs = _runs(numbers)
    shown = joined(", ", ("-".join(map(str, dict.fromkeys(run))) for run in runs[:RANGES]))
    more = sum(last - first + 1 for first, last in runs[RANGES:])
    return said("{names} and {n:,} more", names=shown, n=more) if more else shown


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for number in dict.fromkeys(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def _template(problem: str) -> str:
    """Return the common part of problems of a kind: their template, else all but quotes."""
    if is_message(problem) and problem.template:
        return problem.template
    return _QUOTED.sub(f"“{_DIFFERS}”", problem)


def _kind(group: list[BadRow]) -> FaultKind:
    rows = {bad.row: bad for bad in group}
    differing = _differing(group)
    return FaultKind(
        problem=_in_common([bad.problem for bad in group]),
        column=group[0].column,
        of=group[0].of,
        rows=tuple(rows),
        lines=tuple(bad.line for bad in rows.values() if bad.line is not None),
        examples=_examples(group, differing),
        code=getattr(group[0].problem, "code", None),
    )


def _differing(group: list[BadRow]) -> set[str] | None:
    """The names of the values in which the problems differ; None for texts without values."""
    first = group[0].problem
    if not (is_message(first) and first.template):
        return None if any(bad.problem != first for bad in group) else set()
    return {
        name
        for name, value in first.values.items()
        if any(bad.problem.values[name] != value for bad in group)
    }


def _in_common(texts: list[Any]) -> Any:
    """What texts made from one template, or values in them, have in common; … for the rest."""
    first = texts[0]
    if all(text == first for text in texts):
        return first
    if not (is_message(first) and first.template):
        alike = {_template(text) if isinstance(text, str) else None for text in texts}
        return alike.pop() if len(alike) == 1 and None not in alike else _DIFFERS
    if any(getattr(text, "template", None) != first.template for text in texts):
        return _DIFFERS
    values = {name: _in_common([text.values[name] for text in texts]) for name in first.values}
    return said(first.template, **values)


def _examples(group: list[BadRow], differing: set[str] | None) -> tuple[Example, ...]:
    """The first rows with different values; where there are too few of these, the first rows."""
    by_value = {_value(bad, differing): bad for bad in reversed(group)}
    different = sorted(by_value.values(), key=lambda bad: bad.row)[:EXAMPLES]
    more = [bad for bad in group[: 2 * EXAMPLES] if bad not in different]
    chosen = [*different, *more[: EXAMPLES - len(different)]]
    chosen.sort(key=lambda bad: bad.row)
    return tuple(Example(bad.row, bad.line, bad.column, _value(bad, differing)) for bad in chosen)


def _value(bad: BadRow, differing: set[str] | None) -> str:
    """What the cell says; where that is unknown, the words in which the problems differ."""
    if bad.value or not differing:
        return bad.value
    values = (value for name, value in bad.problem.values.items() if name in differing)
    return joined(", ", [v if isinstance(v, str) else str(v) for v in values])
