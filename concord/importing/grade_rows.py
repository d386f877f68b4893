"""Grades of a record under a column map, of a file of answers and of a file of grades alike.

A record may hold one grade (long form), a list of them, or a column per grader and criterion: each
becomes a row of cells by field (`GradeReader.rows`), which is checked in one way. Every fault names
its column.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from concord.importing import column_paths
from concord.importing import scores as of_score
from concord.importing.columns import ColumnMap, ScoreColumn
from concord.importing.fields import GRADE_FIELDS, OF_PROBABILITIES, folded
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell
from concord.importing.readers.table import Record
from concord.importing.scores import Spread, Words, bad
from concord.model import STATED, Distribution, Grade
from concord.rubrics.model import Rubric

# Further fields of a grade that a column may have, and how a cell of each is read.
_PLAIN: dict[str, Callable[[Cell], Any]] = {
    "reason": of_cell.text,
    "repeat": of_cell.positive,
    "blind": of_cell.boolean,
    "simulated": lambda cell: bool(of_cell.boolean(cell)),
    "quote": of_cell.text,
}
# By field its columns: name, place, and how many keys of a grade lead into the cell.
Fields = dict[str, list[tuple[str, int, int]]]
Source = tuple[int, int, dict[str, int], Fields, dict[str, str | None], Sequence[str]]
# The cells of one grade by field. `at` is its column of scores, which then says these fields.
GradeRow = dict[str, Any]
_OF_COLUMN = ("score", "grader", "grader_kind", "criterion", "status", "label")
_CHECKED = ("at", *_OF_COLUMN, *OF_PROBABILITIES)
_KEPT = 10_000


class GradeReader:
    """A reader of grades; `names` are the columns of the records.

    The criteria of several rubrics differ. `words` are scores by word; numbers of the criteria in
    `spread` are mapped from 0 to 1 to the scale. Criteria that the map leaves out are not read.
    """

    def __init__(
        self,
        names: Sequence[str],
        columns: ColumnMap,
        rubrics: Sequence[Rubric] = (),
        words: Words | None = None,
        spread: Spread = (),
    ):
        self.columns, self.rubrics, self._width = columns, rubrics, len(names)
        self._words, self._spread = words or {}, spread
        self._places = {column: place for place, column in enumerate(names)}
        self._without = {*map(folded, columns.without)}
        self._checked: dict[str, dict[str, Any] | None] = {}
        self._fields: Fields = {
            field: [(one, self._places[one], len(own_keys(one, columns))) for one in found]
            for field, found in columns.fields.items()
            if field in GRADE_FIELDS and found
        }
        known = ("score", "label", "probabilities")
        self.verdict = next((field for field in known if field in self._fields), "")
        self._sources = [self._of_column(one) for one in columns.scores]
        if self.verdict:
            self._sources.append(_source(self.verdict, self._fields, {}))

    def _of_column(self, score: ScoreColumn) -> Source:
        """Where the grades of a column of scores are, and all that is said beside them."""
        own = own_keys(score.column, self.columns)
        said = {"at": score.column, "grader_kind": score.kind}
        said |= dict.fromkeys(("status", "label", "probabilities"))
        fields = {field: found for field, found in self._fields.items() if field not in said}
        fields["score"] = [(score.column, self._places[score.column], len(own))]
        keyed = []
        for field in ("grader", "criterion"):
            name = getattr(score, field)
            key = column_paths.key_name(name)
            place = key and self._places.get(key, self._places.get(name))
            said[field] = name
            if key in own:
                keyed.append(field)
            elif place is not None:
                fields[field] = [(name, place, 0)]
                del said[field]
        reason = self.columns.column("reason")
        if reason and own_keys(reason, self.columns) not in ((), own):
            said["reason"] = None
        return _source("score", fields, said, keyed)

    def rows(self, record: Record) -> Iterator[GradeRow]:
        """Yield the cells of each grade; also those of a bad record, as far as it has them."""
        cells = (*record.cells, *[None] * (self._width - len(record.cells)))
        for place, depth, plain, parts, said, keyed in self._sources:
            for keys in _leaves(cells[place], depth):
                row = {field: cells[place] for field, place in plain.items()} | said
                for field, columns in parts.items():
                    only = texts if field == "reason" else column_paths.only
                    inner = {
                        column: only(_part(cells[at], keys[:n])) if n else cells[at]
                        for column, at, n in columns
                    }
                    known = (cell for cell in inner.values() if not of_cell.is_blank(cell))
                    row[field] = inner if field == "probabilities" else next(known, None)
                row |= dict.fromkeys(keyed, *keys)
                if not (self._without and folded(shown(row, "criterion")) in self._without):
                    yield row

    def read(self, row: GradeRow, field: str, read: Callable[[Cell], Any]) -> Any:
        """What `read` makes of the cell of a field."""
        try:
            return read(row.get(field))
        except BadCell as fault:
            own = row.get("at") if field in _OF_COLUMN else None
            column = own or self.columns.column(field) or self.columns.column(self.verdict)
            fault.column = fault.column or column
            raise

    def criterion(self, cell: Cell) -> tuple[str, Rubric]:
        """The criterion that a cell names, with its rubric."""
        read_as = self.columns.criterion(of_cell.text(cell).strip())
        return of_score.criterion(read_as, self.rubrics)

    def grade(self, row: GradeRow, record: Record, **given: Any) -> Grade | None:
        """The grade of a row; None for a word that is no grade, and an empty cell of a column.

        `given` are fields of it.
        """
        # Most grades of a file are one of a few: a check is kept.
        key = repr([*map(row.get, _CHECKED)])
        if key not in self._checked:
            if len(self._checked) == _KEPT:
                self._checked.clear()
            self._checked[key] = self._check(row)
        checked = self._checked[key]
        return checked and self.made(row, record, **checked, **given)

    def _check(self, row: GradeRow) -> dict[str, Any] | None:
        """The fields of a grade that depend on one another; None for no grade."""
        read = partial(self.read, row)
        kind = read("grader_kind", of_score.kind)
        criterion, rubric = read("criterion", self.criterion)
        score = partial(of_score.verdict, rubric=rubric)
        if not rubric.units:
            spread = (criterion, kind == "judge") in self._spread
            score = partial(
                of_score.score, scale=rubric.scale, kind=kind, words=self._words, spread=spread
            )
        found, label = read("score", score), read("label", score)
        if None not in (found, label) and found != label:
            raise bad("label_and_score", self.columns.column("label"), score=found, label=label)
        found = label if found is None else found
        is_open = found is None and of_cell.is_blank(row.get("status"))
        if is_open and ("at" in row or not of_cell.is_blank(row.get("score"))):
            return None
        distribution = None
        if not rubric.units and has_probabilities(row):
            distribution = read("probabilities", lambda _: _distribution(row, kind, rubric.scale))
            if is_open and distribution.source != STATED:
                found = read(
                    "probabilities", lambda _: of_score.read_score(distribution, rubric.scale)
                )
        return {
            "criterion": criterion,
            "grader_kind": kind,
            "grader": read("grader", of_score.grader),
            "score": found,
            "status": read("status", lambda cell: of_score.status(cell, found is not None)),
            "distribution": None if found is None else distribution,
        }

    def made(self, row: GradeRow, record: Record, **given: Any) -> Grade:
        """A grade of these fields and all others of a row."""
        read = partial(self.read, row)
        more = {field: read(field, how) for field, how in _PLAIN.items() if field in self._fields}
        if given["grader_kind"] not in ("person", "mean"):
            more.pop("blind", None)
        column = row.get("at") or self.columns.column(self.verdict)
        return Grade(column=column, row=record.row, **more, **given)


def _source(verdict: str, fields: Fields, said: dict, keyed: Sequence[str] = ()) -> Source:
    """Where grades are, for `rows`.

    That is the place and depth of their verdicts; the places of fields that are whole cells, the
    columns of all others, what is said of all, and the fields that are the key of a verdict.
    """
    parts = {
        field: found
        for field, found in fields.items()
        if len(found) > 1 or field == "probabilities" or found[0][2]
    }
    plain = {field: found[0][1] for field, found in fields.items() if field not in parts}
    parts = {field: found for field, found in parts.items() if field not in said}
    depth = max(n for _, _, n in fields[verdict])
    return fields[verdict][0][1], depth, plain, parts, said, keyed


def shown(row: GradeRow, field: str) -> str:
    """What a row names as its grader or criterion."""
    return of_cell.shown(row.get(field)).strip()


def has_probabilities(row: GradeRow) -> bool:
    """True where a row has probabilities."""
    return not all(map(of_cell.is_blank, (row.get("probabilities") or {}).values()))


def _distribution(row: GradeRow, kind: str, scale: Sequence[int]) -> Distribution:
    if kind != "judge":
        raise bad("not_of_a_judge")
    more = (row.get(field) for field in ("outside_mass", "probabilities_source"))
    return of_score.distribution(row["probabilities"], *more, scale)


def own_keys(column: str, columns: ColumnMap) -> tuple[str, ...]:
    """The placeholders of a grade's path, without that of the answer."""
    return tuple(n for n in column_paths.placeholders(column) if n != columns.placeholder)


def texts(cell: Cell) -> Cell:
    """A reason: of several texts, each on lines of its own."""
    cell = column_paths.only(cell)
    is_several = isinstance(cell, list) and all(isinstance(part, str) for part in cell)
    return "\n".join(cell) if is_several else cell


def _leaves(cell: Cell, levels: int) -> Iterator[tuple[str, ...]]:
    """Yield the keys to each value that is so many levels deep, and to other values."""
    if not levels or not isinstance(cell, dict):
        yield ()
        return
    for key, part in cell.items():
        yield from ((key, *rest) for rest in _leaves(part, levels - 1))


def _part(cell: Cell, keys: Sequence[str]) -> Cell:
    for key in keys:
        cell = cell.get(key) if isinstance(cell, dict) else cell
    return cell
