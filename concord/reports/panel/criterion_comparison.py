"""Comparison data of one criterion, computed once and shared by all judges.

The annotators' reference, the inter-annotator agreement, and both per set of items, since judges
that graded the same answers share them.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from concord.model import Grader
from concord.reports.panel.panel import COMPOSITE, Marks, Panel
from concord.rubrics.model import Criterion
from concord.stats.agreement.coefficients import VerdictCounts
from concord.stats.core.estimate import Estimate, Reason, Statistics, reason
from concord.stats.core.minimums import OVERLAP_FLOOR
from concord.stats.core.pairs import (
    Pairs,
    annotators_pairs,
    judge_pairs,
    others_pairs,
    strict_majority,
)
from concord.stats.core.tables import NEGLIGIBLE, effective_number
from concord.stats.statistics import KEYS, NOTHING, absent, composite_figures, counts, figures

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


def reference(panel: Panel, criterion: str, kind: str) -> Reference:
    """The reference of a criterion (or of the composite): `each` annotator, or their `consensus`.

    A consensus composite is made of the criteria's consensus, where all of them have one.
    """
    each = _each(panel, criterion)
    if kind == EACH:
        return each
    if criterion == COMPOSITE:
        parts = [reference(panel, name, CONSENSUS) for name in panel.weights]
        scores = _composite(panel, [pd.Series(part.score, part.item) for part in parts])
    else:
        ruled = panel.adjudicated[panel.adjudicated["criterion"] == criterion]
        ruled = ruled[(panel.open & (panel.weight > 0))[ruled["item"]]].set_index("item")["score"]
        scores = _majority(each.item, each.score)
        scores = ruled.combine_first(scores) if len(ruled) else scores
    why = np.where(each.why == "", NO_CONSENSUS, each.why)
    item = scores.index.to_numpy().astype(int)
    why[item] = ""
    return Reference(item, scores.to_numpy(float), np.full(len(scores), -1), why)


def _majority(item: np.ndarray, score: np.ndarray) -> pd.Series:
    """The score that more than half of an item's annotators gave, by item; no adjudications."""
    found = strict_majority(item, score)
    return pd.Series(found.score, index=found.item, dtype=float)


def _composite(panel: Panel, columns: list[pd.Series]) -> pd.Series:
    """The composite of one score per item and weighted criterion, where all criteria have one."""
    scores = pd.concat(columns, axis=1, keys=list(panel.weights)).dropna()
    whole = sum(int(w * panel.denominator) * scores[name] for name, w in panel.weights.items())
    return whole / panel.denominator


def _each(panel: Panel, criterion: str) -> Reference:
    graded = np.zeros(len(panel.items), bool)  # by annotators who are not included
    for person, grader in panel.persons.items():
        if grader.name in panel.not_included:
            graded |= panel.of(criterion, person).status >= 0
    marks = {person: panel.of(criterion, person) for person in panel.annotators}
    lacking = INCOMPLETE if criterion == COMPOSITE else UNSCORED
    return _given(panel, marks, panel.weight > 0, lacking, graded)


def _given(
    panel: Panel,
    marks: dict[int, Marks],
    drawn: np.ndarray | bool = True,
    lacking: str = UNSCORED,
    not_included: np.ndarray | bool = False,
) -> Reference:
    """Return the scores of graders that count, and the reason nearest to one for every other item.

    `drawn` are the items of known weight, `not_included` those graded by others, both (N,).
    """
    reasons = np.array([NOBODY, NOT_INCLUDED, lacking, NOT_BLIND, NOT_DRAWN, ""], dtype=object)
    nearest = np.zeros(len(panel.items), np.int8) + not_included
    found = [(np.zeros(0, int), np.zeros(0), np.zeros(0, int))]
    for grader, mark in marks.items():
        counts = mark.scored & mark.blind & drawn
        item = np.flatnonzero(counts & panel.open)
        steps = (2 * (mark.status >= 0), mark.scored, mark.scored & mark.blind, counts)
        nearest = np.maximum(nearest, sum(one.astype(np.int8) for one in steps))
        found.append((item, mark.score[item], np.full(len(item), grader)))
    why = np.where(panel.open, reasons[nearest], panel.items["closed"].to_numpy())
    return Reference(*map(np.concatenate, zip(*found, strict=True)), why)


ONE_PERSON = reason("no_answer_graded_twice")
ONE_SELECTED = reason("one_annotator_selected")
TOO_LITTLE_OVERLAP = reason("too_little_overlap")


