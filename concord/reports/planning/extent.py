"""Extent: the size of a sheet, as far as it counts in figures, in questions and answers."""

import math
from typing import NamedTuple

import numpy as np

from concord.messages import Problem
from concord.reports.panel.panel import LEAKED, Panel
from concord.stats.decision.deciding_figure import DecidingFigure


class Extent(NamedTuple):
    """Size of the sheet, as far as it counts in figures.

    Attributes:
        clusters: Number of clusters (documents), the independent units; a question without one is
            its own.
    """

    answers: int
    questions: int
    clusters: int


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
