"""Sources of confidence compared: the risk-coverage curve of each, on the answers it has."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from concord.reports.cascade.confidence_sources import (
    Confidence,
    Source,
    cheaper_first,
    confidence,
    sources,
)
from concord.reports.charts import CurvePoint
from concord.reports.decision.cost import Cost
from concord.reports.document import INTERNAL
from concord.reports.panel.criterion_comparison import CriterionPanel
from concord.reports.probabilities.judge_probabilities import Probabilities
from concord.stats.core.estimate import Estimate
from concord.stats.probabilities.selective import RiskCoverage, risk_coverage

# Below this many accepted answers a curve shows chance; more points than so many show nothing new.
_FIRST, _MOST_POINTS = 10, 100


@dataclass(frozen=True)
class SourceCurve:
    """How well one source of confidence finds the errors of the judge that is accepted.

    Attributes:
        source: Its kind, one of `confidence_sources.TRUST`.
        judge: The label of the judge that is accepted; `second`, of the one it is compared with.
        asks: How often the judge is asked about an answer.
        used: The cascade takes this source.
        n: Answers with a confidence that annotators graded.
        error_rate: Of accepting all of them, 0 to 1; None without any.
        aurc: As of `selective.risk_coverage`.
        curve: Coverage and risk, from 10 accepted answers on.
    """

    source: str
    judge: str
    second: str | None
    asks: int
    used: bool
    n: int
    error_rate: float | None
    aurc: Estimate
    curve: tuple[CurvePoint, ...] = field(default=(), metadata=INTERNAL)


def compared(
    on: CriterionPanel,
    given: Probabilities,
    used: Source,
    costs: Mapping[int, Cost],
    tolerance: int,
) -> tuple[SourceCurve, ...]:
    """Return the curve of each source of a criterion, the most trusted first.

    An error is a score more than `tolerance` from an annotator's. An answer that several annotators
    graded is in error to the share of them that it differs from. Of two judges the cheaper one is
    accepted, but for the source that is `used`.
    """
    every = [cheaper_first(one, costs) for one in sources(on.panel, given, on.name)]
    every = [used if _same(one, used) else one for one in every]
    return tuple(
        _curve(on, one, confidence(on.panel, given, on.name, one), one == used, tolerance)
        for one in every
    )


def _same(one: Source, other: Source) -> bool:
    return one.kind == other.kind and {one.judge, one.second} == {other.judge, other.second}


def _curve(
    on: CriterionPanel, source: Source, sure: Confidence, used: bool, tolerance: int
) -> SourceCurve:
    panel, annotators = on.panel, on.annotators
    rows = sure.known[annotators.item]
    item, person = annotators.item[rows], annotators.score[rows]
    apart = np.abs(sure.score[item] - person) > tolerance
    times = np.bincount(item, minlength=len(panel.items))
    items = np.flatnonzero(times)
    wrong = np.bincount(item, apart, len(times))[items] / times[items]
    found = risk_coverage(sure.share[items], wrong, panel.weight[items], panel.cluster[items])
    labels = panel.labels
    return SourceCurve(
        source=source.kind,
        judge=labels[source.judge],
        second=labels[source.second] if source.second else None,
        asks=source.asks,
        used=used,
        n=len(items),
        error_rate=float(found.risk[-1]) if len(items) else None,
        aurc=found.area,
        curve=_points(found, len(items)),
    )


def _points(found: RiskCoverage, n: int) -> tuple[CurvePoint, ...]:
    at = np.flatnonzero(np.round(found.coverage * n, 6) >= min(_FIRST, n))
    if len(at) > _MOST_POINTS:
        at = at[np.linspace(0, len(at) - 1, _MOST_POINTS).round().astype(int)]
    return tuple(CurvePoint(float(found.coverage[i]), float(found.risk[i])) for i in at)
