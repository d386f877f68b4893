"""Reference standard: the annotators' scores a judge is compared with; why others have none."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from concord.messages import said
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.stats.core.pairs import strict_majority

EACH, CONSENSUS, MEAN = "each", "consensus", "mean"
NOBODY = said("no annotator's grade")
UNSCORED = said("annotators gave no score")
INCOMPLETE = said("annotators did not score every criterion")
NOT_INCLUDED = said("graded only by annotators who are pending or excluded")
NOT_BLIND = said("not blind")
NO_CONSENSUS = said("annotators have no consensus")
NOT_DRAWN = said("graded outside every sampled set, so its inclusion probability is unknown")


class Reference(NamedTuple):
    """Annotators' scores of one criterion, one row each, and a reason per item that has none.

    Attributes:
        item: (b,) item indices.
        score: (b,) scores (composites are real numbers).
        grader: (b,) the annotator, or -1 for a consensus.
        why: (N,) '' where the item has a reference, else why it has none.
    """

    item: np.ndarray
    score: np.ndarray
    grader: np.ndarray
    why: np.ndarray

    def means(self) -> np.ndarray:
        """Return (N,) the mean of each item's scores; NaN for an item without any."""
        count = len(self.why)
        times = np.bincount(self.item, minlength=count)
        total = np.bincount(self.item, weights=self.score, minlength=count)
        return np.divide(total, times, out=np.full(count, np.nan), where=times > 0)

    def but(self, grader_id: int) -> "Reference":
        """The same without one annotator's scores; `why` stays as it is."""
        keep = self.grader != grader_id
        return Reference(self.item[keep], self.score[keep], self.grader[keep], self.why)


def reference(panel: Panel, criterion: str, kind: str) -> Reference:
    """The reference of a criterion (or of the composite): `each` annotator, or their `consensus`.

    A consensus composite is made of the criteria's consensus, where all of them have one.
    """
    each = _each(panel, criterion)
    if kind == EACH:
        return each
    if criterion == COMPOSITE:
        parts = [reference(panel, name, CONSENSUS) for name in panel.weights]
        columns = [pd.Series(part.score, index=part.item) for part in parts]
        return _settled(each, consensus_composite(panel, columns))
    scores = majority(each)
    ruled = panel.adjudicated[panel.adjudicated["criterion"] == criterion]
    ruled = ruled[(panel.open & (panel.weight > 0))[ruled["item"]]].set_index("item")["score"]
    return _settled(each, ruled.combine_first(scores) if len(ruled) else scores)


def reference_of_mean(panel: Panel, criterion: str, mean: int) -> Reference:
    """Return a mean of several annotators, by its grader id, as the reference of a criterion."""
    marks = panel.numbers(criterion, mean)
    graded = marks.scored & marks.blind & panel.open
    why = np.full(len(panel.items), NOBODY, dtype=object)
    why[marks.status >= 0] = UNSCORED
    why[marks.scored & ~marks.blind] = NOT_BLIND
    why[graded] = ""
    why = np.where(panel.open, why, panel.items["closed"].to_numpy())
    item = np.flatnonzero(graded)
    return Reference(item, marks.score[item], np.full(len(item), mean), why)


def majority(annotators: Reference) -> pd.Series:
    """The score that more than half of an item's annotators gave, by item; no adjudications."""
    found = strict_majority(annotators.item, annotators.score)
    return pd.Series(found.score, index=found.item, dtype=float)


def consensus_composite(panel: Panel, columns: list[pd.Series]) -> pd.Series:
    """The composite of one score per item and criterion, where all criteria have one.

    `columns` has a series per weighted criterion, in the order of the weights.
    """
    scores = pd.concat(columns, axis=1, keys=list(panel.weights)).dropna()
    whole = sum(int(w * panel.denominator) * scores[name] for name, w in panel.weights.items())
    return whole / panel.denominator


def without_consensus(annotators: Reference) -> tuple[int, float | None]:
    """Count the answers that annotators scored without a consensus, and their share of those."""
    lost = int((annotators.why == NO_CONSENSUS).sum())
    scored = lost + int((annotators.why == "").sum())
    return lost, lost / scored if scored else None


def _each(panel: Panel, criterion: str) -> Reference:
    why = np.full(len(panel.items), NOBODY, dtype=object)
    for person, grader in panel.persons.items():
        if grader.name in panel.not_included:
            why[panel.of(criterion, person).status >= 0] = NOT_INCLUDED
    marks = {person: panel.of(criterion, person) for person in panel.annotators}
    for mark in marks.values():
        why[mark.status >= 0] = INCOMPLETE if criterion == COMPOSITE else UNSCORED
    for mark in marks.values():
        why[mark.scored & ~mark.blind] = NOT_BLIND
    for mark in marks.values():
        why[mark.scored & mark.blind & (panel.weight == 0)] = NOT_DRAWN
    items, scores, who = [np.zeros(0, int)], [np.zeros(0)], [np.zeros(0, int)]
    for person, mark in marks.items():
        item = np.flatnonzero(panel.counted(criterion, person))
        why[item] = ""
        items.append(item)
        scores.append(mark.score[item])
        who.append(np.full(len(item), person))
    why = np.where(panel.open, why, panel.items["closed"].to_numpy())
    return Reference(np.concatenate(items), np.concatenate(scores), np.concatenate(who), why)


def _settled(each: Reference, scores: pd.Series) -> Reference:
    """The reference with one score per item; items with annotators' scores but none here say so."""
    why = np.where(each.why == "", NO_CONSENSUS, each.why)
    item = scores.index.to_numpy().astype(int)
    why[item] = ""
    return Reference(item, scores.to_numpy(float), np.full(len(scores), -1), why)
