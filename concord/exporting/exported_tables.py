"""Export of answers and grades in long form, and of every table, from which it is restored.

`items.csv`, `grades.csv` and `unit_grades.csv` have the columns that `import` and `grades` read, so
that an export can be imported again, here or elsewhere. With all tables, every other file is one as
it is in the database; from those a scratch database is restored, to recompute statistics with.
"""

import csv
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pyarrow
import pyarrow.parquet

from concord.importing.readers import formula_escaping, safe_reading
from concord.messages import Problem, said, system_fault
from concord.model import Sheet
from concord.rubrics.model import from_body
from concord.rubrics.rubric_toml import as_toml
from concord.store.answer_record import CORRECTED
from concord.store.database import Store, open_store

# What the queries share, by its name in them.
_SHARED = {
    "answer": "s.name as sheet, i.own_id as item_id, q.own_id as question_id, q.cluster, "
    "q.text as question, i.answer_model",
    "graded": """
    from grades g join items i on i.id = g.item_id join questions q on q.id = i.question_id
    join sheets s on s.id = i.sheet_id join criteria c on c.version = g.version
    join graders o on o.id = g.grader_id join graders r on r.id = coalesce(o.merged_into, o.id)
""",
    "name": "iif(r.fingerprint = '', r.name, r.name || '@' || r.fingerprint)",
    # The mean of several annotators is stored as an annotator, and read again as kind mean.
    "kind": "iif(json_extract(r.definition, '$.mean'), 'mean', r.kind) as grader_kind",
    "current": "not exists (select 1 from grades l where l.supersedes = g.id)",
    "of_sheet": "s.undone_import is null and (:sheet is null or i.sheet_id = :sheet)",
    # `excluded`: whether no figure of the sheet includes the annotator's grades, as a lead decided.
    "given": """
    g.seconds, g.repeat, g.blind,
    coalesce((select a.state = 'excluded' from annotator_states a join graders e
    on e.id = a.grader_id where a.sheet_id = i.sheet_id and r.id = coalesce(e.merged_into, e.id)
    order by a.id desc limit 1), 0) as excluded, g.rubric_language, r.simulated, g.version,
    g.created_at, g.id as grade_row, i.id as item_row
""",
    # The entries of a list `d`, one a line.
    "entries": """
    (select coalesce(group_concat(e.text, char(10)), '') from (select t.text from
    decomposition_units p join units t on t.id = p.unit_id where p.decomposition_id = d.id
    order by p.place) e)
""",
    "corrected": CORRECTED,
}
# The tables in long form. `undone_grades`: those of an undone file, and those given since.
_LONG = {
    "items": """
    select s.name as sheet, i.own_id as item_id, q.own_id as question_id, q.cluster,
    q.text as question, i.contexts, i.answer, i.answer_model, i.reference, i.reference_contexts,
    json_extract(i.metadata, '$.relevant_ids') as relevant_ids,
    json_extract(i.metadata, '$.rubric') as rubric,
    json_extract(i.metadata, '$.judge_date') as judge_date, i.turns, i.synthetic, i.metadata,
    i.content_hash, i.id as item_row, i.question_id as question_row
    from items i join questions q on q.id = i.question_id join sheets s on s.id = i.sheet_id
    where {of_sheet} order by i.id
""",
    "grades": """
    select {answer}, c.name as criterion, {name} as grader, {kind}, g.status, g.score, g.reason,
    g.quote, g.marked_passages, {given}, r.id as grader_row, d.probabilities,
    d.outside as outside_mass, d.source as probabilities_source
    {graded} left join distributions d on d.grade_id = g.id
    where g.unit_id is null and g.status <> 'withdrawn' and {of_sheet} and {current} and g.id not in
    (select grade_id from measured union all select grade_id from list_checks) order by g.id
""",
    "unit_grades": """
    select {answer}, coalesce(u.kind, d.kind) as unit_kind, coalesce(u.text, {entries}) as unit,
    u.position + 1 as unit_number, c.name as criterion, g.label, g.score,
    {name} as grader, {kind}, g.status, g.reason, g.quote, g.marked_passages, {given},
    u.id as unit_row, d.id as list_row
    {graded} left join units u on u.id = g.unit_id left join list_checks k on k.grade_id = g.id
    left join decompositions d on d.id = k.decomposition_id
    where (u.id is not null or d.id is not null) and g.status <> 'withdrawn' and {of_sheet}
    and {current} order by g.id
""",
    "metrics": """
    select {answer}, c.name as metric, json_extract(c.body, '$.switches') as switches,
    {name} as judge, g.repeat, g.status, g.score as value, g.reason, m.parts, m.flags, m.units,
    g.version, g.created_at, g.id as grade_row, i.id as item_row
    {graded} join measured m on m.grade_id = g.id
    where g.status <> 'withdrawn' and {of_sheet} and {current} order by g.id
""",
    "undone_grades": """
    select m.id as undone_import, m.source_name as undone_file, m.undone_at, m.undone_by,
    iif(i.identity like 'undone %', 'file', 'since') as given, w.name as sheet,
    a.own_id as item_id, q.own_id as question_id, q.cluster, q.text as question, a.answer_model,
    a.answer, c.name as criterion, u.kind as unit_kind, u.text as unit, g.label,
    {name} as grader, r.kind as grader_kind, g.status, g.score, g.reason, g.quote,
    g.marked_passages, g.seconds, g.repeat, g.blind, r.simulated, g.version, g.created_at,
    g.id as grade_row, a.id as item_row, r.id as grader_row
    {graded} join imports m on m.id = s.undone_import join sheets w on w.id = m.sheet_id
    join items a on a.id =
    iif(i.identity like 'undone %', json_extract(i.metadata, '$.answer_row'), i.id)
    left join units u on u.id = g.unit_id where g.status <> 'withdrawn'
    and (:sheet is null or m.sheet_id = :sheet) and {current} order by m.id, g.id
""",
    "corrected_answers": """
    select {answer}, i.answer, c.text as corrected_answer,
    coalesce(r.name, c.said_by) as annotator, c.repeat, c.created_at, c.id as comment_row,
    i.id as item_row from comments c join items i on i.id = c.item_id
    join questions q on q.id = i.question_id join sheets s on s.id = i.sheet_id
    left join graders o on o.id = c.grader_id
    left join graders r on r.id = coalesce(o.merged_into, o.id)
    where {corrected} and {of_sheet} order by c.id
""",
}
GRADES = _LONG["grades"].format(**_SHARED)
# The tables of which a file holds the rows that belong to a sheet, and which these are. Only these
# are exported; the last line has those of no sheet in particular.
_ROWS = """
sheets: id = :sheet
imports questions annotator_states grading_sets sealed_openings: sheet_id = :sheet
batches decisions certificates: sheet_id = :sheet
import_items import_grades: import_id in (select id from imports where sheet_id = :sheet)
question_roles: question_id in (select id from questions where sheet_id = :sheet)
sealed_opening_questions: question_id in (select id from questions where sheet_id = :sheet)
set_graders campaigns block_moves packs practice_answers gold_answers comments: {sets}
set_closings regrade_requests grading_set_items assignments draw_probabilities: {sets}
pack_rows pack_grades: pack_id in (select id from packs where {sets})
grades adjudication_assignments adjudications units decompositions openings replies: {items}
decomposition_units: decomposition_id in (select id from decompositions where {items})
decomposition_approvals: decomposition_id in (select id from decompositions where {items})
list_checks: decomposition_id in (select id from decompositions where {items})
measured distributions: grade_id in (select id from grades where {items})
batch_questions: batch_id in (select id from batches where sheet_id = :sheet)
looks: decision_id in (select id from decisions where sheet_id = :sheet)
runs: sheet_id = :sheet or {build}
documents open_questions: {build}
drafts: document_id in (select id from documents where {build})
draft_decisions: draft_id in (select d.id {drafts})
asked: id in (select d.asked_id {drafts})
removed_sheets criteria rubrics carried_versions graders pauses members member_roles: true
changes vectors: true
"""
_BUILD = "sheet_name = (select name from sheets where id = :sheet)"
_WHOSE = {
    "items": "item_id in (select id from items where sheet_id = :sheet)",
    "sets": "set_id in (select id from grading_sets where sheet_id = :sheet)",
    "build": _BUILD,
    "drafts": f"from drafts d join documents o on o.id = d.document_id where {_BUILD}",
}
_TABLES = {
    table: rows.format(**_WHOSE)
    for tables, rows in (line.split(": ", 1) for line in _ROWS.strip().splitlines())
    for table in tables.split()
}
_ROWS_AT_ONCE = 20_000
_READ_AGAIN = {"items", "grades", "unit_grades", "undone_grades"}
_TYPES = {
    "integer": "int64",
    "real": "double",
    "text": "string",
    "blob": "binary",
    None: "null",
}


