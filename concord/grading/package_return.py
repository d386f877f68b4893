"""Import of returned packages: recognise them by their row codes, check them, store the grades.

Files are a worksheet, or CSV saved from it, with a column of row codes. A package has to be
complete, unchanged and on the scale: a row with a changed text or code yields its first error and
no grade. In any other row each criterion is checked separately: a valid cell becomes a grade, an
invalid one is reported.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from concord.grading import campaigns, grading_sets, packages
from concord.grading.packages import (
    ANSWERS,
    CANNOT,
    CODE,
    HEADINGS,
    NOTE,
    TEXTS,
    Pack,
    SentRow,
    part_heading,
    score_headings,
    score_key,
    text_digest,
)
from concord.importing import scores as of_score
from concord.importing import sheet_import
from concord.importing.columns import ColumnMap
from concord.importing.faults import GRADER, SCORE, score_name
from concord.importing.fields import folded
from concord.importing.grade_file import GradeSheet
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell
from concord.importing.readers.table import BadRow, Record, Table
from concord.importing.sheet_import import Intake
from concord.messages import Problem, counted, joined, said
from concord.model import Grade, Sheet
from concord.rubrics.model import Criterion, Rubric
from concord.store import imports, sheets
from concord.store.database import Store

_NO_COLUMN = "{file} has no column “{column}”. Put it back as it was sent."


class Back(NamedTuple):
    """One returned row.

    `code` is '' where missing; `texts` are those in the file, by part; `said` is the cell of each
    criterion's score.
    """

    record: Record
    code: str
    texts: Mapping[str, str]
    said: Mapping[str, Cell]
    note: str


class Returned(NamedTuple):
    """A returned file, with the number of its records.

    `bad` are unreadable rows, `columns` the column names by contents (CODE, texts, criteria),
    `notes` sentences on skipped content.
    """

    table: Table
    rows: list[Back]
    bad: list[BadRow]
    columns: Mapping[str, str]
    notes: list[str]
    records: int = 0


def code_column(table: Table) -> str | None:
    """Return the column of row codes; None without one."""
    meant = {folded(CODE), folded(HEADINGS[CODE])}
    return next((name for name in table.columns if folded(name) in meant), None)


def row_codes(table: Table) -> Iterator[str]:
    """Yield every row code of such a file, unchanged."""
    place = table.columns.index(code_column(table))
    for record in table.records():
        cell = record.cells[place] if place < len(record.cells) else None
        if isinstance(cell, str):
            yield plain_code(cell)


def plain_code(cell: str) -> str:
    """Return a row code without what a program may have added or changed."""
    return cell.strip().casefold()


def read_rows(table: Table, rubric: Rubric) -> Returned:
    """Return the rows of such a file; a Problem where a score column is missing."""
    columns = _columns_of_rows(table, rubric)
    places = {name: [table.columns.index(one) for one in found] for name, found in columns.items()}
    rows, bad, count = [], [], 0
    for record in table.records():
        if record.fault is None and all(map(of_cell.is_blank, record.cells)):
            continue
        count += 1
        try:
            rows.append(_back(record, places, rubric))
        except BadCell as fault:
            bad.append(table.bad(record, fault.column, str(fault)))
    used = {one for found in columns.values() for one in found}
    notes = [
        said(
            "Column “{name}” is not part of the package and is left out.",
            name=of_cell.excerpt(name),
        )
        for name in table.columns
        if name not in used
    ]
    first = {name: found[0] for name, found in columns.items()}
    return Returned(table, rows, bad, first, notes, count)


def _back(record: Record, places: Mapping[str, Sequence[int]], rubric: Rubric) -> Back:
    if record.fault:
        raise BadCell(record.fault)

    def text(name: str) -> str:
        try:
            return "".join(of_cell.text(record.cells[place]) for place in places.get(name, ()))
        except BadCell as fault:
            raise BadCell(str(fault), HEADINGS.get(name, name)) from None

    scores = {one.name: record.cells[places[score_key(one.name)][0]] for one in rubric.criteria}
    texts = {name: text(name) for name in TEXTS if name in places}
    return Back(record, plain_code(text(CODE)), texts, scores, text(NOTE).strip())


def _columns_of_rows(table: Table, rubric: Rubric) -> dict[str, list[str]]:
    """The columns of the row code, of each text with its parts, of each score and of the note."""
    known = {folded(name): name for name in table.columns}
    found = {CODE: [code_column(table)]}
    for name in (*TEXTS, NOTE):
        parts = [folded(part_heading(name, part)) for part in range(len(table.columns))]
        held = [known[part] for part in parts if part in known]
        held = held or [known[folded(name)]] if folded(name) in known else held
        if held:
            found[name] = held
    for name, heading in score_headings(rubric).items():
        column = known.get(folded(heading)) or known.get(folded(score_key(name)))
        if column is None:
            raise Problem(_NO_COLUMN, file=table.source.name, column=heading)
        found[score_key(name)] = [column]
    return found


PACKED = said("of the package")
_CANNOT = {folded(CANNOT), folded("cannot_grade")}


class PackageContents(NamedTuple):
    """A package, its rows by code, and the grader's earlier grades.

    `before` holds them by (item, repeat) and criterion, as cells.
    """

    pack: Pack
    places: Mapping[str, SentRow]
    before: Mapping[tuple[int, int], Mapping[str, str | int]]


@dataclass(frozen=True)
class PackSheet(GradeSheet):
    """Result of reading a returned package; `pack` is the package that its rows belong to.

    `as_before` counts cells unchanged since the package was made, and `incomplete` the rows of
    which only a part can be imported.
    """

    pack: Pack | None = None
    notes: tuple[str, ...] = field(default=())
    as_before: int = 0
    incomplete: int = 0

    def skipped(self) -> list[str]:
        """Sentences on content that was skipped without being wrong."""
        if not self.folded:
            return list(self.notes)
        rows = counted(self.folded, "row repeats another", "rows repeat others")
        return [*self.notes, said("{rows} word for word.", rows=rows)]


def main_pack(
    back_codes: Sequence[str], known: Mapping[str, PackageContents]
) -> PackageContents | None:
    """The pack that most rows of a file are of; None where no row is of any."""
    found = Counter(one.partition("-")[0] for one in back_codes if _is_of(one, known))
    return known[found.most_common(1)[0][0]] if found else None


def check(
    back: Returned,
    rubric: Rubric,
    known: Mapping[str, PackageContents],
    mine: PackageContents,
    identities: Mapping[int, str],
    revealed: Collection[int],
) -> PackSheet:
    """Check every row against its package.

    `known` are all packs that a row code of the file may be of, by token, `mine` the one the file
    is of (`main_pack`): a row of another one is foreign. `identities` are by item id; `revealed`
    are the items whose judges' grades the annotator saw, so that a grade of them is not blind.
    """
    # Without a column of texts a row could be anything.
    sent = {name for place in mine.places.values() for name in place.texts}
    there = {name for row in back.rows for name in row.texts}
    gone = [HEADINGS[name] for name in HEADINGS if name in sent - there]
    if back.rows and gone:
        raise Problem(_NO_COLUMN, file=back.table.source.name, column=gone[0])
    checking = _Checking(back, rubric, known, mine, identities, revealed)
    for row in back.rows:
        checking.take(row)
    return checking.finished()


class _Told(NamedTuple):
    """A row with its grades, and the number of criteria unchanged since the package was made."""

    row: Back
    grades: list[Grade]
    as_before: int


class _Checking:
    """State of the check so far."""

    def __init__(self, back, rubric, known, mine, identities, revealed):
        self._back, self._rubric = back, rubric
        self._known, self._mine = known, mine
        self._identities, self._revealed = identities, revealed
        self._bad = list(back.bad)
        self._seen: set[str] = set()
        self._good: dict[str, list[_Told]] = {}
        self._lost: Counter[tuple[str, str]] = Counter()

    def take(self, row: Back) -> None:
        try:
            place = self._place(row)
            self._check_texts(row, place)
            before = self._mine.before.get((place.item_id, place.repeat), {})
            if not before and all(map(of_cell.is_blank, row.said.values())):
                raise BadCell(
                    "nothing is graded yet. Give scores, or choose “{cannot}”.", cannot=CANNOT
                )
        except BadCell as fault:
            self._refuse(row, fault, row.said.values())
            return
        parsed = _Told(row, [], 0)
        for criterion in self._rubric.criteria:
            known = before.get(criterion.name)
            try:
                score = self._score(row, criterion, known)
            except BadCell as fault:
                self._refuse(row, fault, [row.said[criterion.name]])
                continue
            if score == known:
                parsed = parsed._replace(as_before=parsed.as_before + 1)
                continue
            parsed.grades.append(self._grade(row, place, criterion.name, score, known is not None))
        self._good.setdefault(row.code, []).append(parsed)

    def finished(self) -> PackSheet:
        grades, repeated, as_before = [], 0, 0
        taken: set[int] = set()
        for told in self._good.values():
            if (
                len(
                    {
                        tuple((grade.criterion, grade.score, grade.reason) for grade in one.grades)
                        for one in told
                    }
                )
                == 1
            ):
                grades += told[0].grades
                taken |= {one.row.record.row for one in told if one.grades or one.as_before}
                as_before += told[0].as_before
                repeated += len(told) - 1
                continue
            for n, one in enumerate(told):
                rows = dict.fromkeys(str(same.row.record.row) for same in told)
                fault = BadCell(
                    "the row code is in rows {rows}, with different grades. Keep one of them.",
                    CODE,
                    rows=joined(" and ", rows),
                )
                self._refuse(
                    one.row,
                    fault,
                    [] if n else [(CANNOT if of.score is None else of.score) for of in one.grades],
                )
        self._bad += self._missing()
        return PackSheet(
            table=self._back.table,
            columns=ColumnMap({CODE: (self._back.columns[CODE],)}, {}, (), (), {}),
            rows=self._back.records,
            grades=sorted(grades, key=lambda grade: grade.row),
            bad_rows=sorted(self._bad, key=lambda bad: (bad.of == PACKED, bad.row)),
            folded=repeated,
            lost=self._lost,
            sha256=self._back.table.source.sha256(),
            pack=self._mine.pack,
            notes=tuple(self._back.notes),
            as_before=as_before,
            incomplete=len(taken & {bad.row for bad in self._bad if not bad.of}),
        )

    def _place(self, row: Back) -> SentRow:
        """Return which row of its package a row is."""
        if not _is_of(row.code, self._known):
            raise BadCell(
                "the row code “{code}” is of no package created here. Copy it from the file that "
                "was sent.",
                CODE,
                code=of_cell.excerpt(row.code),
            )
        one = self._known[row.code.partition("-")[0]]
        if one is not self._mine:
            raise BadCell(
                "the row belongs to the package created for {name}. Import it with that file, and "
                "delete it here.",
                CODE,
                name=one.pack.grader,
            )
        self._seen.add(row.code)
        place = one.places[row.code]
        if place.item_id not in self._identities:
            raise BadCell("its answer has since been deleted here. Delete the row.", CODE)
        return place

    def _check_texts(self, row: Back, place: SentRow) -> None:
        for name, text in row.texts.items():
            if text_digest(text) != place.texts.get(name, text_digest("")):
                raise BadCell(
                    "the text differs from the one sent under this row code. Copy both from the "
                    "file that was sent; if that does not help, save in UTF-8.",
                    name,
                )

    def _score(self, row: Back, criterion: Criterion, known: str | int | None) -> str | int:
        """Return a row's score of a criterion, or CANNOT; a blank cell keeps the earlier grade."""
        key = score_key(criterion.name)
        if known is not None and of_cell.is_blank(row.said[criterion.name]):
            return known
        try:
            word = of_cell.text(row.said[criterion.name]).strip()
            if folded(word) in _CANNOT:
                return CANNOT
            in_words = {folded(f"{one.score}: {one.meaning}"): one for one in criterion.levels}
            level = in_words.get(folded(word))
            score = level.score if level else of_score.score(word, self._rubric.scale)
        except BadCell as fault:
            else_ = said("Or choose “{cannot}”.", cannot=CANNOT)
            raise BadCell(joined(" ", [str(fault), else_]), key) from None
        if score is None:
            raise BadCell(
                "the score is missing. Give one, or choose “{cannot}”.", key, cannot=CANNOT
            )
        return score

    def _grade(
        self, row: Back, place: SentRow, criterion: str, score: str | int, changes: bool
    ) -> Grade:
        """Return a grade; one that `changes` an earlier grade may replace it."""
        pack = self._mine.pack
        return Grade(
            criterion=criterion,
            grader=pack.grader,
            grader_kind="person",
            score=None if score == CANNOT else score,
            status="cannot_grade" if score == CANNOT else "scored",
            reason=row.note,
            repeat=place.repeat,
            blind=place.item_id not in self._revealed,
            row=row.record.row,
            column=self._back.columns[score_key(criterion)],
            item_key=self._identities[place.item_id],
            since=pack.created_at if changes else "",
        )

    def _missing(self) -> list[BadRow]:
        """Return the rows that were sent and not returned."""
        return [
            BadRow(
                place.place,
                None,
                None,
                said(
                    "the row “{code}” is not in the file. Copy it back from the file that was "
                    "sent.",
                    code=code,
                ),
                PACKED,
            )
            for code, place in self._mine.places.items()
            if code not in self._seen and place.item_id in self._identities
        ]

    def _refuse(self, row: Back, fault: BadCell, cells: Iterable[object]) -> None:
        """Record an error, with the cells of scores that it costs; a blank one is no grade."""
        column = self._back.columns.get(fault.column, fault.column)
        self._bad.append(self._back.table.bad(row.record, column, str(fault)))
        lost = [cell for cell in cells if not of_cell.is_blank(cell)]
        self._lost.update((SCORE, score_name(cell)) for cell in lost)
        self._lost.update((GRADER, self._mine.pack.grader) for _ in lost)


