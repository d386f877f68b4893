"""Effect of a rubric edit: which grades of which sheets count on, and which stay behind, and why.

Pure: what the grades are is read beforehand (`concord.store.rubrics.rubric_edits.grade_counts`).
"""

from collections.abc import Collection, Mapping
from typing import Any

from concord.messages import counted, joined, said
from concord.reports.document import Column, Document, table_of
from concord.rubrics.edit import Change, changes
from concord.rubrics.model import Rubric
from concord.store.rubrics.rubric_edits import GradeCounts

# By kind of change, what becomes of grades, and whether they compare with those under the edit.
_FATES = {
    "added": ("starts without grades", None),
    "removed": ("stay with the earlier rubric", None),
    "same": ("count as before", "yes: same version"),
    "counts on": ("count under the new version", "yes: imported without meanings"),
    "carried": ("count under the new version", "yes: wording only, as you say"),
}


def effect(
    base: Rubric,
    new: Rubric,
    given: Mapping[str, Mapping[str, GradeCounts]],
    carried: Collection[str] = (),
) -> list[dict[str, Any]]:
    """Return what saving `new` in place of `base` does to grades: a row per criterion and sheet.

    `sheet` is '' where a criterion has no grade anywhere; grades that stay `behind` do not count
    under the new version.

    Args:
        base: The rubric before the edit.
        new: The edited rubric.
        given: Grades by sheet name and criterion name.
        carried: Criteria whose change is said to be of wording only, so that their grades count on.
    """
    rows = []
    for change in changes(base, new):
        held = {name: of[change.criterion] for name, of in given.items() if change.criterion in of}
        after, comparable = _fate(change, change.criterion in carried, bool(held))
        is_new = change.kind == "new version" and change.criterion not in carried
        rows += [
            {
                "criterion": change.criterion,
                "sheet": sheet,
                "annotators": one.annotators,
                "judges": one.judges,
                "what": change.what,
                "after": after,
                "comparable": comparable,
                "behind": bool(sheet) and (is_new or change.kind == "removed"),
            }
            for sheet, one in (held or {"": GradeCounts(0, 0)}).items()
        ]
    return rows


def document(rows: Collection[Mapping[str, Any]]) -> Document:
    """Return what is shown of the effect of an edit."""
    behind = sum(row["annotators"] + row["judges"] for row in rows if row["behind"])
    headline = "Nothing is outdated: all grades count on."
    if behind:
        grades = counted(behind, "grade")
        headline = said("{grades} will not count under the new version", grades=grades)
    parts = (
        ("criterion", lambda row: row["criterion"]),
        ("changes", lambda row: joined(", ", row["what"]) or "nothing"),
        ("sheet", lambda row: row["sheet"] or None),
        (Column("annotators' grades", "count"), lambda row: row["annotators"]),
        (Column("judges' grades", "count"), lambda row: row["judges"]),
        ("grades after saving", lambda row: row["after"]),
        ("comparable", lambda row: row["comparable"]),
    )
    return Document(headline, tables=(table_of("edit_effect", rows, parts),))


def _fate(change: Change, is_carried: bool, has_grades: bool) -> tuple[str, str | None]:
    """Return the effect on a criterion's grades, and whether they compare; None without any."""
    if not has_grades and change.kind != "added":
        return "it has no grades", None
    if change.kind in _FATES or is_carried:
        return _FATES.get(change.kind, _FATES["carried"])
    after = "stay with the earlier version"
    if change.may_carry:
        return after, "only if the sense is the same"
    return after, said("no: {what} changed", what=joined(" and ", change.deeper))