def export(
    store: Store,
    folder: str | Path,
    sheet: Sheet | None = None,
    every: bool = False,
) -> list[Path]:
    """Write answers, grades and rubrics into a new or empty folder; returns the files.

    `items` has one row per answer with its question, `grades` one row per current grade of a whole
    answer with the names of what it hangs on, `unit_grades` the same of units and of lists of
    units, `metrics` one per current number of a metric, `undone_grades` one per grade that undoing
    an import took out of a sheet, `corrected_answers` one per answer that an annotator corrected.
    But for those that `import` and `grades` read, a table without rows has no file.
    Every rubric is there as a TOML file. CSV is UTF-8 with a byte order mark, so that spreadsheets
    read it; texts that a spreadsheet would run are escaped in it (`formula_escaping`).

    Args:
        store: The open store.
        folder: Where to; made where it does not exist.
        sheet: Only what belongs to this sheet, and what belongs to none.
        every: Write every table of the database too, such as `grade_history` with every grade ever
            given, and all of them also as Parquet.
    """
    folder = Path(folder)
    queries = {name: sql.format(**_SHARED) for name, sql in _LONG.items()}
    for table, where in _TABLES.items() if every else ():
        queries[_stem(table)] = f"select * from {table} where :sheet is null or {where}"
    values = {"sheet": sheet and sheet.id}
    files = []
    # One snapshot for all files, so that no grade is in one table and missing in another.
    with store.snapshot(), naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise Problem(
                "{folder} is not an empty folder. Name a new one for the export.", folder=folder
            )
        with reading_all(store, "backslashreplace"):
            for name, sql in queries.items():
                files += _write(store, sql, values, folder / name, every)
        with reading_all(store):
            (folder / "rubrics").mkdir()
            for row in store.rows(
                "select id, name, body from rubrics order by created_at desc, id desc"
            ):
                path = folder / "rubrics" / f"{row['name']}.toml"
                if path in files:  # the newest has the name alone
                    path = path.with_name(f"{row['name']}-{row['id']}.toml")
                files.append(write(path, as_toml(from_body(row["body"]))))
    return files


