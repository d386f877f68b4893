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

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from concord.messages import Problem, joined, said
from concord.model import BASELINE, Grader
from concord.reports.cells import p_value
from concord.reports.document import INTERNAL
from concord.reports.panel.criterion_comparison import EACH, ground, reference
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.sampling_weights import NOT_BEGUN, AssignedGrades
from concord.stats.comparison.model_order import mean_difference, model_mean
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import effective_number, ranked, share_of
from concord.stats.correction.ppi import Sample, ppi_difference, ppi_mean
from concord.stats.correction.rogan_gladen import (
    HELD,
    Rates,
    equal_rates,
    is_clipped,
    refusal,
    rogan_gladen,
)
from concord.stats.correction.rogan_gladen import difference as rates_difference
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
NOT_GRADED = "annotators graded none of this model's answers"
DIFFER = (
    "the judge's error rates differ between answering models (p {p}), so the pooled rates apply to "
    "none of them"
)
# Raw and corrected difference of two answering models, by name.
Difference = Callable[[str, str], tuple[Estimate, Estimate]]


@dataclass(frozen=True)
class JudgedModel:
    """One answering model by one judge.

    Attributes:
        raw: The judge's figure.
        corrected: The figure without the judge's bias.
        n: Answers the judge scored.
        graded: Of those, the answers whose annotators' grades the correction rests on.
        own: The annotators' own figure of the model's graded answers; None where `corrected` is
            made of it.
        clipped: The formula of `corrected` goes beyond 0 or 1.
    """

    answer_model: str
    raw: Estimate
    corrected: Estimate
    n: int
    graded: int
    own: Estimate | None = None
    clipped: bool = field(default=False, metadata=INTERNAL)


@dataclass(frozen=True)
class JudgeCorrected:
    """The answering models by one judge.

    Attributes:
        why_none: Why nothing is corrected for this judge.
        models: Best first by the corrected figure; those without one come last.
        pairs: All pairs of models where they are few, else of those next to each other: `above`,
            `below`, the differences `raw` and `corrected`, and `certain` where the latter is surely
            above 0.
    """

    judge: str
    simulated: bool
    fingerprint: str
    why_none: str | None
    models: tuple[JudgedModel, ...]
    pairs: tuple[Mapping[str, Any], ...]

    @property
    def reason(self) -> str | None:
        """Return why no model has a corrected mean; None where one has."""
        if self.why_none or any(model.corrected.value is not None for model in self.models):
            return self.why_none
        return next((model.corrected.why_none for model in self.models), None)


@dataclass(frozen=True)
class Corrected:
    """Raw and corrected figures of every answering model by every judge.

    Attributes:
        excluded: Answers left out since they were graded before the sample was drawn.
        excluded_grades: Which grades of the sets' answers do not count, as sentences.
        why_none: Why nothing can be corrected for any judge.
    """

    how: str
    what: str
    criterion: str
    reference: str
    sets: tuple[str, ...]
    excluded: int
    excluded_grades: tuple[str, ...]
    why_none: str | None
    judges: tuple[JudgeCorrected, ...]


def report(panel: Panel, drawn: AssignedGrades, how: str = DRAW) -> Corrected:
    """Correct every judge's figures of the answering models, and compare the models in pairs.

    Raises:
        Problem: There is no such method.
    """
    if how not in _METHODS:
        raise Problem(
            "There is no method of correction “{how}”. Choose one of: {known}.",
            how=how,
            known=joined(", ", _METHODS),
        )
    why, of_draw, heaviest = None, how == DRAW, panel.rubric.heaviest().name
    if of_draw:
        before = panel.open.any() and drawn.passed[panel.open].all()
        why = ALL_BEFORE if before and drawn.why_none == NOT_BEGUN else drawn.why_none
    judges = () if why else panel.judges.values()
    return Corrected(
        how=how,
        what="mean composite" if of_draw else f"share of answers that pass {heaviest}",
        criterion=COMPOSITE if of_draw else heaviest,
        reference=EACH,
        sets=tuple(drawn.sets) if of_draw else (),
        excluded=int((drawn.passed & panel.open).sum()) if of_draw else 0,
        excluded_grades=tuple(drawn.excluded_grades) if of_draw else (),
        why_none=why,
        judges=tuple(_judge(panel, judge, drawn, how) for judge in judges),
    )


