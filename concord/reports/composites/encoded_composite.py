"""Encoded composite: a cross-encoder's scores, and whether they respond to the metrics."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from concord import metrics
from concord.messages import said
from concord.reports.composites.composite_figures import Correlation, ModelMean, arrays, means
from concord.reports.composites.composite_table import ENCODED
from concord.reports.composites.cross_encoding import FLAGS, PLAIN
from concord.reports.metrics.metric_mean import indexed
from concord.reports.metrics.metric_records import Readings, Record
from concord.stats.agreement import rank_correlation
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.intervals.resampling import Draws

MOVES = 0.05
WHY_NONE = said(
    "No cross-encoder has scored these answers. Run one with the command “composites "
    "--cross-encoder PLACE”; PLACE is a folder, or a name on a model hub."
)
NO_ANNOTATORS = said("no annotator has graded these answers")
YES, NO, WRONG = said("yes"), said("no"), said("wrong way")


@dataclass(frozen=True)
class Sensitivity:
    """Effect on the score of moving one metric's value from its worst to its best.

    Attributes:
        change: The mean change of the logit.
        right_way: The share of answers whose score rises.
        ranks: Mean upward move of an answer, as a share of the list.
        responds: `yes` from a twentieth of the list on, `wrong way` where it falls as far, else
            `no`.
    """

    metric: str
    title: str
    change: float
    right_way: float
    ranks: float
    responds: str


@dataclass(frozen=True)
class RankedAnswer:
    """An answer's place by the score, and by that of the answer without statements."""

    item: int | str
    answer_model: str | None
    place: int
    plain_place: int
    logit: float
    plain_logit: float
    expit: float


@dataclass(frozen=True)
class Encoded:
    """The newest scores of a cross-encoder.

    Attributes:
        over: The metrics it was given.
        n: Answers scored; `left_out` counts the others by status.
        flags: What was cut or is to be warned of, and on how many answers.
        mean: Of the logit; `models` has each answering model's.
        annotators: Correlation with the annotators' composite; `plain_annotators` that of the score
            without statements, `ahead` the difference.
        ranked: Answers by the score, the best first.
    """

    n: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    flags: Mapping[str, int] = field(default_factory=dict)
    over: str | None = None
    judge: str | None = None
    mean: Estimate | None = None
    annotators: Correlation | None = None
    plain_annotators: Correlation | None = None
    ahead: Correlation | None = None
    models: tuple[ModelMean, ...] = ()
    sensitivity: tuple[Sensitivity, ...] = ()
    ranked: tuple[RankedAnswer, ...] = ()
    why_none: str | None = None


def report(found: Readings, given: Mapping[int, tuple], draws: Draws) -> Encoded:
    """Return the newest scores of a cross-encoder on a sheet.

    `given` has annotators' composites by item id, from `annotators_of`.
    """
    every = [one for one in found.records if one.metric == ENCODED and one.repeat == 1]
    mine = [one for one in every if one.version == every[-1].version]
    scored = [one for one in mine if one.value is not None]
    if not scored:
        return Encoded(why_none=mine[0].reason if mine else WHY_NONE)
    value = np.array([one.value for one in scored])
    cluster = indexed(one.cluster for one in scored)
    models = np.array([one.answer_model or "" for one in scored], object)
    mean, by_model = means(value, cluster, models, draws)
    flags = Counter(flag for one in scored for flag in one.flags)
    ends = [part for part in scored[0].parts if part.endswith(" at low")]
    annotators, plain_annotators, ahead = _annotators(scored, given)
    return Encoded(
        n=len(scored),
        left_out=dict(Counter(one.status for one in mine if one.value is None)),
        flags={flag: flags[flag] for flag in FLAGS if flags[flag]},
        over=mine[0].switches["over"],
        judge=mine[0].judge,
        mean=mean,
        annotators=annotators,
        plain_annotators=plain_annotators,
        ahead=ahead,
        models=by_model,
        sensitivity=tuple(_sensitivity(scored, end.removesuffix(" at low")) for end in ends),
        ranked=_ranked(scored),
    )


def _annotators(scored: Sequence[Record], given: Mapping[int, tuple]) -> list[Correlation]:
    """The correlations with annotators, of the score, of the plain answer's, and the difference."""
    mine = [one for one in scored if one.item_id in given]
    if not mine:
        return [Correlation(undefined(NO_ANNOTATORS), 0)] * 3
    value, plain = (
        np.array(side) for side in zip(*((o.value, o.parts[PLAIN]) for o in mine), strict=True)
    )
    annotators, cluster, weight = arrays([one.item_id for one in mine], given)
    found = (
        rank_correlation.spearman(value, annotators, cluster, weight),
        rank_correlation.spearman(plain, annotators, cluster, weight),
        rank_correlation.lead(value, plain, annotators, cluster, weight),
    )
    return [Correlation(one, len(mine)) for one in found]


def _sensitivity(scored: Sequence[Record], name: str) -> Sensitivity:
    metric = metrics.named(name)
    ends = ["low", "high"] if metric.better == "higher" else ["high", "low"]
    worst, best = (np.array([one.parts[f"{name} at {end}"] for one in scored]) for end in ends)
    order = np.sort([one.value for one in scored])
    places = [np.searchsorted(order, side) for side in (worst, best)]
    others = max(1, len(scored) - 1)
    ranks = float((places[1] - places[0]).mean() / others)
    return Sensitivity(
        metric=name,
        title=metric.title,
        change=float((best - worst).mean()),
        right_way=float((best > worst).mean()),
        ranks=ranks,
        responds=NO if abs(ranks) < MOVES else YES if ranks > 0 else WRONG,
    )


def _ranked(scored: Sequence[Record]) -> tuple[RankedAnswer, ...]:
    plain = sorted(scored, key=lambda one: -one.parts[PLAIN])
    place = {one.item_id: n for n, one in enumerate(plain, 1)}
    return tuple(
        RankedAnswer(
            item=one.item_id,
            answer_model=one.answer_model,
            place=n,
            plain_place=place[one.item_id],
            logit=one.value,
            plain_logit=one.parts[PLAIN],
            expit=float(expit(one.value)),
        )
        for n, one in enumerate(sorted(scored, key=lambda one: -one.value), 1)
    )
