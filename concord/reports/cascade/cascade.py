"""Cascade: accept a cheap judge where it is confident; a dearer judge or annotators get the rest.

Replayed over grades that are stored already, at no cost. The threshold of confidence is set on half
of the questions and certified on the other half, so the guarantee is honest: of the answers on
which the cheap judge is accepted, at most a given share differs from an annotator's score.


The cascade replayed on stored grades: its agreement, and what it saves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from concord.messages import Problem, joined, said
from concord.reports.cascade.confidence_sources import (
    REPEATS,
    Confidence,
    Source,
    SourceCurve,
    compared,
    confidence,
)
from concord.reports.decision.cost import Cost
from concord.reports.document import FLAT
from concord.reports.panel.criterion_comparison import CriterionPanel, ground
from concord.reports.panel.panel import Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.probabilities.judge_probabilities import Probabilities
from concord.reports.reliability.test_retest import JudgeRetest, of_judge
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import judge_pairs
from concord.stats.correction.selective_prediction import Certified, certify, halves
from concord.stats.intervals.resampling import SEED
from concord.stats.intervals.wilson import proportion
from concord.stats.statistics import figures


@dataclass(frozen=True)
class Replayed:
    """Agreement of one grader with the annotators on the answers of the replay."""

    exact: Estimate
    failure_recall: Estimate


@dataclass(frozen=True)
class Replay:
    """The cascade, the cheap and the expensive judge on the same `n` answers."""

    cascade: Replayed
    cheap: Replayed
    expensive: Replayed
    n: int


@dataclass(frozen=True)
class Saving:
    """USD per 1,000 answers of the cascade and of the expensive judge alone; None where unknown."""

    cascade: float | None = None
    expensive: float | None = None
    saved: float | None = None
    why_none: str | None = None


def replay(
    panel: Panel, on: CriterionPanel, sure: Confidence, level: float | None, to: int | None
) -> Replay | None:
    """Return the agreement of cascade, cheap and expensive judge; None without one or a level."""
    if to is None or level is None:
        return None
    expensive = panel.of(on.name, to)
    items = np.flatnonzero(sure.known & expensive.scored & panel.open)
    scale, failing = panel.rubric.scale, panel.rubric.failing(on.criterion)

    def replayed(score: np.ndarray) -> tuple[Replayed, int]:
        annotators = on.annotators
        pairs = judge_pairs(items, score[items], annotators.item, annotators.score, panel.cluster)
        every = figures(pairs, scale, failing)
        return Replayed(every["exact"], every["failure_recall"]), len(np.unique(pairs.item))

    cascade, n = replayed(np.where(sure.share >= level, sure.score, expensive.score))
    return Replay(cascade, replayed(sure.score)[0], replayed(expensive.score)[0], n)


def saving(
    sure: Confidence, level: float | None, source: Source, to: int | None, costs: Mapping[int, Cost]
) -> Saving:
    """Return what the cascade and the expensive judge alone cost, or why that is unknown."""
    asked = [i for i in (source.judge, source.second, to) if i]
    if to is None:
        return Saving(why_none=said("annotators have no price"))
    if level is None:
        return Saving(why_none=said("no threshold"))
    if any(i not in costs or costs[i].per_1000 is None for i in asked):
        return Saving(why_none=said("the price of one of the judges is unknown"))
    cheap = source.asks * costs[source.judge].per_1000
    cheap += costs[source.second].per_1000 if source.second else 0.0
    rest = float((sure.share[sure.known] < level).mean())
    expensive = costs[to].per_1000
    cascade = cheap + rest * expensive
    return Saving(cascade, expensive, expensive - cascade)


ANNOTATORS = "annotators"
MOST_LEVELS = 10
EXACT, WITHIN_ONE = "exact", "within_one"
CERTIFIED, NOTHING, SIMULATED = "certified", "nothing", "simulated"
NO_ANNOTATORS = said("no annotator graded an answer that has a confidence")
UNEQUAL = said(
    "answers were sampled with unequal inclusion probabilities, which the exact bound does not "
    "allow"
)


class Limits(NamedTuple):
    """The guarantee that is asked for.

    Attributes:
        at_most: The highest error rate among accepted answers, in (0, 1).
        certainty: The confidence of the bound, in (0, 1).
        agreement: `exact` or `within_one`: an error is an accepted score that differs (or differs
            by two or more) from that of one annotator, sampled among those who graded the answer.
    """

    at_most: float = 0.2
    certainty: float = 0.95
    agreement: str = EXACT

    @property
    def tolerance(self) -> int:
        """How far a score can be from an annotator's without an error."""
        return 1 if self.agreement == WITHIN_ONE else 0


