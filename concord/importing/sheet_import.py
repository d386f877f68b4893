"""Import of answers into the store, the same for the app and the command line.

`preview_*` returns the effect and changes nothing; `take_*` imports. With bad rows or conflicts
nothing is imported unless the user confirms to skip them. The preview of a file has counts and the
first answers.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from concord.importing import answer_file, grade_import, numbering, unit_verdicts
from concord.importing.answer_file import AnswerSheet
from concord.importing.columns import column_map
from concord.importing.default_rubric import grade_rubrics, under
from concord.importing.faults import contradicted, faults
from concord.importing.grade_file import GradeSheet
from concord.importing.joining import Joined
from concord.importing.joining import joined as joined_tables
from concord.importing.proposals import decided
from concord.importing.readers.table import Table
from concord.importing.recognition.recognise import Found, refuse_grades
from concord.importing.scores import Words, several
from concord.messages import Problem, Said, counted, joined, on_command_line, said
from concord.model import Grade, Sheet
from concord.rubrics.model import Rubric
from concord.store import additions, imports, sheets
from concord.store import items as store_items
from concord.store.additions import Difference
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

KEEP, REPLACE = "keep", "replace"
PARTIAL = said("Or import everything else with --partial.")
CHOOSE = said(
    "Keep the stored grades with --on-conflict keep, or replace them, the old ones staying on "
    "record, with --on-conflict replace."
)
CHOOSE_ON_SCREEN = said(
    "Choose to keep the stored grades, or to replace them; the old ones stay on record."
)


class Intake(NamedTuple):
    """Result of an import or its preview: counts of items and grades, and contradictions.

    `items_extended` are stored items that get extra fields from the file, such as relevant ids.
    `incomplete` are rows of which a part was imported; `bad_rows` gave nothing. `items_recognised`
    are those of `items_unchanged` that lack ids in the file, and `items_alike` those of `items`
    with the question and the text of a stored answer under another identity.
    """

    items: int
    items_unchanged: int
    grades: int
    grades_unchanged: int
    grades_replaced: int
    bad_rows: int
    conflicts: list[Difference]
    items_extended: int = 0
    incomplete: int = 0
    items_recognised: int = 0
    items_alike: int = 0

    def as_json(self) -> dict:
        """The outcome for `--json`."""
        conflicts = [{"code": c.problem.code, **c._asdict()} for c in self.conflicts]
        return self._asdict() | {"conflicts": conflicts}

    def sentence(self, name: str) -> Said:
        """The outcome in words."""
        parts = [self._counts(name), self.recognised(), self.alike()]
        return joined(" ", [part for part in parts if part])

    def recognised(self) -> Said | None:
        """Sentence on the number of answers recognised without ids; None where none were."""
        if not self.items_recognised:
            return None
        return said(
            "{answers} without ids recognised as stored by question, text and answering model.",
            answers=counted(self.items_recognised, "answer"),
        )

    def alike(self) -> Said | None:
        """Sentence on new answers that resemble stored ones, with the remedy; None without any."""
        if not self.items_alike:
            return None
        return said(
            "{answers} of the new ones: a stored answer has the same question and text under "
            "another id. If these are the same answers, undo the import if it is done; then map "
            "the columns of ids and of the answering model as the sheet has them, or leave ids "
            "out. Further grades of stored answers are imported under Import "
            "grades{on_command_line}.",
            on_command_line=on_command_line("`grades`"),
            answers=counted(self.items_alike, "answer"),
        )

    def _counts(self, name: str) -> Said:
        left, part = self.bad_rows + len(self.conflicts), self.incomplete
        changed = self.items or self.items_extended or self.grades or self.grades_replaced
        if not (changed or left or part):
            return said("{name}: nothing changed; everything in it is already stored.", name=name)
        extended, same = self.items_extended, self.items_unchanged + self.grades_unchanged
        grades, replaced = self.grades, self.grades_replaced
        parts = [
            self.items and said("{answers} added", answers=counted(self.items, "answer")),
            extended and said("{answers} extended", answers=counted(extended, "answer")),
            grades and said("{grades} added", grades=counted(grades, "grade")),
            replaced and said("{grades} replaced", grades=counted(replaced, "grade")),
            same and said("{rows} already stored", rows=counted(same, "row")),
            part and said("{rows} imported in part", rows=counted(part, "row")),
            left and said("{rows} left out", rows=counted(left, "row")),
        ]
        return said("{name}: {what}.", name=name, what=joined(", ", parts))


@dataclass(frozen=True)
class ReadAnswers:
    """A file as it was read.

    Attributes:
        sheet: Its answers and grades.
        words: The column map that was said, or proposed.
        rubrics: The rubrics of its grades, one for each scale.
        is_new: Whether the import makes them.
        scores: The score of each word.
        found: What there is in a recognised export.
        joins: What was joined.
        notes: What was assumed, and what is undecided, in sentences.
    """

    sheet: AnswerSheet
    words: Sequence[str]
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
    scores: Words,
    *,
    scale: Sequence[int] = (),
    joins: Iterable[tuple[str | Path | Table, str]] = (),
    encoding: str | None = None,
    as_proposed: bool = False,
    number_answers: bool = False,
    made: Collection[str] = (),
) -> ReadAnswers:
    """Read a file; its column map and the rubrics of its grades may be proposed.

    Args:
        store: The open store.
        table: The file.
        sheet: The name of the sheet; None for that of the file.
        words: `FIELD=COLUMN` words.
        rubric: That of all grades; None to propose one for each scale.
        scores: Scores by word.
        scale: That of a new rubric; empty for those that are read off the grades.
        joins: What is joined, and by which key.
        encoding: That of joined files.
        as_proposed: Take the grades that are proposed too.
        number_answers: Give answers without ids one (`numbering`).
        made: Names of rubrics that are made besides.

    Raises:
        Problem: the file cannot be read so.
    """
    refuse_grades(table)
    name, notes = table.source.name, []
    table, done = joined_tables(table, joins, encoding)
    notes += (f"{name}: {one.sentence()}" for one in done)
    if table.origin:
        mapped = table.origin.with_words(words)
    else:
        mapped, proposal = decided(table, words, as_proposed)
        if mapped != tuple(words):
            notes.append(f"{name}: the columns are read as {', '.join(mapped)}.")
        if proposal.grades and not as_proposed:
            options = " ".join(f'--map "{word}"' for word in proposal.grades)
            notes.append(f"Grades, imported with --as-proposed: {options}")
        if proposal.undecided:
            notes.append("Not mapped, and kept with each answer:")
            notes += (f"  {one.sentence()}" for one in proposal.undecided)
    columns, is_new = column_map(table.columns, mapped), False
    graded = columns.scores or columns.column("score")
    if scale and not (rubric or graded):
        raise Problem(
            "--scale is that of grades, and no column is mapped to grades. Map one.",
            fault_code="no_column",
        )
    rubrics = (rubric,) if rubric else ()
    if rubric:
        columns = under(columns, rubric)
    elif graded:
        stored = rubric_versions.of_import(store, sheet or table.source.stem)
        taken = [*rubric_versions.names(store), *made]
        if proposed := grade_rubrics(table, columns, stored, scores, scale, taken):
            rubrics, is_new, columns, scores, why = proposed
            notes += (f"{name}: {sentence}" for sentence in why)
    found = table.origin
    if found and scores:
        found = replace(found, scores=dict(scores))
        pairs = (f"{word} = {'-' if n is None else f'{n:g}'}" for word, n in scores.items())
        notes.append(f"{name}: words are read as {', '.join(pairs)}. Others: --score WORD=SCORE.")
    numbers = numbering.of_sheet(store, sheet or table.source.stem) if number_answers else None
    read = answer_file.read(table, columns, rubrics, scores, numbers)
    return ReadAnswers(read, mapped, rubrics, is_new, scores, found, done, notes)


def sheet_name(given: str | None, read: AnswerSheet) -> str:
    """The name of the sheet a file goes to: what the user said, else the file's, on one line."""
    name = " ".join((read.table.source.stem if given is None else given).split())
    if not name:
        raise Problem("A sheet needs a name. Give one with --sheet.", fault_code="no_sheet")
    return name


