"""Ranking: the answering models by weighted composite, by annotators and by each judge.

An order is compared on the answers that annotators and the judge both gave a composite to, so that
a swap is a difference of opinion and not of answers. A model with fewer than 20 effective questions
takes part in no order.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from concord.messages import joined
from concord.model import Grader
from concord.reports.document import FLAT
from concord.reports.panel import provenance
from concord.reports.panel.criterion_comparison import EACH, reference
from concord.reports.panel.panel import COMPOSITE, REWEIGHTED, STATUS_NAMES, Panel
from concord.reports.panel.provenance import Annotator, counted_annotators
from concord.reports.panel.sampling_weights import AssignedGrades
from concord.reports.ranking import corrected as corrected_scores
from concord.reports.ranking.corrected import DRAW, Corrected
from concord.stats.comparison.model_order import (
    TOO_FEW_DRAWN,
    TOO_FEW_MODELS,
    above_shares,
    can_be_ordered,
    model_mean,
    model_rows,
    model_sums,
    order_tau_b,
    pair_signs,
    rank_sets,
)
from concord.stats.core.estimate import Estimate, Reason, reason, undefined
from concord.stats.core.tables import ranked
from concord.stats.intervals.resampling import Draws

ANNOTATORS = "annotators"
SIDES = (ANNOTATORS, "judge")
DIGITS = 9  # means equal but for rounding are level
CERTAIN = 0.95
NO_MODEL = "no answering model is named"
NOT_GRADED = "not graded"
# Composites by one grader: indices of items, values and weights, (N,) each. An item's annotators
# share its weight.
Composites = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class RankedModel:
    """The mean composite of an answering model by one grader, on all answers the grader scored.

    Attributes:
        kind: `annotator`, `judge` or another kind of grader.
        n: Answers; `questions` counts theirs.
        ranks: The best and the worst rank it can hold, 95 percent for all models of the grader.
    """

    estimate: Estimate = field(metadata=FLAT)
    grader: str
    kind: str
    simulated: bool
    answer_model: str
    n: int
    questions: int
    ranks: tuple[int, int] | None
    why_no_ranks: Reason | None


@dataclass(frozen=True)
class Order:
    """A judge's order of the models compared with that of annotators, on the answers both graded.

    Attributes:
        result: `none` with fewer than two models in the order. `open` and `maybe reversed` have no
            certain reversal, and an order of neighbours that is not certain.
        level: Number of pairs of models that both graders tie.
        one_sided: Number of pairs that only the judge, or only the annotators, tie.
        swaps: Pairs in opposite orders: `higher` and `lower` by the annotators, the shares of
            resamples with `higher` above, `annotator_share` and `judge_share`, and `certain`.
        models: The means of each model in the order: `answer_model`, `annotators`, `judge`.
        too_few: Number of models that are not in it.
        n: Answers with a composite by both; `questions` counts theirs.
        same_items: Neither has a composite of another answer.
    """

    judge: str
    fingerprint: str
    simulated: bool
    tau_b: Estimate
    result: Literal[
        "same",
        "open",
        "level",
        "judge level",
        "annotators level",
        "reversed",
        "maybe reversed",
        "none",
    ]
    level: int
    one_sided: int
    swaps: tuple[Mapping[str, Any], ...]
    models: tuple[Mapping[str, Any], ...]
    too_few: int
    n: int
    questions: int
    same_items: bool

    @property
    def comparable(self) -> bool:
        """True with at least two models to compare."""
        return len(self.models) > 1

    def to_json(self) -> dict[str, Any]:
        """Return the fields, and tau-b with its interval in keys of its own."""
        value, low, high, method, why = self.tau_b
        parts = {"tau_b_low": low, "tau_b_high": high, "tau_b_method": method, "why_none": why}
        return vars(self) | {"tau_b": value} | parts


@dataclass(frozen=True)
class Ranking:
    """The answering models by annotators and by every judge.

    Attributes:
        models: Annotators first, best first within a grader.
        orders: One per judge.
        left_out: By grader, how many answers have no composite, by reason.
        corrected: Without the judges' bias, where that was asked for.
    """

    models: tuple[RankedModel, ...]
    orders: tuple[Order, ...]
    left_out: Mapping[str, Mapping[str, int]]
    weights: Mapping[str, float]
    scale: tuple[int, ...]
    annotators: tuple[Annotator, ...]
    signature: str
    corrected: Corrected | None = None

    @property
    def annotated(self) -> tuple[RankedModel, ...]:
        """The models that annotators rank, best first."""
        return tuple(m for m in self.models if m.grader == ANNOTATORS and m.ranks)


def report(panel: Panel, draws: Draws | None = None) -> Ranking:
    """Rank the answering models by the composite with the panel's weights."""
    draws = draws or Draws()
    grades = reference(panel, COMPOSITE, EACH)
    own = _annotators(panel)
    models = _models(panel, None, own, draws)
    orders, left_out = [], {ANNOTATORS: _counted(panel, grades.why)}
    for judge, grader in panel.judges.items():
        composites = _judge(panel, judge)
        models += _models(panel, grader, composites, draws)
        orders.append(_order(panel, grader, own, composites, draws))
        left_out[panel.labels[judge]] = _judge_left_out(panel, judge)
    return Ranking(
        models=tuple(models),
        orders=tuple(orders),
        left_out=left_out,
        weights={name: float(weight) for name, weight in panel.weights.items()},
        scale=tuple(panel.rubric.scale),
        annotators=counted_annotators(panel.graded_by),
        signature=_signature(panel, draws),
    )


