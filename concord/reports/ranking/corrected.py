"""Corrected: the answering models by a judge, with the judge's bias removed by annotators' grades.

Two methods, of which only the first is used unless another is asked for:

- `draw`: PPI++. Annotators graded answers of a grading set, a random sample with known inclusion
  probabilities; the judge's mean over all answers is corrected by its error on those. Valid
  whatever the judge does.
- `rates`: Rogan-Gladen, of the share of answers that pass the heaviest criterion. It assumes that
  the judge's error rates are the same for every answering model, which is tested.

Where a method is not valid there is no corrected figure, and the reason.


Answering models by a judge, corrected by a random sample that annotators graded (PPI++).


The share of answers that pass, by a judge whose error rates are known (Rogan-Gladen).

The rates come from every answer that annotators graded and the judge scored, whatever model wrote
it.


Judged models: each answering model by one judge, raw and corrected, and how to compare two.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise

import numpy as np

from concord.messages import Numeral, Problem, Said, counted, joined, said
from concord.model import BASELINE, Grader
from concord.reports.document import INTERNAL, Kind
from concord.reports.panel.criterion_comparison import EACH, ground, reference
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.sampling_weights import NOT_BEGUN, AssignedGrades
from concord.stats.comparison.model_order import mean_difference, model_means, model_sums
from concord.stats.core.estimate import Estimate, Reason, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import effective_number, ranked, share_of
from concord.stats.correction.ppi import Sample, ppi_difference, ppi_mean
from concord.stats.correction.rogan_gladen import (
    HELD,
    EqualRates,
    Rates,
    equal_rates,
    is_clipped,
    refusal,
    rogan_gladen,
)
from concord.stats.correction.rogan_gladen import difference as rates_difference
from concord.stats.intervals.wilson import proportion


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
class JudgedModels:
    """One judge's results for all answering models.

    Attributes:
        models: In the panel's order; those without a score by the judge are left out. Without
            correction their raw means may still be there.
        difference: Returns two models' raw and corrected difference, by name.
        why_none: Why nothing is corrected for this judge; None otherwise.
    """

    models: tuple[JudgedModel, ...]
    difference: Callable[[str, str], tuple[Estimate, Estimate]] | None = None
    why_none: str | None = None


def sums(panel: Panel, items: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return (G, M, 2) the sums by cluster and answering model of one value per item."""
    model, cluster = panel.answer_model[items], panel.cluster[items]
    return model_sums(values, np.ones(len(items)), model, cluster, len(panel.answer_models))


def scored(panel: Panel, judge: Grader, criterion: str) -> np.ndarray:
    """Return the indices of open items of known answering models that a judge scored."""
    marks = panel.given(criterion, judge.id)
    return np.flatnonzero(marks.scored & panel.open & (panel.answer_model >= 0))


NOT_GRADED = "annotators graded none of this model's answers"


def rogan_gladen_correction_models(
    panel: Panel, judge: Grader, drawn: AssignedGrades
) -> JudgedModels:
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


def ppi_correction_models(panel: Panel, judge: Grader, drawn: AssignedGrades) -> JudgedModels:
    """Return mean composites, each corrected by the model's answers in the sample.

    Raw and corrected figures are of the same answers: those that could have been drawn.
    """
    items, index = scored(panel, judge, COMPOSITE), panel.answer_model
    items = items[~drawn.passed[items]]
    judged, annotators = panel.given(COMPOSITE, judge.id).score, drawn.means(panel)
    scale, names = (panel.rubric.scale[0], panel.rubric.scale[-1]), panel.answer_models
    by_model = sums(panel, items, judged[items])
    raw = model_means(by_model, panel.ends(COMPOSITE, judge.id))
    samples = [
        Sample(judged[own], annotators[own], drawn.weight[own], panel.cluster[own])
        for own in (items[index[items] == m] for m in range(len(names)))
    ]

    def difference(above: str, below: str) -> tuple[Estimate, Estimate]:
        one, other = names.index(above), names.index(below)
        return mean_difference(by_model, one, other), ppi_difference(samples[one], samples[other])

    found = (
        JudgedModel(name, raw[m], ppi_mean(of, scale), len(of.judge), int(of.labelled.sum()))
        for m, (name, of) in enumerate(zip(names, samples, strict=True))
        if len(of.judge)
    )
    return JudgedModels(tuple(found), difference)


