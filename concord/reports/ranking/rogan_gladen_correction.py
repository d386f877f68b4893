"""The share of answers that pass, by a judge whose error rates are known (Rogan-Gladen).

The rates come from every answer that annotators graded and the judge scored, whatever model wrote
it.
"""

import numpy as np

from concord.messages import Numeral, Said, said
from concord.model import Grader
from concord.reports.panel.criterion_comparison import ground
from concord.reports.panel.panel import Panel
from concord.reports.panel.reference_standard import EACH, reference
from concord.reports.panel.sampling_weights import AssignedGrades
from concord.reports.ranking.judged_models import JudgedModel, JudgedModels, scored, sums
from concord.stats.comparison.equal_rates import EqualRates, equal_rates
from concord.stats.comparison.model_order import mean_difference
from concord.stats.core.clustered import effective_number, share_of
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import ranked
from concord.stats.correction.rogan_gladen import (
    HELD,
    Rates,
    is_clipped,
    refusal,
    rogan_gladen,
)
from concord.stats.correction.rogan_gladen import difference as rates_difference
from concord.stats.intervals.wilson import proportion

NOT_GRADED = said("annotators graded none of this model's answers")


def models(panel: Panel, judge: Grader, drawn: AssignedGrades) -> JudgedModels:
    """Return the share of answers that pass the heaviest criterion; `drawn` is not needed."""
    criterion, names = panel.rubric.heaviest(), panel.answer_models
    failing = list(panel.rubric.failing(criterion))
    pairs = ground(panel, criterion.name, EACH).pairs(judge)
    decided = _decided(pairs, failing, len(panel.items))
    rates, worth = _rates(pairs, failing, decided)
    equal = _equal(panel, pairs, failing)
    if why := refusal(rates):
        return JudgedModels((), why_none=why)
    why = _differ(equal) if equal.differ else None
    varies = equal.sensitivity_varies, equal.specificity_varies
    rates = rates._replace(sensitivity_varies=varies[0], specificity_varies=varies[1])
    by_model = _passed(panel, judge, criterion.name, failing)
    rated = int(np.count_nonzero(decided.sum(axis=1)))
    graded_by = panel.answer_model[np.unique(pairs.item)]
    found = {}
    for m, name in enumerate(names):
        if by_model[:, m, 1].sum():
            raw, corrected = _share(by_model[:, m], rates, worth, rated)
            passed, n = by_model[:, m].sum(axis=0)
            found[name] = JudgedModel(
                answer_model=name,
                raw=raw,
                corrected=undefined(why) if why else corrected,
                n=int(n),
                graded=int((graded_by == m).sum()),
                own=_own(panel, criterion.name, failing, m),
                clipped=not (why or corrected.why_none) and is_clipped(passed / n, rates),
            )

    def difference(above: str, below: str) -> tuple[Estimate, Estimate]:
        """A clipped share has no difference that would agree with it."""
        one, other = names.index(above), names.index(below)
        raw = mean_difference(by_model, one, other)
        if found[above].clipped or found[below].clipped:
            return raw, undefined(HELD)
        used = (decided.sum(axis=1) > 0) | (by_model[:, [one, other], 1].sum(axis=1) > 0)
        both = (by_model[used, m, ::-1] for m in (one, other))
        return raw, rates_difference(decided[used], *both, varies)

    return JudgedModels(tuple(found.values()), difference, why)


def _passed(panel: Panel, judge: Grader, criterion: str, failing: list[int]) -> np.ndarray:
    """(clusters, models, 2) answers that the judge passes, and all that it scored."""
    items = scored(panel, judge, criterion)
    passed = ~np.isin(panel.of(criterion, judge.id).score[items], failing)
    found = np.zeros((len(panel.items), len(panel.answer_models), 2))
    found[np.unique(panel.cluster[items])] = sums(panel, items, passed.astype(float))
    return found


def _equal(panel: Panel, pairs: Pairs, failing: list[int]) -> EqualRates:
    """Test for equal error rates of the judge on every answering model, by the graded answers."""
    model = panel.answer_model[pairs.item]
    known = pairs.where(model >= 0)
    passing, passed = ~np.isin(known.annotator, failing), ~np.isin(known.judge, failing)
    return equal_rates(passing, passing == passed, model[model >= 0], known.cluster, known.weight)


def _differ(equal: EqualRates) -> Said:
    p_value = Numeral("p < 0.001" if equal.p_value < 0.001 else f"p = {equal.p_value:.3f}")
    return said(
        "the judge's error rates differ between answering models ({p_value}), so the pooled rates "
        "apply to none of them",
        p_value=p_value,
    )


def _own(panel: Panel, criterion: str, failing: list[int], model: int) -> Estimate:
    """The share that annotators themselves pass, of the model's answers that they graded."""
    annotators = reference(panel, criterion, EACH)
    keep = panel.answer_model[annotators.item] == model
    item, passed = annotators.item[keep], ~np.isin(annotators.score[keep], failing)
    if not len(item):
        return undefined(NOT_GRADED)
    weight = 1.0 / np.bincount(item)[item]
    questions, group = ranked(panel.cluster[item])
    hits, base = (np.bincount(group, w, questions) for w in (weight * passed, weight))
    return proportion(hits, base, float(effective_number(weight)))


def _decided(pairs: Pairs, failing: list[int], size: int) -> np.ndarray:
    """(size, 4) by cluster: weights passed by annotators, by the judge too; failed, by it too."""
    fails, failed = np.isin(pairs.annotator, failing), np.isin(pairs.judge, failing)
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
    fails = np.isin(pairs.annotator, failing)
    sizes = [
        _worth(decided[:, 2 * side : 2 * side + 2], pairs.where(fails == bool(side)))
        for side in range(2)
    ]
    return rates, (sizes[0], sizes[1])


def _worth(decided: np.ndarray, pairs: Pairs) -> float:
    used = decided[decided[:, 0] > 0]
    if len(used) < 2:
        return float(len(used))
    return float(share_of(used[:, 1], used[:, 0], effective_number(pairs.weight))[1])


def _share(
    sums: np.ndarray, rates: Rates, worth: tuple[float, float], rated: int
) -> tuple[Estimate, Estimate]:
    """The raw and the corrected share of a model; `rated` questions show the error rates."""
    used = sums[sums[:, 1] > 0]
    share, size, questions = map(float, share_of(used[:, 0], used[:, 1]))
    raw = proportion(used[:, 0], used[:, 1])
    return raw, rogan_gladen(share, size, rates, worth, min(questions, rated))
