"""Regrading: which grades must be given again when a criterion is reworded, and what changed.

Grades stay with the version they were given under. A grade is to be given again where its version
no longer counts and its grader has not graded that answer under one that does. Only first grades
are listed: later ones measure intra-annotator agreement and enter no other figure.

Changes are due to the wording and to intra-annotator disagreement; hidden repeats show the size of
the latter. Every annotator is compared with themselves alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from concord.grading import disagreement_causes, regrades
from concord.grading.grading_sets import GradingSet
from concord.grading.regrades import OutdatedGrade
from concord.messages import Said, counted, joined, said
from concord.model import Sheet
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.provenance import named, short_label
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.stats.core.estimate import undefined
from concord.stats.core.pairs import Pairs
from concord.stats.statistics import figures
from concord.store import grade_table, graders, items
from concord.store import sheets as stored
from concord.store.database import Row, Store
from concord.store.rubrics import rubric_edits, rubric_versions

# A grade that was given under an earlier version: sheet, item, question, answer_model, criterion,
# version, grader, kind, simulated, status and score (None without one).
GradeLeft = dict[str, Any]
WAITING, UNSCORED_BEFORE, UNSCORED_NOW = "not given again yet", "had no score", "has no score now"


def after_change(store: Store, rubric: Rubric, criterion: str) -> list[GradeLeft]:
    """The grades that a new version of a criterion would leave behind; annotators before judges."""
    counting = rubric_versions.counting(store, rubric.versions()[criterion])
    return _named(store, criterion, lambda sheet: _current(store, sheet, counting))


def outstanding(store: Store, rubric: Rubric, criterion: str) -> list[GradeLeft]:
    """The grades of earlier versions of a criterion that were not yet given under this one.

    Earlier versions are those the rubric had before and those that, before this one was written,
    a tag called unclear; on the same scale, and not carried over as wording only.
    """
    return _named(store, criterion, lambda sheet: _left(store, sheet, rubric, criterion))


def to_ask(
    store: Store, rubric: Rubric, criterion: str, only: Sheet | None = None
) -> list[tuple[Sheet, list[OutdatedGrade]]]:
    """Return the outstanding regrades of annotators who are not simulated, by sheet.

    Those already requested are left out. `only` restricts to one sheet.
    """
    asked = regrades.requested(store, rubric.versions()[criterion])
    annotators = {one.id for one in graders.of_kind(store, "person") if not one.simulated}
    found = []
    for sheet in [only] if only else stored.all_sheets(store):
        table = _left(store, sheet, rubric, criterion)
        table = table[table["grader_id"].isin(annotators) & ~table["id"].isin(asked)]
        rows = table[["id", "item_id", "grader_id"]].itertuples(index=False)
        if left := [OutdatedGrade(*map(int, row)) for row in rows]:
            found.append((sheet, left))
    return found


def ask(
    store: Store, rubric: Rubric, criterion: str, by: str, only: Sheet | None = None
) -> list[GradingSet]:
    """Put annotators' outstanding grades back into their queues; the grading sets that hold it."""
    with store.write():
        return [
            regrades.ask(store, sheet.id, rubric, criterion, left, by)
            for sheet, left in to_ask(store, rubric, criterion, only)
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


def _named(
    store: Store, criterion: str, of_sheet: Callable[[Sheet], pd.DataFrame]
) -> list[GradeLeft]:
    """Grades of every sheet with names in place of ids, annotators' first."""
    found = []
    for sheet in stored.all_sheets(store):
        table = of_sheet(sheet)
        if table.empty:  # names take longest to read
            continue
        who = {i: graders.get(store, int(i)) for i in table["grader_id"].unique()}
        answers = items.item_names(store, sheet.id)
        for row in table.itertuples():
            item, question, model = answers[row.item_id]
            grader = who[row.grader_id]
            found.append(
                {
                    "sheet": sheet.name,
                    "item": item,
                    "question": question,
                    "answer_model": model,
                    "criterion": criterion,
                    "version": row.criterion,
                    "grader": grader.label(),
                    "kind": grader.kind,
                    "simulated": grader.simulated,
                    "status": row.status,
                    "score": None if np.isnan(row.score) else row.score,
                }
            )
    return sorted(found, key=lambda one: one["kind"], reverse=True)


def regrading(
    store: Store,
    rubric: Rubric,
    criterion: str,
    made: Iterable[GradingSet] = (),
    only: Sheet | None = None,
) -> dict[str, Any]:
    """Return what was requested again, what could be, and how grades moved.

    `made` are the grading sets made in this step, and `only` is one sheet, None for all.
    `after_change` and `outstanding` have by grader the grades that a new wording would leave, and
    those that earlier ones left.
    """
    left = after_change(store, rubric, criterion), outstanding(store, rubric, criterion)
    return {
        "rubric": rubric.name,
        "criterion": criterion,
        "made": [
            {"set": one.name, "grades": regrades.asked_in(store, one.id), "answers": one.answers}
            for one in made
        ],
        "to_ask": requests(to_ask(store, rubric, criterion, only)),
        "rows": rows(store, rubric, criterion),
        "after_change": by_grader(left[0]),
        "outstanding": by_grader(left[1]),
    }


def document(found: Mapping[str, Any]) -> Document:
    """Return what is shown of grades requested again."""
    return Document(
        regraded_sentence(found["rows"]),
        tables=(
            _table("made", found["made"], "Grading sets made"),
            request_table(found["to_ask"]),
            table(found["rows"]),
            grader_table(found["outstanding"], "Under earlier wordings"),
            grader_table(found["after_change"], "If reworded"),
        ),
    )


def _table(name: str, rows: Sequence[Mapping[str, Any]], title: str = "") -> Table:
    """Return a table of rows that have texts and counts, by key."""
    heads = list(rows[0]) if rows else []
    columns = (
        Column(head, "text" if isinstance(rows[0][head], str) else "count") for head in heads
    )
    return Table(name, tuple(columns), tuple(tuple(row.values()) for row in rows), title)


def requests(found: Iterable[tuple[Sheet, Sequence[OutdatedGrade]]]) -> list[dict[str, Any]]:
    """Return by sheet how many grades of how many answers would be requested of whom."""
    return [
        {
            "sheet": sheet.name,
            "grades": len(left),
            "answers": len({one.item_id for one in left}),
            "annotators": len({one.grader_id for one in left}),
        }
        for sheet, left in found
    ]


def request_table(found: Sequence[Mapping[str, Any]]) -> Table:
    """Return a row for each sheet with grades to request again."""
    return _table("requests", found, "Grades to request again")


def rows(store: Store, rubric: Rubric, criterion: str) -> list[dict[str, Any]]:
    """Return a row per annotator whose grades of a criterion were requested again, by name."""
    found: dict[tuple[str, bool], list[Row]] = {}
    for row in regrades.side_by_side(store, rubric.versions()[criterion]):
        found.setdefault((row["grader"], bool(row["simulated"])), []).append(row)
    return [_row(rubric, *who, own) for who, own in found.items()]


def regraded_sentence(found: Sequence[Mapping[str, Any]]) -> Said:
    """Return how many grades were given again, and how they moved."""
    asked, n, up, down = (sum(one[key] for one in found) for key in ("asked", "n", "up", "down"))
    if not asked:
        return "No grades have been requested again."
    return said(
        "{n:,} of {grades} regraded: {up:,} up, {down:,} down.",
        n=n,
        grades=counted(asked, "grade"),
        up=up,
        down=down,
    )


def table(found: Iterable[Mapping[str, Any]]) -> Table:
    """Return the old and new grades of every annotator."""
    counts = ("asked", "n", "questions", "up", "down", "same")
    parts = (
        ("annotator", lambda one: named(one["grader"], one["simulated"])),
        *((Column(key, "count"), lambda one, key=key: one[key]) for key in counts),
        (Column("kept the score", "share"), lambda one: one["exact"]),
        (Column("mean change", "difference"), lambda one: one["change"]),
        (
            "left out",
            lambda one: joined("; ", (f"{n} {why}" for why, n in one["left_out"].items())),
        ),
    )
    return table_of("regraded", found, parts)


def _row(rubric: Rubric, grader: str, simulated: bool, own: list[Row]) -> dict[str, Any]:
    """Return how an annotator's grades moved: `exact` is the share kept, `change` new minus old."""
    why = [_why_out(row) for row in own]
    both = [row for row, out in zip(own, why, strict=True) if not out]
    old, new = (np.array([row[key] for row in both], float) for key in ("old_score", "new_score"))
    cluster = np.unique([row["cluster"] for row in both], return_inverse=True)[1]
    pairs = Pairs(new, old, np.ones(len(both)), np.arange(len(both)), cluster)
    found = figures(pairs, rubric.scale, (), names=("exact", "bias")) if both else {}
    none = undefined(said("no grade has a score before and now"))
    return {
        "grader": grader,
        "simulated": simulated,
        "asked": len(own),
        "left_out": {reason: why.count(reason) for reason in dict.fromkeys(filter(None, why))},
        "n": len(both),
        "questions": len(np.unique(cluster)),
        "up": int((new > old).sum()),
        "down": int((new < old).sum()),
        "same": int((new == old).sum()),
        "exact": found.get("exact", none),
        "change": found.get("bias", none),
    }


def _why_out(row: Row) -> str:
    if row["new_status"] is None:
        return WAITING
    if row["old_status"] != "scored":
        return UNSCORED_BEFORE
    return UNSCORED_NOW if row["new_status"] != "scored" else ""


def by_grader(found: Iterable[GradeLeft]) -> list[dict[str, Any]]:
    """Return grades and answers of each grader with grades to give again, annotators first."""
    own: dict[tuple[str, str], list[GradeLeft]] = {}
    for one in found:
        own.setdefault((one["kind"], short_label(one["grader"])), []).append(one)
    rows = sorted(own.items(), key=lambda row: (row[0][0] != "person", -len(row[1])))
    return [
        {
            "grader": grader,
            "kind": graders.KINDS[kind],
            "grades": len(left),
            "answers": len({one["item"] for one in left}),
        }
        for (kind, grader), left in rows
    ]


def grader_table(found: Sequence[Mapping[str, Any]], title: str = "") -> Table:
    """Return the table of `by_grader`."""
    return _table("graders", found, title)
