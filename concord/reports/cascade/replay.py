"""The cascade replayed on stored grades: its agreement, and what it saves."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from concord.messages import said
from concord.reports.cascade.confidence_sources import Confidence, Source
from concord.reports.decision.cost import Cost
from concord.reports.panel.criterion_comparison import CriterionPanel
from concord.reports.panel.panel import Panel
from concord.stats.core.estimate import Estimate
from concord.stats.core.pairs import judge_pairs
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
