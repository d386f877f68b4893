"""Import of grades of stored answers, from a file or a pandas DataFrame."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from concord.importing import sheet_import
from concord.importing.columns import column_map
from concord.importing.fields import GRADE_FIELDS
from concord.importing.recognition.found import Found, open_found_grades
from concord.importing.sheet_import import Intake
from concord.importing.sheet_rubric import of_file
from concord.library import arguments
from concord.reports.units import checked_grades
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ImportedGrades:
    """What an import of grades stored.

    Attributes:
        sheet: The name of the sheet whose answers are graded.
        rubrics: The rubric that the grades are stored under; several for verdicts on units.
        counts: Grades that are new, were stored already, were replaced, or were left out.
        left_out: Why rows were left out, with their numbers; empty without `partial`.
        found: The contents of an export of another tool; None for any other source.
        scores: The score that each word was read as, by `scores` or by convention; None for a word
            that is no grade.
    """

    sheet: str
    rubrics: tuple[str, ...]
    counts: Intake
    left_out: tuple[str, ...]
    found: Found | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)

    def __str__(self) -> str:
        return str(self.counts.sentence(self.sheet))


@arguments.checked
def import_grades(
    store: Store,
    source: "pd.DataFrame | str | PathLike[str]",
    sheet: str | None = None,
    *,
    mapping: Mapping[str, str] | None = None,
    rubric: str | None = None,
    scores: Mapping[str, int | str | None] | None = None,
    partial: bool = False,
    on_conflict: Literal["keep", "replace"] | None = None,
) -> ImportedGrades:
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
    is_file = isinstance(source, (str, PathLike))
    table, found = open_found_grades(Path(source)) if is_file else (arguments.table(source), None)
    into = sheets.chosen(store, sheet)
    words = [f"{name}={column}" for name, column in (mapping or {}).items()]
    columns = column_map(table.columns, words, GRADE_FIELDS)
    under = (
        rubric_versions.argument(store, rubric)[1]
        if rubric
        else of_file(store, into, table, columns)
    )
    rubrics = under if isinstance(under, list) else [under]
    spelt, spread, _ = checked_grades.scores_of(
        store, rubrics, table, columns, arguments.score_words(scores)
    )
    read = checked_grades.read(store, into, rubrics, table, columns, spelt, spread)
    taken = sheet_import.take_grades(store, into, read, rubrics, partial, on_conflict)
    left_out = tuple(f"row {bad.row}: {bad.problem}" for bad in read.bad_rows)
    names = tuple(one.name for one in rubrics)
    return ImportedGrades(into.name, names, taken, left_out, found, spelt)
