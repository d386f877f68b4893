"""Comparison data of one criterion, computed once and shared by all judges.

The annotators' reference, the inter-annotator agreement, and both per set of items, since judges
that graded the same answers share them.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from concord.model import Grader
from concord.reports.panel.panel import COMPOSITE, Marks, Panel
from concord.rubrics.model import Criterion
from concord.stats.agreement.failure_recall import VerdictCounts
from concord.stats.core.estimate import Estimate, Reason, Statistics, reason
from concord.stats.core.minimums import OVERLAP_FLOOR
from concord.stats.core.pairs import (
    Pairs,
    annotators_pairs,
    judge_pairs,
    others_pairs,
    strict_majority,
)
from concord.stats.core.tables import NEGLIGIBLE, effective_number, positions
from concord.stats.statistics import KEYS, absent, composite_figures, counts, figures

EACH, CONSENSUS, MEAN = "each", "consensus", "mean"
NOBODY = "no annotator's grade"
UNSCORED = "annotators gave no score"
INCOMPLETE = "annotators did not score every criterion"
NOT_INCLUDED = "graded only by annotators who are pending or excluded"
NOT_BLIND = "not blind"
NO_CONSENSUS = "annotators have no consensus"
NOT_DRAWN = "graded outside every sampled set, so its inclusion probability is unknown"


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


ONE_PERSON = reason("no_answer_graded_twice")
ONE_SELECTED = reason("one_annotator_selected")
TOO_LITTLE_OVERLAP = reason("too_little_overlap")
_NOT_SELECTED = {"annotator_not_chosen", "annotator_not_named", "annotator_excluded"}


class PairStatistics(NamedTuple):
    """Pairs on some items and what is said of them.

    Attributes:
        on: (N,) which items they are on.
        verdicts: How many of the answers annotators failed and passed, and the judge failed; None
            for the composite.
        used: (K,) summed weights of the annotators' scores; None for the composite.
    """

    pairs: Pairs
    on: np.ndarray
    figures: dict[str, Estimate]
    verdicts: VerdictCounts | None
    used: np.ndarray | None

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.on.sum())

    @property
    def failing(self) -> int | None:
        """Number of items that annotators failed; None for the composite."""
        return self.verdicts and self.verdicts.failing

    @property
    def statistics(self) -> Statistics:
        """The figures with the numbers of answers that those of failing verdicts are of."""
        return Statistics(self.figures, counts(self.verdicts))


@dataclass(frozen=True)
class CriterionPanel:
    """One criterion (or the composite) of a panel under one kind of reference.

    Attributes:
        name: The criterion, or `composite`.
        kind: `each`, `consensus` or `mean`.
        annotators: The reference.
        mean: The imported mean of several annotators that is the reference; None for the others.
    """

    panel: Panel
    name: str
    kind: str
    annotators: Reference
    mean: Grader | None = None
    _ceilings: dict[bytes, PairStatistics] = field(default_factory=dict, repr=False, compare=False)
    _made: dict[str, object] = field(default_factory=dict, repr=False, compare=False)

    @property
    def criterion(self) -> Criterion | None:
        """The criterion's definition; None for the composite."""
        return None if self.name == COMPOSITE else self.panel.rubric.criterion(self.name)

    @property
    def no_overlap(self) -> Reason:
        """Why no answer counts as graded by two annotators, where none does."""
        others = {why.code for why in self.panel.uncounted.values()}
        alone = len(self.panel.annotators) == 1 and others & _NOT_SELECTED
        return ONE_SELECTED if alone else ONE_PERSON

    def pairs(self, judge: Grader, given: Marks | None = None) -> Pairs:
        """Return a judge's scores paired with the annotators', on the items both scored.

        `given` are the judge's grades where they are not its scores of the scale.
        """
        marks = given or self.panel.of(self.name, judge.id)
        items = np.flatnonzero(marks.scored & self.panel.open)
        annotators, cluster = self.annotators, self.panel.cluster
        pairs = judge_pairs(items, marks.score[items], annotators.item, annotators.score, cluster)
        return self.weighed(pairs)

    def judged(self, judge: Grader, names: Collection[str] = KEYS) -> PairStatistics:
        """Return the statistics of a judge against the annotators: those named."""
        return self.measured(self.pairs(judge), names=names)

    def ceiling(self, on: np.ndarray) -> PairStatistics:
        """Return the human ceiling on some (N,) items, undefined for `no_ceiling`."""
        found = self.overlapping(on)
        why = self.no_ceiling(found.pairs)
        return found._replace(figures=absent(why, found.figures)) if why else found

    def no_ceiling(self, pairs: Pairs) -> Reason | None:
        """Return why pairs of annotators are too few for a human ceiling; None where they are not.

        Questions count by their weight.
        """
        if not len(pairs.item):
            return self.no_overlap
        questions = effective_number(np.bincount(pairs.cluster, pairs.weight))
        return TOO_LITTLE_OVERLAP if questions < OVERLAP_FLOOR - NEGLIGIBLE else None

    def overlapping(self, on: np.ndarray) -> PairStatistics:
        """Return the annotators with one another on some (N,) items, however few they are.

        Equal sets of items are computed once.
        """
        key = np.packbits(on).tobytes()
        if key not in self._ceilings:
            pairs = self.between_annotators()
            self._ceilings[key] = self.measured(
                pairs.where(on[pairs.item]), self.kind == EACH, self.no_overlap
            )
        return self._ceilings[key]

    def measured(
        self,
        pairs: Pairs,
        between_annotators: bool = False,
        why_none: str | None = None,
        names: Collection[str] = KEYS,
    ) -> PairStatistics:
        """The figures of some pairs; all undefined for `why_none` where there are no pairs."""
        if why_none and not len(pairs.item):
            return self.with_figures(pairs, absent(why_none, names))
        if self.criterion is None:
            return self.with_figures(pairs, composite_figures(pairs, between_annotators, names))
        scale, failing = self.panel.rubric.scale, self.panel.rubric.failing(self.criterion)
        return self.with_figures(pairs, figures(pairs, scale, failing, between_annotators, names))

    def with_figures(self, pairs: Pairs, found: dict[str, Estimate]) -> PairStatistics:
        """The pairs with their figures; scores are counted where the reference has such."""
        on = self.panel.mask(pairs.item)
        if self.criterion is None or self.mean:
            return PairStatistics(pairs, on, found, None, None)
        scale, failing = self.panel.rubric.scale, self.panel.rubric.failing(self.criterion)
        place = positions(pairs.annotator, scale)
        used = np.bincount(place, weights=pairs.weight, minlength=len(scale))
        verdicts = VerdictCounts.of(pairs, failing)
        return PairStatistics(pairs, on, found, verdicts, used)

    def each(self) -> Reference:
        """Return every annotator's own scores, whatever the reference."""
        if "each" not in self._made:
            mine = self.annotators if self.kind == EACH else reference(self.panel, self.name, EACH)
            self._made["each"] = mine
        return self._made["each"]

    def annotators_on(self, on: np.ndarray) -> list[Grader]:
        """Return the annotators whose scores of these items count, by id."""
        counted = {i: self.panel.counted(self.name, i) for i in self.panel.annotators}
        return [self.panel.annotators[i] for i, mask in counted.items() if (mask & on).any()]

    def left_out(self) -> tuple[np.ndarray, Counter]:
        """(N,) which items have a reference, and how many have none by reason."""
        if "left_out" not in self._made:
            has = self.annotators.why == ""
            self._made["left_out"] = has, Counter(self.annotators.why[~has].tolist())
        return self._made["left_out"]

    def overlap(self) -> tuple[np.ndarray, np.ndarray]:
        """The items that two annotators or more scored, and their (annotators, items) scores.

        Scores that do not count are nan; composites are whole numbers, so that ties are exact.
        """
        if "overlap" not in self._made:
            counted = [self.panel.counted(self.name, i) for i in self.panel.annotators]
            times = np.sum(counted, axis=0) if counted else np.zeros(0)
            items = np.flatnonzero(times > 1)
            scores = np.full((len(counted), len(items)), np.nan)
            for row, (person, mask) in enumerate(zip(self.panel.annotators, counted, strict=True)):
                whole = self._whole(self.panel.of(self.name, person).score[items])
                scores[row] = np.where(mask[items], whole, np.nan)
            self._made["overlap"] = items, scores
        return self._made["overlap"]

    def scores(self, judge: Grader, items: np.ndarray) -> np.ndarray:
        """Return a judge's scores of some open items, NaN where missing; composites as integers."""
        return self._whole(self.panel.of(self.name, judge.id).score[items])

    def weighed(self, pairs: Pairs) -> Pairs:
        """The pairs with each answer's own weight, where chances of being drawn differed."""
        return pairs.weighing(self.panel.weight) if self.panel.reweighted else pairs

    def _whole(self, scores: np.ndarray) -> np.ndarray:
        # Composites become integers, so that equal ones compare equal in the statistics.
        return scores if self.criterion else np.rint(scores * self.panel.denominator)

    def between_annotators(self) -> Pairs:
        """Annotators against one another: ordered pairs, or each against the others' consensus."""
        if "between" not in self._made:
            self._made["between"] = self.weighed(self._annotators_pairs())
        return self._made["between"]

    def _annotators_pairs(self) -> Pairs:
        each, cluster = self.each(), self.panel.cluster
        if self.kind == EACH:
            return annotators_pairs(each.item, each.score, cluster)
        if self.criterion:
            return others_pairs(each.item, each.score, cluster)
        return _others_composites(self.panel, each)


