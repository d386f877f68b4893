"""By rates: the share of answers that pass, by a judge whose error rates are known (Rogan-Gladen).

The rates come from every answer that people graded and the judge scored, whatever model wrote it.
"""

import numpy as np

from concord.messages import Said, said
from concord.reports.panel.comparison import ground
from concord.reports.panel.panel import Panel
from concord.reports.panel.reference_standard import EACH, reference
from concord.reports.panel.sampling_weights import Drawn
from concord.reports.ranking.judged_models import (
    JudgedModel,
    JudgedModels,
    model_index,
    nothing,
    scored,
)
from concord.stats.comparison.equal_rates import EqualRates, equal_rates
from concord.stats.comparison.model_order import mean_difference, model_sums
from concord.stats.core.clustered import effective_size, kish
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import ranked
from concord.stats.correction.rogan_gladen import (
    HELD,
    Rates,
    difference,
    is_held,
    refusal,
    rogan_gladen,
)
from concord.stats.intervals.wilson import proportion
from concord.store.graders import Grader

NOT_GRADED = said("annotators graded none of this model's answers")


def models(panel: Panel, judge: Grader, drawn: Drawn) -> JudgedModels:
    """Share of answers that pass the heaviest criterion; `drawn` is not needed."""
    criterion = panel.rubric.heaviest()
    failing = list(panel.rubric.failing(criterion))
    pairs = ground(panel, criterion.name, EACH).pairs(judge)
    decided = _decided(pairs, failing, len(panel.items))
    rates, worth = _rates(pairs, failing, decided)
    equal = _equal(panel, pairs, failing)
    why = refusal(rates)
    if why:
        return nothing(why)
    why = _differ(equal) if equal.differ else None
    varies = equal.sensitivity_varies, equal.specificity_varies
    rates = rates._replace(sensitivity_varies=varies[0], specificity_varies=varies[1])
    items, index = scored(panel, judge, criterion.name), model_index(panel)
    passed = ~np.isin(panel.of(criterion.name, judge.id).score, failing)
    sums = np.zeros((len(panel.items), len(panel.answer_models), 2))  # by cluster
    clusters = np.unique(panel.cluster[items])
    sums[clusters] = model_sums(
        passed[items].astype(float),
        np.ones(len(items)),
        index[items],
        panel.cluster[items],
        len(panel.answer_models),
    )
    graded = np.bincount(index[np.unique(pairs.item)] + 1, minlength=sums.shape[1] + 1)[1:]
    found = [
        _model(panel, m, sums[:, m], rates, worth, int(graded[m]))._replace(
            own=_own(panel, criterion.name, failing, m)
        )
        for m in range(sums.shape[1])
        if sums[:, m, 1].sum()
    ]
    apart = lambda one, other: _apart(decided, sums, varies, one, other)  # noqa: E731
    if why:
        found = [model._replace(corrected=undefined(why)) for model in found]
    return JudgedModels(found, apart, why, equal)


def _equal(panel: Panel, pairs: Pairs, failing: list[int]) -> EqualRates:
    """Whether the judge errs alike on every answering model, by the graded answers."""
    model = model_index(panel)[pairs.item]
    known = pairs.where(model >= 0)
    passing, passed = ~np.isin(known.person, failing), ~np.isin(known.judge, failing)
    return equal_rates(passing, passing == passed, model[model >= 0], known.cluster, known.weight)


def _differ(equal: EqualRates) -> Said:
    p_value = "p < .001" if equal.p_value < 0.001 else f"p = {equal.p_value:.3f}"
    return said(
        "the judge's error rates differ between answering models ({p_value}), so the pooled rates "
        "hold for none of them",
        p_value=p_value,
    )


def _own(panel: Panel, criterion: str, failing: list[int], model: int) -> Estimate:
    """The share that annotators themselves pass, of the model's answers that they graded."""
    people = reference(panel, criterion, EACH)
    keep = model_index(panel)[people.item] == model
    item, passed = people.item[keep], ~np.isin(people.score[keep], failing)
    if not len(item):
        return undefined(NOT_GRADED)
    weight = 1.0 / np.bincount(item)[item]
    questions, group = ranked(panel.cluster[item])
    hits, base = (np.bincount(group, w, questions) for w in (weight * passed, weight))
    return proportion(hits, base, float(len(np.unique(item))))


def _decided(pairs: Pairs, failing: list[int], size: int) -> np.ndarray:
    """(size, 4) by cluster: weights that people pass, the judge too; that people fail, it too."""
    fails, failed = np.isin(pairs.person, failing), np.isin(pairs.judge, failing)
    cells = (~fails, ~fails & ~failed, fails, fails & failed)
    weights = [np.bincount(pairs.cluster, pairs.weight * cell, size) for cell in cells]
    return np.stack(weights, axis=-1)


def _rates(
    pairs: Pairs, failing: list[int], decided: np.ndarray
) -> tuple[Rates, tuple[float, float]]:
    """The error rates, and how many independent answers each is worth."""
    passing, right, wrong, caught = decided.sum(axis=0)
    if not passing or not wrong:
        return Rates(0.0, 0.0, float(passing), float(wrong)), (0.0, 0.0)
    rates = Rates(right / passing, caught / wrong, float(passing), float(wrong))
    fails = np.isin(pairs.person, failing)
    sizes = [
        _worth(decided[:, 2 * side : 2 * side + 2], pairs.where(fails == bool(side)))
        for side in range(2)
    ]
    return rates, (sizes[0], sizes[1])


def _worth(decided: np.ndarray, pairs: Pairs) -> float:
    used = decided[decided[:, 0] > 0]
    if len(used) < 2:
        return float(len(used))
    answers = kish(pairs.item_weights())
    return effective_size(used[:, 1], used[:, 0], answers)


def _model(
    panel: Panel,
    index: int,
    sums: np.ndarray,
    rates: Rates,
    worth: tuple[float, float],
    graded: int,
) -> JudgedModel:
    used = sums[sums[:, 1] > 0]
    answers = float(used[:, 1].sum())
    size = effective_size(used[:, 0], used[:, 1], answers) if len(used) > 1 else answers
    raw = proportion(used[:, 0], used[:, 1], answers)
    corrected = rogan_gladen(used[:, 0].sum() / answers, size, rates, worth)
    name = panel.answer_models[index]
    return JudgedModel(name, index, raw, corrected, int(answers), graded)


def _apart(
    decided: np.ndarray,
    sums: np.ndarray,
    varies: tuple[float, float],
    one: JudgedModel,
    other: JudgedModel,
) -> tuple[Estimate, Estimate]:
    """Raw and corrected difference; a held share has none that would agree with it."""
    models = [one.index, other.index]
    raw = mean_difference(sums, *models)
    if is_held(one.corrected) or is_held(other.corrected):
        return raw, undefined(HELD)
    used = (decided.sum(axis=1) > 0) | (sums[:, models, 1].sum(axis=1) > 0)
    return raw, difference(decided[used], *(sums[used, m, ::-1] for m in models), varies)