def write(path: Path, text: str) -> Path:
    """Write one text file of an export, as UTF-8."""
    with naming(path):
        path.write_text(text, encoding="utf-8")
    return path


def _stem(table: str) -> str:
    """The file that holds a table as it is."""
    return "grade_history" if table == "grades" else table


def _write(store: Store, sql: str, values: dict, stem: Path, parquet: bool) -> list[Path]:
    """One query as CSV and Parquet, a part of the rows at a time, so that any size will do."""
    marked = stem.name in _READ_AGAIN
    cursor = store.connection.execute(sql, values)
    names = [column[0] for column in cursor.description]
    part = cursor.fetchmany(_ROWS_AT_ONCE)
    if not part and not marked:
        return []
    files = [stem.with_suffix(".csv"), *[stem.with_suffix(".parquet")] * parquet]
    with ExitStack() as written:
        # With a byte order mark: without it spreadsheets guess a local encoding.
        rows = csv.writer(
            written.enter_context(files[0].open("w", encoding="utf-8-sig", newline=""))
        )
        rows.writerow([*names, *[formula_escaping.ESCAPED] * marked])
        if parquet:
            schema = _schema(store, sql, values, names)
            typed = written.enter_context(pyarrow.parquet.ParquetWriter(files[1], schema))
        while part:
            rows.writerows([*map(formula_escaping.escape, row), *["yes"] * marked] for row in part)
            if parquet:
                arrays = map(_array, zip(*part, strict=True), schema.types)
                typed.write_table(pyarrow.Table.from_arrays([*arrays], schema=schema))
            part = cursor.fetchmany(_ROWS_AT_ONCE)
    return files


