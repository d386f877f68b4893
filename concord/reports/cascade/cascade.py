"""Cascade: accept a cheap judge where it is confident; a dearer judge or annotators get the rest.

Replayed over grades that are stored already, at no cost. The threshold of confidence is set on half
of the questions and certified on the other half, so the guarantee is honest: of the answers on
which the cheap judge is accepted, at most a given share differs from an annotator's score.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from concord.messages import Problem, joined, said
from concord.reports.decision.cost import Cost
from concord.reports.decision.judge_confidence import Confidence, Source, confidence
from concord.reports.document import FLAT
from concord.reports.panel.criterion_comparison import CriterionPanel, ground
from concord.reports.panel.panel import Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.reliability.test_retest import JudgeRetest, of_judge
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import judge_pairs
from concord.stats.correction.selective_prediction import Certified, certify
from concord.stats.intervals.resampling import SEED
from concord.stats.intervals.wilson import proportion
from concord.stats.statistics import figures

ANNOTATORS = "annotators"
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


DEFAULT = Limits()


@dataclass(frozen=True)
class Level:
    """Number of answers with one level of confidence, graded ones, and errors."""

    confidence: float
    answers: int
    graded: int
    errors: int


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


@dataclass(frozen=True)
class Cascade:
    """A cascade from one source of confidence to a judge or to annotators, replayed.

    Attributes:
        seed: Of the split into questions that set the threshold and that test it.
        unit: `question`, or `document` where several questions share one: one answer of each
            enters the bound.
        cheap: The label of the judge that is accepted; `second`, of the one it is compared with.
        asks: How often the cheap judge is asked about an answer.
        to: Who gets the rest: a label, or `annotators`.
        simulated: The names of the graders that are.
        verdict: `certified`, `nothing`, or `simulated`, since nothing simulated is certified.
        coverage: Share of the `answers` with a confidence that would be accepted.
        levels: The most confident first.
        replay: None without an expensive judge.
        cost: What the cascade saves.
        ceiling: Agreement of annotators with one another on the answers of the test.
        test_retest: Test-retest agreement of the cheap judge; None where two judges are compared.
        why_none: Why nothing could be tried.
    """

    criterion: str
    limits: Limits = field(metadata=FLAT)
    seed: int
    unit: str
    cheap: str
    second: str | None
    asks: int
    to: str
    simulated: tuple[str, ...]
    test: Certified = field(metadata=FLAT)
    verdict: str
    coverage: Estimate
    answers: int
    levels: tuple[Level, ...]
    replay: Replay | None
    cost: Saving
    ceiling: Estimate
    test_retest: JudgeRetest | None
    why_none: str | None


def report(
    panel: Panel,
    source: Source,
    to: int | None,
    costs: Mapping[int, Cost],
    criterion: str,
    limits: Limits = DEFAULT,
) -> Cascade:
    """Replay the cascade from one source of confidence to a judge (or to annotators, None)."""
    _check(limits)
    on, sure = ground(panel, criterion, EACH), confidence(panel, criterion, source)
    item, wrong = _errors(on, sure, limits.agreement)
    why = UNEQUAL if panel.reweighted else None if len(item) else NO_ANNOTATORS
    # 1 - 0.95 is 0.050000000000000044, which would need one more error-free answer.
    delta = round(1 - limits.certainty, 9)
    answers = np.bincount(panel.cluster[sure.known], minlength=len(panel.cluster))
    found = certify(sure.share[item], wrong, panel.cluster[item], limits.at_most, delta, answers)
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
        cheap=panel.labels[source.judge],
        second=panel.labels[source.second] if source.second else None,
        asks=source.asks,
        to=panel.labels[to] if to else ANNOTATORS,
        simulated=simulated,
        test=found,
        verdict=NOTHING if found.threshold is None else certified,
        coverage=_coverage(panel, sure, level),
        answers=int(sure.known.sum()),
        levels=_levels(sure, item, wrong),
        replay=_replay(panel, on, sure, level, to),
        cost=_cost(sure, level, source, to, costs),
        ceiling=on.ceiling(panel.mask(item)).figures[limits.agreement],
        test_retest=None if source.second else of_judge(panel, source.judge, [criterion]),
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
            "The rest cannot go to “{named}”. Take one of: {every}.", named=named, every=every
        )
    return fits[named]


def _check(limits: Limits) -> None:
    if not (0 < limits.at_most < 1 and 0 < limits.certainty < 1):
        raise Problem("The limit and the certainty of a cascade lie between 0 and 1, as 0.2, 0.95.")


def _errors(on: CriterionPanel, sure: Confidence, agreement: str) -> tuple[np.ndarray, np.ndarray]:
    """Items with the score of one annotator at random, and whether the accepted one is in error."""
    item, score = on.annotators.item, on.annotators.score
    order = np.random.default_rng([SEED, len(item)]).permutation(len(item))
    items, first = np.unique(item[order], return_index=True)
    person = score[order][first]
    known = sure.known[items]
    items, person = items[known], person[known]
    apart = np.abs(sure.score[items] - person)
    return items, apart > (1 if agreement == WITHIN_ONE else 0)


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
    return proportion(np.bincount(cluster, sure.share[sure.known] >= level), base, base.sum())


def _levels(sure: Confidence, item: np.ndarray, wrong: np.ndarray) -> tuple[Level, ...]:
    known, mine = sure.share[sure.known], sure.share[item]
    return tuple(
        Level(
            float(level),
            int((known == level).sum()),
            int((mine == level).sum()),
            int(wrong[mine == level].sum()),
        )
        for level in np.unique(known)[::-1]
    )


def _replay(
    panel: Panel, on: CriterionPanel, sure: Confidence, level: float | None, to: int | None
) -> Replay | None:
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


def _cost(
    sure: Confidence, level: float | None, source: Source, to: int | None, costs: Mapping[int, Cost]
) -> Saving:
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
