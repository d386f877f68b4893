"""Regrading: which grades must be given again when a criterion is reworded, and what changed.

Grades stay with the version they were given under. A grade of a grading set is to be given again
where its version no longer counts and its grader has not graded that answer under one that does.

Changes are due to the wording and to intra-annotator disagreement; hidden repeats show the size of
the latter. Every annotator is compared with themselves alone.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from concord.grading import grading_sets, regrades
from concord.grading.grading_sets import GradingSet
from concord.messages import counted
from concord.model import Sheet
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.wording import named
from concord.rubrics.edit import changes
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import undefined
from concord.stats.core.pairs import Pairs
from concord.stats.statistics import figures
from concord.store import sheets as stored
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.rubrics.rubric_edits import GradeCounts


def edit_effect(
    base: Rubric,
    new: Rubric,
    given: Mapping[str, Mapping[str, GradeCounts]],
    carried: Collection[str] = (),
) -> Document:
    """Return which grades count on, and which stay behind, when `new` is saved in place of `base`.

    Args:
        base: The rubric before the edit.
        new: The edited rubric.
        given: Grades by sheet name and criterion name.
        carried: Criteria whose change is said to be of wording only, so that their grades count on.
    """
    heads = ("criterion", "changes", "annotators' grades", "judges' grades", "after saving")
    rows, behind = [], 0
    for change in changes(base, new):
        name = change.criterion
        held = [of[name] for of in given.values() if name in of]
        graded = sum(one.annotators for one in held), sum(one.judges for one in held)
        is_new = change.kind == "new version" and name not in carried
        lost = bool(held) and (is_new or change.kind == "removed")
        behind += lost * sum(graded)
        what = ", ".join(change.what) or "nothing"
        rows.append((name, what, *graded, "do not count" if lost else "count on"))
    headline = "Nothing is outdated: all grades count on."
    if behind:
        headline = f"{counted(behind, 'grade')} will not count under the new version"
    return Document(
        headline, tables=(Table("edit_effect", tuple(map(Column, heads)), tuple(rows)),)
    )


def to_ask(
    store: Store, rubric: Rubric, criterion: str, only: Sheet | None = None
) -> list[tuple[GradingSet, dict[str, Any]]]:
    """Return the open sets under earlier words, each with what would be asked in it again.

    That is grades of how many answers by how many annotators. `only` restricts to one sheet.
    """
    found = []
    for sheet in [only] if only else stored.all_sheets(store):
        for made in grading_sets.of_sheet(store, sheet.id):
            of_rubric = rubric_versions.get(store, made.rubric_id).name == rubric.name
            left = regrades.outdated(store, made) if of_rubric else []
            left = [one for one in left if one.criterion == criterion]
            if left and not grading_sets.closing(store, made.id):
                counts = {
                    "sheet": sheet.name,
                    "set": made.name,
                    "grades": len(left),
                    "answers": len({one.item_id for one in left}),
                    "annotators": len({one.grader_id for one in left}),
                }
                found.append((made, counts))
    return found


def ask(
    store: Store, rubric: Rubric, criterion: str, by: str, only: Sheet | None = None
) -> list[dict[str, Any]]:
    """Put the sets under the newest words; return them with the grades to give again."""
    with store.write():
        return [
            {"set": made.name, "grades": regrades.ask_again(store, made, by)}
            for made, _ in to_ask(store, rubric, criterion, only)
        ]


def regrading(
    store: Store,
    rubric: Rubric,
    criterion: str,
    asked: Sequence[Mapping[str, Any]] = (),
    only: Sheet | None = None,
) -> dict[str, Any]:
    """Return what was `asked` again in this step, what could be, and how grades moved.

    `only` is one sheet, None for all.
    """
    return {
        "rubric": rubric.name,
        "criterion": criterion,
        "asked": [*asked],
        "to_ask": [counts for _, counts in to_ask(store, rubric, criterion, only)],
        "rows": rows(store, rubric, criterion),
    }


def document(found: Mapping[str, Any]) -> Document:
    """Return what is shown of grades requested again."""
    tables = requests_table(found["to_ask"]), table(found["rows"])
    return Document(regraded_sentence(found["rows"]), tables=tables)


def requests_table(found: Sequence[Mapping[str, Any]]) -> Table:
    """Return a row for each set whose grades may be requested again."""
    counts = ((Column(key, "count"), key) for key in ("grades", "answers", "annotators"))
    parts = (("sheet", "sheet"), ("set", "set"), *counts)
    return table_of("requests", found, parts, "Grades to request again")


def rows(store: Store, rubric: Rubric, criterion: str) -> list[dict[str, Any]]:
    """Return a row per annotator whose grades of a criterion were requested again, by name.

    Of the `n` of `asked` grades that have a score before and now: `exact` is the share kept,
    `change` new minus old.
    """
    found = pd.DataFrame(map(dict, regrades.side_by_side(store, rubric.versions()[criterion])))
    none, made = undefined("no grade has a score before and now"), []
    for (grader, simulated), own in found.groupby(["grader", "simulated"]) if len(found) else ():
        both = own[(own["old_status"] == "scored") & (own["new_status"] == "scored")]
        old, new = (both[key].to_numpy(float) for key in ("old_score", "new_score"))
        n = len(both)
        cluster = np.unique(both["cluster"], return_inverse=True)[1]
        pairs = Pairs(new, old, np.ones(n), np.arange(n), cluster)
        moved = figures(pairs, rubric.scale, (), names=("exact", "bias")) if n else {}
        line = {
            "grader": grader,
            "simulated": bool(simulated),
            "asked": len(own),
            "n": n,
            "up": int((new > old).sum()),
            "down": int((new < old).sum()),
            "exact": moved.get("exact", none),
            "change": moved.get("bias", none),
        }
        made.append(line)
    return made


def regraded_sentence(found: Sequence[Mapping[str, Any]]) -> str:
    """Return how many grades were given again, and how they moved."""
    asked, n, up, down = (sum(one[key] for one in found) for key in ("asked", "n", "up", "down"))
    if not asked:
        return "No grades have been requested again."
    return f"{n:,} of {counted(asked, 'grade')} regraded: {up:,} up, {down:,} down."


def table(found: Sequence[Mapping[str, Any]]) -> Table:
    """Return the old and new grades of every annotator."""
    parts = (
        ("annotator", lambda one: named(one["grader"], one["simulated"])),
        *((Column(key, "count"), key) for key in ("asked", "n", "up", "down")),
        (Column("kept the score", "share"), "exact"),
        (Column("mean change", "difference"), "change"),
    )
    return table_of("regraded", found, parts)
