"""Check intake: what annotators said elsewhere of a list of units itself, from rows of grades.

A check is of one list: of the answer's lists that a model made, the one with these very entries.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import uuid4

from concord.importing.grade_import import named
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell
from concord.messages import joined, said
from concord.model import Grade
from concord.rubrics import list_check
from concord.store import graders
from concord.store.additions import Difference
from concord.store.database import Store
from concord.store.grades import Press, record
from concord.store.units import list_checks
from concord.text.normal_form import normalised

# The entries of a list `d`, one a line, as an export writes them.
ENTRIES = (
    "(select coalesce(group_concat(e.text, char(10)), '') from (select t.text from"
    " decomposition_units p join units t on t.id = p.unit_id where p.decomposition_id = d.id"
    " order by p.place) e)"
)


class StoredList(NamedTuple):
    """A list that a model made, its entries one a line."""

    id: int
    text: str


class ListCheck(NamedTuple):
    """One annotator's check of one list; `grade` has a label and no score."""

    item_id: int
    list_id: int
    kind: str
    grade: Grade


class CheckCounts(NamedTuple):
    """Number of checks added, already present and replaced, and contradictions with the store."""

    added: int
    unchanged: int
    replaced: int
    conflicts: list[Difference]


def of_sheet(store: Store, sheet_id: int, kind: str) -> dict[int, list[StoredList]]:
    """The lists of a kind that models made of a sheet's answers, by item id, newest last."""
    rows = store.rows(
        f"select d.item_id, d.id, {ENTRIES} as text from decompositions d"
        " join items i on i.id = d.item_id where i.sheet_id = ? and d.kind = ?"
        f" and {list_checks.IS_CHECKED} order by d.id",
        (sheet_id, kind),
    )
    found: dict[int, list[StoredList]] = {}
    for item_id, list_id, text in rows:
        found.setdefault(item_id, []).append(StoredList(list_id, text))
    return found


def meant(known: Sequence[StoredList], text: str, row: int | None) -> int:
    """The id of the list with these entries; of several the one of the row's own id, else the last.

    Raises:
        BadCell: No list of the answer that a model made has these entries.
    """
    alike = [one.id for one in known if normalised(one.text) == normalised(text)]
    if not alike:
        raise BadCell(
            "no list extracted from this answer has the entries “{text}”. Write its entries one "
            "per line, as in an export, or remove the row.",
            "unit",
            text=of_cell.excerpt(text),
            fault_code="no_list",
        )
    return row if row in alike else alike[-1]


def label(written: str) -> str | None:
    """The label of a check as it is stored; None for an empty cell."""
    words = [part.strip() for part in written.casefold().split(",") if part.strip()]
    if not words:
        return None
    known = list_check.label(list_check.score(", ".join(words)))
    if sorted(known.split(", ")) != sorted(words):
        # The words of files are English in every language, so they are not messages.
        listed = joined(", ", map(str.__str__, [list_check.RIGHT, *list_check.ERRORS]))
        raise BadCell(
            "“{text}” is not a judgement of a list. Use: {listed}.",
            "label",
            text=of_cell.excerpt(written),
            listed=listed,
            fault_code="not_a_label",
        )
    return known


def take(store: Store, checks: Iterable[ListCheck], replaces: bool) -> CheckCounts:
    """Store checks that are new, and with `replaces` those that differ; inside `write()`."""
    added = unchanged = 0
    conflicts = []
    for check in checks:
        before = _before(store, check)
        if before == (check.grade.status, check.grade.label):
            unchanged += 1
            continue
        if before is None:
            added += 1
        else:
            conflicts.append(_difference(check, before[1]))
        if before is None or replaces:
            _keep(store, check)
    replaced = len(conflicts) if replaces else 0
    return CheckCounts(added, unchanged, replaced, [] if replaces else conflicts)


def _before(store: Store, check: ListCheck) -> tuple[str, str | None] | None:
    """Return status and label of the same annotator's check of the current list."""
    grader = named(store, "person", check.grade.grader)
    found = list_checks.of_grader(store, grader.id, [check.list_id]) if grader else []
    mine = (row for row in found if row["repeat"] == check.grade.repeat)
    return next(((row["status"], row["label"]) for row in mine), None)


def _difference(check: ListCheck, before: str | None) -> Difference:
    grade = check.grade
    problem = said(
        "{grader} graded {criterion} with {before} in the database and {here} in the file.",
        grader=grade.grader,
        criterion=grade.criterion,
        before=before or said("nothing"),
        here=grade.label or said("nothing"),
        fault_code="another_grade",
    )
    return Difference(grade.row, grade.column or "label", problem)


def _keep(store: Store, check: ListCheck) -> None:
    grade, press_id = check.grade, uuid4().hex
    list_checks.begin(store, check.kind)
    press = Press(
        check.item_id,
        list_checks.version(check.kind),
        graders.ensure(store, "person", grade.grader, simulated=grade.simulated),
        grade.status,
        reason=grade.reason,
        seconds=grade.seconds,
        repeat=grade.repeat,
        blind=grade.blind,
        press_id=press_id,
        label=grade.label,
        rubric_language=grade.rubric_language,
    )
    record(store, [press])
    list_checks.keep(store, press_id, check.list_id)
