"""Export of every table in long form, one CSV and one Parquet file each, for any other tool.

`items.csv`, `grades.csv` and `unit_grades.csv` have the columns that `import` and `grades` read, so
that an export can be imported again, here or elsewhere. Every other file is a table as it is in the
database.
"""

import csv
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path

import pyarrow
import pyarrow.parquet

from concord.importing.readers import formula_escaping
from concord.importing.units.list_check_import import ENTRIES
from concord.messages import Problem, system_fault
from concord.model import Sheet
from concord.rubrics.model import from_body
from concord.rubrics.rubric_toml import as_toml
from concord.store.answers.answer_record import CORRECTED
from concord.store.database import Store

_GRADED = (
    " from grades g join items i on i.id = g.item_id join questions q on q.id = i.question_id"
    " join sheets s on s.id = i.sheet_id join criteria c on c.version = g.version"
    " join graders o on o.id = g.grader_id join graders r on r.id = coalesce(o.merged_into, o.id)"
)
# The mean of several annotators is stored as an annotator, and read again as kind mean.
_KIND = "iif(json_extract(r.definition, '$.mean'), 'mean', r.kind)"
_COUNTS = (
    "g.status <> 'withdrawn' and s.undone_import is null"
    " and (:sheet is null or i.sheet_id = :sheet)"
    " and not exists (select 1 from grades l where l.supersedes = g.id)"
)
# Whether no figure of the sheet includes the annotator's grades, as a lead decided.
_EXCLUDED = (
    "coalesce((select a.state = 'excluded' from annotator_states a join graders e"
    " on e.id = a.grader_id where a.sheet_id = i.sheet_id and r.id = coalesce(e.merged_into, e.id)"
    " order by a.id desc limit 1), 0) as excluded"
)
ITEMS = (
    "select s.name as sheet, i.own_id as item_id, q.own_id as question_id, q.cluster,"
    " q.text as question, i.contexts, i.answer, i.answer_model, i.reference,"
    " i.reference_contexts, json_extract(i.metadata, '$.relevant_ids') as relevant_ids,"
    " json_extract(i.metadata, '$.rubric') as rubric,"
    " json_extract(i.metadata, '$.judge_date') as judge_date, i.turns, i.synthetic, i.metadata,"
    " i.content_hash,"
    " i.id as item_row, i.question_id as question_row"
    " from items i join questions q on q.id = i.question_id join sheets s on s.id = i.sheet_id"
    " where s.undone_import is null and (:sheet is null or i.sheet_id = :sheet) order by i.id"
)
GRADES = (
    "select s.name as sheet, i.own_id as item_id, q.own_id as question_id, q.cluster,"
    " q.text as question, i.answer_model, c.name as criterion,"
    " iif(r.fingerprint = '', r.name, r.name || '@' || r.fingerprint) as grader,"
    f" {_KIND} as grader_kind, g.status, g.score, g.reason, g.quote, g.marked_passages,"
    f" g.seconds, g.repeat, g.blind, {_EXCLUDED}, g.rubric_language, r.simulated, g.version,"
    " g.created_at, g.id as grade_row, i.id as item_row,"
    " r.id as grader_row, d.probabilities, d.outside as outside_mass,"
    " d.source as probabilities_source"
    f"{_GRADED} left join distributions d on d.grade_id = g.id"
    f" where g.unit_id is null and {_COUNTS} and g.id not in"
    " (select grade_id from measured union all select grade_id from list_checks) order by g.id"
)
UNIT_GRADES = (
    "select s.name as sheet, i.own_id as item_id, q.own_id as question_id, q.cluster,"
    " q.text as question, i.answer_model, coalesce(u.kind, d.kind) as unit_kind, coalesce(u.text,"
    f" {ENTRIES}) as unit, u.position + 1 as unit_number, c.name as criterion, g.label,"
    " g.score, iif(r.fingerprint = '', r.name, r.name || '@' || r.fingerprint) as grader,"
    f" {_KIND} as grader_kind, g.status, g.reason, g.quote, g.marked_passages,"
    f" g.seconds, g.repeat, g.blind, {_EXCLUDED}, g.rubric_language, r.simulated, g.version,"
    " g.created_at, g.id as grade_row, i.id as item_row,"
    " u.id as unit_row, d.id as list_row"
    f"{_GRADED} left join units u on u.id = g.unit_id left join list_checks k on k.grade_id = g.id"
    " left join decompositions d on d.id = k.decomposition_id"
    f" where (u.id is not null or d.id is not null) and {_COUNTS} order by g.id"
)
METRICS = (
    "select s.name as sheet, i.own_id as item_id, q.own_id as question_id, q.cluster,"
    " q.text as question, i.answer_model, c.name as metric,"
    " json_extract(c.body, '$.switches') as switches,"
    " iif(r.fingerprint = '', r.name, r.name || '@' || r.fingerprint) as judge,"
    " g.repeat, g.status, g.score as value, g.reason, m.parts, m.flags, m.units, g.version,"
    " g.created_at, g.id as grade_row, i.id as item_row"
    " from measured m join grades g on g.id = m.grade_id join items i on i.id = g.item_id"
    " join questions q on q.id = i.question_id join sheets s on s.id = i.sheet_id"
    " join criteria c on c.version = g.version join graders o on o.id = g.grader_id"
    " join graders r on r.id = coalesce(o.merged_into, o.id)"
    f" where {_COUNTS} order by g.id"
)
CORRECTED_ANSWERS = (
    "select s.name as sheet, i.own_id as item_id, q.own_id as question_id, q.cluster,"
    " q.text as question, i.answer_model, i.answer, c.text as corrected_answer,"
    " coalesce(r.name, c.said_by) as annotator, c.repeat, c.created_at, c.id as comment_row,"
    " i.id as item_row from comments c join items i on i.id = c.item_id"
    " join questions q on q.id = i.question_id join sheets s on s.id = i.sheet_id"
    " left join graders o on o.id = c.grader_id"
    " left join graders r on r.id = coalesce(o.merged_into, o.id)"
    f" where {CORRECTED} and s.undone_import is null and (:sheet is null or i.sheet_id = :sheet)"
    " order by c.id"
)
# Grades that undoing an import took out: those of the file, and those given since.
UNDONE_GRADES = (
    "select m.id as undone_import, m.source_name as undone_file, m.undone_at, m.undone_by,"
    " iif(i.identity like 'undone %', 'file', 'since') as given, w.name as sheet,"
    " a.own_id as item_id, q.own_id as question_id, q.cluster, q.text as question, a.answer_model,"
    " a.answer, c.name as criterion, u.kind as unit_kind, u.text as unit, g.label,"
    " iif(r.fingerprint = '', r.name, r.name || '@' || r.fingerprint) as grader,"
    " r.kind as grader_kind, g.status, g.score, g.reason, g.quote, g.marked_passages,"
    " g.seconds, g.repeat, g.blind, r.simulated, g.version, g.created_at, g.id as grade_row,"
    " a.id as item_row, r.id as grader_row"
    f"{_GRADED} join imports m on m.id = s.undone_import join sheets w on w.id = m.sheet_id"
    " join items a on a.id ="
    " iif(i.identity like 'undone %', json_extract(i.metadata, '$.answer_row'), i.id)"
    " left join units u on u.id = g.unit_id where g.status <> 'withdrawn'"
    " and (:sheet is null or m.sheet_id = :sheet)"
    " and not exists (select 1 from grades l where l.supersedes = g.id) order by m.id, g.id"
)
_OF_ITEMS = "item_id in (select id from items where sheet_id = :sheet)"
_OF_LISTS = f"decomposition_id in (select id from decompositions where {_OF_ITEMS})"
_OF_SETS = "set_id in (select id from grading_sets where sheet_id = :sheet)"
_OF_QUESTIONS = "question_id in (select id from questions where sheet_id = :sheet)"
_OF_IMPORTS = "import_id in (select id from imports where sheet_id = :sheet)"
_OF_DECISIONS = "decision_id in (select id from decisions where sheet_id = :sheet)"
_OF_BUILD = "sheet_name = (select name from sheets where id = :sheet)"
# Table -> which of its rows belong to a sheet; '' where they belong to no sheet in particular.
TABLES = {
    "sheets": "id = :sheet",
    "imports": "sheet_id = :sheet",
    "import_items": _OF_IMPORTS,
    "import_grades": _OF_IMPORTS,
    "removed_sheets": "",
    "questions": "sheet_id = :sheet",
    "question_roles": _OF_QUESTIONS,
    "criteria": "",
    "rubrics": "",
    "carried_versions": "",
    "graders": "",
    "pauses": "",
    "annotator_states": "sheet_id = :sheet",
    "grading_sets": "sheet_id = :sheet",
    "set_graders": _OF_SETS,
    "campaigns": _OF_SETS,
    "block_moves": _OF_SETS,
    "packs": _OF_SETS,
    "pack_rows": f"pack_id in (select id from packs where {_OF_SETS})",
    "pack_grades": f"pack_id in (select id from packs where {_OF_SETS})",
    "practice_answers": _OF_SETS,
    "gold_answers": _OF_SETS,
    "comments": _OF_SETS,
    "rubric_freezes": _OF_SETS,
    "regrade_requests": _OF_SETS,
    "members": "",
    "member_roles": "",
    "changes": "",
    "grading_set_items": _OF_SETS,
    "assignments": _OF_SETS,
    "adjudication_assignments": _OF_ITEMS,
    "draw_probabilities": _OF_SETS,
    "units": _OF_ITEMS,
    "decompositions": _OF_ITEMS,
    "decomposition_units": _OF_LISTS,
    "decomposition_approvals": _OF_LISTS,
    "list_checks": _OF_LISTS,
    "measured": f"grade_id in (select id from grades where {_OF_ITEMS})",
    "distributions": f"grade_id in (select id from grades where {_OF_ITEMS})",
    "vectors": "",
    "runs": f"sheet_id = :sheet or {_OF_BUILD}",
    "openings": _OF_ITEMS,
    "sealed_openings": "sheet_id = :sheet",
    "sealed_opening_questions": _OF_QUESTIONS,
    "replies": _OF_ITEMS,
    "batches": "sheet_id = :sheet",
    "batch_questions": "batch_id in (select id from batches where sheet_id = :sheet)",
    "adjudications": _OF_ITEMS,
    "decisions": "sheet_id = :sheet",
    "looks": _OF_DECISIONS,
    "certificates": "sheet_id = :sheet",
    "documents": _OF_BUILD,
    "open_questions": _OF_BUILD,
    "drafts": f"document_id in (select id from documents where {_OF_BUILD})",
    "draft_decisions": "draft_id in (select d.id from drafts d join documents o"
    f" on o.id = d.document_id where {_OF_BUILD})",
    "asked": "id in (select d.asked_id from drafts d join documents o on o.id = d.document_id"
    f" where {_OF_BUILD})",
}
_ROWS_AT_ONCE = 20_000
_READ_AGAIN = {"items", "grades", "unit_grades", "undone_grades"}
_TYPES = {
    "integer": pyarrow.int64(),
    "real": pyarrow.float64(),
    "text": pyarrow.string(),
    "blob": pyarrow.binary(),
    None: pyarrow.null(),
}