def ground(
    panel: Panel, name: str, kind: str, annotators: Reference | None = None
) -> CriterionPanel:
    """The ground of a criterion (or of the composite)."""
    return CriterionPanel(panel, name, kind, annotators or reference(panel, name, kind))


def ground_of_mean(panel: Panel, name: str, mean: int) -> CriterionPanel:
    """The ground of a criterion whose reference is a mean of annotators, by its grader id."""
    return CriterionPanel(
        panel, name, MEAN, reference_of_mean(panel, name, mean), panel.means[mean]
    )


def _others_composites(panel: Panel, each: Reference) -> Pairs:
    """Pair each annotator's composite with that of the others' consensus on every criterion."""
    parts = [reference(panel, name, EACH) for name in panel.weights]
    found = [(np.zeros(0, int), np.zeros(0), np.zeros(0))]
    for person in panel.annotators:
        theirs = consensus_composite(panel, [majority(part.but(person)) for part in parts])
        own = each.grader == person
        shared = np.isin(each.item[own], theirs.index)
        item = each.item[own][shared]
        found.append((item, each.score[own][shared], theirs.reindex(item).to_numpy()))
    item, own, others = (np.concatenate(column) for column in zip(*found, strict=True))
    weight = 1.0 / np.bincount(item, minlength=len(panel.items))[item]
    return Pairs(own, others, weight, item, panel.cluster[item])
