"""Annotator overlap: agreement of annotators on the same answers: all, each pair, and each one.

Annotators are compared exactly as a judge is compared with them: every pair of scores of the same
answer, each answer with weight 1. Rows of annotators are in the order of their names, never ranked.
"""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from concord.model import Grader
from concord.reports.document import FLAT
from concord.reports.panel.criterion_comparison import CriterionPanel
from concord.reports.reliability.panel_reliability import why_none
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs, judge_pairs
from concord.stats.core.tables import ranked
from concord.stats.reliability.multi_rater import krippendorff_alpha
from concord.stats.statistics import figures

TOGETHER = ("exact", "within_one", "qwk")
BETWEEN_TWO = ("exact", "within_one", "qwk", "alpha", "bias")
OF_ONE = ("bias", "exact", "within_one")


@dataclass(frozen=True)
class Overall:
    """Agreement of all annotators: of every pair of them, and `alpha` of all at once."""

    n: int
    annotators: int
    questions: int
    clusters: int
    exact: Estimate
    within_one: Estimate
    qwk: Estimate
    alpha: Estimate

    def __getitem__(self, key: str) -> Estimate:
        return getattr(self, key)


@dataclass(frozen=True)
class Agreement:
    """Statistics of some pairs of scores, on n answers."""

    n: int
    questions: int
    figures: dict[str, Estimate] = field(metadata=FLAT)

    def __getitem__(self, key: str) -> Estimate:
        return self.figures[key]


@dataclass(frozen=True)
class Pair:
    """Agreement of two annotators; `bias` is the mean of the first minus the second."""

    one: str
    other: str
    agreement: Agreement = field(metadata=FLAT)


@dataclass(frozen=True)
class Strictness:
    """Agreement of an annotator with all others; `bias` above 0 is more lenient than they are."""

    annotator: str
    simulated: bool
    agreement: Agreement = field(metadata=FLAT)


def overall(on: CriterionPanel) -> Overall:
    """Return the agreement on answers that two or more graded."""
    keep = np.ones(len(on.panel.items), bool)
    found = on.overlapping(keep)
    return Overall(
        n=found.n,
        annotators=len(on.annotators_on(found.on)),
        questions=ranked(on.panel.question[found.on])[0],
        clusters=ranked(on.panel.cluster[found.on])[0],
        **{name: found.figures[name] for name in TOGETHER},
        alpha=_alpha(on, keep),
    )


def pairs(on: CriterionPanel) -> list[Pair]:
    """Return a row per pair of annotators, also of those who share no answer."""
    found = combinations(by_name(on), 2)
    return [Pair(a.name, b.name, agreement(on, between(on, a, b))) for a, b in found]


def strictness(on: CriterionPanel) -> list[Strictness]:
    """Return a row per annotator."""
    return [
        Strictness(one.name, one.simulated, agreement(on, against_others(on, one), OF_ONE))
        for one in by_name(on)
    ]


def by_name(on: CriterionPanel) -> list[Grader]:
    """Return the annotators who graded the criterion, by name, also those who gave no score."""
    panel = on.panel
    annotators = [
        one
        for one in panel.graded_by
        if (panel.open & (panel.of(on.name, one.id).status >= 0)).any()
    ]
    return sorted(annotators, key=lambda person: (person.name.casefold(), person.id))


def between(on: CriterionPanel, one: Grader, other: Grader) -> Pairs:
    """Return the scores of answers that both graded; `one` is in the place of a judge."""
    return _paired(on, one, on.each().grader == other.id)


def against_others(on: CriterionPanel, person: Grader) -> Pairs:
    """Return an annotator's scores paired with all others' of the same answers."""
    return _paired(on, person, on.each().grader != person.id)


def agreement(on: CriterionPanel, found: Pairs, names: tuple[str, ...] = BETWEEN_TWO) -> Agreement:
    """Return some statistics of pairs."""
    return Agreement(
        len(np.unique(found.item)),
        len(np.unique(on.panel.question[found.item])),
        figures(found, on.panel.rubric.scale, failing=(), names=names),
    )


def _paired(on: CriterionPanel, person: Grader, theirs: np.ndarray) -> Pairs:
    given = on.each()
    mine = given.grader == person.id
    own, others = ((given.item[part], given.score[part]) for part in (mine, theirs))
    return on.weighed(judge_pairs(*own, *others, on.panel.cluster))


def _alpha(on: CriterionPanel, keep: np.ndarray) -> Estimate:
    items, scores = on.overlap()
    kept = keep[items]
    why = why_none(on, int(kept.sum()))
    if why:
        return undefined(why)
    cluster = on.panel.cluster[items[kept]]
    return krippendorff_alpha(scores[:, kept], on.panel.rubric.scale, "ordinal", cluster)