def orders(panel: Panel, draws: Draws) -> list[Order]:
    """Return each judge's order of the models."""
    own = _annotators(panel)
    return [
        _order(panel, grader, own, _judge(panel, judge), draws)
        for judge, grader in panel.judges.items()
    ]


def whole(panel: Panel, drawn: AssignedGrades, how: str = DRAW) -> Ranking:
    """Rank the models by the composite, and without the judges' bias."""
    return replace(report(panel), corrected=corrected_scores.report(panel, drawn, how))


def _annotators(panel: Panel) -> Composites:
    grades = reference(panel, COMPOSITE, EACH)
    sharing = np.bincount(grades.item, minlength=len(panel.items))[grades.item]
    known = panel.answer_model[grades.item] >= 0
    item = grades.item[known]
    return item, grades.score[known], (1.0 / sharing[known]) * panel.weight[item]


def _judge(panel: Panel, judge: int) -> Composites:
    marks = panel.given(COMPOSITE, judge)
    item = np.flatnonzero(marks.scored & panel.open & (panel.answer_model >= 0))
    return item, marks.score[item], np.ones(len(item))


def _models(
    panel: Panel, judge: Grader | None, composites: Composites, draws: Draws
) -> list[RankedModel]:
    """The answering models by one grader, best first; those it has no composite of come last."""
    item, value, weight = composites
    model, cluster = panel.answer_model[item], panel.cluster[item]
    rows = model_rows(value, weight, model, cluster, len(panel.answer_models))
    able = np.array([can_be_ordered(one) for one in rows], bool)
    ranks: list[tuple[int, int] | None] = [None] * len(rows)
    if able.sum() > 1:
        sets = iter(rank_sets(_sums(panel, composites, able), draws))
        ranks = [next(sets) if one else None for one in able]
    several = sum(len(one) > 0 for one in rows) > 1
    why = TOO_FEW_DRAWN if several else reason("too_few_answering_models")
    distinct = np.unique(item)
    answers = np.bincount(panel.answer_model[distinct], minlength=len(rows)).tolist()
    asked = np.unique(panel.answer_model[distinct] * len(panel.items) + panel.question[distinct])
    questions = np.bincount(asked // max(1, len(panel.items)), minlength=len(rows)).tolist()
    simulated = judge.simulated if judge else any(p.simulated for p in panel.annotators.values())
    found = [
        RankedModel(
            model_mean(one, _ends(panel, judge)),
            panel.labels[judge.id] if judge else ANNOTATORS,
            judge.kind if judge else "annotator",
            simulated,
            name,
            answers[place],
            questions[place],
            ranks[place],
            None if ranks[place] else why,
        )
        for place, (name, one) in enumerate(zip(panel.answer_models, rows, strict=True))
    ]
    return sorted(found, key=lambda row: (row.estimate.value is None, -(row.estimate.value or 0)))


def _order(
    panel: Panel, judge: Grader, annotators: Composites, own: Composites, draws: Draws
) -> Order:
    masks = [panel.mask(composites[0]) for composites in (annotators, own)]
    shared = masks[0] & masks[1]
    sides = []
    for item, value, weight in (annotators, own):
        keep = shared[item]
        sides.append((item[keep], value[keep], weight[keep]))
    item, value, weight = sides[1]
    sides[1] = item, value, weight * panel.weight[item]
    size = len(panel.answer_models)
    rows = [
        model_rows(value, weight, panel.answer_model[item], panel.cluster[item], size)
        for item, value, weight in sides
    ]
    able = np.array([can_be_ordered(one) for one in rows[0]], bool)
    ends = _ends(panel), _ends(panel, judge)
    models = tuple(
        {"answer_model": name}
        | {s: model_mean(rows[n][place], ends[n]) for n, s in enumerate(SIDES)}
        for place, name in enumerate(panel.answer_models)
        if able[place]
    )
    parts: dict[str, Any] = {
        "tau_b": undefined(TOO_FEW_MODELS),
        "result": "none",
        "level": 0,
        "one_sided": 0,
    }
    parts["swaps"] = ()
    if len(models) > 1:
        parts = _compared(models, [_sums(panel, side, able) for side in sides], draws)
    return Order(
        judge=panel.labels[judge.id],
        fingerprint=judge.fingerprint,
        simulated=judge.simulated,
        **parts,
        models=models,
        too_few=len(able) - len(models),
        n=int(shared.sum()),
        questions=ranked(panel.question[shared])[0],
        same_items=bool((masks[0] == masks[1]).all()),
    )


def _compared(
    models: tuple[Mapping[str, Any], ...], sums: list[np.ndarray], draws: Draws
) -> dict[str, Any]:
    """Compare the order of the models by annotators with a judge's, by sums on the same answers."""
    pairs = np.stack(np.triu_indices(len(models), 1))
    means = [np.array([model[side].value for model in models]) for side in SIDES]
    signs = [pair_signs(one, pairs) for one in means]
    level = int(((signs[0] == 0) & (signs[1] == 0)).sum())
    one_sided = [int(((signs[n] == 0) & (signs[1 - n] != 0)).sum()) for n in (1, 0)]
    opposite = signs[0] * signs[1] < 0
    # The one that annotators put above the other comes first.
    swapped = np.where(signs[0] > 0, pairs, pairs[::-1])[:, opposite]
    neighbours = [np.argsort(-one, kind="stable") for one in means]
    steps = np.array([pair for one in neighbours for pair in pairwise(one)]).T
    asked = np.concatenate([swapped, steps], axis=1)
    shares = np.stack([above_shares(one, asked, draws) for one in sums])
    certain = (shares[0] >= CERTAIN) & (shares[1] <= 1 - CERTAIN)
    swaps = tuple(
        {
            "higher": models[higher]["answer_model"],
            "lower": models[lower]["answer_model"],
            "annotator_share": None if np.isnan(share[0]) else float(share[0]),
            "judge_share": None if np.isnan(share[1]) else float(share[1]),
            "certain": bool(sure),
        }
        for higher, lower, share, sure in zip(*swapped, shares.T, certain, strict=False)
    )
    if swaps:
        result = "reversed" if any(swap["certain"] for swap in swaps) else "maybe reversed"
    elif any(one_sided):
        result = "judge level" if one_sided[0] >= one_sided[1] else "annotators level"
    elif level == pairs.shape[1]:
        result = "level"
    else:
        result = "same" if (shares >= CERTAIN).all() else "open"
    return {
        "tau_b": order_tau_b(*sums, draws),
        "result": result,
        "level": level,
        "one_sided": sum(one_sided),
        "swaps": swaps,
    }


def _sums(panel: Panel, composites: Composites, able: np.ndarray) -> np.ndarray:
    """(G, M, 2) sums by question of the models that the mask marks."""
    item, value, weight = composites
    keep = able[panel.answer_model[item]]
    item, place = item[keep], np.cumsum(able) - 1
    model = place[panel.answer_model[item]]
    return model_sums(value[keep], weight[keep], model, panel.cluster[item], int(able.sum()))


def _ends(panel: Panel, judge: Grader | None = None) -> tuple[float, float]:
    """Between which values a judge's means, or the annotators', lie."""
    scale = panel.rubric.scale
    return panel.ends(COMPOSITE, judge.id) if judge else (scale[0], scale[-1])


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
    weights = (f"{panel.rubric.named(name)} {weight}" for name, weight in panel.weights.items())
    orders = ("question bootstrap", provenance.resamples(draws.resamples), f"seed: {draws.seed}")
    entries = {
        "rubric": panel.rubric.name,
        "weights": joined(", ", weights),
        **({"answers": REWEIGHTED} if panel.reweighted else {}),
        **provenance.synthetic(panel),
        "intervals": "question jackknife",
        "orders": joined(", ", orders),
    }
    return provenance.in_one_line(entries)
