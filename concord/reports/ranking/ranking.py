"""Ranking: the answering models by weighted composite, by annotators and by each judge.

An order is compared on the answers that annotators and the judge both gave a composite to, so that
a swap is a difference of opinion and not of answers.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from concord.messages import joined, said
from concord.model import Grader
from concord.reports.document import FLAT
from concord.reports.panel import provenance
from concord.reports.panel.criterion_comparison import EACH, Reference, reference
from concord.reports.panel.panel import COMPOSITE, REWEIGHTED, STATUS_NAMES, Panel
from concord.reports.panel.provenance import Annotator, counted_annotators
from concord.reports.panel.sampling_weights import AssignedGrades
from concord.reports.ranking import corrected as corrected_scores
from concord.reports.ranking.corrected import DRAW, Corrected
from concord.stats.comparison.model_order import (
    Above,
    above_each,
    model_means,
    model_sums,
    order_tau_b,
    rank_sets,
    swaps,
    tau_b_interval,
)
from concord.stats.core.estimate import Estimate
from concord.stats.core.tables import ranked
from concord.stats.intervals.resampling import Draws

ANNOTATORS = "annotators"
SIDES = (ANNOTATORS, "judge")
DIGITS = 9  # means equal but for rounding are level


@dataclass(frozen=True)
class Swap:
    """Two answering models that annotators and a judge put in opposite orders.

    Attributes:
        higher: The model that annotators put above `lower`.
        annotator_share: The share of resamples in which annotators do; None without resamples.
        judge_share: The share in which the judge does.
        certain: Both are sure (95 percent) of their own order.
    """

    higher: str
    lower: str
    annotator_share: float | None
    judge_share: float | None
    certain: bool


@dataclass(frozen=True)
class ModelMeans:
    """Mean composites of an answering model, on the answers that both graded."""

    answer_model: str
    annotators: Estimate
    judge: Estimate

    def of(self, side: str) -> Estimate:
        """Return the mean by `annotators` or by the `judge`."""
        return self.annotators if side == ANNOTATORS else self.judge


@dataclass(frozen=True)
class Step:
    """Two models next to each other in a grader's order, and the share of resamples with it."""

    above: str
    below: str
    share: float | None


@dataclass(frozen=True)
class Order:
    """A judge's order of the models compared with that of annotators, on the answers both graded.

    Attributes:
        tau_b: Kendall's tau-b between the orders, with its interval; `why_none` is of either.
        neighbours: The steps of both orders, best first, by `annotators` and `judge`.
        why_no_shares: Why models were not ranked again in resamples.
        n: Answers with a composite by both; `questions` counts theirs.
        same_items: Neither has a composite of another answer.
    """

    judge: str
    fingerprint: str
    simulated: bool
    tau_b: float | None
    tau_b_low: float | None
    tau_b_high: float | None
    tau_b_method: str
    why_none: str | None
    swaps: tuple[Swap, ...]
    models: tuple[ModelMeans, ...]
    neighbours: Mapping[str, tuple[Step, ...]]
    why_no_shares: str | None
    n: int
    questions: int
    same_items: bool

    @property
    def tau_b_estimate(self) -> Estimate:
        """Kendall's tau-b between the orders."""
        ends = (self.tau_b_low, self.tau_b_high)
        return Estimate(self.tau_b, *ends, self.tau_b_method, self.why_none)

    @property
    def shared(self) -> tuple[ModelMeans, ...]:
        """The models that annotators and the judge both have a mean of."""
        return tuple(m for m in self.models if None not in (m.annotators.value, m.judge.value))

    @property
    def comparable(self) -> bool:
        """True with at least two models to compare."""
        return len(self.shared) > 1

    @property
    def one_sided(self) -> int:
        """Number of pairs of models that only the judge, or only the annotators, rank level."""
        return self.level["judge level"] + self.level["annotators level"]

    @property
    def level(self) -> Counter[str]:
        """Pairs of models that both rank `level`, or only the judge, or only the annotators."""
        kinds = {(True, True): "level", (False, True): "judge level"}
        kinds[True, False] = "annotators level"
        return Counter(
            kinds.get(tuple(round(one.of(s).value - two.of(s).value, DIGITS) == 0 for s in SIDES))
            for one, two in combinations(self.shared, 2)
        )


