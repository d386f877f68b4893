"""Import of answers into the store, the same for the app and the command line.

With bad rows or conflicts nothing is imported unless the user confirms to skip them.
"""

from collections.abc import Collection, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from concord.importing import answer_file, numbering
from concord.importing.columns import column_map
from concord.importing.faults import Checked, contradicted
from concord.importing.grade_scales import grade_rubrics, readings, under
from concord.importing.joining import Joined
from concord.importing.joining import joined as joined_tables
from concord.importing.proposals import decided
from concord.importing.readers.table import Table
from concord.importing.recognition import Found, refuse_grades
from concord.importing.scores import Words, several
from concord.messages import Problem, counted, on_command_line, said
from concord.model import BadRow, Sheet
from concord.rubrics.model import Rubric
from concord.store import additions, grade_additions, imports, sheets
from concord.store import items as store_items
from concord.store.database import Store
from concord.store.grade_additions import REPLACE
from concord.store.rubrics import rubric_versions
from concord.text.encoding import LABELS

# Field of a file -> the field of an item that it gives and graders are shown.
_SHOWN = {field: field for field in ("contexts", "reference", "reference_contexts", "turns")}
_SHOWN |= dict.fromkeys(("context_ids", "document_ids"), "contexts")
PARTIAL = "Or import everything else with --partial."
CHOOSE = said(
    "Keep the stored grades, or replace them; the old ones stay on record{option}.",
    option=on_command_line("--on-conflict keep / replace"),
)


class Intake(NamedTuple):
    """Result of an import or its preview: counts of items and grades, and contradictions.

    `items_extended` are stored items that get extra fields from the file, such as relevant ids.
    """

    items: int = 0
    items_unchanged: int = 0
    grades: int = 0
    grades_unchanged: int = 0
    grades_replaced: int = 0
    bad_rows: int = 0
    conflicts: Sequence[BadRow] = ()
    items_extended: int = 0

    def as_json(self) -> dict:
        """The outcome for `--json`."""
        conflicts = [
            {"code": one.problem.code, "row": one.row, "column": one.column, "problem": one.problem}
            for one in self.conflicts
        ]
        return self._asdict() | {"conflicts": conflicts}

    def sentence(self, name: str) -> str:
        """The outcome in words."""
        named = (
            (self.items, "answer", "added"),
            (self.items_extended, "answer", "extended"),
            (self.grades, "grade", "added"),
            (self.grades_replaced, "grade", "replaced"),
            (self.items_unchanged + self.grades_unchanged, "row", "already stored"),
            (self.bad_rows + len(self.conflicts), "row", "not imported in full"),
        )
        counts = ", ".join(f"{counted(n, noun)} {done}" for n, noun, done in named if n)
        return f"{name}: {counts or 'nothing changed'}."


@dataclass(frozen=True)
class ReadAnswers:
    """A file as it was read.

    Attributes:
        sheet: Its answers and grades.
        rubrics: The rubrics of its grades, one for each scale.
        is_new: Whether the import makes them.
        scores: The score of each word.
        found: What there is in a recognised export.
        joins: What was joined.
        notes: What was assumed, and what is undecided, in sentences.
    """

    sheet: Checked
    rubrics: tuple[Rubric, ...]
    is_new: bool
    scores: Words
    found: Found | None
    joins: list[Joined]
    notes: list[str]

    @property
    def rubric_names(self) -> str | None:
        """The names of the rubrics of its grades; None without grades."""
        return ", ".join(one.name for one in self.rubrics) if self.sheet.grades else None


def read_answers(
    store: Store,
    table: Table,
    sheet: str | None,
    words: Sequence[str],
    rubric: Rubric | None,
    scores: Sequence[str],
    *,
    scale: Sequence[int] = (),
    joins: Iterable[tuple[str | Path | Table, str]] = (),
    encoding: str | None = None,
    as_proposed: bool = False,
    number_answers: bool = False,
    made: Collection[str] = (),
    rubric_name: str | None = None,
) -> ReadAnswers:
    """Read a file; its column map and the rubrics of its grades may be proposed.

    Args:
        store: The open store.
        table: The file.
        sheet: The name of the sheet; None for that of the file.
        words: `FIELD=COLUMN` words.
        rubric: That of all grades; None to propose one for each scale.
        scores: `WORD=SCORE` words.
        scale: That of a new rubric; empty for those that are read off the grades.
        joins: What is joined, and by which key.
        encoding: That of joined files.
        as_proposed: Take the grades that are proposed too.
        number_answers: Give answers without ids one (`numbering`).
        made: Names of rubrics that are made besides.
        rubric_name: That of a new rubric; None for that of the file.

    Raises:
        Problem: the file cannot be read so.
    """
    refuse_grades(table)
    table, done = joined_tables(table, joins, encoding)
    notes: list[str] = [one.sentence() for one in done]
    name = sheet or table.source.stem
    if table.origin:
        mapped = table.origin.with_words(words)
    else:
        mapped, proposal = decided(table, words, as_proposed)
        if mapped != tuple(words):
            notes.append(f"The columns are read as {', '.join(mapped)}.")
        if proposal.grades and not as_proposed:
            options = " ".join(f'--map "{word}"' for word in proposal.grades)
            notes.append(f"Grades, imported with --as-proposed: {options}")
        if proposal.undecided:
            undecided = (f"  {one.sentence()}" for one in proposal.undecided)
            notes.append("\n".join(["Not mapped, and kept with each answer:", *undecided]))
    columns, rubrics, is_new, spread = column_map(table.columns, mapped), (), False, ()
    is_graded = columns.scores or columns.column("score")
    if scale and not (rubric or is_graded):
        raise Problem(
            "--scale is that of grades, and no column is mapped to grades. Map one.",
            fault_code="no_column",
        )
    if rubric:
        rubrics, columns = (rubric,), under(columns, rubric)
    known: Words = {}
    if rubric and is_graded:
        known, spread, why = readings(table, columns, rubrics, scores)
        notes += why
    elif is_graded:
        stored = rubric_versions.of_import(store, name)
        taken = [*rubric_versions.names(store), *made]
        called = rubric_name or table.source.stem
        if proposed := grade_rubrics(table, columns, stored, scores, scale, taken, called):
            rubrics, is_new, columns, known, why, spread = proposed
            notes += why
    found = table.origin
    if found and known:
        pairs = (f"{word} = {'-' if n is None else f'{n:g}'}" for word, n in known.items())
        notes.append(f"Words are read as {', '.join(pairs)}. Others: --score WORD=SCORE.")
    numbers = numbering.of_sheet(store, name) if number_answers else None
    read = answer_file.read(table, columns, rubrics, known, numbers, spread)
    notes = [f"{table.source.name}: {note}" for note in notes]
    return ReadAnswers(read, rubrics, is_new, known, found, done, notes)


