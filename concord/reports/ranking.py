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
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from concord.messages import capital, counted, joined, said
from concord.model import BASELINE, Grader
from concord.reports.cells import p_value, reasons
from concord.reports.charts import Intervals, Mark, graders
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel import wording
from concord.reports.panel.criterion_comparison import EACH, ground, reference
from concord.reports.panel.panel import (
    COMPOSITE,
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
    model_mean,
    model_rows,
    model_sums,
    order_tau_b,
    pair_signs,
    rank_sets,
)
from concord.stats.core.estimate import Estimate, Why, reason, undefined
from concord.stats.core.tables import effective_number, ranked, share_of
from concord.stats.correction.ppi import Sample, ppi_mean
from concord.stats.correction.rogan_gladen import Rates, equal_rates, refusal, rogan_gladen
from concord.stats.intervals.resampling import Draws
from concord.stats.intervals.wilson import proportion

DRAW, RATES = "draw", "rates"
BASELINE_KNOWS = "the baseline was trained on the annotators' grades, so they cannot correct it"
CONTINUOUS = "its grades are continuous numbers, which have no error rates"
NOT_SCORED = "the judge scored no answer of a sampled question"
DIFFER = (
    "the judge's error rates differ between answering models (p {p}), so the pooled rates apply to "
    "none of them"
)
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
# Of each answering model, the judge's figure and the corrected one; or why nothing is corrected.
Corrected = tuple[list[dict[str, Any]], Why | None]