def _judge(panel: Panel, judge: Grader, drawn: AssignedGrades, how: str) -> JudgeCorrected:
    models: list[JudgedModel] = []
    if how == RATES and panel.is_continuous(panel.rubric.heaviest().name, judge.id):
        why: str | None = CONTINUOUS
    elif judge.name == BASELINE:
        why = BASELINE_KNOWS
    else:
        models, difference, why = _METHODS[how](panel, judge, drawn)
        if not why and len(models) < 2:
            why = ONE_MODEL
    models.sort(key=lambda one: (one.corrected.value is None, -(one.corrected.value or 0.0)))
    pairs = []
    if not why:
        known = [model.answer_model for model in models if model.corrected.value is not None]
        for above, below in combinations(known, 2) if len(known) <= FEW else pairwise(known):
            raw, corrected = difference(above, below)
            certain = corrected.low is not None and corrected.low > 0
            pair = {"above": above, "below": below, "raw": raw, "corrected": corrected}
            pairs.append(pair | {"certain": certain})
    return JudgeCorrected(
        judge=panel.labels[judge.id],
        simulated=judge.simulated,
        fingerprint=judge.fingerprint,
        why_none=why,
        models=tuple(models),
        pairs=tuple(pairs),
    )


def _by_ppi(
    panel: Panel, judge: Grader, drawn: AssignedGrades
) -> tuple[list[JudgedModel], Difference, None]:
    """Return mean composites, each corrected by the model's answers in the sample.

    Raw and corrected figures are of the same answers: those that could have been drawn.
    """
    items, index = _scored(panel, judge, COMPOSITE), panel.answer_model
    items = items[~drawn.passed[items]]
    judged, annotators = panel.given(COMPOSITE, judge.id).score, drawn.means(panel)
    scale, names = (panel.rubric.scale[0], panel.rubric.scale[-1]), panel.answer_models
    ends = panel.ends(COMPOSITE, judge.id)
    own = {m: items[index[items] == m] for m in np.unique(index[items]).tolist()}
    samples = {
        m: Sample(judged[one], annotators[one], drawn.weight[one], panel.cluster[one])
        for m, one in own.items()
    }

    def rows(m: int) -> np.ndarray:
        return _by_cluster(panel, own[m], judged[own[m]])

    def difference(above: str, below: str) -> tuple[Estimate, Estimate]:
        both = [names.index(above), names.index(below)]
        return mean_difference(*map(rows, both)), ppi_difference(*(samples[m] for m in both))

    models = [
        JudgedModel(
            names[m],
            model_mean(rows(m), ends),
            ppi_mean(sample, scale),
            len(sample.judge),
            int(sample.labelled.sum()),
        )
        for m, sample in samples.items()
    ]
    return models, difference, None


