"""Grades made elsewhere, read from a file of their own in long form.

One row is a score of a whole answer or, under a rubric of units, a verdict on one of its units.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from concord.importing import scores as of_score
from concord.importing.columns import ColumnMap, column_map, opened, prepared
from concord.importing.deduplicate import GradeStage
from concord.importing.faults import Checked
from concord.importing.fields import GRADE_FIELDS, OF_ANSWERS, OF_UNITS, folded
from concord.importing.grade_rows import GradeReader, GradeRow, shown
from concord.importing.readers import cells as of_cell
from concord.importing.readers import safe_reading
from concord.importing.readers.cells import BadCell
from concord.importing.readers.formats import open_table
from concord.importing.readers.table import Record, Table
from concord.importing.scores import bad, several
from concord.importing.unit_rows import NamedUnit, unit_meant
from concord.messages import Problem, counted, joined, on_command_line
from concord.model import BadRow, Grade, ItemKeys, answer_key, item_key, question_key
from concord.rubrics.model import Rubric, of_units

Units = Mapping[str, Mapping[Hashable, Sequence[NamedUnit]]]


def load(
    given: str | Path | bytes,
    name: str = "",
    *,
    rubric: Rubric | Sequence[Rubric],
    known: Mapping[str, Hashable],
    units: Units | None = None,
    mapped: Iterable[str] = (),
) -> Checked:
    """Read a file of grades in one go: `open_table`, `column_map`, `read`."""
    table = open_table(given, name)
    return read(table, column_map(table.columns, mapped, GRADE_FIELDS), rubric, known, units)


def read(
    table: Table,
    columns: ColumnMap,
    rubric: Rubric | Sequence[Rubric],
    known: Mapping[str, Hashable],
    units: Units | None = None,
    words: of_score.Words | None = None,
    spread: of_score.Spread = (),
) -> Checked:
    """Read and check every row; identical repeats fold, those that contradict each other are bad.

    Args:
        table: The file.
        columns: Its columns under `GRADE_FIELDS`.
        rubric: Whose criteria and scale the grades are on.
        known: By each key of an item (`Item.keys`), what it names; None where it fits several.
        units: By kind, and by what a key names, the units of an item (`unit_names.of_sheet`).
        words: Scores by word (`scores.words_to_scores`).
        spread: Criteria whose numbers of 0 to 1 are mapped to the scale.

    Raises:
        Problem: a needed column is missing or ambiguous.
    """
    rubrics = several(rubric)
    columns = prepared(columns, rubrics)
    table = opened(table, columns)
    reader = GradeReader(table.columns, columns, rubrics, words, spread)
    grades, elsewhere = GradeStage(rubrics), Counter()
    bad_rows: list[BadRow] = []
    count = 0
    mine = {folded(one.criteria[0].name) for one in rubrics if one.units}
    spoken = {n for one in of_units().values() for n in (one.criteria[0].name, f"{one.units}_list")}
    others = {*map(folded, spoken)} - mine if mine else set()
    # An export of Concord says the wording of its criterion in each row.
    exported = {"version", "grade_row", "item_row"} <= {*table.columns}
    version = table.columns.index("version") if exported else 0
    versions = {v for one in rubrics for v in one.versions().values()}

    def refuse(record: Record, fault: BadCell) -> None:
        bad_rows.append(BadRow(record.row, fault.column, str(fault)))

    for record in table.records():
        count += 1
        if record.fault:
            refuse(record, BadCell(record.fault))
        if record.fault or all(map(of_cell.is_blank, record.cells)):
            continue
        for row in reader.rows(record):
            criterion = shown(row, "criterion")
            try:
                if folded(criterion) in others:
                    elsewhere[criterion] += 1
                elif exported and record.cells[version] not in versions:
                    elsewhere[str(record.cells[version])] += 1
                elif not ("at" in row and of_cell.is_blank(row["score"])):
                    key = _item_key(reader, row, known)
                    if grade := reader.grade(row, record, item_key=key):
                        if mine:
                            grade = _of_unit(reader, row, grade, units or {}, known[key])
                        grades.add(grade, known[key])
            except BadCell as fault:
                refuse(record, fault)
    taken = grades.compared(columns)
    notes = [
        f"{counted(n, 'row')} of {criterion} not imported: of another rubric or wording. Name it"
        f"{on_command_line('with --rubric')}."
        for criterion, n in elsewhere.items()
    ]
    if columns.leftovers:
        notes.append(f"Columns not read: {safe_reading.listed(columns.leftovers)}.")
    return Checked(
        table=table,
        columns=columns,
        rows=count,
        grades=taken,
        bad_rows=sorted((*bad_rows, *grades.bad), key=lambda one: one.row),
        folded=grades.folded,
        sha256=table.source.sha256(),
        flags={"folded": grades.folded},
        notes=notes,
    )


def _item_key(reader: GradeReader, row: GradeRow, known: Mapping[str, Hashable]) -> str:
    """Return the key of the one item that a row names."""
    read = partial(reader.read, row)
    field = next((one for one in OF_ANSWERS if not of_cell.is_blank(row.get(one))), "")
    if not field:
        mapped = filter(None, map(reader.columns.column, OF_ANSWERS))
        raise bad("no_item_id", next(mapped))
    name, code = read(field, of_cell.text).strip(), ""
    key = by_answer = item_key(name) if field == "item_id" else ""
    shown_in_lists = isinstance(known, ItemKeys) and key in known.shown
    if shown_in_lists or not key:
        ids = (read(one, of_cell.name) for one in ("question_id", "cluster", "answer_model"))
        question_id, cluster, model = ids
        question = question_key(question_id, read("question", of_cell.text), cluster)
        by_answer = answer_key(question, model)
        key = key or by_answer
    if shown_in_lists:  # perhaps by several answers, or by another one than the row's
        try:
            if known.get(by_answer) not in (None, known.find(name)):
                code = "another_item"
        except Problem as several_items:
            raise BadCell(str(several_items), reader.columns.column(field)) from None
    elif key not in known:
        code = "no_item"
    elif known[key] is None:
        code = "several_items"
    if code:
        model = of_cell.excerpt(shown(row, "answer_model"))
        name = joined(" / ", filter(None, [of_cell.excerpt(name), model]))
        raise bad(code, reader.columns.column(field), name=name)
    return key


def _of_unit(
    reader: GradeReader, row: GradeRow, grade: Grade, units: Units, item: Hashable
) -> Grade:
    """The grade with the unit that the row means and the label of its score."""
    rubric = reader.criterion(grade.criterion)[1]
    known = units.get(rubric.units, {}).get(item, ())
    ids = [reader.read(row, f, of_cell.number) for f in ("unit_id", "unit_number", "unit_row")]
    mapped = [field for field in OF_UNITS if reader.columns.column(field)]
    field = next((one for one in mapped if not of_cell.is_blank(row.get(one))), mapped[0])
    unit = reader.read(row, field, lambda _: unit_meant(known, row.get("unit"), *ids))
    labels = {level.score: str.__str__(level.label) for level in rubric.criteria[0].levels}
    return grade._replace(unit=unit, label=labels.get(grade.score))