def preview_sheet(
    store: Store, read: AnswerSheet, name: str, rubric: Rubric | Sequence[Rubric] | None
) -> Intake:
    """Return the effect of `take_sheet`, bad rows and conflicts left out."""
    sheet = sheets.find(store, name)
    compared = additions.compare(store, name, read.items, read.not_given())
    grades = _of_good_items(read, compared)
    graded = []
    if sheet and grades:
        ids = _by_identity(store, sheet, compared)
        for one in several(rubric):
            graded.append(grade_import.compare(store, one, _under(one, grades), ids))
    unchanged = sum(len(one.repeated) for one in graded)
    return Intake(
        len(compared.new),
        compared.unchanged,
        len(grades) - unchanged - sum(len(one.conflicts) for one in graded),
        unchanged,
        0,
        read.refused(),
        compared.conflicts + [conflict for one in graded for conflict in one.conflicts],
        len(compared.extended.ids),
        items_recognised=compared.recognised_unchanged,
        items_alike=compared.alike,
    )


def take_sheet(
    store: Store,
    read: AnswerSheet,
    name: str,
    rubric: Rubric | Sequence[Rubric] | None = None,
    partial: bool = False,
) -> Intake:
    """Store a sheet's new items, and its grades if it has any; all or nothing.

    Without `partial` a file with a bad row or a conflict is refused whole.
    """
    if (refused := read.refusal()) and not partial:
        raise refused
    with store.write():
        compared = additions.compare(store, name, read.items, read.not_given())
        if compared.conflicts and not partial:
            raise contradicted(_file(read), compared.conflicts, PARTIAL)
        spoken = {"columns": list(read.columns.spoken())}
        counts = {"rows": read.rows, "added": len(compared.new), "bad": len(read.bad_rows)}
        grades = _of_good_items(read, compared)
        if compared.new or compared.extended.ids or grades:
            sheet = additions.add(
                store,
                name,
                compared.new,
                read.table.source.name,
                read.sha256,
                spoken,
                _encoding(read),
                counts,
                compared.extended,
                compared.repeated,
            )
        graded = Intake(0, 0, 0, 0, 0, 0, [])
        if grades:
            on_conflict, after = KEEP if partial else None, imports.last_id(store, "grades")
            rubrics = _required(several(rubric))
            ids = _stored_ids(_by_identity(store, sheet, compared), _file(read))
            graded, repeated = _take(store, rubrics, grades, ids, on_conflict, _file(read))
            imports.trace_grades(store, imports.newest(store, sheet.id), after, repeated)
    return graded._replace(
        items=len(compared.new),
        items_unchanged=compared.unchanged,
        items_extended=len(compared.extended.ids),
        items_recognised=compared.recognised_unchanged,
        items_alike=compared.alike,
        bad_rows=read.refused(),
        conflicts=compared.conflicts + graded.conflicts,
    )