CERTAIN = 0.95
NO_MODEL = "no answering model is named"
NOT_GRADED = "not graded"


class Scores(NamedTuple):
    """A grader's composites, one row each; several annotators share an item's weight of 1."""

    item: np.ndarray
    value: np.ndarray
    weight: np.ndarray

    def on(self, items: np.ndarray) -> "Scores":
        """The rows on items that the (N,) mask marks."""
        keep = items[self.item]
        return Scores(*(column[keep] for column in self))

    def weighing(self, weight: np.ndarray) -> "Scores":
        """The same, each item's weight multiplied by its own of the (N,) `weight`."""
        return self._replace(weight=self.weight * weight[self.item])


@dataclass(frozen=True)
class RankedModel:
    """The mean composite of an answering model by one grader, on all answers the grader scored.

    Attributes:
        kind: `annotator`, `judge` or another kind of grader.
        n: Answers; `questions` counts theirs.
        ranks: The best and the worst rank it can hold, 95 percent for all models of the grader.
        why_no_ranks: Why there are none.
    """

    estimate: Estimate = field(metadata=FLAT)
    grader: str
    kind: str
    simulated: bool
    answer_model: str
    n: int
    questions: int
    ranks: tuple[int, int] | None
    why_no_ranks: str | None


@dataclass(frozen=True)
class CriterionRanking:
    """The answering models by one criterion.

    Attributes:
        models: Annotators first, best first within a grader.
        orders: One per judge.
        left_out: By grader, how many answers have no composite, by reason.
    """

    models: tuple[RankedModel, ...]
    orders: tuple[Order, ...]
    left_out: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Ranking(CriterionRanking):
    """The answering models by annotators and by every judge.

    Attributes:
        criteria: By each criterion alone, where that was asked for.
        corrected: Without the judges' bias, where that was asked for.
    """

    weights: Mapping[str, float]
    scale: tuple[int, ...]
    annotators: tuple[Annotator, ...]
    signature: str
    criteria: Mapping[str, CriterionRanking] = field(default_factory=dict)
    corrected: Corrected | None = None

    @property
    def annotated(self) -> tuple[RankedModel, ...]:
        """The models that annotators have a mean of, best first."""
        return tuple(
            m for m in self.models if m.grader == ANNOTATORS and m.estimate.value is not None
        )


def report(panel: Panel, draws: Draws | None = None) -> Ranking:
    """Rank the answering models by the composite with the panel's weights."""
    draws = draws or Draws()
    annotators = reference(panel, COMPOSITE, EACH)
    scored = {ANNOTATORS: _annotators(panel, annotators)}
    scored |= {panel.labels[judge]: _judge(panel, judge) for judge in panel.judges}
    return Ranking(
        models=tuple(
            row for name, scores in scored.items() for row in _models(panel, name, scores, draws)
        ),
        orders=_orders(panel, scored, draws),
        left_out={ANNOTATORS: _counted(panel, annotators.why)}
        | {panel.labels[judge]: _judge_left_out(panel, judge) for judge in panel.judges},
        weights={name: float(weight) for name, weight in panel.weights.items()},
        scale=tuple(panel.rubric.scale),
        annotators=counted_annotators(panel.graded_by),
        signature=_signature(panel, draws),
    )


def by_criterion(panel: Panel) -> dict[str, CriterionRanking]:
    """Rank the models by every criterion alone, each weighing 1."""
    found = {name: report(panel.weighing({name: Fraction(1)})) for name in panel.weights}
    return {
        name: CriterionRanking(one.models, one.orders, one.left_out) for name, one in found.items()
    }