def _by_rates(
    panel: Panel, judge: Grader, drawn: AssignedGrades
) -> tuple[list[JudgedModel], Difference | None, str | None]:
    """Return the share of answers that pass the heaviest criterion; `drawn` is not needed."""
    criterion, names = panel.rubric.heaviest(), panel.answer_models
    failing = list(panel.rubric.failing(criterion))
    pairs = ground(panel, criterion.name, EACH).pairs(judge)
    # (clusters, 4): weights passed by annotators, by the judge too; failed by them, by it too.
    fails, failed = np.isin(pairs.annotator, failing), np.isin(pairs.judge, failing)
    cells = (~fails, ~fails & ~failed, fails, fails & failed)
    weights = [np.bincount(pairs.cluster, pairs.weight * one, len(panel.items)) for one in cells]
    decided = np.stack(weights, axis=-1)
    rates, worth = _rates(pairs, fails, decided)
    if why := refusal(rates):
        return [], None, why
    model = panel.answer_model[pairs.item]
    known = model >= 0
    equal = equal_rates(
        ~fails[known],
        (fails == failed)[known],
        model[known],
        pairs.cluster[known],
        pairs.weight[known],
    )
    why = said(DIFFER, p=p_value(equal.p_value)) if equal.differ else None
    varies = equal.sensitivity_varies, equal.specificity_varies
    rates = rates._replace(sensitivity_varies=varies[0], specificity_varies=varies[1])
    items = _scored(panel, judge, criterion.name)
    passed = ~np.isin(panel.of(criterion.name, judge.id).score[items], failing)
    rated = int(np.count_nonzero(decided.sum(axis=1)))
    graded_by = panel.answer_model[np.unique(pairs.item)]
    models, rows = {}, {}
    for m in np.unique(panel.answer_model[items]).tolist():
        own = panel.answer_model[items] == m
        rows[names[m]] = one = _by_cluster(panel, items[own], passed[own])
        used = one[one[:, 1] > 0]
        share, size, questions = map(float, share_of(used[:, 0], used[:, 1]))
        corrected = rogan_gladen(share, size, rates, worth, min(questions, rated))
        models[names[m]] = JudgedModel(
            answer_model=names[m],
            raw=proportion(used[:, 0], used[:, 1]),
            corrected=undefined(why) if why else corrected,
            n=int(own.sum()),
            graded=int((graded_by == m).sum()),
            own=_own(panel, criterion.name, failing, m),
            clipped=not (why or corrected.why_none) and is_clipped(passed[own].mean(), rates),
        )

    def difference(above: str, below: str) -> tuple[Estimate, Estimate]:
        """A clipped share has no difference that would agree with it."""
        both = [rows[above], rows[below]]
        raw = mean_difference(*both)
        if models[above].clipped or models[below].clipped:
            return raw, undefined(HELD)
        used = (decided.sum(axis=1) > 0) | (sum(both)[:, 1] > 0)
        return raw, rates_difference(decided[used], *(one[used, ::-1] for one in both), varies)

    return list(models.values()), difference, why


_METHODS = {DRAW: _by_ppi, RATES: _by_rates}


def _scored(panel: Panel, judge: Grader, criterion: str) -> np.ndarray:
    """Return the indices of open items of known answering models that a judge scored."""
    marks = panel.given(criterion, judge.id)
    return np.flatnonzero(marks.scored & panel.open & (panel.answer_model >= 0))


def _by_cluster(panel: Panel, items: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(G, 2) the summed values and the number of some answers in each cluster."""
    cluster, size = panel.cluster[items], len(panel.items)
    return np.stack([np.bincount(cluster, values, size), np.bincount(cluster, minlength=size)], -1)


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


def _rates(
    pairs: Pairs, fails: np.ndarray, decided: np.ndarray
) -> tuple[Rates, tuple[float, float]]:
    """The error rates, and how many independent answers each is worth."""
    passing, right, wrong, caught = decided.sum(axis=0)
    if not passing or not wrong:
        return Rates(0.0, 0.0, float(passing), float(wrong)), (0.0, 0.0)
    worth = []
    for side, weight in (
        (decided[:, :2], pairs.weight[~fails]),
        (decided[:, 2:], pairs.weight[fails]),
    ):
        used = side[side[:, 0] > 0]
        several = len(used) > 1
        size = share_of(used[:, 1], used[:, 0], effective_number(weight))[1] if several else 1.0
        worth.append(float(size))
    rates = Rates(right / passing, caught / wrong, float(passing), float(wrong))
    return rates, (worth[0], worth[1])
