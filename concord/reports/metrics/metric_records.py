"""Metric records: every metric value of a sheet, and the mean of some with its interval.

Only this module decides which values count: one based on a list that was edited since is undefined
until the judge is run again. Intervals are by question.
"""

import json
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from concord import metrics
from concord.model import Sheet
from concord.sampling import splits
from concord.stats.intervals.bootstrap import mean
from concord.store import items as store_items
from concord.store import metric_values
from concord.store.database import Row, Store

LIST_EDITED = "list_edited"
WHY_EDITED = "a list it is based on was edited since: run the judge again"


class Record(NamedTuple):
    """One metric value of one item, or why it is undefined.

    Attributes:
        cluster: Resampling unit: the question's cluster, else the question.
        answer_model: The answering model; None where unknown.
        version: Its criterion version, which differs by reading and prompt.
        switches: The choice of each switch.
        grader_id: The grader: a judge for metrics, or an annotator.
        judge: That grader's label.
        repeat: Number of the grader's repeat, from 1.
        status: As of grades; `list_edited` where a list it is based on was edited since.
        reason: How the value was computed, or why it is undefined.
        parts: Secondary values.
        flags: Codes of caveats.
        units: Number of units it is based on.
    """

    item_id: int
    question_id: int
    cluster: str | int
    answer_model: str | None
    metric: str
    version: str
    switches: Mapping[str, str]
    grader_id: int
    judge: str
    repeat: int
    value: float | None
    status: str
    reason: str
    parts: Mapping[str, float | None]
    flags: tuple[str, ...]
    units: int


class Readings(NamedTuple):
    """The records of a sheet, oldest first.

    `closed` counts the items excluded from all statistics, because judges may have seen their
    questions or they are held out; `items` all others. A value based on a list edited since: None,
    with the status `list_edited`.
    """

    records: list[Record]
    items: int
    closed: int


def read(store: Store, sheet: Sheet) -> Readings:
    """Return every current value of a sheet, under each reading's newest prompts."""
    shut = splits.leaked(store, sheet.id) | splits.held_out(store, sheet.id)
    index = store_items.item_index(store, sheet.id)
    closed = sum(row["question_id"] in shut for row in index)
    edited = metric_values.edited(store, sheet_id=sheet.id)
    rows = metric_values.of_sheet(store, sheet.id)
    records = _newest([standing(row, edited) for row in rows if row["question_id"] not in shut])
    first = (one for one in records if one.status == LIST_EDITED and one.repeat == 1)
    if gone := {(one.item_id, f"{one.metric} by {one.judge}") for one in first}:
        # The values that a cross-encoder's rests on, as the set it was registered over names them.
        overs = (one.switches.get("over", "").split(", ") for one in records)
        records = [
            _without(one) if gone & {(one.item_id, name) for name in over} else one
            for one, over in zip(records, overs, strict=True)
        ]
    return Readings(records, len(index) - closed, closed)


def by_reading(records: Iterable[Record]) -> dict[tuple[str, str], list[Record]]:
    """Return the first value or reason of each answer, by judge and version; the oldest first."""
    found: dict[tuple[str, str], list[Record]] = {}
    for one in records:
        if one.repeat == 1:
            found.setdefault((one.judge, one.version), []).append(one)
    return found


def standing(row: Row, edited: Collection[int]) -> Record:
    """Return a row of `metric_values`, without its value where a list it rests on was edited."""
    own = f"@{row['fingerprint']}" if row["fingerprint"] else ""
    one = Record(
        item_id=row["item_id"],
        question_id=row["question_id"],
        cluster=row["question_id"] if row["cluster"] is None else row["cluster"],
        answer_model=row["answer_model"],
        metric=row["metric"],
        version=row["version"],
        switches=_decoded(row["body"]).get("switches", {}),
        grader_id=row["grader_id"],
        judge=f"{row['name']}{own}",
        repeat=row["repeat"],
        value=row["score"],
        status=row["status"],
        reason=row["reason"],
        parts=_decoded(row["parts"]),
        flags=tuple(_decoded(row["flags"])),
        units=row["units"],
    )
    stale = edited and not edited.isdisjoint(json.loads(row["lists"]))
    return _without(one) if stale else one


def short(labels: Iterable[str]) -> dict[str, str]:
    """Return each judge's label without its fingerprint, where the name is unique."""
    every = list(dict.fromkeys(labels))
    names = [label.partition("@")[0] for label in every]
    return {
        label: name if names.count(name) == 1 else label
        for label, name in zip(every, names, strict=True)
    }


def word(stored: str) -> str:
    """Return a switch, choice, flag or part in words."""
    return stored.replace("_", " ")


def _without(one: Record) -> Record:
    """A record whose number counts no longer, nor what came with it."""
    return one._replace(
        value=None, status=LIST_EDITED, reason=WHY_EDITED, parts={}, flags=(), units=0
    )


@lru_cache(maxsize=4096)
def _decoded(text: str) -> Any:
    """Decode JSON, cached: most values of a sheet share it. Do not modify."""
    return json.loads(text)


def _newest(records: list[Record]) -> list[Record]:
    """Those under the newest prompts of their reading."""
    keys = [(one.grader_id, one.metric, one.version) for one in records]
    # What does not depend on the prompts; there are few versions, and sorting switches takes long.
    readings = {
        key: (*key[:2], tuple(sorted(one.switches.items())))
        for key, one in dict(zip(keys, records, strict=True)).items()
    }
    newest = {readings[key]: key[-1] for key in keys}
    return [one for one, key in zip(records, keys, strict=True) if newest[readings[key]] == key[-1]]


def figure(records: Sequence[Record]) -> dict[str, Any]:
    """Return the mean of records of one metric, with its 95% CI by question.

    Returns:
        `n`, how many answers have a value, how many `questions` (or clusters) they belong to, and
        the `mean`.
    """
    scored = [one for one in records if one.value is not None]
    values = np.array([one.value for one in scored], float)
    cluster = indexed(one.cluster for one in scored)
    limits = bounds(records[0].metric, records[0].switches) if records else (-np.inf, np.inf)
    questions = len(set(cluster.tolist()))
    return {"n": len(scored), "questions": questions, "mean": mean(values, cluster, limits)}


def bounds(name: str, switches: Mapping[str, str]) -> tuple[float, float]:
    """The least and greatest number a metric can give; without end where there is no limit."""
    found = metrics.available().get(name)
    low, high = (found.least(switches), found.high) if found else (None, None)
    return -np.inf if low is None else low, np.inf if high is None else high


def indexed(keys: Iterable[Hashable]) -> np.ndarray:
    """An index from 0 for each key, the same for the same."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys], np.int64)