def whole(panel: Panel, drawn: AssignedGrades, how: str = DRAW) -> Ranking:
    """Rank the models by the composite, by each criterion, and without the judges' bias."""
    corrected = corrected_scores.report(panel, drawn, how)
    return replace(report(panel), criteria=by_criterion(panel), corrected=corrected)


def _annotators(panel: Panel, annotators: Reference) -> Scores:
    weight = 1.0 / np.bincount(annotators.item, minlength=len(panel.items))[annotators.item]
    scores = Scores(annotators.item, annotators.score, weight).weighing(panel.weight)
    return _of_known_models(panel, scores)


def _judge(panel: Panel, judge: int) -> Scores:
    marks = panel.given(COMPOSITE, judge)
    item = np.flatnonzero(marks.scored & panel.open)
    return _of_known_models(panel, Scores(item, marks.score[item], np.ones(len(item))))


def _of_known_models(panel: Panel, scores: Scores) -> Scores:
    return scores.on(panel.answer_model >= 0)


def _models(panel: Panel, grader: str, scores: Scores, draws: Draws) -> list[RankedModel]:
    """The answering models by one grader, best first; those it has no composite of come last."""
    kinds = {panel.labels[i]: judge for i, judge in panel.judges.items()}
    judge = kinds.get(grader)
    simulated = judge.simulated if judge else any(p.simulated for p in panel.annotators.values())
    means = model_means(_sums(panel, scores), _ends(panel, judge))
    ranks = rank_sets(_sums(panel, scores), draws)
    rows = [
        RankedModel(
            mean,
            grader,
            judge.kind if judge else "annotator",
            simulated,
            model,
            *_extent(panel, scores, model),
            None if best is None else (best, worst),
            ranks.why_none,
        )
        for model, mean, best, worst in zip(
            panel.answer_models, means, ranks.best, ranks.worst, strict=True
        )
    ]
    return sorted(rows, key=lambda row: (row.estimate.value is None, -(row.estimate.value or 0)))


def _orders(panel: Panel, scored: dict[str, Scores], draws: Draws) -> tuple[Order, ...]:
    """Return each judge's order of the models; all use the same resamples."""
    sums = []
    for judge in panel.judges:
        annotators, own = scored[ANNOTATORS], scored[panel.labels[judge]]
        shared = panel.mask(annotators.item) & panel.mask(own.item)
        both = {ANNOTATORS: annotators.on(shared), "judge": own.on(shared).weighing(panel.weight)}
        sums.append({side: _sums(panel, scores) for side, scores in both.items()})
    drawn = iter(above_each([one for pair in sums for one in pair.values()], draws))
    shares = [{side: next(drawn) for side in pair} for pair in sums]
    return tuple(
        _order(panel, judge, scored, *found, draws)
        for judge, *found in zip(panel.judges, sums, shares, strict=True)
    )


def _order(
    panel: Panel,
    judge: int,
    scored: dict[str, Scores],
    sums: dict[str, np.ndarray],
    shares: dict[str, Above],
    draws: Draws,
) -> Order:
    annotators, own = (panel.mask(scored[who].item) for who in (ANNOTATORS, panel.labels[judge]))
    shared = annotators & own
    ends = {ANNOTATORS: _ends(panel), "judge": _ends(panel, panel.judges[judge])}
    means = {side: model_means(sums[side], ends[side]) for side in sums}
    values = {side: [mean.value for mean in found] for side, found in means.items()}
    tau_b = order_tau_b(values[ANNOTATORS], values["judge"])
    tau_b = tau_b_interval(tau_b, sums[ANNOTATORS], sums["judge"], draws)
    return Order(
        judge=panel.labels[judge],
        fingerprint=panel.judges[judge].fingerprint,
        simulated=panel.judges[judge].simulated,
        tau_b=tau_b.value,
        tau_b_low=tau_b.low,
        tau_b_high=tau_b.high,
        tau_b_method=tau_b.method,
        why_none=tau_b.why_none,
        swaps=tuple(
            _swap(panel, pair, values, shares)
            for pair in swaps(values[ANNOTATORS], values["judge"])
        ),
        models=tuple(
            ModelMeans(model, means[ANNOTATORS][place], means["judge"][place])
            for place, model in enumerate(panel.answer_models)
        ),
        neighbours={side: _neighbours(panel, values[side], shares[side]) for side in sums},
        why_no_shares=shares[ANNOTATORS].why_none,
        n=int(shared.sum()),
        questions=ranked(panel.question[shared])[0],
        same_items=bool((annotators == own).all()),
    )