def report(panel: Panel, draws: Draws | None = None) -> dict[str, Any]:
    """Rank the answering models by the composite with the panel's weights, as JSON has it.

    `models` has the mean of each model by each grader on all answers the grader scored, annotators
    first and best first within a grader; `ranks` are the best and the worst rank it can hold, 95
    percent for all models of the grader. `orders` has one per judge. `left_out` counts, by grader,
    the answers without a composite, by reason.
    """
    draws = draws or Draws()
    models = _models(panel, None, _by_annotators(panel), draws)
    left_out = {ANNOTATORS: _counted(panel, reference(panel, COMPOSITE, EACH).why)}
    names = np.array(["", *STATUS_NAMES[1:], NOT_GRADED], dtype=object)  # -1 is the last
    for judge, grader in panel.judges.items():
        models += _models(panel, grader, _by_judge(panel, judge), draws)
        status, closed = panel.given(COMPOSITE, judge).status, panel.items["closed"].to_numpy()
        why = np.where(panel.open, names[status], closed)
        left_out[panel.labels[judge]] = _counted(panel, why)
    signature = {
        "rubric": panel.rubric.name,
        "weights": joined(", ", (f"{name} {weight}" for name, weight in panel.weights.items())),
        **({"answers": REWEIGHTED} if panel.reweighted else {}),
        **wording.synthetic(panel),
        "intervals": "question jackknife",
        "orders": said(
            "question bootstrap, {n} resamples, seed: {seed}", n=draws.resamples, seed=draws.seed
        ),
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
    size, model = len(panel.answer_models), panel.answer_model[item]
    rows = model_rows(value, weight, model, panel.cluster[item], size)
    able = np.array([can_be_ordered(one) for one in rows], bool)
    sets = iter(rank_sets(_sums(panel, composites, able), draws) if able.sum() > 1 else ())
    ranks = [next(sets, None) if one else None for one in able]
    several = sum(len(one) > 0 for one in rows) > 1
    why = TOO_FEW_DRAWN if several else reason("too_few_answering_models")
    graded = pd.DataFrame({"model": model, "n": item, "questions": panel.question[item]})
    sizes = graded.groupby("model").nunique().reindex(range(size), fill_value=0)
    found = [
        {
            **model_mean(rows[place], _ends(panel, judge))._asdict(),
            "grader": panel.labels[judge.id] if judge else ANNOTATORS,
            "kind": judge.kind if judge else "annotator",
            "simulated": any(one.simulated for one in ([judge] if judge else panel.graded_by)),
            "answer_model": name,
            **sizes.loc[place].to_dict(),
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
    shares of resamples that have `higher` above; `one_sided` counts the pairs that only one of them
    ties. `result` is `none` with fewer than two models in the order; `open` and `maybe reversed`
    have no certain reversal, and an order of neighbours that is not certain.
    """
    annotators = _by_annotators(panel)
    model, cluster, size = panel.answer_model, panel.cluster, len(panel.answer_models)
    found = []
    for judge, grader in panel.judges.items():
        item, value, _ = _by_judge(panel, judge)
        own = item, value, panel.weight[item]
        shared = panel.mask(annotators[0]) & panel.mask(item)
        sides = [[part[shared[side[0]]] for part in side] for side in (annotators, own)]
        rows = [model_rows(*side[1:], model[side[0]], cluster[side[0]], size) for side in sides]
        able = np.array([can_be_ordered(one) for one in rows[0]], bool)
        ends = _ends(panel), _ends(panel, grader)
        models = [
            {"answer_model": panel.answer_models[place]}
            | {s: model_mean(rows[n][place], ends[n]) for n, s in enumerate(SIDES)}
            for place in np.flatnonzero(able)
        ]
        order = {
            "judge": panel.labels[judge],
            "fingerprint": grader.fingerprint,
            "simulated": grader.simulated,
            **dict(zip(TAU_B, undefined(TOO_FEW_MODELS), strict=True)),
            "result": "none",
            "one_sided": 0,
            "swaps": [],
            "models": models,
            "too_few": size - len(models),
            "n": int(shared.sum()),
            "questions": ranked(panel.question[shared])[0],
        }
        if len(models) > 1:
            order |= _compared(models, [_sums(panel, side, able) for side in sides], draws)
        found.append(order)
    return found


def _compared(
    models: list[Mapping[str, Any]], sums: list[np.ndarray], draws: Draws
) -> dict[str, Any]:
    """Compare the order of the models by annotators with a judge's, by sums on the same answers."""
    pairs = np.stack(np.triu_indices(len(models), 1))
    means = [np.array([model[side].value for model in models]) for side in SIDES]
    signs = [pair_signs(one, pairs) for one in means]
    one_sided = int(((signs[0] == 0) != (signs[1] == 0)).sum())
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
    elif one_sided:
        result = "tied"
    else:
        result = "same" if (shares >= CERTAIN).all() else "open"
    tau_b = dict(zip(TAU_B, order_tau_b(*sums, draws), strict=True))
    return {**tau_b, "result": result, "one_sided": one_sided, "swaps": swaps}


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
    """Correct every judge's figures of the answering models.

    Of a model, `raw` is the judge's figure, `n` the answers the judge scored, and `graded` those of
    them whose annotators' grades the correction rests on. `excluded` counts the answers that were
    graded before the sample was drawn.
    """
    of_draw, judges = how == DRAW, []
    why_none = drawn.why_none if of_draw else None
    for judge in panel.judges.values() if not why_none else ():
        models, why = [], None
        if judge.name == BASELINE:
            why = BASELINE_KNOWS
        elif of_draw:
            models = _by_ppi(panel, judge, drawn)
        elif panel.is_continuous(panel.rubric.heaviest().name, judge.id):
            why = CONTINUOUS
        else:
            models, why = _by_rates(panel, judge)
        models.sort(key=lambda m: (m["corrected"].value is None, -(m["corrected"].value or 0.0)))
        if not why and (not models or models[0]["corrected"].value is None):
            why = models[0]["corrected"].why_none if models else NOT_SCORED
        judges.append(
            {
                "judge": panel.labels[judge.id],
                "simulated": judge.simulated,
                "fingerprint": judge.fingerprint,
                "why_none": why,
                "models": models,
            }
        )
    passes = said("share of answers that pass {name}", name=panel.rubric.heaviest().name)
    return {
        "how": how,
        "what": "mean composite" if of_draw else passes,
        "sets": drawn.sets if of_draw else (),
        "excluded": int((drawn.passed & panel.open).sum()) if of_draw else 0,
        "excluded_grades": drawn.excluded_grades if of_draw else (),
        "why_none": why_none,
        "judges": judges,
    }


def _by_ppi(panel: Panel, judge: Grader, drawn: AssignedGrades) -> list[dict[str, Any]]:
    """Return mean composites, each corrected by the model's answers in the sample.

    Raw and corrected figures are of the same answers: those that could have been drawn.
    """
    judged, cluster, found = panel.given(COMPOSITE, judge.id).score, panel.cluster, []
    for name, items in _scored(panel, judge, COMPOSITE).items():
        if len(items := items[~drawn.passed[items]]):
            sample = Sample(judged[items], drawn.means[items], drawn.weight[items], cluster[items])
            rows = _by_cluster(panel, items, judged[items])
            found.append(
                {
                    "answer_model": name,
                    "raw": model_mean(rows, _ends(panel, judge)),
                    "corrected": ppi_mean(sample, _ends(panel)),
                    "n": len(items),
                    "graded": int(sample.labelled.sum()),
                }
            )
    return found


def _by_rates(panel: Panel, judge: Grader) -> Corrected:
    """Return the share of answers that pass the heaviest criterion."""
    criterion = panel.rubric.heaviest()
    failing = list(panel.rubric.failing(criterion))
    pairs = ground(panel, criterion.name, EACH).pairs(judge)
    fails = np.isin(pairs.annotator, failing)
    right = fails == np.isin(pairs.judge, failing)
    counts, rates, worth = [], [], []
    for side in (~fails, fails):  # that annotators pass, and fail
        # (clusters, 2): weights of all of them, and of those that the judge decides likewise
        decided = np.stack(
            [
                np.bincount(pairs.cluster, pairs.weight * one, len(panel.items))
                for one in (side, side & right)
            ],
            axis=-1,
        )
        size, hits = decided.sum(axis=0)
        decided = decided[decided[:, 0] > 0]
        counts.append(float(size))
        rates.append(hits / size if size else 0.0)
        worth.append(1.0)
        if len(decided) > 1:
            units = effective_number(pairs.weight[side])
            worth[-1] = float(share_of(decided[:, 1], decided[:, 0], units)[1])
    found = Rates(*rates, *counts)
    if why := refusal(found):
        return [], why
    model = panel.answer_model[pairs.item]
    parts = (~fails, right, model, pairs.cluster, pairs.weight)
    equal = equal_rates(*(part[model >= 0] for part in parts))
    why = said(DIFFER, p=p_value(equal.p_value)) if equal.differ else None
    found = found._replace(
        sensitivity_varies=equal.sensitivity_varies, specificity_varies=equal.specificity_varies
    )
    passed = ~np.isin(panel.of(criterion.name, judge.id).score, failing)
    graded, questions_graded = np.unique(pairs.item), len(np.unique(pairs.cluster))
    models = []
    for name, items in _scored(panel, judge, criterion.name).items():
        one = _by_cluster(panel, items, passed[items])
        used = one[one[:, 1] > 0]
        share, size, questions = map(float, share_of(used[:, 0], used[:, 1]))
        corrected = rogan_gladen(share, size, found, worth, min(questions, questions_graded))
        models.append(
            {
                "answer_model": name,
                "raw": proportion(used[:, 0], used[:, 1]),
                "corrected": undefined(why) if why else corrected,
                "n": len(items),
                "graded": int(np.isin(graded, items).sum()),
            }
        )
    return models, why


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


_SPELT_OUT = 4  # models in an order
_HEADLINES = {
    "same": "{judge} ranks the models as annotators do",
    "open": "Inconclusive: {judge} may rank the models as annotators do",
    "tied": "{judge} ties other models than annotators do",
    "reversed": "{judge} reverses the annotators' order of {swaps}",
    "maybe reversed": "Inconclusive: {judge} reverses the annotators' order of {swaps}",
}


def document(ranking: Mapping[str, Any], judge: str | None = None) -> Document:
    """Return what is shown of a ranking, the headline of `judge` by its label, else of the best."""
    found = ranking["orders"]
    order = next((one for one in found if one["judge"] == judge), best(found))
    means = (
        ("graded by", _grader),
        ("answering model", "answer_model"),
        (
            Column("mean composite", "number", "composite"),
            lambda row: Estimate(*(row[key] for key in Estimate._fields)),
        ),
        ("ranks", lambda row: row["ranks"] and "-".join(map(str, sorted({*row["ranks"]})))),
        (Column("answers", "count"), "n"),
    )
    simulated = [annotator["simulated"] for annotator in ranking["annotators"]]
    few = counted(max([one["too_few"] for one in found], default=0), "answering model")
    facts = (
        annotators_sentence(sum(simulated), len(simulated)),
        "" if few[0] == "0" else f"{few} with fewer than 20 questions are in no order.",
    )
    colours = graders((one["judge"], one["judge"] == BASELINE) for one in found)
    return Document(
        _headline(ranking, order),
        tuple(filter(None, facts)),
        (_orders(ranking), table_of("composites", ranking["models"], means, "Means and ranks")),
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
    swapped = {swap[side] for swap in order["swaps"] for side in ("higher", "lower")}
    judge, rows, ends = named(order["judge"], order["simulated"]), [], []
    for one in order["models"]:
        model = one["answer_model"]
        name = f"{model}, swapped" if model in swapped else model
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


def _grader(row: Mapping[str, Any]) -> str:
    return ANNOTATORS if row["kind"] == "annotator" else named(row["grader"], row["simulated"])


def _headline(ranking: Mapping[str, Any], order: Mapping[str, Any] | None) -> str:
    """Return the finding on one judge, or that no judge can be compared."""
    own = annotated(ranking)
    if is_comparable(order):
        size, swaps = len(order["models"]), order["swaps"]
        pairs = size * (size - 1) // 2
        words = said("{n} of {pairs:,} pairs of models", n=len(swaps), pairs=pairs)
        if len(swaps) == 1:
            words = "{higher} and {lower}".format(**swaps[0])
        judge = named(order["judge"], order["simulated"])
        return _HEADLINES[order["result"]].format(judge=judge, swaps=words)
    if len(own) < 2:
        return "No ranking: it needs two answering models with 20 graded questions each"
    certain = all(best == worst for best, worst in (row["ranks"] for row in own))
    chain = _chain([(row["answer_model"], row["value"]) for row in own])
    text = said("annotators rank {chain}", chain=chain)
    return capital(text) if certain else f"Not certain: {text}"


def _chain(values: Sequence[tuple[str, float]]) -> str:
    """Return models in order, as `atlas > birch = cobalt`; of many the ends."""
    # Sorted by the printed digits; sorting is stable, so ties keep the panel's order.
    values = sorted(values, key=lambda pair: -round(pair[1], DIGITS))
    if len(values) > _SPELT_OUT:
        return f"{values[0][0]} > … > {values[-1][0]}"
    chain = values[0][0]
    for (_, before), (model, value) in pairwise(values):
        sign = "=" if round(value, DIGITS) == round(before, DIGITS) else ">"
        chain = f"{chain} {sign} {model}"
    return chain


def _orders(ranking: Mapping[str, Any]) -> Table:
    """A row for each judge whose order can be compared with that of the annotators."""
    parts = (
        ("judge", lambda one: named(one["judge"], one["simulated"])),
        ("order", lambda one: _chain([(m["answer_model"], m["judge"][0]) for m in one["models"]])),
        (Column("reversed pairs", "count"), lambda one: len(one["swaps"])),
        (Column("certain", "count"), lambda one: sum(swap["certain"] for swap in one["swaps"])),
        (Column("tau-b", "number", "tau-b"), lambda one: Estimate(*(one[key] for key in TAU_B))),
        (Column("answers", "count"), "n"),
    )
    return table_of("orders", filter(is_comparable, ranking["orders"]), parts, "Orders")


_METHODS = {DRAW: "by random sample (PPI++)", RATES: "by error rates"}
_ASSUMES = {
    DRAW: "Valid whatever the judge does, since annotators graded a random sample.",
    RATES: "Assumes the same error rates for every answering model.",
}
REMEDIES = {
    DRAW: "Grade at least 30 answers of each answering model in a grading set.",
    RATES: "At least 30 answers that annotators pass and 30 that they fail are needed.",
}


def corrected_document(corrected: Mapping[str, Any], judge: str | None = None) -> Document:
    """Return what is shown of the corrected figures of all judges, or of one by its label."""
    judges = [one for one in corrected["judges"] if judge in (None, one["judge"])]
    untold = dict.fromkeys(one["why_none"] for one in judges if one["why_none"])
    why, how = corrected["why_none"] or next(iter(untold), None), corrected["how"]
    if not judges and not why:
        return Document("")
    done = [one for one in judges if not one["why_none"]]
    headline = joined(": ", (f"Not corrected {_METHODS[how]}", why))
    if done:
        headline = f"{capital(corrected['what'])}, corrected {_METHODS[how]}"
    before = said(
        "Excluded: {answers} graded before the sample was drawn.",
        answers=counted(corrected["excluded"], "answer"),
    )
    notes = [
        *reasons(one for one in untold if done or one != why),
        *([before] if corrected["excluded"] else []),
        *corrected["excluded_grades"],
    ]
    kind = "share" if how == RATES else "number"
    parts = (
        ("judge", lambda of: named(of[0]["judge"], of[0]["simulated"])),
        ("answering model", lambda of: of[1]["answer_model"]),
        (Column("uncorrected", kind), lambda of: of[1]["raw"]),
        (Column("corrected", kind, "corrected"), lambda of: of[1]["corrected"]),
        (Column("answers", "count"), lambda of: of[1]["n"]),
        (Column("graded by annotators", "count"), lambda of: of[1]["graded"]),
    )
    rows = ((one, model) for one in done for model in one["models"])
    table = table_of("corrected", rows, parts, capital(corrected["what"]))
    return Document(headline, ((_ASSUMES if done else REMEDIES)[how],), (table,), tuple(notes))