def export(
    store: Store, folder: str | Path, sheet: Sheet | None = None, raw: bool = False
) -> list[Path]:
    """Write every table into a new or empty folder; returns the files.

    `items` has one row per answer with its question, `grades` one row per current grade of a whole
    answer with the names of what it hangs on, `unit_grades` the same of units and of lists of
    units, `metrics` one per current number of a metric, `undone_grades` one per grade that undoing
    an import took out of a sheet, `corrected_answers` one per answer that an annotator corrected,
    `grade_history` every grade ever given.
    Every rubric is there as a TOML file. CSV is UTF-8 with a byte order mark, so that spreadsheets
    read it; texts that a spreadsheet would run are escaped in it (`formula_escaping`).

    Args:
        store: The open store.
        folder: Where to; made where it does not exist.
        sheet: Only what belongs to this sheet, and what belongs to none.
        raw: Leave every text in CSV as it is.
    """
    folder = _empty(Path(folder))
    queries = {
        "items": ITEMS,
        "grades": GRADES,
        "unit_grades": UNIT_GRADES,
        "metrics": METRICS,
        "undone_grades": UNDONE_GRADES,
        "corrected_answers": CORRECTED_ANSWERS,
        "grade_history": _table("grades", _OF_ITEMS),
    }
    queries |= {name: _table(name, where) for name, where in TABLES.items()}
    values = {"sheet": sheet.id if sheet else None}
    # One snapshot for all files, so that no grade is in one table and missing in another.
    with store.snapshot(), reading_all(store, "backslashreplace"), naming(folder):
        written = [_write(store, sql, values, folder / name, raw) for name, sql in queries.items()]
        with reading_all(store):
            return [*chain.from_iterable(written), *_rubrics(store, folder / "rubrics")]


