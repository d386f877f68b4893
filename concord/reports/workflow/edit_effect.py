"""Effect of a rubric edit: which grades count on, and which stay behind.

Pure: what the grades are is read beforehand (`concord.store.rubrics.rubric_edits.grade_counts`).
"""

from collections.abc import Collection, Mapping
from typing import Any

from concord.messages import counted
from concord.reports.document import Column, Document, table_of
from concord.rubrics.edit import changes
from concord.rubrics.model import Rubric
from concord.store.rubrics.rubric_edits import GradeCounts


def effect(
    base: Rubric,
    new: Rubric,
    given: Mapping[str, Mapping[str, GradeCounts]],
    carried: Collection[str] = (),
) -> list[dict[str, Any]]:
    """Return what saving `new` in place of `base` does to grades: a row per criterion.

    Grades that stay `behind` do not count under the new version.

    Args:
        base: The rubric before the edit.
        new: The edited rubric.
        given: Grades by sheet name and criterion name.
        carried: Criteria whose change is said to be of wording only, so that their grades count on.
    """
    rows = []
    for change in changes(base, new):
        name = change.criterion
        held = [of[name] for of in given.values() if name in of]
        is_new = change.kind == "new version" and name not in carried
        row = {
            "criterion": name,
            "what": change.what,
            "annotators": sum(one.annotators for one in held),
            "judges": sum(one.judges for one in held),
            "behind": bool(held) and (is_new or change.kind == "removed"),
        }
        rows.append(row)
    return rows


def document(rows: Collection[Mapping[str, Any]]) -> Document:
    """Return what is shown of the effect of an edit."""
    behind = sum(row["annotators"] + row["judges"] for row in rows if row["behind"])
    headline = "Nothing is outdated: all grades count on."
    if behind:
        headline = f"{counted(behind, 'grade')} will not count under the new version"
    parts = (
        ("criterion", lambda row: row["criterion"]),
        ("changes", lambda row: ", ".join(row["what"]) or "nothing"),
        (Column("annotators' grades", "count"), lambda row: row["annotators"]),
        (Column("judges' grades", "count"), lambda row: row["judges"]),
        ("after saving", lambda row: "do not count" if row["behind"] else "count on"),
    )
    return Document(headline, tables=(table_of("edit_effect", rows, parts),))
