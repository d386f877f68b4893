"""Corrected: the answering models by a judge, with the judge's bias removed by annotators' grades.

Two methods, of which only the first is used unless another is asked for:

- `draw`: PPI++. Annotators graded answers of a grading set, a random sample with known inclusion
  probabilities; the judge's mean over all answers is corrected by its error on those. Valid
  whatever the judge does.
- `rates`: Rogan-Gladen, of the share of answers that pass the heaviest criterion, by the error
  rates on every answer that annotators graded and the judge scored. It assumes that these are the
  same for every answering model, which is tested.

Where a method is not valid there is no corrected figure, and the reason.
"""

from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from concord.messages import said
from concord.model import BASELINE, Grader
from concord.reports.cells import p_value
from concord.reports.panel.criterion_comparison import EACH, ground
from concord.reports.panel.panel import COMPOSITE, NOT_BEGUN, AssignedGrades, Panel
from concord.stats.comparison.model_order import mean_difference, model_mean
from concord.stats.core.estimate import Estimate, Why, undefined
from concord.stats.core.tables import effective_number, share_of
from concord.stats.correction.ppi import Sample, ppi_difference, ppi_mean
from concord.stats.correction.rogan_gladen import Rates, equal_rates, refusal, rogan_gladen
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


def report(panel: Panel, drawn: AssignedGrades, how: str = DRAW) -> dict[str, Any]:
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