def write(path: Path, text: str) -> Path:
    """Write one text file of an export, as UTF-8."""
    with naming(path):
        path.write_text(text, encoding="utf-8")
    return path


def _empty(folder: Path) -> Path:
    """The folder, which may not hold anything yet."""
    with naming(folder):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise Problem(
                "{folder} is not an empty folder. Name a new one for the export.", folder=folder
            )
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _table(name: str, where: str) -> str:
    return f"select * from {name} where :sheet is null or {where or 'true'}"


def _write(store: Store, sql: str, values: dict, stem: Path, raw: bool) -> list[Path]:
    """One query as CSV and Parquet, a part of the rows at a time, so that any size will do."""
    marks = [] if raw or stem.name not in _READ_AGAIN else [formula_escaping.ESCAPED]
    files = [stem.with_suffix(".csv"), stem.with_suffix(".parquet")]
    schema = _schema(store, sql, values)
    with ExitStack() as stack:
        # With a byte order mark: without it spreadsheets guess a local encoding.
        text = stack.enter_context(files[0].open("w", encoding="utf-8-sig", newline=""))
        rows = csv.writer(text)
        rows.writerow([*schema.names, *marks])
        typed = stack.enter_context(pyarrow.parquet.ParquetWriter(files[1], schema))
        for part in _parts(store, sql, values):
            rows.writerows(part if raw else _escaped(part, len(marks)))
            columns = zip(*part, strict=True)
            arrays = [_array(c, t) for c, t in zip(columns, schema.types, strict=True)]
            typed.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))
    return files


