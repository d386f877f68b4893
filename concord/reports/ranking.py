"""Ranking: the answering models by weighted composite, by annotators and by each judge.

An order is compared on the answers that annotators and the judge both gave a composite to, so that
a swap is a difference of opinion and not of answers. A model with fewer than 20 effective questions
takes part in no order. A judge's bias is removed by annotators' grades in two ways, of which only
the first is used unless another is asked for:

- `draw`: PPI++. Annotators graded answers of a grading set, a random sample with known inclusion
  probabilities; the judge's mean over all answers is corrected by its error on those. Valid
  whatever the judge does.
- `rates`: Rogan-Gladen, of the share of answers that pass the heaviest criterion, by the error
  rates on every answer that annotators graded and the judge scored. It assumes that these are the
  same for every answering model, which is tested.

Where a method is not valid there is no corrected figure, and the reason.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from concord.messages import capital, counted, joined, message_of, said
from concord.model import BASELINE, Grader
from concord.reports.cells import p_value, reasons
from concord.reports.charts import Intervals, Mark, graders
from concord.reports.document import Column, Document, Table
from concord.reports.panel import wording
from concord.reports.panel.criterion_comparison import EACH, ground, reference
from concord.reports.panel.panel import (
    COMPOSITE,
    NOT_BEGUN,
    REWEIGHTED,
    STATUS_NAMES,
    AssignedGrades,
    Panel,
)
from concord.reports.panel.wording import annotators_sentence, counted_annotators, named
from concord.stats.comparison.model_order import (
    TOO_FEW_DRAWN,
    TOO_FEW_MODELS,
    above_shares,
    can_be_ordered,
    mean_difference,
    model_mean,
    model_rows,
    model_sums,
    order_tau_b,
    pair_signs,
    rank_sets,
)
from concord.stats.core.estimate import Estimate, Why, reason, undefined
from concord.stats.core.tables import effective_number, ranked, share_of
from concord.stats.correction.ppi import Sample, ppi_difference, ppi_mean
from concord.stats.correction.rogan_gladen import Rates, equal_rates, refusal, rogan_gladen
from concord.stats.intervals.resampling import Draws
from concord.stats.intervals.wilson import proportion

DRAW, RATES = "draw", "rates"
FEW = 4
BASELINE_KNOWS = "the baseline was trained on the annotators' grades, so they cannot correct it"
CONTINUOUS = "its grades are continuous numbers, which have no error rates"
ONE_MODEL = "the judge scored answers of fewer than two answering models that can be corrected"
ALL_BEFORE = (
    "annotators had graded every answer before the grading set was sampled; import more questions "
    "and sample from them"
)
DIFFER = (
    "the judge's error rates differ between answering models (p {p}), so the pooled rates apply to "
    "none of them"
)
# Figures of each model by name, raw and corrected difference of two of them, and why none.
Figures = dict[str, dict[str, Any]]
Corrections = tuple[Figures, Callable[[str, str], tuple[Estimate, Estimate]] | None, Why | None]


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
    drawn = "question bootstrap", f"{draws.resamples} resamples", f"seed: {draws.seed}"
    signature = {
        "rubric": panel.rubric.name,
        "weights": joined(", ", weights),
        **({"answers": REWEIGHTED} if panel.reweighted else {}),
        **wording.synthetic(panel),
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
        "signature": wording.in_one_line(signature),
    }


def whole(panel: Panel, drawn: AssignedGrades, how: str = DRAW) -> dict[str, Any]:
    """Rank the models by the composite, and without the judges' bias."""
    return report(panel) | {"corrected": correct(panel, drawn, how)}


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


def correct(panel: Panel, drawn: AssignedGrades, how: str = DRAW) -> dict[str, Any]:
    """Correct every judge's figures of the answering models, and compare the models in pairs.

    Of a model, `raw` is the judge's figure, `n` the answers the judge scored, and `graded` those of
    them whose annotators' grades the correction rests on. `pairs` are all pairs of models where
    they are few, else those next to each other; `certain` where the corrected difference is surely
    above 0; of error rates there are none. `excluded` counts the answers that were graded before
    the sample was drawn.
    """
    why, of_draw, heaviest = None, how == DRAW, panel.rubric.heaviest().name
    if of_draw:
        before = panel.open.any() and drawn.passed[panel.open].all()
        why = ALL_BEFORE if before and drawn.why_none == NOT_BEGUN else drawn.why_none
    return {
        "how": how,
        "what": "mean composite" if of_draw else f"share of answers that pass {heaviest}",
        "criterion": COMPOSITE if of_draw else heaviest,
        "reference": EACH,
        "sets": drawn.sets if of_draw else (),
        "excluded": int((drawn.passed & panel.open).sum()) if of_draw else 0,
        "excluded_grades": drawn.excluded_grades if of_draw else (),
        "why_none": why,
        "judges": [_judge(panel, one, drawn, of_draw) for one in panel.judges.values()]
        if not why
        else [],
    }


