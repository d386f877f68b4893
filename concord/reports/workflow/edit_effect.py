"""Effect of a rubric edit: which grades of which sheets count on, and which stay behind, and why.

Pure: what the grades are is read beforehand (`concord.store.rubrics.rubric_edits.grade_counts`).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from concord.messages import Said, counted, joined, said
from concord.reports.document import Column, Document, table_of
from concord.rubrics.edit import Change, changes
from concord.rubrics.model import Rubric
from concord.store.rubrics.rubric_edits import GradeCounts

_NO_GRADES = GradeCounts(0, 0)


@dataclass(frozen=True)
class CriterionEffect:
    """Effect of saving on the grades of one criterion on one sheet.

    Attributes:
        criterion: Its name.
        sheet: The sheet; '' where the criterion has no grade anywhere.
        annotators: Current grades by annotators.
        judges: Current grades by judges and metrics.
        what: What differs, in words.
        after: What becomes of the grades.
        comparable: Whether they compare with grades under the edited rubric; None without grades.
        stays_behind: The grades stay with the earlier version.
    """

    criterion: str
    sheet: str
    annotators: int
    judges: int
    what: tuple[str, ...]
    after: str
    comparable: str | None
    stays_behind: bool


@dataclass(frozen=True)
class EditEffect:
    """Effect of saving an edit, in one sentence and by criterion and sheet."""

    sentence: str
    rows: tuple[CriterionEffect, ...]


def effect(
    base: Rubric,
    new: Rubric,
    given: Mapping[str, Mapping[str, GradeCounts]],
    carried: Collection[str] = (),
) -> EditEffect:
    """Return what saving `new` in place of `base` does to the grades under `base`.

    Args:
        base: The rubric before the edit.
        new: The edited rubric.
        given: Grades by sheet name and criterion name.
        carried: Criteria whose change is said to be of wording only, so that their grades count on.
    """
    found = changes(base, new)
    rows = tuple(
        row for change in found for row in _rows(change, given, change.criterion in carried)
    )
    return EditEffect(_finding(base == new, found, rows), rows)


def document(found: EditEffect) -> Document:
    """Return what is shown of the effect of an edit."""
    parts = (
        (Column("criterion"), "criterion"),
        (Column("changes"), lambda row: joined(", ", row.what) or "nothing"),
        (Column("sheet"), lambda row: row.sheet or None),
        (Column("annotators' grades", "count"), "annotators"),
        (Column("judges' grades", "count"), "judges"),
        (Column("grades after saving"), "after"),
        (Column("comparable"), "comparable"),
    )
    return Document(found.sentence, tables=(table_of("edit_effect", found.rows, parts),))


def _rows(
    change: Change, given: Mapping[str, Mapping[str, GradeCounts]], is_carried: bool
) -> list[CriterionEffect]:
    held = [(sheet, of[change.criterion]) for sheet, of in given.items() if change.criterion in of]
    behind = change.kind == "removed" or (change.kind == "new version" and not is_carried)
    return [
        CriterionEffect(
            change.criterion,
            sheet,
            one.annotators,
            one.judges,
            change.what,
            *_fate(change, is_carried, bool(sheet)),
            behind and bool(sheet),
        )
        for sheet, one in held or [("", _NO_GRADES)]
    ]


# By kind of change, what becomes of grades, and whether they compare with those under the edit.
_FATES: dict[str, tuple[Said, Said | None]] = {
    "removed": ("stay with the earlier rubric", None),
    "same": ("count as before", "yes: same version"),
    "counts on": ("count under the new version", "yes: imported without meanings"),
    "carried": ("count under the new version", "yes: wording only, as you say"),
}


def _fate(change: Change, is_carried: bool, has_grades: bool) -> tuple[Said, Said | None]:
    """Return the effect on a criterion's grades, and whether they compare; None without any."""
    if change.kind == "added":
        return "starts without grades", None
    if not has_grades:
        return "it has no grades", None
    if change.kind in _FATES or is_carried:
        return _FATES.get(change.kind) or _FATES["carried"]
    after = "stay with the earlier version"
    if change.may_carry:
        return after, "only if the sense is the same"
    return after, said("no: {what} changed", what=joined(" and ", change.deeper))


_BEHIND = said(
    "Left with the earlier version, not counted under the new one: {grades} "
    "({annotators:,} by annotators, {judges:,} by judges) on {sheets}."
)
_UNCHANGED = said("Nothing is changed yet.")
_SAME = said("No criterion gets a new version. All grades count as before ({grades}).")
_ALL = said("No grade becomes outdated. All still count ({grades}).")


def _finding(unchanged: bool, found: list[Change], rows: tuple[CriterionEffect, ...]) -> Said:
    behind = [row for row in rows if row.stays_behind]
    of = behind or rows
    if unchanged:
        return _UNCHANGED
    same = all(change.kind == "same" for change in found)
    annotators, judges = (
        sum(getattr(row, kind) for row in of) for kind in ("annotators", "judges")
    )
    return said(
        _BEHIND if behind else _SAME if same else _ALL,
        grades=counted(annotators + judges, "grade"),
        annotators=annotators,
        judges=judges,
        sheets=counted(len({row.sheet for row in of}), "sheet"),
    )
