"""Confidence: how good the probabilities of each judge are on one criterion."""

from dataclasses import dataclass

from concord.reports.panel.criterion_comparison import CriterionPanel, ground
from concord.reports.panel.panel import Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.probabilities.judge_probabilities import (
    ONE_SCORE,
    PairProbabilities,
    Probabilities,
    ProbabilityFigures,
    figures,
    paired,
)
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.tables import distinct
from concord.stats.probabilities import recalibration, reliability, scoring
from concord.stats.probabilities.recalibration import Recalibrated
from concord.stats.probabilities.reliability import Bin, Said


@dataclass(frozen=True)
class Recalibration:
    """A judge before and after recalibration, out of fold.

    Attributes:
        temperature: The one fitted on all questions; None where undefined, and for the isotonic
            regression.
        before: Ranked probability score, or RMSE of the expected score for the isotonic regression.
        after: The same out of fold.
        difference: After minus before; below 0 recalibration helps.
    """

    temperature: float | None
    before: Estimate
    after: Estimate
    difference: Estimate


@dataclass(frozen=True)
class Confidence:
    """The probabilities of one judge on one criterion.

    Attributes:
        reference: `each` annotator or the `consensus`.
        n: Answers with probabilities that judge and annotators scored.
        ceiling: Inter-annotator agreement on these answers.
        questions: Of how many questions, in `clusters`; the clusters count as independent.
        left_out: Answers that both scored and that are not in the figures, by reason.
        sharpness: Mean probability of the most probable score; undefined for a stated confidence.
        overconfidence: Mean confidence minus the share of pairs that agree, -1 to 1.
        diagram: The bins of the reliability diagram, by rising confidence.
        said: What becomes of the scores of which the judge is sure.
        temperature: Recalibration of all probabilities.
        isotonic: Recalibration of the expected score.
    """

    judge: str
    simulated: bool
    criterion: str
    reference: str
    n: int
    ceiling: Estimate
    questions: int
    clusters: int
    left_out: dict[str, int]
    figures: ProbabilityFigures
    sharpness: Estimate
    overconfidence: Estimate
    diagram: tuple[Bin, ...]
    said: Said
    temperature: Recalibration
    isotonic: Recalibration


def report(
    panel: Panel, given: Probabilities, criterion: str, kind: str = EACH
) -> tuple[Confidence, ...]:
    """Return a row for each judge with probabilities on a criterion, in the order of the panel.

    `given` is from `judge_probabilities.read`; `kind` is `each` annotator or their `consensus`.
    """
    on = ground(panel, criterion, kind)
    judges = [judge for judge in panel.judges if (criterion, judge) in given]
    return tuple(_row(on, judge, paired(on, judge, given[criterion, judge])) for judge in judges)


def _row(on: CriterionPanel, judge: int, of: PairProbabilities) -> Confidence:
    panel, pairs, confidence = on.panel, of.pairs, of.confidence
    agree = pairs.judge == pairs.annotator
    return Confidence(
        judge=panel.labels[judge],
        simulated=panel.judges[judge].simulated,
        criterion=on.name,
        reference=on.kind,
        n=distinct(pairs.item),
        ceiling=on.ceiling(panel.mask(pairs.item)).figures["exact"],
        questions=distinct(panel.question[pairs.item]),
        clusters=distinct(pairs.cluster),
        left_out=of.left_out,
        figures=figures(of),
        sharpness=undefined(ONE_SCORE) if of.stated else reliability.sharpness(pairs, of.shares),
        overconfidence=scoring.mean(pairs, confidence - agree),
        diagram=tuple(reliability.diagram(pairs, confidence)),
        said=reliability.said(pairs, confidence),
        **_recalibrations(of),
    )


def _recalibrations(of: PairProbabilities) -> dict[str, Recalibration]:
    if of.stated:
        nothing = Recalibration(None, *[undefined(ONE_SCORE)] * 3)
        return {"temperature": nothing, "isotonic": nothing}
    found = recalibration.by_temperature(of.pairs, of.shares, of.scale)
    mapped = recalibration.by_isotonic(of.pairs, of.shares, of.scale)
    return {
        "temperature": Recalibration(found.fit, *_differences(found)),
        "isotonic": Recalibration(None, *_differences(mapped)),
    }


def _differences(found: Recalibrated) -> tuple[Estimate, Estimate, Estimate]:
    return found.before, found.after, found.difference