def _judge(panel: Panel, judge: Grader, drawn: AssignedGrades, of_draw: bool) -> dict[str, Any]:
    figures, difference, why = {}, None, None
    if judge.name == BASELINE:
        why = BASELINE_KNOWS
    elif of_draw:
        figures, difference, why = _by_ppi(panel, judge, drawn)
    elif panel.is_continuous(panel.rubric.heaviest().name, judge.id):
        why = CONTINUOUS
    else:
        figures, difference, why = _by_rates(panel, judge)
    if not why and len(figures) < 2:
        why = ONE_MODEL
    models = [{"answer_model": name, **one} for name, one in figures.items()]
    models.sort(key=lambda m: (m["corrected"].value is None, -(m["corrected"].value or 0.0)))
    known = [m["answer_model"] for m in models if m["corrected"].value is not None and not why]
    if not known:
        why = why or models[0]["corrected"].why_none
    pairs = []
    steps = combinations(known, 2) if len(known) <= FEW else pairwise(known)
    for above, below in steps if difference else ():
        raw, corrected = difference(above, below)
        certain = corrected.low is not None and corrected.low > 0
        pair = {"above": above, "below": below, "raw": raw, "corrected": corrected}
        pairs.append(pair | {"certain": certain})
    return {
        "judge": panel.labels[judge.id],
        "simulated": judge.simulated,
        "fingerprint": judge.fingerprint,
        "why_none": why,
        "models": models,
        "pairs": pairs,
    }


def _by_ppi(panel: Panel, judge: Grader, drawn: AssignedGrades) -> Corrections:
    """Return mean composites, each corrected by the model's answers in the sample.

    Raw and corrected figures are of the same answers: those that could have been drawn.
    """
    judged, annotators = panel.given(COMPOSITE, judge.id).score, drawn.means
    scale, ends = panel.rubric.scale, panel.ends(COMPOSITE, judge.id)
    figures, samples, rows = {}, {}, {}
    for name, items in _scored(panel, judge, COMPOSITE).items():
        if len(items := items[~drawn.passed[items]]):
            part = judged[items], annotators[items], drawn.weight[items], panel.cluster[items]
            samples[name] = sample = Sample(*part)
            rows[name] = _by_cluster(panel, items, judged[items])
            figures[name] = {
                "raw": model_mean(rows[name], ends),
                "corrected": ppi_mean(sample, (scale[0], scale[-1])),
                "n": len(items),
                "graded": int(sample.labelled.sum()),
            }

    def difference(above: str, below: str) -> tuple[Estimate, Estimate]:
        raw = mean_difference(rows[above], rows[below])
        return raw, ppi_difference(samples[above], samples[below])

    return figures, difference, None


