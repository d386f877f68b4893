"""Grades in a sheet of answers: in columns of one grader each, one per row, or in lists.

In lists there is one grade per object. `score=annotations.{n}.result.{m}.value` has a placeholder
for each list. The other fields of a grade are read at the same places, as its grader from
`annotations.{n}.completed_by`.
"""

from collections.abc import Collection, Iterator, Sequence

from concord.importing import column_paths
from concord.importing import scores as of_score
from concord.importing.columns import OF_GRADES, ColumnMap, ScoreColumn, missing_of_grades
from concord.importing.fields import BESIDE_ANSWERS
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell
from concord.importing.readers.table import Record
from concord.messages import Problem, said
from concord.model import STATED, Grade, Item
from concord.rubrics.model import Rubric

LostGrade = tuple[str, Cell, BadCell]


class AnswerGrades:
    """A reader of the grades of records under a column map; `names` are the columns of the records.

    Raises:
        Problem: Scores are mapped that no rubric, grader or single answer can take.
    """

    def __init__(
        self,
        names: Sequence[str],
        columns: ColumnMap,
        rubrics: Sequence[Rubric],
        words: of_score.Words | None = None,
    ):
        self._words = words or {}
        self._criteria: dict[str, tuple[str, Rubric, of_score.Words]] = {}
        self._places = {column: place for place, column in enumerate(names)}
        self._columns, self._rubrics = columns, rubrics
        self._scores = [(score, self._places[score.column]) for score in columns.scores]
        self._long = columns.column("score")
        self._lists = GradeLists(names, columns)
        _check(columns, rubrics)

    def of(self, record: Record, item: Item, key: str) -> Iterator[Grade | LostGrade]:
        """Yield each grade of a record, or the grader who loses one, the cell and why.

        An empty cell is no grade. Every fault names its column.
        """
        for score, place in self._scores:
            for given, cell, name in under_keys(score, record.cells[place], self._columns.without):
                yield from self._one(record, item, key, given, cell, name)
        for row in self._lists.of(record):
            yield from self._row(row, item, key)

    def lost(self, record: Record) -> Iterator[tuple[str, Cell]]:
        """Yield the grader and the cell of each grade that is lost with a bad row."""
        if len(record.cells) < len(self._places):
            record = record._replace(cells=(*record.cells, *[None] * len(self._places)))
        for score, place in self._scores:
            for given, cell, _ in under_keys(score, record.cells[place], self._columns.without):
                if not of_cell.is_blank(cell):
                    yield self._name(record, given.grader), cell
        for row in self._lists.of(record):
            if not of_cell.is_blank(cell := self._cell(row, "score")):
                yield of_cell.shown(self._cell(row, "grader")).strip(), cell

    def _one(self, record, item, key, score, cell, name):
        grader = self._name(record, score.grader)
        try:
            criterion, rubric, words = self._criterion(self._name(record, score.criterion))
            found = of_score.score(cell, rubric.scale, score.kind, words)
            reason = self._read(record, "reason", lambda given: self._reason(given, score, name))
            if found is not None and not grader:
                raise BadCell(
                    "there is a score but no grader. Name the grader.", fault_code="no_grader"
                )
        except BadCell as fault:
            yield grader, cell, BadCell(str(fault), fault.column or score.column)
            return
        if found is not None:
            yield self._grade(
                record, item, key, criterion=criterion, grader=grader, grader_kind=score.kind,
                score=found, column=score.column, reason=reason,
            )  # fmt: skip

    def _reason(self, cell, score, name):
        """The reason of a score: that under its key, or that of the grader whom the row names."""
        path = self._columns.column("reason") or ""
        own = own_keys(path, self._columns)
        if not own:
            is_theirs = len(self._scores) == 1 or column_paths.key_name(score.grader)
            return of_cell.text(cell if is_theirs else None)
        is_same = own == own_keys(score.column, self._columns)
        key = name if is_same else column_paths.key_in(path, score.column)
        return of_cell.text(texts(cell.get(key)) if key and isinstance(cell, dict) else None)

    def _row(self, record, item, key):
        """The grade of a row in long form."""
        cell = self._cell(record, "score")
        grader = of_cell.shown(self._cell(record, "grader")).strip()
        if of_cell.is_blank(cell) and not self._probabilities(record):
            return
        try:
            kind = self._read(record, "grader_kind", of_score.kind)
            criterion, rubric, words = self._read(record, "criterion", self._criterion)
            scale = rubric.scale
            found = self._read(record, "score", lambda c: of_score.score(c, scale, kind, words))
            if found is None and not of_cell.is_blank(cell):  # a word for no grade
                return
            distribution = self._distribution(record, kind, scale)
            if found is None:
                found = self._read_score(distribution, scale)
            if self._read(record, "grader", of_cell.name) is None:
                fault = said("there is no grader. Name the grader.", fault_code="no_grader")
                raise BadCell(fault, self._columns.column("grader"))
            yield self._grade(
                record, item, key, grader=grader, grader_kind=kind, score=found,
                criterion=criterion,
                reason=self._read(record, "reason", of_cell.text),
                repeat=self._read(record, "repeat", of_cell.positive),
                blind=self._read(record, "blind", of_cell.boolean),
                column=self._long,
                distribution=distribution,
            )  # fmt: skip
        except BadCell as fault:
            yield grader, cell, fault

    def _distribution(self, record, kind, scale):
        """The probabilities of a row in long form; None where it has none."""
        cells = self._probabilities(record)
        if not cells:
            return None
        if kind != "judge":
            raise BadCell(
                "only a judge gives probabilities. Leave them empty.",
                next(iter(cells)),
                fault_code="not_of_a_judge",
            )
        more = (self._cell(record, field) for field in ("outside_mass", "probabilities_source"))
        try:
            return of_score.distribution(cells, *more, scale)
        except BadCell as fault:
            raise BadCell(str(fault), next(iter(cells))) from None

    def _probabilities(self, record):
        """The cells of a row's probabilities by column; empty where all of them are blank."""
        columns = self._columns.fields.get("probabilities", ())
        cells = {column: record.cells[self._places[column]] for column in columns}
        return {} if all(map(of_cell.is_blank, cells.values())) else cells

    def _read_score(self, found, scale):
        """The score of a row that has probabilities alone; the confidence in one score has none."""
        if found.source == STATED:
            raise BadCell(
                "there is no score. Add one, or a status that says why.",
                self._long,
                fault_code="no_score",
            )
        try:
            return of_score.read_score(found, scale)
        except BadCell as fault:
            raise BadCell(str(fault), self._columns.column("probabilities")) from None

    def _criterion(self, cell):
        """The criterion that a cell names, with its rubric and the scores of its words."""
        given = of_cell.text(cell).strip()
        if given not in self._criteria:
            read_as = self._columns.criterion(given)
            name, rubric = of_score.criterion(read_as, self._rubrics)
            words = of_score.words_of(self._words, (given, read_as, name))
            self._criteria[given] = name, rubric, words
        return self._criteria[given]

    def _grade(self, record, item, key, **more):
        return Grade(
            item_id=item.own_id,
            question_id=item.question_id,
            answer_model=item.answer_model,
            row=record.row,
            item_key=key,
            **more,
        )

    def _name(self, record: Record, name: str) -> str:
        """A name of the map, or what a cell says where the map names a column."""
        column = column_paths.key_name(name)
        place = self._places.get(column or "", self._places.get(name))
        if column is None or place is None:
            return name
        return of_cell.shown(record.cells[place]).strip()

    def _cell(self, record, field):
        column = self._columns.column(field)
        return None if column is None else record.cells[self._places[column]]

    def _read(self, record, field, read):
        try:
            return read(self._cell(record, field))
        except BadCell as fault:
            raise BadCell(str(fault), self._columns.column(field)) from None


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


