"""Confusion matrix: annotators' scores by the judge's, and the answers behind a cell."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from concord.messages import said
from concord.reports.cells import percent
from concord.reports.charts import Matrix
from concord.reports.panel.criterion_comparison import EACH, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.unit_words import UnitWords, how_many, of_rubric, score
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import distinct, positions
from concord.store import grades, items
from concord.store.database import Row, Store
from concord.store.items import Stored


class GraderScore(NamedTuple):
    """One grader's score of one criterion of one answer, in the grader's words.

    `again` are the scores of the same grader asked again, in order; None is one without a score.
    """

    grader: str
    kind: str
    simulated: bool
    criterion: str
    status: str
    score: float | None
    reason: str
    again: tuple[float | None, ...] = ()


class AnswerGrades(NamedTuple):
    """An answer with what a judge and all annotators said of it."""

    stored: Stored
    judge: list[GraderScore]
    annotators: list[GraderScore]


@dataclass(frozen=True)
class Confusion:
    """Confusion matrix: annotators' scores in rows, the judge's in columns.

    An answer whose annotators differ is in several cells of one column.

    Attributes:
        units: The units counted and their labels (`unit_words.of_rubric`); None for answers.
        weights: (K, K); each answer counts 1, shared by its annotators.
        items: (K, K) answers with such a pair.
    """

    scale: tuple[int, ...]
    units: UnitWords | None
    weights: list[list[float]]
    items: list[list[int]]
    n: int

    def counts(self) -> dict[tuple[int, int], int]:
        """Answers by (annotator's, judge's score), of the cells that hold some."""
        cells = ((a, j) for a in range(len(self.scale)) for j in range(len(self.scale)))
        return {
            (self.scale[a], self.scale[j]): self.items[a][j] for a, j in cells if self.items[a][j]
        }


def confusion(panel: Panel, judge_id: int, criterion: str, kind: str = EACH) -> Confusion:
    """Return the confusion table of a judge on a criterion."""
    pairs = _pairs(panel, judge_id, criterion, kind)
    scale = panel.rubric.scale
    cell = positions(pairs.annotator, scale) * len(scale) + positions(pairs.judge, scale)
    size = len(scale) ** 2
    once = np.unique(pairs.item * size + cell) % size
    counted = {
        "weights": np.bincount(cell, weights=pairs.weight, minlength=size),
        "items": np.bincount(once, minlength=size),
    }
    square = {name: one.reshape(len(scale), -1).tolist() for name, one in counted.items()}
    return Confusion(tuple(scale), of_rubric(panel.rubric), **square, n=distinct(pairs.item))


def matrix(table: Confusion, judge: str) -> Matrix:
    """Return the chart of a table, titled by the most frequent disagreement."""
    scale, units = table.scale, table.units
    names = [score(units, level) for level in scale]
    shares = [[cell / sum(line) if sum(line) else 0.0 for cell in line] for line in table.weights]
    cells = [
        [
            said(
                "annotator {person}, judge {judge}: {count}, {share}% of the row",
                person=person,
                judge=given,
                count=how_many(units, table.items[row][column]),
                share=percent(shares[row][column]),
            )
            for column, given in enumerate(names)
        ]
        for row, person in enumerate(names)
    ]
    title = said("Scores of {judge} by annotators' scores", judge=judge)
    return Matrix(
        name="matrix",
        title=title,
        alt=title,
        scale=scale,
        names=tuple(units.labels[str(level)] if units else str(level) for level in scale),
        down="annotator's label" if units else "annotator's score",
        across="judge's label" if units else "judge's score",
        counts=tuple(map(tuple, table.items)),
        shares=tuple(map(tuple, shares)),
        words=tuple(map(tuple, cells)),
    )


def cell(
    panel: Panel, judge_id: int, criterion: str, person: int, judge: int, kind: str = EACH
) -> list[int]:
    """The ids of the answers an annotator gave one score and the judge another (or the same)."""
    pairs = _pairs(panel, judge_id, criterion, kind)
    hit = (pairs.annotator == person) & (pairs.judge == judge)
    return np.unique(panel.items["item_id"].to_numpy()[pairs.item[hit]]).tolist()


def answer_grades(
    store: Store, panel: Panel, judge_id: int, item_ids: list[int]
) -> list[AnswerGrades]:
    """Some answers, each with the grades of a judge and of the annotators who count.

    The criteria come in the rubric's order.
    """
    versions = list(panel.rubric.versions().values())
    return [
        _answer_grades(panel, stored, judge_id, grades.of_item(store, stored.id, versions))
        for stored in items.items(store, item_ids)
    ]


def _answer_grades(panel: Panel, stored: Stored, judge_id: int, rows: list) -> AnswerGrades:
    order = [criterion.name for criterion in panel.rubric.criteria]
    first = [row for row in rows if row["repeat"] == 1]
    first.sort(key=lambda row: (order.index(row["criterion"]), row["name"]))
    found = [
        (
            row["grader_id"],
            GraderScore(
                *(row[key] for key in ("name", "kind")),
                bool(row["simulated"]),
                panel.rubric.named(row["criterion"]),
                *(row[key] for key in ("status", "score", "reason")),
                _again(rows, row),
            ),
        )
        for row in first
    ]
    mine = [one for grader_id, one in found if grader_id == judge_id]
    return AnswerGrades(
        stored, mine, [one for grader_id, one in found if grader_id in panel.annotators]
    )


def _again(rows: list, first: Row) -> tuple[float | None, ...]:
    """The scores of the same grader and criterion at later repeats."""
    same = (first["grader_id"], first["criterion"])
    return tuple(
        row["score"]
        for row in sorted(rows, key=lambda row: row["repeat"])
        if row["repeat"] > 1 and (row["grader_id"], row["criterion"]) == same
    )


def _pairs(panel: Panel, judge_id: int, criterion: str, kind: str) -> Pairs:
    if criterion == COMPOSITE:
        raise ValueError("a composite is no score on the scale and has no confusion table")
    return ground(panel, criterion, kind).pairs(panel.judges[judge_id])