def _is_of(code: str, known: Mapping[str, PackageContents]) -> bool:
    token = code.partition("-")[0]
    return token in known and code in known[token].places


_CODE = re.compile("[a-z2-7]{8}-[a-z2-7]{16}", re.IGNORECASE)
_FIRST = 20  # records that are looked at for row codes without a heading


class Coming(NamedTuple):
    """A file that is a pack, read and checked: of which sheet and under which rubric."""

    sheet: Sheet
    rubric: Rubric
    read: PackSheet


def table_of(table: Table, again: Callable[[str], Table]) -> Table | None:
    """Return the table of a file that is a package, on whichever worksheet; None for other files.

    `again` opens another worksheet of it.

    Raises:
        Problem: There are row codes, but no heading for them.
    """
    others = sorted(set(table.worksheets) - {table.worksheet}, key=lambda name: name != ANSWERS)
    opened = [table]
    for name in others if code_column(table) is None else ():
        with suppress(Problem):  # an empty worksheet is no pack
            opened.append(again(name))
    found = next((one for one in opened if code_column(one) is not None), None)
    cells = (
        cell
        for one in opened
        for record in islice(one.records(), _FIRST)
        for cell in record.cells
        if isinstance(cell, str)
    )
    if found is None and any(_CODE.fullmatch(cell.strip()) for cell in cells):
        raise Problem(_NO_COLUMN, file=table.source.name, column=HEADINGS[CODE])
    return found