def _schema(store: Store, sql: str, values: dict, names: list[str]) -> pyarrow.Schema:
    """The type of each column: of several kinds real where they are numbers, else text."""
    ends = (f"{end}(nullif(typeof({name}), 'null'))" for name in names for end in ("min", "max"))
    kinds = [*store.row(f"select {', '.join(ends)} from ({sql})", values)]
    return pyarrow.schema(
        (name, _TYPES[last if first == last or (first, last) == ("integer", "real") else "text"])
        for name, first, last in zip(names, kinds[::2], kinds[1::2], strict=True)
    )


def _array(column: tuple, kind: pyarrow.DataType) -> pyarrow.Array:
    """Return a column of a Parquet file; among texts, values of another type are texts too."""
    if kind == pyarrow.string():
        column = [v.hex() if isinstance(v, bytes) else v if v is None else str(v) for v in column]
    return pyarrow.array(column, kind)


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


@contextmanager
def restored(folder: str | Path, up_to: Mapping[str, int] | None = None) -> Iterator[Store]:
    """Yield a temporary store with the contents of an export; deleted when the block ends.

    `up_to` is the last row to restore by table, for the state at that time; other tables are
    restored whole.

    Raises:
        Problem: The folder is not an export, or one of its files cannot be read.
    """
    folder, up_to = Path(folder), up_to or {}
    damaged = said(
        "The export in {folder} is damaged, or of another version. Export it again.",
        folder=folder,
    )
    with tempfile.TemporaryDirectory() as place, open_store(Path(place) / "restored.db") as store:
        store.execute("pragma foreign_keys = off")  # an export of one sheet leaves others out
        with safe_reading.reading(damaged), store.write():
            for table in _TABLES:
                path = folder / f"{_stem(table)}.parquet"
                if table != "sheets" and not path.exists():
                    continue  # it held nothing
                rows = _read(path)
                if table in up_to and len(rows):
                    rows = rows.filter(pyarrow.compute.field("id") <= up_to[table])
                columns = (column.to_pylist() for column in rows.columns)
                store.insert_many(table, rows.column_names, zip(*columns, strict=True))
            sheets = {row["name"]: row["id"] for row in store.rows("select name, id from sheets")}
            columns = store.column("select name from pragma_table_info('items')")
            taken = (
                {
                    **row,
                    "id": row["item_row"],
                    "identity": str(row["item_row"]),  # an answer is identified by its own row
                    "sheet_id": sheets[row["sheet"]],
                    "question_id": row["question_row"],
                    "own_id": row["item_id"],
                }
                for row in _read(folder / "items.parquet").to_pylist()
            )
            store.insert_many("items", columns, ([*map(row.get, columns)] for row in taken))
        yield store


def _read(path: Path) -> pyarrow.Table:
    try:
        with path.open("rb") as file:
            return pyarrow.parquet.read_table(file)
    except OSError as error:
        if error.errno is None:  # Arrow's own, for a damaged page
            raise
        raise Problem(
            "{path} cannot be read: {why}. Name a folder that `export DIR --all` wrote.",
            path=path,
            why=system_fault(error),
        ) from None
