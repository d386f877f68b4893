"""Width of the 95% CI of exact agreement: by formula, and from the grades so far.

An `Extent` is the size of a sheet, or of a sample of it, in questions and answers.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from concord.messages import Problem, said
from concord.model import BASELINE
from concord.reports.document import FLAT
from concord.reports.panel.criterion_comparison import CriterionPanel
from concord.reports.panel.panel import LEAKED, Panel
from concord.stats.core.tables import ranked
from concord.stats.decision.deciding_figure import DecidingFigure
from concord.stats.planning import interval_width
from concord.stats.planning.interval_width import Shares, exact_shares

Count = int | None  # None where no number up to 100,000 suffices


class Extent(NamedTuple):
    """Size of the sheet, as far as it counts in figures.

    Attributes:
        clusters: Number of clusters (documents), the independent units; a question without one is
            its own.
    """

    answers: int
    questions: int
    clusters: int


@dataclass(frozen=True)
class Sizes:
    """Sample sizes, each low, likely and high."""

    clusters: tuple[Count, ...]
    questions: tuple[Count, ...]
    answers: tuple[Count, ...]


def extent_of(panel: Panel) -> Extent:
    """Return how large the evaluation split is; a Problem where all questions are in the pool."""
    may = _counted(panel)
    questions, clusters = (len(np.unique(index[may])) for index in (panel.question, panel.cluster))
    return Extent(int(may.sum()), questions, clusters)


def cluster_sizes(panel: Panel) -> np.ndarray:
    """(clusters,) how many answers each cluster of the evaluation split has."""
    return np.unique(panel.cluster[_counted(panel)], return_counts=True)[1]


def _counted(panel: Panel) -> np.ndarray:
    """(N,) which answers count in figures; a Problem where none can.

    Held-out questions may be graded but count in no figure. Where nothing else is there, they stay,
    for the figures say themselves that they have no grade.
    """
    closed = panel.items["closed"]
    may = ((closed == "") if (closed == "").any() else (closed != LEAKED)).to_numpy()
    if not may.any():
        raise Problem(
            "No question of sheet “{sheet}” may be graded: judges may have seen all of them as "
            "examples. Move some to evaluation, or import more.",
            sheet=panel.sheet.name,
        )
    return may


def least_questions(figure: DecidingFigure, extent: Extent) -> int:
    """Return how many clusters of a sheet a verdict on a figure takes.

    A figure with a minimum of answers takes as many clusters as have these on average.
    """
    return max(figure.questions, math.ceil(figure.answers * extent.clusters / extent.answers))


def sized(clusters: Sequence[float | None], extent: Extent) -> Sizes:
    """Return low, likely and high clusters as questions and answers too."""
    questions, answers = (n / extent.clusters for n in (extent.questions, extent.answers))
    return Sizes(
        clusters=tuple(count and math.ceil(count) for count in clusters),
        questions=tuple(_scaled(count, questions) for count in clusters),
        answers=tuple(_scaled(count, answers) for count in clusters),
    )


def _scaled(clusters: float | None, each: float) -> int | None:
    # Rounded first, so that a rounding error does not add a question.
    return None if clusters is None else math.ceil(round(clusters * each, 6))


ALIKE = (0.0, 0.3, 0.6)  # how alike answers to one question are, from not at all to very
NO_JUDGE = said("annotators and a judge have not graded the same answers yet")
RANGE = ("low", "likely", "high")
NEVER = said("no number up to 100,000")
HALF_WIDTH, SHARE = 0.05, 0.8


@dataclass(frozen=True)
class ByPilot:
    """Forecasts from the grades so far, and how many there are.

    Attributes:
        half_width: Of each `judge` the clusters for the half-width, `low`, `likely` and `high`, and
            the `value` of its exact agreement so far.
        judge: The one that agrees most.
    """

    clusters: int
    questions: int
    answers: int
    annotators: int
    half_width: tuple[Mapping[str, Any], ...]
    judge: str | None
    why_none: str | None


@dataclass(frozen=True)
class Needed:
    """The sample size to plan with, by `pilot`, `formula` or `assumptions`."""

    by: str
    sizes: Sizes = field(metadata=FLAT)


def by_formula(half_width: float, share: float, extent: Extent) -> Sizes:
    """Return the sample size by formula, with answers to a question from independent to alike."""
    per_cluster = extent.answers / extent.clusters
    effects = [1 + (per_cluster - 1) * alike for alike in ALIKE]
    answers = [interval_width.for_share(half_width, share, effect) for effect in effects]
    return sized([n / per_cluster for n in answers], extent)


def by_pilot(on: CriterionPanel, half_width: float) -> ByPilot:
    """Return the forecasts from the grades of a criterion so far."""
    shares = _shares(on)
    graded = np.unique(on.annotators.item)
    widths = (
        (label, one, interval_width.questions_for_half_width(one, half_width))
        for label, one in shares.items()
    )
    return ByPilot(
        clusters=ranked(on.panel.cluster[graded])[0] if len(graded) else 0,
        questions=len(np.unique(on.panel.question[graded])),
        answers=len(graded),
        annotators=len(on.annotators_on(np.ones(len(on.panel.items), bool))),
        half_width=tuple(
            {"judge": label, "value": _value(one)} | found._asdict() for label, one, found in widths
        ),
        judge=max(shares, key=lambda label: _value(shares[label]), default=None),
        why_none=None if shares else NO_JUDGE,
    )


def _shares(on: CriterionPanel) -> dict[str, Shares]:
    """Return each judge's exact agreement so far; the baseline's only without another judge."""
    judges = {
        on.panel.labels[i]: judge
        for i, judge in on.panel.judges.items()
        if judge.kind == "judge" and len(on.pairs(judge).item)
    }
    real = {label: judge for label, judge in judges.items() if judge.name != BASELINE}
    return {label: exact_shares(on.pairs(judge)) for label, judge in (real or judges).items()}


def _value(one: Shares) -> float:
    hits, base = one.rows.sum(axis=0)
    return float(hits / base)