DRAW, RATES = "draw", "rates"
_MODELS = {DRAW: ppi_correction_models, RATES: rogan_gladen_correction_models}
FEW = 4
BASELINE_KNOWS = "the baseline was trained on the annotators' grades, so they cannot correct it"
CONTINUOUS = "its grades are continuous numbers, which have no error rates"
ONE_MODEL = "the judge has scored answers of one answering model only"
PASSED_OVER = "a sample does not represent answers that annotators had graded before it"
MORE_QUESTIONS = "Import more questions and create a grading set from them."
DRAW_FIRST = (
    "Annotators graded a random sample drawn by Concord, so use the correction by random sample "
    "(PPI++) first: it needs no such assumption."
)
REMEDIES = {
    DRAW: "Grade at least 30 answers of each answering model in a grading set.",
    RATES: "At least 30 answers that annotators pass and 30 that they fail are needed.",
}


@dataclass(frozen=True)
class Pair:
    """Two answering models compared; `certain` where the corrected difference is surely above 0."""

    above: str
    below: str
    raw: Estimate
    corrected: Estimate
    certain: bool


@dataclass(frozen=True)
class JudgeCorrected:
    """The answering models by one judge.

    Attributes:
        why_none: Why nothing is corrected for this judge.
        remedy: What to do where nothing is; '' where nothing can be done.
        models: Best first by the corrected figure; those without one come last.
        pairs: All pairs of models where they are few, else of those next to each other.
    """

    judge: str
    simulated: bool
    fingerprint: str
    why_none: str | None
    remedy: str
    models: tuple[JudgedModel, ...]
    pairs: tuple[Pair, ...]

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
        why_none: Why nothing can be corrected for any judge; `remedy` says what to do.
        better: A method that assumes less and is available too.
    """

    how: str
    what: str
    criterion: str
    reference: str
    sets: tuple[str, ...]
    excluded: int
    excluded_grades: tuple[str, ...]
    why_none: str | None
    remedy: str
    better: str | None
    judges: tuple[JudgeCorrected, ...]

    @property
    def kinds(self) -> tuple[Kind, Kind]:
        """The formats of means and of differences."""
        return ("share", "points") if self.how == RATES else ("number", "difference")


def report(panel: Panel, drawn: AssignedGrades, how: str = DRAW) -> Corrected:
    """Correct every judge's figures of the answering models, and compare the models in pairs.

    Raises:
        Problem: There is no such method.
    """
    if how not in _MODELS:
        known = joined(", ", _MODELS)
        raise Problem(
            "There is no method of correction “{how}”. Choose one of: {known}.",
            how=how,
            known=known,
        )
    why, remedy = _why_no_draw(panel, drawn) if how == DRAW else (None, "")
    heaviest = panel.rubric.heaviest().name
    better = DRAW if how != DRAW and _can_draw(panel, drawn) else None
    return Corrected(
        how=how,
        what=said("share of answers that pass {criterion}", criterion=heaviest)
        if how == RATES
        else "mean composite",
        criterion=heaviest if how == RATES else COMPOSITE,
        reference=EACH,
        sets=tuple(drawn.sets) if how == DRAW else (),
        excluded=int((drawn.passed & panel.open).sum()) if how == DRAW else 0,
        excluded_grades=tuple(drawn.excluded_grades) if how == DRAW else (),
        why_none=why,
        remedy=remedy,
        better=better,
        judges=()
        if why
        else tuple(_judge(panel, judge, drawn, how, better) for judge in panel.judges.values()),
    )


def _judge(
    panel: Panel, judge: Grader, drawn: AssignedGrades, how: str, better: str | None = None
) -> JudgeCorrected:
    found, why, remedy = JudgedModels(()), BASELINE_KNOWS, ""
    criterion = panel.rubric.heaviest().name if how == RATES else COMPOSITE
    if how != DRAW and panel.is_continuous(criterion, judge.id):
        why, remedy = CONTINUOUS, DRAW_FIRST if better else REMEDIES[DRAW]
    elif judge.name != BASELINE:
        found = _MODELS[how](panel, judge, drawn)
        why, remedy = found.why_none, DRAW_FIRST if better else _remedy(found, how)
        if not why and len(found.models) < 2:
            why, remedy = _one_model(panel, judge, drawn, how)
    models = _ordered(found.models)
    made = JudgeCorrected(
        judge=panel.labels[judge.id],
        simulated=judge.simulated,
        fingerprint=judge.fingerprint,
        why_none=why,
        remedy=remedy,
        models=models,
        pairs=() if why else _pairs(models, found),
    )
    return made if made.reason else replace(made, remedy="")


def _remedy(found: JudgedModels, how: str) -> str:
    """Return what to do; error rates that do not serve are not mended by more grades."""
    why = found.why_none
    few = isinstance(why, Reason) and why.code.startswith("too_few")
    return REMEDIES[how if how != RATES or few else DRAW]


def _why_no_draw(panel: Panel, drawn: AssignedGrades) -> tuple[str | None, str]:
    """Return why no sample can be used, and the remedy."""
    every = int(panel.open.sum())
    if every and drawn.why_none == NOT_BEGUN and drawn.passed[panel.open].all():
        why = said(
            "{passed_over}, and annotators had graded all {answers} before",
            passed_over=PASSED_OVER,
            answers=counted(every, "answer"),
        )
        return why, MORE_QUESTIONS
    return drawn.why_none, REMEDIES[DRAW] if drawn.why_none else ""


def _can_draw(panel: Panel, drawn: AssignedGrades) -> bool:
    """True where a sample corrects at least two answering models of a judge."""
    if _why_no_draw(panel, drawn)[0]:
        return False
    found = (_judge(panel, judge, drawn, DRAW).models for judge in panel.judges.values())
    return any(sum(m.corrected.value is not None for m in models) > 1 for models in found)


def _one_model(panel: Panel, judge: Grader, drawn: AssignedGrades, how: str) -> tuple[str, str]:
    """Return why there are answers of one model or none, and the remedy."""
    items = scored(panel, judge, COMPOSITE)
    if how != DRAW or len(np.unique(panel.answer_model[items])) < 2:
        return ONE_MODEL, ""
    passed = int(drawn.passed[items].sum())
    why = said(
        "{passed_over}, and these are {passed:,} of the {scored:,} that the judge scored; "
        "there are not two answering models among the remaining {left:,}"
        if passed < len(items)
        else "{passed_over}, and these are all that the judge scored",
        passed_over=PASSED_OVER,
        passed=passed,
        scored=len(items),
        left=len(items) - passed,
    )
    return why, MORE_QUESTIONS


def _ordered(models: tuple[JudgedModel, ...]) -> tuple[JudgedModel, ...]:
    """The models, best first by the corrected figure; those without one come last."""

    def place(model: JudgedModel) -> tuple[bool, float]:
        return model.corrected.value is None, -(model.corrected.value or 0.0)

    return tuple(sorted(models, key=place))


def _pairs(models: tuple[JudgedModel, ...], found: JudgedModels) -> tuple[Pair, ...]:
    known = [model.answer_model for model in models if model.corrected.value is not None]
    chosen = combinations(known, 2) if len(known) <= FEW else pairwise(known)
    made = ((one, other, *found.difference(one, other)) for one, other in chosen)
    return tuple(Pair(*pair, (low := pair[3].low) is not None and low > 0) for pair in made)
