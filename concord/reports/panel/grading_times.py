"""Grading times: when annotators gave the grades that count, and how many seconds they took."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from concord.reports.panel.panel import Panel
from concord.store import grade_table
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


@dataclass(frozen=True)
class Moments:
    """Arrays over the items of a panel, NaN where nothing is known; times in seconds since 1970.

    Attributes:
        given: By (criterion, grader id, repeat), when the grade was given.
        seconds: By grader id, how long the first grades of an answer took, over all criteria.
        items: How many items there are.
    """

    given: dict[tuple[str, int, int], np.ndarray]
    seconds: dict[int, np.ndarray]
    items: int

    def of(self, criterion: str, grader_id: int, repeat: int = 1) -> np.ndarray:
        """(N,) when a grader graded a criterion."""
        return self.given.get((criterion, grader_id, repeat), np.full(self.items, np.nan))

    def took(self, grader_id: int) -> np.ndarray:
        """(N,) seconds a grader spent on each answer."""
        return self.seconds.get(grader_id, np.full(self.items, np.nan))


def read(store: Store, panel: Panel) -> Moments:
    """The moments of a panel of whole answers."""
    names = rubric_versions.criteria(store, panel.rubric)
    frame = grade_table.graded_times(store, panel.sheet.id, list(names))
    frame["place"] = np.searchsorted(panel.items["id"], frame["item_id"])
    frame["criterion"] = frame["version"].map(names)
    frame["at"] = _since_1970(frame["given_at"])
    slot = ["criterion", "grader_id", "repeat"]
    newest = frame.drop_duplicates([*slot, "place"], keep="last")
    first = frame[frame["repeat"] == 1]
    took = first.groupby(["grader_id", "place"])["seconds"].sum(min_count=1).reset_index()
    return Moments(
        {key: _spread(panel, rows, "at") for key, rows in newest.groupby(slot)},
        {int(who): _spread(panel, rows, "seconds") for who, rows in took.groupby("grader_id")},
        len(panel.items),
    )


def _since_1970(texts: pd.Series) -> np.ndarray:
    known = pd.to_datetime(texts, utc=True, format="ISO8601")
    return ((known - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(seconds=1)).to_numpy(float)


def _spread(panel: Panel, rows: pd.DataFrame, column: str) -> np.ndarray:
    found = np.full(len(panel.items), np.nan)
    found[rows["place"]] = rows[column]
    return found