def _check(columns: ColumnMap, rubrics: Sequence[Rubric]) -> None:
    long = "score" in columns.fields
    if (columns.scores or long) and not rubrics:
        raise Problem(
            "Grades in a sheet need a rubric. Name it with --rubric.",
            on_screen=said("Grades in a sheet need a rubric. Choose one above."),
            fault_code="no_rubric",
        )
    if (columns.scores or long) and columns.answers:
        raise Problem(
            "In a sheet with one column per answering model, a score does not say which model it "
            "is for. Import the answers first, then the grades from a separate file.",
            fault_code="no_answer_model",
        )
    for score in columns.scores:
        named = not column_paths.key_name(score.criterion)
        if named and not any(score.criterion in rubric.versions() for rubric in rubrics):
            rubrics[0].criterion(score.criterion)
    reason = columns.column("reason")
    is_of_row = any(column_paths.key_name(score.grader) for score in columns.scores)
    if len(columns.scores) > 1 and reason and not (is_of_row or own_keys(reason, columns)):
        raise Problem(
            "With several score columns, it is unclear which one the column of reasons is for. "
            "Leave it out.",
            fault_code="several_columns",
        )
    if not long and "probabilities" in columns.fields:
        on_screen = said(
            "Probabilities are mapped without a score. Choose the column of the score too; "
            "where its cell is empty, the score is read from them.",
        )
        for score in columns.scores:
            if score.kind == "judge":
                raise Problem(
                    "Probabilities need the score of each row. Instead of {field}={column} give "
                    "--map score={column} --map grader:={grader} --map grader_kind:=judge --map "
                    "criterion:={criterion}",
                    field=score.field,
                    on_screen=on_screen,
                    **score._asdict(),
                    fault_code="probabilities_alone",
                )
        raise Problem(
            "Probabilities are mapped without a score. Map its column too, as in --map "
            "score=COLUMN; where its cell is empty, the score is read from them.",
            on_screen=on_screen,
            fault_code="probabilities_alone",
        )
    if not long:
        return
    criteria = sum(len(rubric.criteria) for rubric in rubrics)
    for field in tuple(OF_GRADES)[: 2 if criteria == 1 else 3]:
        if field not in columns.fields:
            raise missing_of_grades(field)
