"""Regrading: which grades must be given again when a criterion is reworded, and what changed.

Grades stay with the version they were given under. A grade is to be given again where its version
no longer counts and its grader has not graded that answer under one that does. Only first grades
are listed: later ones measure intra-annotator agreement and enter no other figure.

Changes are due to the wording and to intra-annotator disagreement; hidden repeats show the size of
the latter. Every annotator is compared with themselves alone.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from concord.grading import disagreement_causes, grading_sets, regrades
from concord.grading.grading_sets import GradingSet
from concord.messages import counted
from concord.model import Sheet
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.wording import named, short_label
from concord.rubrics.edit import changes
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.stats.core.estimate import undefined
from concord.stats.core.pairs import Pairs
from concord.stats.statistics import figures
from concord.store import grade_table, graders, items
from concord.store import sheets as stored
from concord.store.database import Row, Store
from concord.store.rubrics import rubric_edits, rubric_versions
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


def outstanding(store: Store, rubric: Rubric, criterion: str) -> pd.DataFrame:
    """Return the grades of earlier versions of a criterion that were not yet given under this one.

    Earlier versions are those the rubric had before and those that, before this one was written,
    a tag called unclear; on the same scale, and not carried over as wording only.

    Returns:
        Columns sheet, item, question, answer_model, criterion, version, grader, kind, simulated,
        status and score; annotators before judges.
    """
    parts = []
    for sheet in stored.all_sheets(store):
        table = _left(store, sheet, rubric, criterion)
        if table.empty:  # names take longest to read
            continue
        who = {i: graders.get(store, int(i)) for i in table["grader_id"].unique()}
        by = [who[i] for i in table["grader_id"]]
        names = items.item_names(store, sheet.id)
        answers = [names[i] for i in table["item_id"]]
        about = pd.DataFrame(answers, columns=["item", "question", "answer_model"])
        about.insert(0, "sheet", sheet.name)
        about["criterion"], about["version"] = criterion, table["criterion"].to_numpy()
        about["grader"], about["kind"] = [one.label() for one in by], [one.kind for one in by]
        about["simulated"] = [one.simulated for one in by]
        about["status"], about["score"] = (table[key].to_numpy() for key in ("status", "score"))
        parts.append(about)
    if not parts:
        return pd.DataFrame()
    found = pd.concat(parts, ignore_index=True)
    return found.sort_values("kind", ascending=False, kind="stable", ignore_index=True)


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


def _left(store: Store, sheet: Sheet, rubric: Rubric, criterion: str) -> pd.DataFrame:
    """Return the current first grades of a sheet that exist under earlier versions only."""
    version = rubric.versions()[criterion]
    counting = rubric_versions.counting(store, version)
    history = rubric_edits.history(store, rubric.name)
    earlier = [one.version for one in history if one.criterion == criterion]
    if rubric_edits.is_own(store, rubric.name):
        earlier += disagreement_causes.unclear_versions(store, sheet.id, version)
    earlier = [one for one in dict.fromkeys(earlier) if one not in counting]
    given = _current(store, sheet, counting)
    if not earlier:
        return given.iloc[:0]
    # The newest old grade of each answer and grader that has no new one.
    slot = ["item_id", "grader_id"]
    old = _current(store, sheet, earlier).drop_duplicates(slot, keep="last")
    again = pd.MultiIndex.from_frame(given[slot])
    return old[~pd.MultiIndex.from_frame(old[slot]).isin(again)]


def _current(store: Store, sheet: Sheet, versions: list[str]) -> pd.DataFrame:
    """The current first grades of a sheet under some versions; `criterion` holds the version.

    Not of questions that judges may have seen: those grades never count.
    """
    table = grade_table.table(store, sheet.id, {version: version for version in versions})
    closed = splits.leaked(store, sheet.id)
    shut = {row[0] for row in items.item_index(store, sheet.id) if row[1] in closed}
    return table[(table["repeat"] == 1) & ~table["item_id"].isin(shut)]


def regrading(
    store: Store,
    rubric: Rubric,
    criterion: str,
    asked: Sequence[Mapping[str, Any]] = (),
    only: Sheet | None = None,
) -> dict[str, Any]:
    """Return what was `asked` again in this step, what could be, and how grades moved.

    `outstanding` has by grader the grades that earlier wordings left; `only` is one sheet, None for
    all.
    """
    return {
        "rubric": rubric.name,
        "criterion": criterion,
        "asked": [*asked],
        "to_ask": [counts for _, counts in to_ask(store, rubric, criterion, only)],
        "rows": rows(store, rubric, criterion),
        "outstanding": by_grader(outstanding(store, rubric, criterion)),
    }


def document(found: Mapping[str, Any]) -> Document:
    """Return what is shown of grades requested again."""
    return Document(
        regraded_sentence(found["rows"]),
        tables=(
            counts_table("asked", found["asked"], "Asked again"),
            counts_table("requests", found["to_ask"], "Grades to request again"),
            table(found["rows"]),
            counts_table("graders", found["outstanding"], "Under earlier wordings"),
        ),
    )


def counts_table(name: str, rows: Sequence[Mapping[str, Any]], title: str = "") -> Table:
    """Return a table of rows that have texts and counts, by key."""
    heads = [*rows[0]] if rows else []
    columns = (
        Column(head, "text" if isinstance(rows[0][head], str) else "count") for head in heads
    )
    return Table(name, tuple(columns), tuple(tuple(row.values()) for row in rows), title)


def by_grader(found: pd.DataFrame) -> list[dict[str, Any]]:
    """Return grades and answers of each grader with grades to give again, annotators first."""
    if found.empty:
        return []
    rows = [
        {
            "grader": grader,
            "kind": graders.KINDS[kind],
            "grades": len(own),
            "answers": own["item"].nunique(),
        }
        for (kind, grader), own in found.groupby(
            ["kind", found["grader"].map(short_label)], sort=False
        )
    ]
    return sorted(rows, key=lambda row: (row["kind"] != graders.KINDS["person"], -row["grades"]))


def rows(store: Store, rubric: Rubric, criterion: str) -> list[dict[str, Any]]:
    """Return a row per annotator whose grades of a criterion were requested again, by name.

    Of the `n` of `asked` grades that have a score before and now: `exact` is the share kept,
    `change` new minus old.
    """
    found: dict[tuple[str, bool], list[Row]] = {}
    for row in regrades.side_by_side(store, rubric.versions()[criterion]):
        found.setdefault((row["grader"], bool(row["simulated"])), []).append(row)
    made = []
    for (grader, simulated), own in found.items():
        both = [r for r in own if r["old_status"] == r["new_status"] == "scored"]
        old, new = (np.array([row[key] for row in both], float) for key in _SCORES)
        cluster = np.unique([row["cluster"] for row in both], return_inverse=True)[1]
        pairs = Pairs(new, old, np.ones(len(both)), np.arange(len(both)), cluster)
        moved = figures(pairs, rubric.scale, (), names=("exact", "bias")) if both else {}
        none = undefined("no grade has a score before and now")
        line = {
            "grader": grader,
            "simulated": simulated,
            "asked": len(own),
            "n": len(both),
            "up": int((new > old).sum()),
            "down": int((new < old).sum()),
            "exact": moved.get("exact", none),
            "change": moved.get("bias", none),
        }
        made.append(line)
    return made


_SCORES = ("old_score", "new_score")


def regraded_sentence(found: Sequence[Mapping[str, Any]]) -> str:
    """Return how many grades were given again, and how they moved."""
    asked, n, up, down = (sum(one[key] for one in found) for key in ("asked", "n", "up", "down"))
    if not asked:
        return "No grades have been requested again."
    return f"{n:,} of {counted(asked, 'grade')} regraded: {up:,} up, {down:,} down."


def table(found: Iterable[Mapping[str, Any]]) -> Table:
    """Return the old and new grades of every annotator."""
    parts = (
        ("annotator", lambda one: named(one["grader"], one["simulated"])),
        *(
            (Column(key, "count"), lambda one, key=key: one[key])
            for key in ("asked", "n", "up", "down")
        ),
        (Column("kept the score", "share"), lambda one: one["exact"]),
        (Column("mean change", "difference"), lambda one: one["change"]),
    )
    return table_of("regraded", found, parts)