def take_grades(
    store: Store,
    sheet: Sheet,
    read: GradeSheet,
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
        rubrics = several(rubric)
        after = imports.last_id(store, "grades")
        keys = store_items.item_keys(store, sheet.id)  # an item of a file of grades has several
        ids = _stored_ids(lambda _: keys, _file(read))
        taken, repeated = _take(store, rubrics, read.grades, ids, on_conflict, _file(read))
        taken = _with_checks(store, read, taken, on_conflict)
        if taken.grades or taken.grades_replaced:
            number = imports.log(
                store,
                sheet.id,
                imports.GRADES,
                read.table.source.name,
                read.sha256,
                {"columns": list(read.columns.spoken())},
                _encoding(read),
                {"rows": read.rows, "added": taken.grades, "bad": len(read.bad_rows)},
            )
            imports.trace_grades(store, number, after, repeated)
    return taken._replace(bad_rows=read.refused())


def _take(
    store: Store,
    rubrics: Sequence[Rubric],
    grades: Sequence[Grade],
    ids: grade_import.Ids,
    on_conflict: str | None,
    file: str,
) -> tuple[Intake, Iterable[int]]:
    """Store grades; return what that changed, and the ids of grades that were stored already."""
    taken = []
    for rubric in rubrics:
        rubric_versions.register(store, rubric, "import")
        taken.append(grade_import.compare(store, rubric, _under(rubric, grades), ids))
    conflicts = [conflict for compared in taken for conflict in compared.conflicts]
    if conflicts and on_conflict is None:
        raise contradicted(file, sorted(conflicts), CHOOSE, CHOOSE_ON_SCREEN)
    replacing = on_conflict == REPLACE
    for rubric in rubrics:
        why = "replaced by an import"
        grade_import.add(store, rubric, _under(rubric, grades), ids, why, replacing)
    intake = Intake(
        0,
        0,
        sum(compared.new for compared in taken),
        sum(len(compared.repeated) for compared in taken),
        sum(compared.renewed for compared in taken) + (len(conflicts) if replacing else 0),
        0,
        [] if replacing else conflicts,
    )
    return intake, chain.from_iterable(compared.repeated for compared in taken)


def _by_identity(store: Store, sheet: Sheet, compared: additions.Comparison) -> grade_import.Ids:
    """The ids of a sheet's items by identity, the key of a grade on the row of its answer.

    Grades of items recognised without ids are those of the stored answers.
    """

    def found(keys: Collection[str]) -> Mapping[str, int | None]:
        ids: dict[str, int | None] = dict(store_items.ids_of(store, sheet.id, keys))
        for key in {*keys} - ids.keys() if compared.recognised else ():
            ids[key] = compared.recognised.get(additions.digest(key))
        return ids

    return found


def _stored_ids(ids: grade_import.Ids, file: str) -> grade_import.Ids:
    """The same ids of items; a Problem where an item is no longer in the sheet."""

    def found(keys: Collection[str]) -> Mapping[str, int | None]:
        of_key = ids(keys)
        if any(of_key.get(key) is None for key in keys):
            raise Problem("The sheet changed while {file} was read. Repeat the import.", file=file)
        return of_key

    return found


def _under(rubric: Rubric, grades: Iterable[Grade]) -> Iterator[Grade]:
    """The grades on the criteria of a rubric."""
    names = rubric.versions()
    return (grade for grade in grades if grade.criterion in names)


def _with_checks(store: Store, read: GradeSheet, taken: Intake, on_conflict: str | None) -> Intake:
    """The same with what annotators said of lists of units, which is stored too."""
    checks = unit_verdicts.take(store, read.checks, on_conflict == REPLACE)
    if checks.conflicts and on_conflict is None:
        raise contradicted(_file(read), sorted(checks.conflicts), CHOOSE, CHOOSE_ON_SCREEN)
    return taken._replace(
        grades=taken.grades + checks.added,
        grades_unchanged=taken.grades_unchanged + checks.unchanged,
        grades_replaced=taken.grades_replaced + checks.replaced,
        conflicts=taken.conflicts + checks.conflicts,
    )


def _of_good_items(read: AnswerSheet, compared: additions.Comparison) -> Sequence[Grade]:
    """The grades of a sheet without those of items that contradict the stored ones.

    Such a grade was given to another answer than the one stored.
    """
    torn = {conflict.row for conflict in compared.conflicts}
    if not torn:
        return read.grades
    bad = {item.identity for item in read.items if item.row in torn}
    return [grade for grade in read.grades if grade.item_key not in bad]


def _file(read: AnswerSheet | GradeSheet) -> str:
    return read.table.source.name


def _required(rubrics: tuple[Rubric, ...]) -> tuple[Rubric, ...]:
    if not rubrics:
        raise Problem(
            "Score columns are mapped, but no rubric is named. Name one with --rubric.",
            fault_code="no_rubric",
        )
    return rubrics


def _encoding(read: AnswerSheet | GradeSheet) -> str | None:
    encoding = read.table.encoding
    return encoding.label if encoding else None


ANSWERS = 10
_CHARACTERS = 200


# A mean of annotators is one annotator.
_KINDS = {"annotators": ("person", "mean"), "judges": ("judge",), "metrics": ("metric",)}


def preview(read: AnswerSheet, first: int = ANSWERS) -> dict[str, Any]:
    """Preview what a file that was read would give; nothing is stored.

    The column map as `map`; counts of `rows`, `answers`, `questions`, and answers by
    `answer_models` (most first, '' for no name), with `contexts` and `references`; grades by
    `annotators`, `judges`, `metrics`, and by criterion (`grades`); `bad_rows` and `folded` rows;
    `faults` and `flags` in sentences; and the `first` answers, their texts cut.
    """
    of_kind = {
        kind: dict(Counter(g.grader for g in read.grades if g.grader_kind in kinds).most_common())
        for kind, kinds in _KINDS.items()
    }
    models = Counter(item.answer_model or "" for item in read.items)
    return {
        "map": read.columns.spoken(),
        "rows": read.rows,
        "answers": len(read.items),
        "questions": len({item.question_key for item in read.items}),
        "answer_models": dict(models.most_common()),
        "contexts": sum(bool(item.contexts) for item in read.items),
        "references": sum(bool(item.reference) for item in read.items),
        **of_kind,
        "grades": dict(Counter(grade.criterion for grade in read.grades).most_common()),
        "bad_rows": read.refused(),
        "folded": read.folded,
        "faults": tuple(faults(read.bad_rows)),
        "flags": tuple(flag.sentence for flag in read.flags),
        "first": _first(read, first),
    }


def preview_sentence(seen: Mapping[str, Any]) -> Said:
    """The counts of a preview in words."""
    named = (
        (seen["answers"], "answer"),
        (seen["questions"], "question"),
        (sum(bool(name) for name in seen["answer_models"]), "answering model"),
        (len(seen["annotators"]), "annotator"),
        (len(seen["judges"]), "judge"),
        (len(seen["metrics"]), "metric"),
        (sum(seen["grades"].values()), "grade"),
        (seen["bad_rows"], "bad row"),
    )
    parts = [counted(n, noun) for n, noun in named if n or noun in ("answer", "question")]
    return said("{what}.", what=joined(", ", parts))


def _first(read: AnswerSheet, most: int) -> list[dict[str, Any]]:
    items = read.items[:most]
    grades: dict[str, list[tuple]] = {item.identity: [] for item in items}
    for grade in read.grades:
        if grade.item_key in grades:
            grades[grade.item_key].append((grade.grader, grade.criterion, grade.score))
    return [
        {
            "row": item.row,
            "item_id": item.own_id,
            "question_id": item.question_id,
            "cluster": item.cluster,
            "question": _cut(item.question),
            "answer": _cut(item.answer),
            "answer_model": item.answer_model,
            "contexts": len(item.contexts),
            "references": len(item.reference),
            "turns": len(item.turns or ()),
            "grades": grades[item.identity],
            "metadata": tuple(item.metadata),
        }
        for item in items
    ]


def _cut(text: str) -> str:
    """A text on one line, cut where it is long."""
    line = " ".join(text[: 4 * _CHARACTERS].split())
    return line if len(line) <= _CHARACTERS else f"{line[:_CHARACTERS]}…"
