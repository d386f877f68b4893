"""Ranking: the answering models by weighted composite, by annotators and by each judge.

An order is compared on the answers that annotators and the judge both gave a composite to, so that
a swap is a difference of opinion and not of answers. A model with fewer than 20 effective questions
takes part in no order.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from concord.messages import joined
from concord.model import Grader
from concord.reports.panel import provenance
from concord.reports.panel.criterion_comparison import EACH, reference
from concord.reports.panel.panel import COMPOSITE, REWEIGHTED, STATUS_NAMES, Panel
from concord.reports.panel.provenance import counted_annotators
from concord.reports.panel.sampling_weights import AssignedGrades
from concord.reports.ranking import corrected as corrected_scores
from concord.reports.ranking.corrected import DRAW
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
from concord.stats.core.estimate import reason, undefined
from concord.stats.core.tables import ranked
from concord.stats.intervals.resampling import Draws

ANNOTATORS = "annotators"
SIDES = (ANNOTATORS, "judge")
DIGITS = 9  # means equal but for rounding are level
CERTAIN = 0.95
NO_MODEL = "no answering model is named"
NOT_GRADED = "not graded"
TAU_B = ("tau_b", "tau_b_low", "tau_b_high", "tau_b_method", "why_none")
# Composites by one grader: indices of items, values and weights, (N,) each. An item's annotators
# share its weight.
Composites = tuple[np.ndarray, np.ndarray, np.ndarray]


def report(panel: Panel, draws: Draws | None = None) -> dict[str, Any]:
    """Rank the answering models by the composite with the panel's weights, as JSON has it.

    `models` has the mean of each model by each grader on all answers the grader scored, annotators
    first and best first within a grader; `ranks` are the best and the worst rank it can hold, 95
    percent for all models of the grader. `orders` has one per judge. `left_out` counts, by grader,
    the answers without a composite, by reason.
    """
    draws = draws or Draws()
    grades = reference(panel, COMPOSITE, EACH)
    models = _models(panel, None, _by_annotators(panel), draws)
    left_out = {ANNOTATORS: _counted(panel, grades.why)}
    names = np.array([*STATUS_NAMES, NOT_GRADED], dtype=object)  # -1 is the last
    for judge, grader in panel.judges.items():
        models += _models(panel, grader, _by_judge(panel, judge), draws)
        status = panel.given(COMPOSITE, judge).status
        why = np.where(panel.open, names[status], panel.items["closed"].to_numpy())
        why[panel.open & (status == 0)] = ""
        left_out[panel.labels[judge]] = _counted(panel, why)
    weights = (f"{name} {weight}" for name, weight in panel.weights.items())
    drawn = ("question bootstrap", provenance.resamples(draws.resamples), f"seed: {draws.seed}")
    signature = {
        "rubric": panel.rubric.name,
        "weights": joined(", ", weights),
        **({"answers": REWEIGHTED} if panel.reweighted else {}),
        **provenance.synthetic(panel),
        "intervals": "question jackknife",
        "orders": joined(", ", drawn),
    }
    return {
        "models": models,
        "orders": orders(panel, draws),
        "left_out": left_out,
        "weights": {name: float(weight) for name, weight in panel.weights.items()},
        "scale": panel.rubric.scale,
        "annotators": counted_annotators(panel.graded_by),
        "signature": provenance.in_one_line(signature),
    }


def whole(panel: Panel, drawn: AssignedGrades, how: str = DRAW) -> dict[str, Any]:
    """Rank the models by the composite, and without the judges' bias."""
    return report(panel) | {"corrected": corrected_scores.report(panel, drawn, how)}


def _by_annotators(panel: Panel) -> Composites:
    grades = reference(panel, COMPOSITE, EACH)
    sharing = np.bincount(grades.item, minlength=len(panel.items))[grades.item]
    known = panel.answer_model[grades.item] >= 0
    item = grades.item[known]
    return item, grades.score[known], (1.0 / sharing[known]) * panel.weight[item]


def _by_judge(panel: Panel, judge: int) -> Composites:
    marks = panel.given(COMPOSITE, judge)
    item = np.flatnonzero(marks.scored & panel.open & (panel.answer_model >= 0))
    return item, marks.score[item], np.ones(len(item))