def read(store: Store, table: Table) -> Coming:
    """Read and check a pack that came back, in a table from `table_of`.

    Raises:
        Problem: No pack of this database is in the file.
    """
    codes = list(row_codes(table))
    # By row codes and not by file name, which annotators change.
    known = {
        token: PackageContents(
            pack,
            packages.rows_by_code(store, pack),
            packages.earlier_grades(store, pack, packages.rubric_of(store, pack)),
        )
        for token, pack in packages.of_codes(store, codes).items()
    }
    mine = main_pack(codes, known)
    if mine is None:
        raise Problem(
            "{file} has row codes, but of no package created in this database. Import it where it "
            "was exported.",
            file=table.source.name,
            fault_code="another_database",
        )
    pack = mine.pack
    rubric = packages.rubric_of(store, pack)
    sheet_id = grading_sets.get(store, pack.set_id).sheet_id
    identities = dict(store.rows("select id, identity from items where sheet_id = ?", (sheet_id,)))
    opened = "select item_id from openings where grader_id = ?"
    revealed = {*store.column(opened, (pack.grader_id,))}
    read = check(read_rows(table, rubric), rubric, known, mine, identities, revealed)
    sheet = next(one for one in sheets.all_sheets(store) if one.id == sheet_id)
    graded_by = {grade.grader for grade in read.grades}
    notes = campaigns.paused_or_removed(store, pack.set_id, graded_by)
    return Coming(sheet, rubric, replace(read, notes=(*read.notes, *notes)))


def store_grades(store: Store, coming: Coming, partial: bool, on_conflict: str | None) -> Intake:
    """Store the grades of a pack, as grades of a file, and note which pack they came in."""
    with store.write():
        # Marks the grades of this import: every newer one was stored by it, within one transaction.
        before = imports.last_id(store, "grades")
        taken = sheet_import.take_grades(
            store, coming.sheet, coming.read, coming.rubric, partial, on_conflict
        )
        packages.note(store, coming.read.pack, before)
    read = coming.read
    return taken._replace(
        grades_unchanged=taken.grades_unchanged + read.as_before,
        bad_rows=read.refused() - read.incomplete,
        incomplete=read.incomplete,
    )
