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
from concord.importing.columns import ColumnMap
from concord.importing.fields import BESIDE_ANSWERS, OF_PROBABILITIES, folded
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
    "seconds": of_cell.seconds,
    "rubric_language": of_cell.language,
    "blind": of_cell.boolean,
    "simulated": lambda cell: bool(of_cell.boolean(cell)),
    "quote": of_cell.text,
}
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
        self._fields = {field: self._places[c[0]] for field, c in columns.fields.items() if c}
        known = ("score", "label", "probabilities")
        self.verdict = next((field for field in known if field in self._fields), "")
        self._without = {*map(folded, columns.without)}
        # Columns of scores, each with what its placeholder names.
        keys = [(one, column_paths.placeholders(one.column)) for one in columns.scores]
        name = column_paths.key_name
        self._scores = [
            (one, [f for f in ("grader", "criterion") if name(getattr(one, f)) in names])
            for one, names in keys
        ]
        self._checked: dict[str, dict[str, Any] | None] = {}
        # Columns of fields of which each row has a part, or that several columns may say.
        self._parts = {
            field: {column: (self._places[column], own_keys(column, columns)) for column in found}
            for field in BESIDE_ANSWERS
            if (found := columns.fields.get(field, ()))
            and (len(found) > 1 or field == "probabilities" or own_keys(found[0], columns))
        }

    def rows(self, record: Record) -> Iterator[GradeRow]:
        """Yield the cells of each grade; also those of a bad record, as far as it has them."""
        cells = (*record.cells, *[None] * (self._width - len(record.cells)))
        common: GradeRow = {field: cells[place] for field, place in self._fields.items()}
        for score, keyed in self._scores:
            cell = cells[self._places[score.column]]
            for keys in _leaves(cell, bool(keyed)):
                row = common | {
                    "at": score.column,
                    "grader": self._name(cells, score.grader),
                    "grader_kind": score.kind,
                    "criterion": self._name(cells, score.criterion),
                    "score": column_paths.only(cell[keys[0]]) if keys else cell,
                    **dict.fromkeys(("status", "label", "probabilities")),
                }
                row |= dict.fromkeys(keyed, *keys) if keys else {}
                if "reason" in row:
                    row["reason"] = self._reason(row["reason"], score, *keys)
                if folded(row["criterion"]) not in self._without:
                    yield row
        if not self.verdict:
            return
        inside = self._parts.get(self.verdict, {}).values()
        deep = max((len(keys) for _, keys in inside), default=0)
        for keys in _leaves(common[self.verdict], deep):
            row = {**common}
            for field, columns in self._parts.items():
                only = texts if field == "reason" else column_paths.only
                parts = {
                    column: only(_part(cells[place], keys[: len(own)])) if own else cells[place]
                    for column, (place, own) in columns.items()
                }
                known = (part for part in parts.values() if not of_cell.is_blank(part))
                row[field] = parts if field == "probabilities" else next(known, None)
            if not (self._without and folded(shown(row, "criterion")) in self._without):
                yield row

    def _name(self, cells: Sequence[Cell], name: str) -> str:
        """A name of the map, or what a cell says where the map names a column."""
        key = column_paths.key_name(name)
        place = self._places.get(key or "", self._places.get(name))
        return name if key is None or place is None else of_cell.shown(cells[place]).strip()

    def _reason(self, cell, score, key=""):
        """The reason of a score: that under its key, or that of the grader whom the row names."""
        path = self.columns.column("reason") or ""
        own, by_row = own_keys(path, self.columns), column_paths.key_name
        if not own:
            scores = self.columns.scores
            of_rows = len(scores) > 1 and any(by_row(one.grader) for one in scores)
            return None if of_rows and not by_row(score.grader) else cell
        is_its = key and own == own_keys(score.column, self.columns) and isinstance(cell, dict)
        return texts(cell.get(key)) if is_its else None

    def read(self, row: GradeRow, field: str, read: Callable[[Cell], Any]) -> Any:
        """What `read` makes of the cell of a field."""
        try:
            return read(row.get(field))
        except BadCell as fault:
            own = row.get("at") if field in _OF_COLUMN else None
            column = own or self.columns.column(field) or self.columns.column(self.verdict)
            fault.column = fault.column or column
            raise

    def criterion(self, cell: Cell) -> tuple[str, Rubric, Words]:
        """The criterion that a cell names, with its rubric and the scores of its words."""
        given = of_cell.text(cell).strip()
        read_as = self.columns.criterion(given)
        name, rubric = of_score.criterion(read_as, self.rubrics)
        return name, rubric, of_score.words_of(self._words, (given, read_as, name))

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
        criterion, rubric, words = read("criterion", self.criterion)
        score = partial(of_score.verdict, rubric=rubric)
        if not rubric.units:
            spread = (criterion, kind == "judge") in self._spread
            score = partial(
                of_score.score, scale=rubric.scale, kind=kind, words=words, spread=spread
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
        if "marked_passages" in self._fields:
            quote, more["marked_passages"] = read("marked_passages", of_cell.passages)
            more["quote"] = quote or more.get("quote", "")
        column = row.get("at") or self.columns.column(self.verdict)
        return Grade(column=column, row=record.row, **more, **given)


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