def _models(
    panel: Panel, judge: Grader | None, composites: Composites, draws: Draws
) -> list[dict[str, Any]]:
    """The answering models by one grader, best first; those it has no composite of come last."""
    item, value, weight = composites
    size, model = len(panel.answer_models), panel.answer_model
    rows = model_rows(value, weight, model[item], panel.cluster[item], size)
    able = np.array([can_be_ordered(one) for one in rows], bool)
    sets = iter(rank_sets(_sums(panel, composites, able), draws) if able.sum() > 1 else ())
    ranks = [next(sets, None) if one else None for one in able]
    several = sum(len(one) > 0 for one in rows) > 1
    why = TOO_FEW_DRAWN if several else reason("too_few_answering_models")
    distinct = np.unique(item)
    answers = np.bincount(model[distinct], minlength=size).tolist()
    asked = np.unique(model[distinct] * len(panel.items) + panel.question[distinct])
    questions = np.bincount(asked // max(1, len(panel.items)), minlength=size).tolist()
    simulated = judge.simulated if judge else any(p.simulated for p in panel.annotators.values())
    found = [
        {
            **model_mean(rows[place], _ends(panel, judge))._asdict(),
            "grader": panel.labels[judge.id] if judge else ANNOTATORS,
            "kind": judge.kind if judge else "annotator",
            "simulated": simulated,
            "answer_model": name,
            "n": answers[place],
            "questions": questions[place],
            "ranks": ranks[place],
            "why_no_ranks": None if ranks[place] else why,
        }
        for place, name in enumerate(panel.answer_models)
    ]
    return sorted(found, key=lambda row: (row["value"] is None, -(row["value"] or 0)))


def orders(panel: Panel, draws: Draws) -> list[dict[str, Any]]:
    """Return each judge's order of the models compared with that of annotators.

    `models` are the means of each model in the order, `too_few` counts those that are not in it.
    `swaps` are the pairs in opposite orders, `higher` and `lower` by the annotators, with the
    shares of resamples that have `higher` above; `level` counts the pairs that both tie,
    `one_sided` those that only one of them ties. `result` is `none` with fewer than two models in
    the order; `open` and `maybe reversed` have no certain reversal, and an order of neighbours that
    is not certain.
    """
    annotators, found = _by_annotators(panel), []
    for judge, grader in panel.judges.items():
        item, value, _ = _by_judge(panel, judge)
        found.append(_order(panel, grader, annotators, (item, value, panel.weight[item]), draws))
    return found


def _order(
    panel: Panel, judge: Grader, annotators: Composites, own: Composites, draws: Draws
) -> dict[str, Any]:
    shared = panel.mask(annotators[0]) & panel.mask(own[0])
    sides = [[part[shared[side[0]]] for part in side] for side in (annotators, own)]
    model, cluster, size = panel.answer_model, panel.cluster, len(panel.answer_models)
    rows = [model_rows(*side[1:], model[side[0]], cluster[side[0]], size) for side in sides]
    able = np.array([can_be_ordered(one) for one in rows[0]], bool)
    ends = _ends(panel), _ends(panel, judge)
    models = [
        {"answer_model": name}
        | {s: model_mean(rows[n][place], ends[n]) for n, s in enumerate(SIDES)}
        for place, name in enumerate(panel.answer_models)
        if able[place]
    ]
    order = {
        "judge": panel.labels[judge.id],
        "fingerprint": judge.fingerprint,
        "simulated": judge.simulated,
        **dict(zip(TAU_B, undefined(TOO_FEW_MODELS), strict=True)),
        "result": "none",
        "level": 0,
        "one_sided": 0,
        "swaps": [],
        "models": models,
        "too_few": len(able) - len(models),
        "n": int(shared.sum()),
        "questions": ranked(panel.question[shared])[0],
    }
    if len(models) > 1:
        order |= _compared(models, [_sums(panel, side, able) for side in sides], draws)
    return order


def _compared(
    models: list[Mapping[str, Any]], sums: list[np.ndarray], draws: Draws
) -> dict[str, Any]:
    """Compare the order of the models by annotators with a judge's, by sums on the same answers."""
    pairs = np.stack(np.triu_indices(len(models), 1))
    means = [np.array([model[side].value for model in models]) for side in SIDES]
    signs = [pair_signs(one, pairs) for one in means]
    level = int(((signs[0] == 0) & (signs[1] == 0)).sum())
    by_judge, by_annotators = (int(((signs[n] == 0) & (signs[1 - n] != 0)).sum()) for n in (1, 0))
    # The one that annotators put above the other comes first.
    swapped = np.where(signs[0] > 0, pairs, pairs[::-1])[:, signs[0] * signs[1] < 0]
    neighbours = [np.argsort(-one, kind="stable") for one in means]
    steps = np.array([pair for one in neighbours for pair in pairwise(one)]).T
    asked = np.concatenate([swapped, steps], axis=1)
    shares = np.stack([above_shares(one, asked, draws) for one in sums])
    certain = (shares[0] >= CERTAIN) & (shares[1] <= 1 - CERTAIN)
    swaps = [
        {
            "higher": models[higher]["answer_model"],
            "lower": models[lower]["answer_model"],
            "annotator_share": None if np.isnan(share[0]) else float(share[0]),
            "judge_share": None if np.isnan(share[1]) else float(share[1]),
            "certain": bool(sure),
        }
        for higher, lower, share, sure in zip(*swapped, shares.T, certain, strict=False)
    ]
    if swaps:
        result = "reversed" if any(swap["certain"] for swap in swaps) else "maybe reversed"
    elif by_judge or by_annotators:
        result = "judge level" if by_judge >= by_annotators else "annotators level"
    elif level == pairs.shape[1]:
        result = "level"
    else:
        result = "same" if (shares >= CERTAIN).all() else "open"
    return {
        **dict(zip(TAU_B, order_tau_b(*sums, draws), strict=True)),
        "result": result,
        "level": level,
        "one_sided": by_judge + by_annotators,
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


def _counted(panel: Panel, why: np.ndarray) -> dict[str, int]:
    """Reason -> count of the items without a composite, or without an answering model."""
    why = np.where((why == "") & (panel.answer_model < 0), NO_MODEL, why)
    return dict(sorted(Counter(why[why != ""].tolist()).items()))