def _swap(panel: Panel, pair: tuple[int, int], values: dict, shares: dict[str, Above]) -> Swap:
    higher, lower = sorted(pair, key=lambda place: -values[ANNOTATORS][place])
    annotators, judge = (
        _share(shares[side].share, higher, lower) for side in (ANNOTATORS, "judge")
    )
    known = None not in (annotators, judge)
    return Swap(
        higher=panel.answer_models[higher],
        lower=panel.answer_models[lower],
        annotator_share=annotators,
        judge_share=judge,
        certain=known and annotators >= CERTAIN and judge <= 1 - CERTAIN,
    )


def _neighbours(panel: Panel, values: list[float | None], shares: Above) -> tuple[Step, ...]:
    known = [place for place, value in enumerate(values) if value is not None]
    known.sort(key=lambda place: -values[place])
    return tuple(
        Step(panel.answer_models[one], panel.answer_models[other], _share(shares.share, one, other))
        for one, other in pairwise(known)
    )


def _share(share: np.ndarray | None, one: int, other: int) -> float | None:
    """The share of resamples with one model above another; None where they never meet."""
    if share is None or np.isnan(share[one, other]):
        return None
    return float(share[one, other])


def _sums(panel: Panel, scores: Scores) -> np.ndarray:
    own, cluster = panel.answer_model[scores.item], panel.cluster[scores.item]
    return model_sums(scores.value, scores.weight, own, cluster, len(panel.answer_models))


def _ends(panel: Panel, judge: Grader | None = None) -> tuple[float, float]:
    """Between which values a judge's means, or the annotators', lie."""
    scale = panel.rubric.scale
    return panel.ends(COMPOSITE, judge.id) if judge else (scale[0], scale[-1])


def _extent(panel: Panel, scores: Scores, model: str) -> tuple[int, int]:
    """Answers of a model and their questions."""
    on = panel.mask(scores.item) & (panel.answer_model == panel.answer_models.index(model))
    return int(on.sum()), ranked(panel.question[on])[0]


def _judge_left_out(panel: Panel, judge: int) -> dict[str, int]:
    status = panel.given(COMPOSITE, judge).status
    names = np.array([*STATUS_NAMES, NOT_GRADED], dtype=object)  # -1 is the last
    why = np.where(status == 0, "", names[status])
    return _counted(panel, np.where(panel.open, why, panel.items["closed"].to_numpy()))


def _counted(panel: Panel, why: np.ndarray) -> dict[str, int]:
    """Reason -> count of the items without a composite, or without an answering model."""
    why = np.where((why == "") & (panel.answer_model < 0), NO_MODEL, why)
    return dict(sorted(Counter(why[why != ""].tolist()).items()))


def _signature(panel: Panel, draws: Draws) -> str:
    weights = [
        said("{name} {number}", name=panel.rubric.named(name), number=str(weight))
        for name, weight in panel.weights.items()
    ]
    seed = said("{name}: {what}", name=provenance.SEED, what=str(draws.seed))
    orders = ["question bootstrap", provenance.resamples(draws.resamples), seed]
    entries = {
        "rubric": panel.rubric.name,
        "weights": joined(", ", weights),
        **({"answers": REWEIGHTED} if panel.reweighted else {}),
        **provenance.synthetic(panel),
        "intervals": "question jackknife",
        "orders": joined(", ", orders),
    }
    return provenance.in_one_line(entries)