DEFAULT = Limits()


@dataclass(frozen=True)
class Level:
    """Number of answers with one level of confidence, graded ones, and errors.

    Of more than ten confidences, those from `confidence` to `highest` are together, of about equal
    numbers of answers.
    """

    confidence: float
    highest: float
    answers: int
    graded: int
    errors: int


@dataclass(frozen=True)
class Cascade:
    """A cascade from one source of confidence to a judge or to annotators, replayed.

    Attributes:
        seed: Of the split into questions that set the threshold and that test it.
        unit: `question`, or `document` where several questions share one: one answer of each
            enters the bound.
        source: The kind of confidence, one of `confidence_sources.TRUST`.
        cheap: The label of the judge that is accepted; `second`, of the one it is compared with.
        asks: How often the cheap judge is asked about an answer.
        to: Who gets the rest: a label, or `annotators`.
        simulated: The names of the graders that are.
        verdict: `certified`, `nothing`, or `simulated`, since nothing simulated is certified.
        coverage: Share of the `answers` with a confidence that would be accepted.
        most: Answers with a confidence to the question that has most of them.
        levels: The most confident first.
        sources: Every source of confidence on the sheet, the most trusted first.
        replay: None without an expensive judge.
        cost: What the cascade saves.
        ceiling: Agreement of annotators with one another on the answers of the test.
        test_retest: Test-retest agreement of the cheap judge; None unless its repeats count.
        why_none: Why nothing could be tried.
    """

    criterion: str
    limits: Limits = field(metadata=FLAT)
    seed: int
    unit: str
    source: str
    cheap: str
    second: str | None
    asks: int
    to: str
    simulated: tuple[str, ...]
    test: Certified = field(metadata=FLAT)
    verdict: str
    coverage: Estimate
    answers: int
    most: int
    levels: tuple[Level, ...]
    sources: tuple[SourceCurve, ...]
    replay: Replay | None
    cost: Saving
    ceiling: Estimate
    test_retest: JudgeRetest | None
    why_none: str | None


def report(
    panel: Panel,
    given: Probabilities,
    source: Source,
    to: int | None,
    costs: Mapping[int, Cost],
    criterion: str,
    limits: Limits = DEFAULT,
) -> Cascade:
    """Replay the cascade from one source of confidence to a judge (or to annotators, None).

    `given` are the probabilities of the panel's judges (`judge_probabilities.read`).
    """
    _check(limits)
    on, sure = ground(panel, criterion, EACH), confidence(panel, given, criterion, source)
    item, wrong = _errors(on, sure, limits.tolerance)
    why = UNEQUAL if panel.reweighted else None if len(item) else NO_ANNOTATORS
    # 1 - 0.95 is 0.050000000000000044, which would need one more error-free answer.
    delta = round(1 - limits.certainty, 9)
    answers = np.bincount(panel.cluster[sure.known], minlength=len(panel.cluster))
    found = certify(sure.share[item], wrong, panel.cluster[item], limits.at_most, delta, answers)
    setting = panel.cluster[item[halves(panel.cluster[item], answers)[0]]] if len(item) else []
    held_out = ~np.isin(panel.cluster, setting)
    if why:  # the counts are true, the thresholds are not
        found = found._replace(threshold=None, tried=None)
    level = found.tried.confidence if found.tried else None
    own_clusters = len(np.unique(panel.cluster)) == len(np.unique(panel.question))
    simulated = _simulated(panel, source, to)
    certified = SIMULATED if simulated else CERTIFIED
    return Cascade(
        criterion=criterion,
        limits=limits,
        seed=SEED,
        unit="question" if own_clusters else "document",
        source=source.kind,
        cheap=panel.labels[source.judge],
        second=panel.labels[source.second] if source.second else None,
        asks=source.asks,
        to=panel.labels[to] if to else ANNOTATORS,
        simulated=simulated,
        test=found,
        verdict=NOTHING if found.threshold is None else certified,
        coverage=_coverage(panel, sure, level),
        answers=int(sure.known.sum()),
        most=int(answers.max(initial=0)),
        levels=_levels(sure, item, wrong),
        sources=compared(on, given, source, costs, limits.tolerance, held_out),
        replay=replay(panel, on, sure, level, to),
        cost=saving(sure, level, source, to, costs),
        ceiling=on.ceiling(panel.mask(item)).figures[limits.agreement],
        test_retest=_retest(panel, source, criterion),
        why_none=why,
    )