class PairStatistics(NamedTuple):
    """Pairs on some items and what is said of them.

    Attributes:
        on: (N,) which items they are on.
        counts: Of the figures of failing verdicts, the numbers of answers (`statistics.counts`).
    """

    pairs: Pairs
    on: np.ndarray
    figures: dict[str, Estimate]
    counts: dict[str, dict[str, int | None]]

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.on.sum())

    @property
    def failing(self) -> int | None:
        """Number of items that annotators failed; None for the composite."""
        return self.counts["failure_recall"]["failing"]

    @property
    def statistics(self) -> Statistics:
        """The figures with the numbers of answers that those of failing verdicts are of."""
        return Statistics(self.figures, self.counts)


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
    _made: dict[bytes, PairStatistics] = field(default_factory=dict, repr=False, compare=False)

    @property
    def criterion(self) -> Criterion | None:
        """The criterion's definition; None for the composite."""
        return None if self.name == COMPOSITE else self.panel.rubric.criterion(self.name)

    @property
    def no_overlap(self) -> Reason:
        """Why no answer counts as graded by two annotators, where none does."""
        left_out = {why.code for why in self.panel.uncounted.values()}
        chosen = left_out & {"annotator_not_chosen", "annotator_not_named", "annotator_excluded"}
        return ONE_SELECTED if chosen and len(self.panel.annotators) == 1 else ONE_PERSON

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
        if key not in self._made:
            pairs = self.between_annotators
            self._made[key] = self.measured(
                pairs.where(on[pairs.item]), self.kind == EACH, self.no_overlap
            )
        return self._made[key]

    def measured(
        self,
        pairs: Pairs,
        between_annotators: bool = False,
        why_none: Reason = NOTHING,
        names: Collection[str] = KEYS,
    ) -> PairStatistics:
        """The figures of some pairs; all undefined for `why_none` where there are no pairs."""
        if not len(pairs.item):
            return self.with_figures(pairs, absent(why_none, names))
        if self.criterion is None:
            return self.with_figures(pairs, composite_figures(pairs, between_annotators, names))
        scale, failing = self.panel.rubric.scale, self.panel.rubric.failing(self.criterion)
        return self.with_figures(pairs, figures(pairs, scale, failing, between_annotators, names))

    def with_figures(self, pairs: Pairs, found: dict[str, Estimate]) -> PairStatistics:
        """The pairs with their figures; failing verdicts are counted where there are such."""
        verdicts = None
        if self.criterion and not self.mean:
            verdicts = VerdictCounts.of(pairs, self.panel.rubric.failing(self.criterion))
        return PairStatistics(pairs, self.panel.mask(pairs.item), found, counts(verdicts))

    @cached_property
    def each(self) -> Reference:
        """Return every annotator's own scores, whatever the reference."""
        return self.annotators if self.kind == EACH else reference(self.panel, self.name, EACH)

    def annotators_on(self, on: np.ndarray) -> list[Grader]:
        """Return the annotators whose scores of these items count, by id."""
        people = self.panel.annotators.items()
        return [one for i, one in people if (self.panel.counted(self.name, i) & on).any()]

    @cached_property
    def left_out(self) -> tuple[np.ndarray, Counter]:
        """(N,) which items have a reference, and how many have none by reason."""
        has = self.annotators.why == ""
        return has, Counter(self.annotators.why[~has].tolist())

    @cached_property
    def overlap(self) -> tuple[np.ndarray, np.ndarray]:
        """The items that two annotators or more scored, and their (annotators, items) scores.

        Scores that do not count are nan; composites are whole numbers, so that ties are exact.
        """
        people = self.panel.annotators.values()
        counted = [self.panel.counted(self.name, one.id) for one in people]
        items = np.flatnonzero(np.sum(counted, axis=0) > 1) if counted else np.zeros(0, int)
        scores = np.full((len(counted), len(items)), np.nan)
        for row, (one, mask) in enumerate(zip(people, counted, strict=True)):
            scores[row] = np.where(mask[items], self.scores(one, items), np.nan)
        return items, scores

    def scores(self, grader: Grader, items: np.ndarray) -> np.ndarray:
        """Return a grader's scores of some items, NaN where missing; composites as integers."""
        scores = self.panel.of(self.name, grader.id).score[items]
        # Composites become integers, so that equal ones compare equal in the statistics.
        return scores if self.criterion else np.rint(scores * self.panel.denominator)

    def weighed(self, pairs: Pairs) -> Pairs:
        """The pairs with each answer's own weight, where chances of being drawn differed."""
        return pairs.weighing(self.panel.weight) if self.panel.reweighted else pairs

    @cached_property
    def between_annotators(self) -> Pairs:
        """Annotators against one another: ordered pairs, or each against the others' consensus."""
        each, cluster = self.each, self.panel.cluster
        if self.kind == EACH:
            return self.weighed(annotators_pairs(each.item, each.score, cluster))
        if self.criterion:
            return self.weighed(others_pairs(each.item, each.score, cluster))
        return self.weighed(_others_composites(self.panel, each))


def ground(
    panel: Panel, name: str, kind: str, annotators: Reference | None = None
) -> CriterionPanel:
    """The ground of a criterion (or of the composite)."""
    return CriterionPanel(panel, name, kind, annotators or reference(panel, name, kind))


def ground_of_mean(panel: Panel, name: str, mean: int) -> CriterionPanel:
    """The ground of a criterion whose reference is a mean of annotators, by its grader id."""
    given = _given(panel, {mean: panel.numbers(name, mean)})
    return CriterionPanel(panel, name, MEAN, given, panel.means[mean])


def _others_composites(panel: Panel, each: Reference) -> Pairs:
    """Pair each annotator's composite with that of the others' consensus on every criterion."""
    parts = [reference(panel, name, EACH) for name in panel.weights]
    found = [(np.zeros(0, int), np.zeros(0), np.zeros(0))]
    for person in panel.annotators:
        kept = [(part, part.grader != person) for part in parts]
        majorities = [_majority(part.item[others], part.score[others]) for part, others in kept]
        theirs = _composite(panel, majorities)
        own = each.grader == person
        shared = np.isin(each.item[own], theirs.index)
        item = each.item[own][shared]
        found.append((item, each.score[own][shared], theirs.reindex(item).to_numpy()))
    item, own, others = (np.concatenate(column) for column in zip(*found, strict=True))
    weight = 1.0 / np.bincount(item, minlength=len(panel.items))[item]
    return Pairs(own, others, weight, item, panel.cluster[item])