def _escaped(part: list[tuple], marks: int) -> Iterator[list]:
    return ([formula_escaping.escape(value) for value in row] + ["yes"] * marks for row in part)


def _schema(store: Store, sql: str, values: dict) -> pyarrow.Schema:
    """The type of each column: of several kinds real where they are numbers, else text."""
    cursor = store.connection.execute(f"select * from ({sql}) limit 0", values)
    names = [column[0] for column in cursor.description]
    ends = (f"{end}(nullif(typeof({name}), 'null'))" for name in names for end in ("max", "min"))
    found = store.row(f"select {', '.join(ends)} from ({sql})", values)
    kinds = map(_kind, found[::2], found[1::2])
    return pyarrow.schema(list(zip(names, kinds, strict=True)))


def _kind(last: str | None, first: str | None) -> pyarrow.DataType:
    """The type for values whose kinds reach from one to another in the alphabet."""
    return _TYPES[last if last == first or (first, last) == ("integer", "real") else "text"]


def _array(column: Sequence, kind: pyarrow.DataType) -> pyarrow.Array:
    """Return a column of a Parquet file; values of another type are stored as text."""
    try:
        return pyarrow.array(column, kind)
    except (pyarrow.ArrowTypeError, pyarrow.ArrowInvalid):
        texts = (None if value is None else _text(value) for value in column)
        return pyarrow.array(texts, pyarrow.string()).cast(kind)


def _text(value) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


@contextmanager
def reading_all(store: Store, errors: str = "replace") -> Iterator[None]:
    """Read texts that are not valid UTF-8 too, decoding errors as `errors` says.

    Escaped bytes stay distinguishable, unlike the replacement character that JSON would get.
    """
    connection = store.connection
    before = connection.text_factory
    connection.text_factory = partial(str, encoding="utf-8", errors=errors)
    try:
        yield
    finally:
        connection.text_factory = before


def _parts(store: Store, sql: str, values: dict) -> Iterator[list[tuple]]:
    cursor = store.connection.execute(sql, values)
    while part := cursor.fetchmany(_ROWS_AT_ONCE):
        yield [tuple(row) for row in part]


def _rubrics(store: Store, folder: Path) -> list[Path]:
    """Write every rubric as a file for `--rubric`; older versions of a name get a number."""
    folder.mkdir()
    files = {}
    for row in store.rows(
        "select id, name, body from rubrics where source <> 'again'"
        " order by created_at desc, id desc"
    ):
        first = folder / f"{row['name']}.toml"
        path = first if first not in files else folder / f"{row['name']}-{row['id']}.toml"
        files[path] = write(path, as_toml(from_body(row["body"])))
    return list(files)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn an error while writing the export into a Problem that names the place."""
    try:
        yield
    except OSError as error:
        raise Problem(
            "{path} cannot be written: {reason}. Name another folder for the export, or make room.",
            path=path,
            reason=system_fault(error),
        ) from None