def dearer(panel: Panel, source: Source, named: str) -> int | None:
    """Return the judge that gets the rest, by label, or None for annotators.

    Raises:
        Problem: No judge of this label can get the rest.
    """
    if named in (ANNOTATORS, "people"):  # the latter was its name before
        return None
    fits = {panel.labels[i]: i for i in panel.judges if i not in (source.judge, source.second)}
    if named not in fits:
        every = joined(", ", [ANNOTATORS, *fits])
        raise Problem(
            "The rest cannot go to “{named}”. Choose one of: {every}.", named=named, every=every
        )
    return fits[named]


def _check(limits: Limits) -> None:
    if not (0 < limits.at_most < 1 and 0 < limits.certainty < 1):
        raise Problem(
            "The maximum error rate and the confidence level of a cascade lie between 0 and 1, as "
            "in 0.2 and 0.95."
        )


def _retest(panel: Panel, source: Source, criterion: str) -> JudgeRetest | None:
    return of_judge(panel, source.judge, [criterion]) if source.kind == REPEATS else None


def _errors(on: CriterionPanel, sure: Confidence, tolerance: int) -> tuple[np.ndarray, np.ndarray]:
    """Items with the score of one annotator at random, and whether the accepted one is in error."""
    item, score = on.annotators.item, on.annotators.score
    order = np.random.default_rng([SEED, len(item)]).permutation(len(item))
    items, first = np.unique(item[order], return_index=True)
    person = score[order][first]
    known = sure.known[items]
    items, person = items[known], person[known]
    apart = np.abs(sure.score[items] - person)
    return items, apart > tolerance


def _simulated(panel: Panel, source: Source, to: int | None) -> tuple[str, ...]:
    """The names of the simulated judges and annotators."""
    judges = [panel.judges[i] for i in (source.judge, source.second, to) if i]
    every = (*judges, *panel.annotators.values())
    return tuple(one.name for one in every if one.simulated)


def _coverage(panel: Panel, sure: Confidence, level: float | None) -> Estimate:
    """Return the share accepted of the answers with a confidence."""
    if level is None:
        return undefined(said("no threshold could be tried"))
    cluster = panel.cluster[sure.known]
    base = np.bincount(cluster).astype(float)
    return proportion(np.bincount(cluster, sure.share[sure.known] >= level), base)


def _levels(sure: Confidence, item: np.ndarray, wrong: np.ndarray) -> tuple[Level, ...]:
    known, mine = sure.share[sure.known], sure.share[item]
    lowest = np.unique(known)
    if len(lowest) > MOST_LEVELS:
        shares = np.arange(MOST_LEVELS) / MOST_LEVELS
        lowest = np.unique(np.quantile(known, shares, method="lower"))
    every, graded = (np.searchsorted(lowest, one, side="right") - 1 for one in (known, mine))
    return tuple(
        Level(
            float(lowest[level]),
            float(known[every == level].max()),
            int((every == level).sum()),
            int((graded == level).sum()),
            int(wrong[graded == level].sum()),
        )
        for level in reversed(range(len(lowest)))
    )
