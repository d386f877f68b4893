"""Reference: the people's scores a judge is compared with, and why the other answers have none."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from reports.panel import COMPOSITE, Panel
from stats.consensus import strict_majority

EACH, CONSENSUS = "each", "consensus"
NOBODY = "no person's grade"
UNSCORED = "people gave no score"
NOT_BLIND = "graded after seeing the judges"
NO_CONSENSUS = "people have no consensus"


class Reference(NamedTuple):
    """People's scores of one criterion, one row each, and a reason per item that has none.

    Attributes:
        item: (b,) item indices.
        score: (b,) scores (composites are real numbers).
        grader: (b,) the person, or -1 for a consensus.
        why: (N,) '' where the item has a reference, else why it has none.
    """

    item: np.ndarray
    score: np.ndarray
    grader: np.ndarray
    why: np.ndarray


def reference(panel: Panel, criterion: str, kind: str) -> Reference:
    """The reference of a criterion (or of the composite): `each` person, or their `consensus`."""
    people = panel.of(criterion, panel.people)
    counted = people[
        (people["status"] == "scored") & (people["blind"] != 0) & panel.open[people["item"]]
    ]
    why = _why(panel, people, counted)
    if kind == EACH:
        columns = (counted[name].to_numpy() for name in ("item", "score", "grader_id"))
        return Reference(*columns, why)
    return _consensus(panel, criterion, counted, why)


def _why(panel: Panel, people: pd.DataFrame, counted: pd.DataFrame) -> np.ndarray:
    why = np.full(len(panel.items), NOBODY, dtype=object)
    why[people["item"]] = UNSCORED
    why[people.loc[(people["status"] == "scored") & (people["blind"] == 0), "item"]] = NOT_BLIND
    why[counted["item"]] = ""
    closed = panel.items["closed"].to_numpy()
    return np.where(closed != "", closed, why)


def _consensus(panel: Panel, criterion: str, counted: pd.DataFrame, why: np.ndarray) -> Reference:
    """The blind adjudicated score where there is one, else the strict majority."""
    found = strict_majority(counted["item"].to_numpy(), counted["score"].to_numpy())
    scores = pd.Series(found.score, index=found.item, dtype=float)
    if criterion != COMPOSITE:
        settled = panel.adjudicated[panel.adjudicated["criterion"] == criterion]
        settled = settled[panel.open[settled["item"]]]
        scores = settled.set_index("item")["score"].combine_first(scores)
    why = np.where(why == "", NO_CONSENSUS, why)
    why[scores.index] = ""
    return Reference(scores.index.to_numpy(), scores.to_numpy(), np.full(len(scores), -1), why)