def _by_rates(panel: Panel, judge: Grader) -> Corrections:
    """Return the share of answers that pass the heaviest criterion."""
    criterion = panel.rubric.heaviest()
    failing = list(panel.rubric.failing(criterion))
    pairs = ground(panel, criterion.name, EACH).pairs(judge)
    # (clusters, 4): weights passed by annotators, by the judge too; failed by them, by it too.
    fails, failed = np.isin(pairs.annotator, failing), np.isin(pairs.judge, failing)
    cells = (~fails, ~fails & ~failed, fails, fails & failed)
    weights = [np.bincount(pairs.cluster, pairs.weight * one, len(panel.items)) for one in cells]
    decided = np.stack(weights, axis=-1)
    passing, right, wrong, caught = decided.sum(axis=0)
    rates, worth = Rates(0.0, 0.0, float(passing), float(wrong)), (1.0, 1.0)
    if passing and wrong:
        rates = rates._replace(sensitivity=right / passing, specificity=caught / wrong)
        worth = [
            _worth(side[side[:, 0] > 0], pairs.weight[on])
            for side, on in ((decided[:, :2], ~fails), (decided[:, 2:], fails))
        ]
    if why := refusal(rates):
        return {}, None, why
    model = panel.answer_model[pairs.item]
    known = model >= 0
    parts = (~fails, fails == failed, model, pairs.cluster, pairs.weight)
    equal = equal_rates(*(part[known] for part in parts))
    why = said(DIFFER, p=p_value(equal.p_value)) if equal.differ else None
    varies = equal.sensitivity_varies, equal.specificity_varies
    rates = rates._replace(sensitivity_varies=varies[0], specificity_varies=varies[1])
    passed = ~np.isin(panel.of(criterion.name, judge.id).score, failing)
    rated = int(np.count_nonzero(decided.sum(axis=1)))
    graded = np.unique(pairs.item)
    figures = {}
    for name, items in _scored(panel, judge, criterion.name).items():
        one = _by_cluster(panel, items, passed[items])
        used = one[one[:, 1] > 0]
        share, size, questions = map(float, share_of(used[:, 0], used[:, 1]))
        corrected = rogan_gladen(share, size, rates, worth, min(questions, rated))
        figures[name] = {
            "raw": proportion(used[:, 0], used[:, 1]),
            "corrected": undefined(why) if why else corrected,
            "n": len(items),
            "graded": int(np.isin(graded, items).sum()),
        }

    return figures, None, why


def _scored(panel: Panel, judge: Grader, criterion: str) -> dict[str, np.ndarray]:
    """Return the indices of the open items that a judge scored, by their answering model."""
    marks = panel.given(criterion, judge.id)
    items = np.flatnonzero(marks.scored & panel.open & (panel.answer_model >= 0))
    model = panel.answer_model[items]
    return {panel.answer_models[m]: items[model == m] for m in np.unique(model).tolist()}


