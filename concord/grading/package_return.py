"""Import of returned packages: recognise them by their row codes, check them, store the grades.

Files are a worksheet, or CSV saved from it, with a column of row codes. A package has to be
complete, unchanged and on the scale: a row with a changed text or code yields its first error and
no grade. In any other row each criterion is checked separately: a valid cell becomes a grade, an
invalid one is reported.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from concord.grading import grading_sets, packages
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
from concord.importing import scores, sheet_import
from concord.importing.columns import ColumnMap
from concord.importing.faults import Checked
from concord.importing.fields import folded
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell
from concord.importing.readers.table import Record, Table
from concord.importing.sheet_import import Intake
from concord.messages import Problem, joined, said
from concord.model import BadRow, Grade, Sheet
from concord.rubrics.model import Rubric
from concord.store import imports, sheets
from concord.store.database import Store

_NO_COLUMN = "{file} has no column “{column}”. Put it back as it was sent."
_FOREIGN = (
    "{file} has row codes, but of no package created in this database. Import it where it was "
    "exported."
)
_MISSING = "the row “{code}” is not in the file. Copy it back from the file that was sent."
_NOTHING = "nothing is graded yet. Give scores, or choose “{cannot}”."
_TWICE = "the row code is in the file more than once. Keep one of these rows."
_UNKNOWN = (
    "the row code “{code}” is of no package created here. Copy it from the file that was sent."
)
_OTHER = "the row is of the package created for {name}. Import it with that file."
_CANNOT = {folded(CANNOT), folded("cannot_grade")}
_PACKED = "of the package"


class Coming(NamedTuple):
    """A file that is a pack, read and checked: of which sheet and under which rubric."""

    sheet: Sheet
    rubric: Rubric
    pack: Pack
    read: Checked


def _code_column(table: Table) -> str | None:
    meant = {folded(CODE), folded(HEADINGS[CODE])}
    return next((name for name in table.columns if folded(name) in meant), None)


def table_of(table: Table, again: Callable[[str], Table]) -> Table | None:
    """Return the table of a file that is a package; None for other files.

    `again` opens another worksheet of it.
    """
    if _code_column(table) is None and ANSWERS in table.worksheets:
        with suppress(Problem):  # an empty worksheet is no pack
            table = again(ANSWERS)
    return None if _code_column(table) is None else table


def read(store: Store, table: Table) -> Coming:
    """Read and check a pack that came back, in a table from `table_of`.

    Raises:
        Problem: No pack of this database is in the file, or a column of it is missing.
    """
    blank = of_cell.is_blank
    records = [one for one in table.records() if one.fault or not all(map(blank, one.cells))]
    at = table.columns.index(_code_column(table))
    codes = [_plain(one.cells[at]) for one in records if len(one.cells) > at]
    pack, packs, sent = _recognised(store, table, codes)
    rows = sent[pack.token]
    rubric = packages.rubric_of(store, pack)
    earlier = packages.earlier_grades(store, pack, rubric)
    sheet_id = grading_sets.get(store, pack.set_id).sheet_id
    identities = dict(store.rows("select id, identity from items where sheet_id = ?", (sheet_id,)))
    opened = "select item_id from openings where grader_id = ?"
    revealed = {*store.column(opened, (pack.grader_id,))}  # whose judges' grades were seen
    places = _columns(table, rubric)
    for name in {name for row in rows.values() for name in row.texts} - places.keys():
        raise Problem(_NO_COLUMN, file=table.source.name, column=HEADINGS[name])
    bad: list[BadRow] = []
    good: list[tuple[str, Record, list[Grade]]] = []

    def refuse(record: Record, fault: BadCell) -> None:
        column = table.columns[places[fault.column][0]] if fault.column in places else fault.column
        bad.append(BadRow(record.row, column, str(fault)))

    for record in records:
        if record.fault:
            refuse(record, BadCell(record.fault))
            continue
        cells = {one.name: record.cells[places[score_key(one.name)][0]] for one in rubric.criteria}
        try:
            texts = _texts(record, places)
            code = _plain(texts[CODE])
            _check_code(code, sent, packs, pack)
            place = rows[code]
            before = earlier.get((place.item_id, place.repeat), {})
            _check_texts(texts, place, places, identities)
            if not before and all(map(blank, cells.values())):
                raise BadCell(_NOTHING, cannot=CANNOT)
        except BadCell as fault:
            refuse(record, fault)
            continue
        common = {
            **{"grader": pack.grader, "grader_kind": "person", "reason": texts[NOTE].strip()},
            **{"repeat": place.repeat, "row": record.row},
            **{"blind": place.item_id not in revealed, "item_key": identities[place.item_id]},
        }
        scores_of = {}
        for criterion in rubric.criteria:
            cell, known = cells[criterion.name], before.get(criterion.name)
            try:
                scores_of[criterion.name] = _score(cell, criterion.levels, rubric, known)
            except BadCell as fault:
                refuse(record, BadCell(str(fault), score_key(criterion.name)))
        changed = {name: one for name, one in scores_of.items() if one != before.get(name)}
        told = [
            Grade(
                criterion=name,
                **common,
                score=None if score == CANNOT else score,
                status="cannot_grade" if score == CANNOT else "scored",
                column=table.columns[places[score_key(name)][0]],
                since=pack.created_at if name in before else "",
            )
            for name, score in changed.items()
        ]
        good.append((code, record, told))

    seen = Counter(code for code, *_ in good)
    for code, record, _ in good:
        if seen[code] > 1:
            refuse(record, BadCell(_TWICE, CODE))
    return Coming(
        next(one for one in sheets.all_sheets(store) if one.id == sheet_id),
        rubric,
        pack,
        Checked(
            table=table,
            columns=ColumnMap({CODE: (table.columns[at],)}, {}, (), (), {}),
            rows=len(records),
            grades=[grade for code, _, told in good if seen[code] == 1 for grade in told],
            bad_rows=[*sorted(bad, key=lambda one: one.row), *_missing(rows, codes, identities)],
            folded=0,
            sha256=table.source.sha256(),
        ),
    )


def _recognised(store: Store, table: Table, codes: Sequence[str]) -> tuple[Pack, dict, dict]:
    """Return the package most rows are of, and all that codes may be of, with rows, by token."""
    # By row codes and not by file name, which annotators change.
    packs = packages.of_codes(store, codes)
    sent = {token: packages.rows_by_code(store, one) for token, one in packs.items()}
    tokens = Counter(token for code in codes if code in sent.get(token := code[:8], ()))
    if not tokens:
        raise Problem(_FOREIGN, file=table.source.name, fault_code="another_database")
    return packs[tokens.most_common(1)[0][0]], packs, sent


def _missing(
    rows: Mapping[str, SentRow], seen: Collection[str], identities: Mapping[int, str]
) -> list[BadRow]:
    """Return the rows that were sent and not returned."""
    return [
        BadRow(row.place, None, said(_MISSING, code=code), of=_PACKED)
        for code, row in rows.items()
        if code not in seen and row.item_id in identities
    ]


def _texts(record: Record, places: Mapping[str, Sequence[int]]) -> dict[str, str]:
    """Return the row code, the texts and the note of a row; '' for a column that is not there."""
    found = {}
    for name in (CODE, *TEXTS, NOTE):
        try:
            parts = [of_cell.text(record.cells[place]) for place in places.get(name, ())]
        except BadCell as fault:
            raise BadCell(str(fault), name) from None
        found[name] = "".join(parts)
    return found


def _check_code(code: str, sent: Mapping, packs: Mapping[str, Pack], pack: Pack) -> None:
    """Raise a BadCell unless a row code is of the package."""
    token = code[:8]
    if code not in sent.get(token, ()):
        raise BadCell(_UNKNOWN, CODE, code=of_cell.excerpt(code))
    if token != pack.token:
        raise BadCell(_OTHER, CODE, name=packs[token].grader)


def _check_texts(
    texts: Mapping[str, str], place: SentRow, places: Mapping, identities: Mapping[int, str]
) -> None:
    """Raise a BadCell where the answer is gone, or a text is not the one that was sent."""
    if place.item_id not in identities:
        raise BadCell("its answer has since been deleted here. Delete the row.", CODE)
    for name in (name for name in TEXTS if name in places):
        if text_digest(texts[name]) != place.texts.get(name, text_digest("")):
            raise BadCell(
                "the text differs from the one sent under this row code. Copy both from the file "
                "that was sent; if that does not help, save in UTF-8.",
                name,
            )


def _columns(table: Table, rubric: Rubric) -> dict[str, list[int]]:
    """The columns of the row code, of each text with its parts, of each score and of the note."""
    known = {folded(name): place for place, name in enumerate(table.columns)}
    found = {CODE: [table.columns.index(_code_column(table))]}
    for name in (*TEXTS, NOTE):
        parts = [folded(part_heading(name, part)) for part in range(len(table.columns))]
        held = [known[part] for part in parts if part in known]
        if held or folded(name) in known:
            found[name] = held or [known[folded(name)]]
    for name, heading in score_headings(rubric).items():
        column = known.get(folded(heading), known.get(folded(score_key(name))))
        if column is None:
            raise Problem(_NO_COLUMN, file=table.source.name, column=heading)
        found[score_key(name)] = [column]
    return found


def _score(cell, levels, rubric: Rubric, known: str | int | None) -> str | int:
    """Return the score of a cell, or CANNOT; a blank cell keeps the earlier grade."""
    if known is not None and of_cell.is_blank(cell):
        return known
    try:
        word = of_cell.text(cell).strip()
        if folded(word) in _CANNOT:
            return CANNOT
        in_words = {folded(f"{one.score}: {one.meaning}"): one.score for one in levels}
        score = in_words.get(folded(word))
        score = scores.score(word, rubric.scale) if score is None else score
    except BadCell as fault:
        else_ = said("Or choose “{cannot}”.", cannot=CANNOT)
        raise BadCell(joined(" ", [str(fault), else_])) from None
    if score is None:
        raise BadCell("the score is missing. Give one, or choose “{cannot}”.", cannot=CANNOT)
    return score


def _plain(cell: object) -> str:
    """A row code without what a program may have added or changed."""
    return cell.strip().casefold() if isinstance(cell, str) else ""


def store_grades(store: Store, coming: Coming, partial: bool, on_conflict: str | None) -> Intake:
    """Store the grades of a pack, as grades of a file, and note which pack they came in."""
    read = coming.read
    with store.write():
        # Marks the grades of this import: every newer one was stored by it, within one transaction.
        before = imports.last_id(store, "grades")
        taken = sheet_import.take_grades(
            store, coming.sheet, read, coming.rubric, partial, on_conflict
        )
        packages.note(store, coming.pack, before)
    return taken
