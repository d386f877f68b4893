"""Grades of a record under a column map, of a file of answers and of a file of grades alike.

A record may hold one grade (long form), a list of them, or a column per grader and criterion. Every
fault names its column.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from concord.importing import column_paths
from concord.importing import scores as of_score
from concord.importing.columns import ColumnMap, ScoreColumn
from concord.importing.fields import BESIDE_ANSWERS
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell
from concord.importing.readers.table import Record
from concord.messages import said
from concord.model import STATED, Distribution, Grade
from concord.rubrics.model import Rubric

# Further fields of a grade that a column may have, and how a cell of each is read.
_PLAIN: dict[str, Callable[[Cell], Any]] = {
    "item_id": of_cell.name,
    "question_id": of_cell.name,
    "answer_model": of_cell.name,
    "reason": of_cell.text,
    "repeat": of_cell.positive,
    "seconds": of_cell.seconds,
    "rubric_language": of_cell.language,
}


class GradeReader:
    """A reader of grades; `names` are the columns of the records.

    The criteria of several rubrics differ. `words` are scores by word, `spread` the scores of
    numbers by criterion and whether a judge gave them.
    """

    def __init__(
        self,
        names: Sequence[str],
        columns: ColumnMap,
        rubrics: Sequence[Rubric],
        words: of_score.Words | None = None,
        spread: of_score.Spread | None = None,
    ):
        self.columns, self.rubrics = columns, rubrics
        self._words, self._spread = words or {}, spread or {}
        self._places = {column: place for place, column in enumerate(names)}
        self._fields = {field: self._places[c[0]] for field, c in columns.fields.items() if c}
        self._plain = [(f, read) for f, read in _PLAIN.items() if f in self._fields]
        self._criteria: dict[str, tuple[str, Rubric, of_score.Words]] = {}
        probabilities = columns.fields.get("probabilities", ())
        self._probabilities = {column: self._places[column] for column in probabilities}
        self.scores = [(score, self._places[score.column]) for score in columns.scores]

    def cell(self, record: Record, field: str) -> Cell:
        """The cell of a field; None where no column has it."""
        place = self._fields.get(field)
        return None if place is None or place >= len(record.cells) else record.cells[place]

    def has(self, record: Record, field: str) -> bool:
        """True where the cell of a field is not blank."""
        return not of_cell.is_blank(self.cell(record, field))

    def read(self, record: Record, field: str, read: Callable[[Cell], Any]) -> Any:
        """What `read` makes of the cell of a field."""
        try:
            return read(self.cell(record, field))
        except BadCell as fault:
            raise BadCell(str(fault), self.columns.column(field)) from None

    def criterion(self, cell: Cell) -> tuple[str, Rubric, of_score.Words]:
        """The criterion that a cell names, with its rubric and the scores of its words."""
        given = of_cell.text(cell).strip()
        if given not in self._criteria:
            read_as = self.columns.criterion(given)
            name, rubric = of_score.criterion(read_as, self.rubrics)
            words = of_score.words_of(self._words, (given, read_as, name))
            self._criteria[given] = name, rubric, words
        return self._criteria[given]

    def name(self, record: Record, name: str) -> str:
        """A name of the map, or what a cell says where the map names a column."""
        column = column_paths.key_name(name)
        place = self._places.get(column or "", self._places.get(name))
        if column is None or place is None:
            return name
        return of_cell.shown(record.cells[place]).strip() if place < len(record.cells) else ""

    def score(
        self, cell: Cell, criterion: str, rubric: Rubric, kind: str, words: of_score.Words
    ) -> float | None:
        """The score of a cell; None for a blank one, or a word for no grade."""
        own = self._spread.get((criterion, kind == "judge"))
        return of_score.given(cell, rubric, kind, {**own, **words} if own else words)

    def of_column(
        self, record: Record, score: ScoreColumn, cell: Cell, **given: Any
    ) -> Grade | None:
        """The grade in a column of scores; None for no grade. `given` are fields of it."""
        grader = self.name(record, score.grader)
        try:
            criterion, rubric, words = self.criterion(self.name(record, score.criterion))
            found = self.score(cell, criterion, rubric, score.kind, words)
            if found is not None and not grader:
                raise _no_grader()
        except BadCell as fault:
            raise BadCell(str(fault), fault.column or score.column) from None
        if found is None:
            return None
        more = {"criterion": criterion, "grader": grader, "grader_kind": score.kind, **given}
        return self.grade(record, score=found, column=score.column, **more)

    def long(self, record: Record, **given: Any) -> Grade | None:
        """The grade of a row in long form; None for a word that is no grade."""
        kind = self.read(record, "grader_kind", of_score.kind)
        criterion, rubric, words = self.read(record, "criterion", self.criterion)

        def score(cell: Cell) -> float | None:
            return self.score(cell, criterion, rubric, kind, words)

        found = self.read(record, "score", score)
        label = self.read(record, "label", score)
        if None not in (found, label) and found != label:
            fault = said(
                "the score is {by_score}, but the label means {by_label}. Keep one of them.",
                by_score=found,
                by_label=label,
                fault_code="label_and_score",
            )
            raise BadCell(fault, self.columns.column("label"))
        found = label if found is None else found
        has_status = self.has(record, "status")
        if found is None and self.has(record, "score") and not has_status:
            return None
        distribution = None if rubric.units else self._distribution(record, kind, rubric.scale)
        if found is None and distribution and distribution.source != STATED and not has_status:
            found = self._read_score(distribution, rubric.scale)
        if self.read(record, "grader", of_cell.name) is None:
            raise BadCell(str(_no_grader()), self.columns.column("grader"))
        scored = found is not None
        column = self.columns.column("score") or self.columns.column("label")
        try:
            status = self.read(record, "status", lambda c: of_score.status(c, scored))
        except BadCell as fault:
            raise BadCell(str(fault), fault.column or column) from None
        return self.grade(
            record,
            criterion=criterion,
            grader=self.read(record, "grader", of_cell.name),
            grader_kind=kind,
            score=found,
            status=status,
            column=column,
            distribution=distribution if scored else None,
            **given,
        )

    def has_probabilities(self, record: Record) -> bool:
        """True where a row has probabilities."""
        places = self._probabilities.values()
        return not all(of_cell.is_blank(record.cells[place]) for place in places)

    def _distribution(self, record: Record, kind: str, scale: Sequence[int]) -> Distribution | None:
        """The probabilities of a row in long form; None where it has none."""
        if not self.has_probabilities(record):
            return None
        cells = {column: record.cells[place] for column, place in self._probabilities.items()}
        column = next(iter(cells))
        if kind != "judge":
            raise BadCell(
                "only a judge gives probabilities. Leave them empty.",
                column,
                fault_code="not_of_a_judge",
            )
        more = (self.cell(record, field) for field in ("outside_mass", "probabilities_source"))
        try:
            return of_score.distribution(cells, *more, scale)
        except BadCell as fault:
            raise BadCell(str(fault), column) from None

    def _read_score(self, found: Distribution, scale: Sequence[int]) -> int:
        try:
            return of_score.read_score(found, scale)
        except BadCell as fault:
            raise BadCell(str(fault), self.columns.column("probabilities")) from None

    def grade(self, record: Record, **given: Any) -> Grade:
        """A grade of these fields, and of further ones that columns of the record have."""
        more = {f: self.read(record, f, read) for f, read in self._plain if f not in given}
        by_people = given["grader_kind"] in ("person", "mean")
        if by_people and "blind" in self._fields:
            more["blind"] = self.read(record, "blind", of_cell.boolean)
        if "simulated" in self._fields:
            more["simulated"] = bool(self.read(record, "simulated", of_cell.boolean))
        if "quote" in self._fields or "marked_passages" in self._fields:
            words, marked = self.read(record, "marked_passages", of_cell.passages)
            more["quote"] = words or self.read(record, "quote", of_cell.text)
            more["marked_passages"] = marked
        return Grade(**{**_NOBODY, **more, **given}, row=record.row)


_NOBODY = {"item_id": None, "question_id": None, "answer_model": None}


def _no_grader() -> BadCell:
    return BadCell("there is no grader. Name the grader.", fault_code="no_grader")


class GradeLists:
    """Parts records under a column map into one per grade in long form; `names` are their columns.

    Grades of a criterion that is left out are not among them.
    """

    def __init__(self, names: Sequence[str], columns: ColumnMap):
        places = {column: place for place, column in enumerate(names)}
        self._levels = {
            places[column]: len(own_keys(column, columns))
            for field in BESIDE_ANSWERS
            for column in columns.fields.get(field, ())
        }
        self._score, self._criterion = (
            places.get(columns.column(field)) for field in ("score", "criterion")
        )
        self._graders = [places[column] for column in columns.fields.get("grader", ())]
        self._reasons = {places[column] for column in columns.fields.get("reason", ())}
        self._without = {*columns.without}

    def of(self, record: Record) -> Iterator[Record]:
        """Yield a record for each grade; the record itself where no path leads into a list."""
        if self._score is None:
            return
        for keys in _leaves(record.cells[self._score], self._levels[self._score]):
            cells = list(record.cells)
            for place, levels in self._levels.items():
                if levels:
                    cells[place] = self._at(place, cells[place], keys[:levels])
            named = (place for place in self._graders if not of_cell.is_blank(cells[place]))
            if self._graders:
                cells[self._graders[0]] = cells[next(named, self._graders[0])]
            if self._criterion is None or self._name(cells) not in self._without:
                yield record._replace(cells=tuple(cells))

    def _name(self, cells: Sequence[Cell]) -> str:
        return of_cell.shown(cells[self._criterion]).strip()

    def _at(self, place: int, cell: Cell, keys: Sequence[str]) -> Cell:
        for key in keys:
            cell = cell.get(key) if isinstance(cell, dict) else cell
        return texts(cell) if place in self._reasons else column_paths.only(cell)


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


def under_keys(
    score: ScoreColumn, cell: Cell, without: Collection[str] = ()
) -> Iterator[tuple[ScoreColumn, Cell, str]]:
    """Yield the scores of a cell, each with its key; each names a grader or a criterion.

    Those of criteria in `without` are left out.
    """
    names = column_paths.placeholders(score.column)
    ours = [n for n in names if f"{{{n}}}" in (score.grader, score.criterion)]
    if ours and of_cell.is_blank(cell):
        return
    if not ours or not isinstance(cell, dict):
        yield score, cell, ""
        return
    for key, part in cell.items():
        named = {
            field: key if getattr(score, field) == f"{{{ours[0]}}}" else getattr(score, field)
            for field in ("grader", "criterion")
        }
        if named["criterion"] not in without:
            value = column_paths.only(part) if isinstance(part, dict) else part
            yield score._replace(**named), value, key