def _by_cluster(panel: Panel, items: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(G, 2) the summed values and the number of some answers in each cluster."""
    cluster, size = panel.cluster[items], len(panel.items)
    return np.stack([np.bincount(cluster, values, size), np.bincount(cluster, minlength=size)], -1)


def _worth(side: np.ndarray, weight: np.ndarray) -> float:
    """How many independent answers an error rate is worth, of weights of all and of right ones."""
    if len(side) < 2:
        return 1.0
    return float(share_of(side[:, 1], side[:, 0], effective_number(weight))[1])


_SPELT_OUT = 4, 8  # models in a headline, and in a cell
_HEADLINES = {
    "same": "{judge} ranks the models as annotators do",
    "open": "Inconclusive: {judge} may rank the models as annotators do",
    "level": "{judge} and annotators rank all models equal",
    "judge level": "{judge} ties models that annotators rank apart",
    "annotators level": "{judge} ranks models apart that annotators tie",
    "reversed": "{judge} reverses the annotators' order of {swaps}",
    "maybe reversed": "Inconclusive: {judge} reverses the annotators' order of {swaps}",
}
_COMPARED = "Judges are compared on the answers that they and the annotators both scored."
_TOO_FEW = "{models} with fewer than 20 questions are in no order."


def document(ranking: Mapping[str, Any], judge: str | None = None) -> Document:
    """Return what is shown of a ranking, the headline of `judge` by its label, else of the best."""
    orders, models = ranking["orders"], ranking["models"]
    order = next((one for one in orders if one["judge"] == judge), best(orders))
    columns = (
        Column("graded by"),
        Column("answering model"),
        Column("mean composite", "number", "composite"),
        Column("ranks"),
        Column("answers", "count"),
        Column("questions", "count"),
    )
    means = (
        (
            _grader(row["grader"], row["simulated"]),
            row["answer_model"],
            Estimate(*(row[key] for key in Estimate._fields)),
            row["ranks"] and "-".join(map(str, sorted({*row["ranks"]}))),
            row["n"],
            row["questions"],
        )
        for row in models
    )
    simulated = [annotator["simulated"] for annotator in ranking["annotators"]]
    few = max([one["too_few"] for one in orders], default=0)
    facts = (
        annotators_sentence(sum(simulated), len(simulated)),
        _COMPARED if orders else "",
        _TOO_FEW.format(models=counted(few, "answering model")) if few else "",
    )
    colours = graders((one["judge"], one["judge"] == BASELINE) for one in orders)
    return Document(
        _headline(ranking, order),
        tuple(filter(None, facts)),
        (
            _orders(ranking),
            Table("composites", columns, tuple(means), "Mean composites and ranks"),
        ),
        provenance=ranking["signature"],
        charts=(chart(order, colours[order["judge"]]),) if is_comparable(order) else (),
    )


def is_comparable(order: Mapping[str, Any] | None) -> bool:
    """Return True for an order of two models or more."""
    return order is not None and len(order["models"]) > 1


def annotated(ranking: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the models that annotators rank, best first."""
    return [m for m in ranking["models"] if m["grader"] == ANNOTATORS and m["ranks"]]


def chart(order: Mapping[str, Any], of: int | str = 0) -> Intervals:
    """Return the means of each answering model by the annotators and by a judge, their best first.

    A model that swaps places with another says so.
    """
    swapped: dict[str, str] = {}
    for swap in sorted(order["swaps"], key=lambda one: one["certain"]):
        how = "swapped" if swap["certain"] else "perhaps swapped"
        swapped |= dict.fromkeys((swap["higher"], swap["lower"]), how)
    judge, rows, ends = named(order["judge"], order["simulated"]), [], []
    for one in order["models"]:
        model = one["answer_model"]
        name = f"{model}, {swapped[model]}" if model in swapped else model
        both = (ANNOTATORS, one[ANNOTATORS], "annotators"), (judge, one["judge"], of)
        rows.append((name, tuple(Mark(who, found, model, look) for who, found, look in both)))
        ends += [end for _, found, _ in both for end in found[:3] if end is not None]
    air = 0.06 * (max(ends) - min(ends)) or 0.5
    reach = min(ends) - air, max(ends) + air
    title = "Order of the answering models"
    return Intervals("order", "", title, "mean composite", "number", reach, tuple(rows))


def best(orders: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the order nearest to the annotators'; the baseline's only where there is no other.

    Nearest is the one with the fewest pairs that are swapped or tied by one side only: a judge that
    ties all models swaps none. One that cannot be compared comes last.
    """
    real = [order for order in orders if order["judge"] != BASELINE]
    return min(
        real or orders,
        key=lambda one: (not is_comparable(one), len(one["swaps"]) + one["one_sided"]),
        default=None,
    )


def _grader(name: str, simulated: bool) -> str:
    return name if name == ANNOTATORS else named(name, simulated)


def _headline(ranking: Mapping[str, Any], order: Mapping[str, Any] | None) -> str:
    """Return the finding on one judge, or that no judge can be compared."""
    own = annotated(ranking)
    if is_comparable(order):
        pairs = len(order["models"]) * (len(order["models"]) - 1) // 2
        swaps = said("{n} of {pairs:,} pairs of models", n=len(order["swaps"]), pairs=pairs)
        if len(order["swaps"]) == 1:
            swaps = "{higher} and {lower}".format(**order["swaps"][0])
        judge = named(order["judge"], order["simulated"])
        return _HEADLINES[order["result"]].format(judge=judge, swaps=swaps)
    if len(own) < 2:
        return "No ranking: it needs two answering models with 20 graded questions each"
    certain = all(best == worst for best, worst in (row["ranks"] for row in own))
    chain = _chain([(row["answer_model"], row["value"]) for row in own], _SPELT_OUT[0])
    text = said("the annotators rank {chain}", chain=chain)
    return capital(text) if certain else f"Not certain: {text}"


def _chain(values: Sequence[tuple[str, float]], most: int) -> str:
    """Return models in order, as `atlas > birch = cobalt`; of more than `most` the ends."""
    # Sorted by the printed digits; sorting is stable, so ties keep the panel's order.
    values = sorted(values, key=lambda pair: -round(pair[1], DIGITS))
    if len(values) > most:
        return f"{values[0][0]} > … > {values[-1][0]}"
    chain, last = "", None
    for model, value in values:
        sign = "" if last is None else " = " if round(value, DIGITS) == last else " > "
        chain, last = f"{chain}{sign}{model}", round(value, DIGITS)
    return chain


def _orders(ranking: Mapping[str, Any]) -> Table:
    """A row for the annotators and for each judge."""
    columns = (
        Column("graded by"),
        Column("order"),
        Column("reversed pairs", "count"),
        Column("certain reversals", "count"),
        Column("tau-b", "number", "tau-b"),
        Column("answers", "count"),
    )
    own = [(row["answer_model"], row["value"]) for row in annotated(ranking)]
    graded = sum(row["n"] for row in ranking["models"] if row["grader"] == ANNOTATORS)
    rows: list[tuple] = [(ANNOTATORS, _chain(own, _SPELT_OUT[1]), None, None, None, graded)]
    for order in ranking["orders"]:
        cells: tuple = None, None, None
        if is_comparable(order):
            values = [(one["answer_model"], one["judge"].value) for one in order["models"]]
            sure = sum(swap["certain"] for swap in order["swaps"])
            cells = _chain(values, _SPELT_OUT[1]), len(order["swaps"]), sure
        tau_b = Estimate(*(order[key] for key in TAU_B))
        rows.append((_grader(order["judge"], order["simulated"]), *cells, tau_b, order["n"]))
    return Table("orders", columns, tuple(rows) if len(own) > 1 else (), "Orders")


_NOT_CORRECTED = "Not corrected {method}: {why}"
_METHODS = {DRAW: "by random sample (PPI++)", RATES: "by error rates"}
_ASSUMES = {
    DRAW: "Valid whatever the judge does, since annotators graded a random sample.",
    RATES: "Assumes the same error rates for every answering model; the correction by random "
    "sample (PPI++) does not.",
}
REMEDIES = {
    DRAW: "Grade at least 30 answers of each answering model in a grading set.",
    RATES: "At least 30 answers that annotators pass and 30 that they fail are needed.",
}
_PASSED = "Excluded: {answers} graded before the sample was drawn, as it may have skipped such."


def corrected_document(corrected: Mapping[str, Any], judge: str | None = None) -> Document:
    """Return what is shown of the corrected figures of all judges, or of one by its label."""
    judges = [one for one in corrected["judges"] if judge in (None, one["judge"])]
    done = [one for one in judges if not one["why_none"]]
    untold = [one["why_none"] for one in judges if one["why_none"]]
    why = corrected["why_none"] or next(iter(untold), None)
    method = _METHODS[corrected["how"]]
    if not judges and not why:
        return Document("")
    words = {
        "n": len(done),
        "judges": counted(len(judges), "judge"),
        "method": method,
        "what": corrected["what"],
        "why": message_of(why),
    }
    headline = "{n} of {judges} corrected {method}: {what}" if done else _NOT_CORRECTED
    if len(judges) == len(done) == 1 and done[0]["pairs"]:
        known = [m["answer_model"] for m in done[0]["models"] if m["corrected"].value is not None]
        sure = {(pair["above"], pair["below"]) for pair in done[0]["pairs"] if pair["certain"]}
        words["name"] = named(done[0]["judge"], done[0]["simulated"])
        words["order"] = " > ".join(known)
        headline = "Corrected for bias, {name} ranks {order}"
        if not sure >= {*pairwise(known)}:
            headline += ", but not every step is certain"
    headline = headline.format(**words)
    notes = [
        *reasons(one for one in untold if done or one != why),
        _PASSED.format(answers=counted(corrected["excluded"], "answer"))
        if corrected["excluded"]
        else "",
        *corrected["excluded_grades"],
    ]
    facts = (_ASSUMES if done else REMEDIES)[corrected["how"]]
    tables = _corrected_tables(corrected, done)
    return Document(headline, (facts,), tables, tuple(filter(None, notes)))


def _corrected_tables(
    corrected: Mapping[str, Any], judges: Sequence[Mapping[str, Any]]
) -> tuple[Table, Table]:
    """Return raw and corrected figures, and the differences of models."""
    rates = corrected["how"] == RATES
    kind, apart = ("share", "points") if rates else ("number", "difference")
    heads = (
        Column("judge"),
        Column("answering model"),
        Column("uncorrected", kind),
        Column("corrected", kind, "corrected"),
        Column("answers", "count"),
        Column("graded by annotators", "count"),
    )
    figures, pairs = [], []
    for one in judges:
        name = named(one["judge"], one["simulated"])
        figures += [(name, *model.values()) for model in one["models"]]
        pairs += [
            (
                name,
                pair["above"],
                pair["below"],
                pair["corrected"],
                "certain" if pair["certain"] else "inconclusive",
            )
            for pair in one["pairs"]
        ]
    columns = (
        Column("judge"),
        Column("above"),
        Column("below"),
        Column("corrected difference", apart),
        Column("result"),
    )
    return (
        Table("corrected", heads, tuple(figures), capital(corrected["what"])),
        Table("pairs", columns, tuple(pairs), "Corrected differences"),
    )