def sheet_name(given: str | None, read: Checked) -> str:
    """The name of the sheet a file goes to: what the user said, else the file's, on one line."""
    name = " ".join((read.table.source.stem if given is None else given).split())
    if not name:
        raise Problem("A sheet needs a name. Give one with --sheet.", fault_code="no_sheet")
    return name


def take_sheet(
    store: Store,
    read: Checked,
    name: str,
    rubric: Rubric | Sequence[Rubric] | None = None,
    partial: bool = False,
    dry_run: bool = False,
) -> Intake:
    """Store a sheet's new items, and its grades if it has any; all or nothing.

    Without `partial` a file with a bad row or a conflict is refused whole. A `dry_run` stores
    nothing and returns what a partial import would do.
    """
    if (refused := read.refusal()) and not (partial or dry_run):
        raise refused
    rubrics, graded = several(rubric), grade_additions.Comparison(0, 0, [], ())
    with nullcontext() if dry_run else store.write():
        given = {_SHOWN.get(field, field) for field in read.columns.fields}
        compared = additions.compare(store, name, read.items, {*_SHOWN.values()} - given)
        grades, torn = read.grades, {one.row for one in compared.conflicts}
        if torn:  # a grade there was given to another answer than the one stored
            bad = {item.identity for item in read.items if item.row in torn}
            grades = [grade for grade in grades if grade.item_key not in bad]
        sheet = sheets.find(store, name)
        if not dry_run and (compared.new or compared.extended or grades):
            new, more = compared.new, (compared.extended, compared.repeated)
            sheet = additions.add(store, name, new, *_source(read, len(new)), *more)

        def ids(keys: Collection[str]) -> dict[str, int | None]:
            """The ids of items by identity; grades of items recognised are of the stored ones."""
            found = dict(store_items.ids_of(store, sheet.id, keys)) if sheet else {}
            for key in {*keys} - found.keys() if compared.recognised else ():
                found[key] = compared.recognised.get(additions.digest(key))
            return found

        if grades:
            after = imports.last_id(store, "grades")
            graded = grade_additions.take(store, rubrics, grades, ids, dry_run=dry_run)
            if not dry_run:
                number = imports.newest(store, sheet.id)
                imports.trace_grades(store, number, after, graded.repeated)
        conflicts = [*compared.conflicts, *graded.conflicts]
        if conflicts and not (partial or dry_run):
            raise contradicted(read.table.source.name, conflicts, PARTIAL)
    return Intake(
        items=len(compared.new),
        items_unchanged=compared.unchanged,
        items_extended=len(compared.extended),
        grades=graded.new,
        grades_unchanged=len(graded.repeated),
        grades_replaced=graded.replaced,
        bad_rows=read.refused(),
        conflicts=conflicts,
    )


def take_grades(
    store: Store,
    sheet: Sheet,
    read: Checked,
    rubric: Rubric | Sequence[Rubric],
    partial: bool = False,
    on_conflict: str | None = None,
) -> Intake:
    """Store a file's grades of a sheet; all or nothing. `rubric` is what the file was read under.

    `on_conflict` says what to do where a stored grade differs: 'keep' the stored one, 'replace' it
    (the old one stays on record), or None to refuse.
    """
    if (refused := read.refusal()) and not partial:
        raise refused
    with store.write():
        after = imports.last_id(store, "grades")
        keys = store_items.item_keys(store, sheet.id)  # an item of a file of grades has several
        taken = grade_additions.take(
            store, several(rubric), read.grades, lambda _: keys, on_conflict == REPLACE
        )
        if taken.conflicts and on_conflict is None:
            raise contradicted(read.table.source.name, taken.conflicts, CHOOSE)
        if taken.new or taken.replaced:
            number = imports.log(store, sheet.id, imports.GRADES, *_source(read, taken.new))
            imports.trace_grades(store, number, after, taken.repeated)
    return Intake(
        grades=taken.new,
        grades_unchanged=len(taken.repeated),
        grades_replaced=taken.replaced,
        conflicts=taken.conflicts,
        bad_rows=read.refused(),
    )


def _source(read: Checked, added: int) -> tuple[str, str, dict, str | None, dict]:
    """What the log of imports says of a file, of which so many answers or grades are new."""
    table = read.table
    encoding = LABELS[table.encoding] if table.encoding else None
    counts = {"rows": read.rows, "added": added, "bad": len(read.bad_rows)}
    columns = {"columns": list(read.columns.spoken())}
    return table.source.name, read.sha256, columns, encoding, counts
