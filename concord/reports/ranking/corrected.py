"""Corrected: the answering models by a judge, with the judge's bias removed by annotators' grades.

Two methods, of which only the first is used unless another is asked for:

- `draw`: PPI++. Annotators graded answers of a grading set, a random sample with known inclusion
  probabilities; the judge's mean over all answers is corrected by its error on those. Valid
  whatever the judge does.
- `rates`: Rogan-Gladen, of the share of answers that pass the heaviest criterion. It assumes that
  the judge's error rates are the same for every answering model, which is tested.

Where a method is not valid there is no corrected figure, and the reason.
"""

from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from concord.messages import Problem, counted, joined, said
from concord.model import BASELINE, Grader
from concord.reports.cells import written
from concord.reports.document import Kind
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.sampling_weights import NOT_BEGUN, AssignedGrades
from concord.reports.ranking import ppi_correction, rogan_gladen_correction
from concord.reports.ranking.judged_models import JudgedModel, JudgedModels, scored
from concord.stats.core.estimate import Estimate, Reason

DRAW, RATES = "draw", "rates"
_MODELS = {DRAW: ppi_correction.models, RATES: rogan_gladen_correction.models}
FEW = 4
BASELINE_KNOWS = said(
    "the baseline was trained on the annotators' grades, so they cannot correct it"
)
CONTINUOUS = said("its grades are continuous numbers, which have no error rates")
ONE_MODEL = said("the judge has scored answers of one answering model only")
PASSED_OVER = said("a sample does not represent answers that annotators had graded before it")
MORE_QUESTIONS = said("Import more questions and create a grading set from them.")
DRAW_FIRST = said(
    "Annotators graded a random sample drawn by Concord, so use the correction by random sample "
    "(PPI++) first: it needs no such assumption."
)
REMEDIES = {
    DRAW: said("Grade at least 30 answers of each answering model in a grading set."),
    RATES: said("At least 30 answers that annotators pass and 30 that they fail are needed."),
}
_PAIRS = {
    True: said("{above} above {below} by {difference}."),
    False: said("Cannot tell {above} from {below}: {difference}."),
    None: said("Cannot compare {above} with {below}: {why}."),
}


@dataclass(frozen=True)
class Pair:
    """Two answering models compared; `certain` where the corrected difference is surely above 0."""

    above: str
    below: str
    raw: Estimate
    corrected: Estimate
    certain: bool
    sentence: str


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
        else said("mean composite"),
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
        pairs=() if why else _pairs(models, found, how),
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


def _pairs(models: tuple[JudgedModel, ...], found: JudgedModels, how: str) -> tuple[Pair, ...]:
    known = [model.answer_model for model in models if model.corrected.value is not None]
    chosen = combinations(known, 2) if len(known) <= FEW else pairwise(known)
    return tuple(_pair(one, other, *found.difference(one, other), how) for one, other in chosen)


def _pair(above: str, below: str, raw: Estimate, corrected: Estimate, how: str) -> Pair:
    certain = corrected.low is not None and corrected.low > 0
    sentence = said(
        _PAIRS[None if corrected.value is None else certain],
        above=above,
        below=below,
        difference=_difference(corrected, how),
        why=corrected.why_none,
    )
    return Pair(above, below, raw, corrected, certain, sentence)


def _difference(estimate: Estimate, how: str) -> str:
    if how != RATES:
        return written(estimate, "difference")
    return said("{size} points", size=written(estimate, "points"))
