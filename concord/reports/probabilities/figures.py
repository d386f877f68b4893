"""Figures of a judge's probabilities in the rows of the agreement report, and in its JSON."""

from collections.abc import Sequence
from dataclasses import dataclass

from concord.reports.agreement.results import AgreementRow
from concord.reports.panel.criterion_comparison import ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import MEAN
from concord.reports.probabilities.judge_probabilities import (
    PairProbabilities,
    Probabilities,
    paired,
    read,
)
from concord.stats.core.estimate import Estimate, reason, undefined
from concord.stats.core.tables import distinct
from concord.stats.probabilities import reliability, scoring
from concord.stats.probabilities.scoring import Scores
from concord.store.database import Store

ONE_SCORE = reason("one_probability_stated")
OUTSIDE_UNKNOWN = reason("outside_mass_unknown")


@dataclass(frozen=True)
class ProbabilityFigures:
    """How good a judge's probabilities are.

    Attributes:
        source: Where they come from, as of `JudgeProbabilities`.
        n: Answers with probabilities that judge and annotators scored.
        rps: Ranked probability score; that and the next four as in `scoring.Scores`, undefined for
            a stated confidence.
        ece: Expected calibration error, debiased.
        outside_mass: Mean mass on what is no score, also of answers where all of it is; undefined
            where no source says it.
    """

    source: str
    n: int
    rps: Estimate
    rps_base_rate: Estimate
    rps_skill: Estimate
    brier: Estimate
    log_score: Estimate
    ece: Estimate
    outside_mass: Estimate


@dataclass(frozen=True)
class RowWithProbabilities(AgreementRow):
    """A row of the agreement report with the figures of its judge's probabilities.

    Attributes:
        probabilities: None where the judge gave none, of a composite and of continuous grades.
    """

    probabilities: ProbabilityFigures | None = None


def figures(of: PairProbabilities) -> ProbabilityFigures:
    """Return the figures of a judge's probabilities; undefined without pairs."""
    scores = (
        Scores(*[undefined(ONE_SCORE)] * 5)
        if of.stated
        else scoring.scores(of.pairs, of.shares, of.scale)
    )
    ece = reliability.calibration_error(of.pairs, of.confidence)
    return ProbabilityFigures(of.source, distinct(of.pairs.item), *scores, ece, _outside(of))


def with_probabilities(
    store: Store, panel: Panel, rows: Sequence[AgreementRow]
) -> tuple[RowWithProbabilities, ...]:
    """Return rows of the agreement report of a panel with the figures of probabilities."""
    given = read(store, panel)
    ids = {label: judge for judge, label in panel.labels.items()}
    return tuple(
        RowWithProbabilities(**vars(row), probabilities=_of_row(panel, row, ids[row.judge], given))
        for row in rows
    )


def _of_row(
    panel: Panel, row: AgreementRow, judge: int, given: Probabilities
) -> ProbabilityFigures | None:
    own = given.get((row.criterion, judge))
    if own is None or row.criterion == COMPOSITE or row.reference == MEAN or row.continuous:
        return None
    within = panel.within(row.answer_model) if row.answer_model else panel
    return figures(paired(ground(within, row.criterion, row.reference), judge, own))


def _outside(of: PairProbabilities) -> Estimate:
    if len(of.pairs.item) and not len(of.outside):
        return undefined(OUTSIDE_UNKNOWN)
    return scoring.mean(of.outside_pairs, of.outside, bounds=(0.0, 1.0))
