"""Import of answers, with the grades in them, and of grades, from a file or a pandas DataFrame."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from concord.importing import sheet_import
from concord.importing.columns import column_map
from concord.importing.faults import FLAGS
from concord.importing.fields import GRADE_FIELDS
from concord.importing.grade_scales import of_file, readings
from concord.importing.joining import Joined, joined
from concord.importing.recognition import Found, open_file, open_grades_of
from concord.importing.sheet_import import Intake, read_answers
from concord.library import arguments
from concord.messages import Problem
from concord.reports.units import decomposition
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

if TYPE_CHECKING:
    import pandas as pd

# A file, a DataFrame, or a worksheet or list of the source by name; and its key.
Join = tuple["pd.DataFrame | str | PathLike[str]", str]


@dataclass(frozen=True)
class Imported:
    """What an import stored.

    Attributes:
        sheet: The name of the sheet that holds the answers.
        rubric: The rubric of the grades, or rubrics, one for each scale or kind of unit; None
            where there are none.
        counts: Answers and grades that are new, were stored already, were replaced or left out.
        left_out: Why rows were left out, with their numbers, and how many have no answer (NaN or
            None). Others are left out only with `partial`, which a dry run does not need.
        found: Of an export of another tool: the tool, the judges' identities, and what is not blind
            or left out and why; `found.sentences()` says it in words. None for any other source.
        scores: The score that each word was read as, by `scores` or by convention; None for a word
            that is no grade.
        joins: What was joined, with the counts of rows without a match and of doubled keys.
        dry_run: True where nothing was stored.
    """

    sheet: str
    rubric: str | None
    counts: Intake
    left_out: tuple[str, ...]
    found: Found | None
    scores: Mapping[str, float | None]
    joins: Sequence[Joined]
    dry_run: bool = False

    def __str__(self) -> str:
        done = self.counts.sentence(self.sheet)
        return f"{done} Dry run: nothing was stored." if self.dry_run else str(done)


@arguments.checked
def import_answers(
    store: Store,
    source: "pd.DataFrame | str | PathLike[str]",
    sheet: str | None = None,
    *,
    mapping: Mapping[str, str] | None = None,
    join: Sequence[Join] = (),
    rubric: str | None = None,
    scores: Mapping[str, int | None] | None = None,
    scale: Sequence[int] = (),
    number_answers: bool = False,
    partial: bool = False,
    dry_run: bool = False,
) -> Imported:
    """Import answers, and the grades among their columns, into a sheet.

    What is already stored is recognised: importing the same answers again changes nothing. A file
    that another tool wrote, such as promptfoo results or MLflow traces, is recognised by its
    shape; its grades are imported too, and `found` tells what it holds (docs/interop.md).

    Args:
        store: From `open_store`.
        source: A file (CSV, TSV, JSONL, JSON, Parquet or XLSX), or a DataFrame with one answer per
            row; its index is not read.
        sheet: The sheet, created if there is no sheet of that name; default: the file's name.
        mapping: Column by field, as the option --map has them: `{"answer": "response"}`,
            `{"score:annotator:Lea:correctness": "lea"}`. Default: by the names and values of the
            columns. Columns are taken as grades only where they are mapped. An export of another
            tool is mapped already, and an entry replaces that of the same field:
            `{"criterion:correctness": "overall"}`, `{"score": ""}` for no grades.
        join: Other files, DataFrames, worksheets or lists of the source, each with its key: `[(
            "documents.csv", "doc_id")]`, or `"doc_id=id"` where it has another name there. A left
            join; the first row of a key counts, and `joins` has the counts.
        rubric: The name or file of the rubric of the grades; default: one that fits, else a new
            one made from them.
        scores: Score by word, for grades in words; None for a word that is no grade.
        scale: All scores of a new rubric, such as `range(1, 6)`; default: as the grades show it.
        number_answers: Give answers without ids the ids QUESTION/a1, QUESTION/a2, ...; several
            answers of one question are then told apart without an answering model.
        partial: Import the good rows and leave out the others; default: refuse the whole source.
        dry_run: Store nothing; the result tells what would be stored.

    Returns:
        What was stored, or would be.

    Raises:
        Problem: A needed column is missing or ambiguous, a row is invalid or contradicts what is
            stored, a grade is not on the scale, an export holds grades without answers, or a
            DataFrame comes without `sheet`. Nothing is stored then.
    """
    words = tuple(f"{field}={column}" for field, column in (mapping or {}).items())
    if isinstance(source, (str, PathLike)):
        table = open_file(Path(source))
    else:
        table = arguments.table(source)
        if not sheet:
            raise Problem(
                'A DataFrame has no name. Name the sheet: import_answers(store, df, "NAME").'
            )
    done = read_answers(
        store,
        table,
        sheet,
        words,
        rubric_versions.argument(store, rubric)[1] if rubric else None,
        arguments.score_words(scores),
        scale=scale,
        joins=arguments.tables(join),
        number_answers=number_answers,
    )
    read = done.sheet
    name = sheet_import.sheet_name(sheet, read)
    taken = sheet_import.take_sheet(store, read, name, done.rubrics, partial, dry_run)
    left_out = tuple(f"row {bad.row}: {bad.problem}" for bad in read.bad_rows)
    if n := read.flags.get("no_answer"):
        left_out += (FLAGS["no_answer"].format(n=n),)
    of_grades = done.rubric_names, taken, left_out, done.found, done.scores
    return Imported(name, *of_grades, done.joins, dry_run)


@arguments.checked
def import_grades(
    store: Store,
    source: "pd.DataFrame | str | PathLike[str]",
    sheet: str | None = None,
    *,
    mapping: Mapping[str, str] | None = None,
    join: Sequence[Join] = (),
    rubric: str | None = None,
    scores: Mapping[str, int | str | None] | None = None,
    partial: bool = False,
    on_conflict: Literal["keep", "replace"] | None = None,
) -> Imported:
    """Import grades of answers that are stored, one row per grade.

    A row names the answer, the grader, the kind of grader (annotator, judge, metric or mean), the
    criterion and the score. Importing the same grades again changes nothing.

    Args:
        store: From `open_store`.
        source: A file (CSV, TSV, JSONL, JSON, Parquet or XLSX), scores exported from another tool
            (docs/interop.md), or a DataFrame; its index is not read.
        sheet: The sheet of the answers; default: the only one.
        mapping: Column by field, and with a colon a value for all rows: `{"item_id": "trace",
            "grader_kind:": "annotator"}`. Default: by the names of the columns.
        join: As `import_answers`.
        rubric: The name or file of the rubric of the grades; default: the one that the sheet is
            graded under, else the only one with these criteria.
        scores: Score by word, for grades in words; None for a word that is no grade. Other words
            have their usual scores where these are on the scale of the rubric (pass = 1).
            `{"0-1": "0-3"}` maps numbers of 0 to 1 to the rubric's scale of 0 to 3.
        partial: Import the good rows and leave out the others; default: refuse the whole source.
        on_conflict: Where another score is stored, "keep" it or "replace" it, the old one staying
            on record; default: refuse.

    Returns:
        What was stored.

    Raises:
        Problem: A needed column is missing or ambiguous, a row is invalid, names no answer or
            contradicts what is stored, or numbers of 0 to 1 come without `scores`. Nothing is
            stored then.
    """
    into = sheets.chosen(store, sheet)
    is_file = isinstance(source, (str, PathLike))
    table = open_grades_of(store, lambda: into, source) if is_file else arguments.table(source)
    found = table.origin
    table, joins = joined(table, arguments.tables(join))
    words = [f"{name}={column}" for name, column in (mapping or {}).items()]
    columns = column_map(table.columns, words, GRADE_FIELDS)
    rubrics = (
        [rubric_versions.argument(store, rubric)[1]]
        if rubric
        else of_file(store, into, table, columns)
    )
    spelt, spread, _ = readings(table, columns, rubrics, arguments.score_words(scores))
    read = decomposition.read(store, into, rubrics, table, columns, spelt, spread)
    taken = sheet_import.take_grades(store, into, read, rubrics, partial, on_conflict)
    left_out = tuple(f"row {bad.row}: {bad.problem}" for bad in read.bad_rows)
    names = ", ".join(one.name for one in rubrics)
    return Imported(into.name, names, taken, left_out, found, spelt, joins)
