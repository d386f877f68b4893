"""Confusion matrix: annotators' scores by the judge's, and the answers behind a cell."""

from typing import NamedTuple

import numpy as np

from concord.messages import said
from concord.reports.cells import percent
from concord.reports.charts import Matrix
from concord.reports.panel.criterion_comparison import EACH, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.provenance import named
from concord.reports.panel.unit_words import how_many, score, words
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import positions, ratio
from concord.store import grades, items
from concord.store.database import Store
from concord.store.items import Stored


class GraderScore(NamedTuple):
    """One grader's score of one criterion of one answer, in the grader's words.

    `again` are the scores of the same grader asked again, in order; None is one without a score.
    """

    grader: str
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


def confusion(panel: Panel, judge_id: int, criterion: str, kind: str = EACH) -> Matrix:
    """Return the confusion matrix of a judge: annotators' scores in rows, the judge's in columns.

    An answer counts 1, shared by its annotators, in the shares of each row; in the counts it is in
    several cells of one column where annotators differ.
    """
    pairs, scale = _pairs(panel, judge_id, criterion, kind), panel.rubric.scale
    units, size = words(panel.rubric), len(scale)
    cell = positions(pairs.annotator, scale) * size + positions(pairs.judge, scale)
    once = np.unique(pairs.item * size**2 + cell) % size**2
    weights = np.bincount(cell, pairs.weight, size**2).reshape(size, size)
    counts = np.bincount(once, minlength=size**2).reshape(size, size).tolist()
    shares = np.nan_to_num(ratio(weights, weights.sum(axis=1, keepdims=True))).tolist()
    names = [score(units, level) for level in scale]
    text = "annotator {person}, judge {judge}: {count}, {share}% of the row"
    in_words = tuple(
        tuple(
            said(text, person=person, judge=given, count=how_many(units, n), share=percent(share))
            for given, n, share in zip(names, *line, strict=True)
        )
        for person, *line in zip(names, counts, shares, strict=True)
    )
    judge = panel.judges[judge_id]
    title = said(
        "Scores of {judge} by annotators' scores",
        judge=named(panel.labels[judge_id], judge.simulated),
    )
    what = "label" if units.labels else "score"
    return Matrix(
        name="matrix",
        title=title,
        alt=title,
        scale=scale,
        names=tuple(units.labels.get(str(level), str(level)) for level in scale),
        down=f"annotator's {what}",
        across=f"judge's {what}",
        counts=tuple(map(tuple, counts)),
        shares=tuple(map(tuple, shares)),
        words=in_words,
    )


def cell(
    panel: Panel, judge_id: int, criterion: str, person: int, judge: int, kind: str = EACH
) -> list[int]:
    """The ids of the answers an annotator gave one score and the judge another (or the same)."""
    pairs = _pairs(panel, judge_id, criterion, kind)
    hit = (pairs.annotator == person) & (pairs.judge == judge)
    return np.unique(panel.items["item_id"].to_numpy()[pairs.item[hit]]).tolist()


def _pairs(panel: Panel, judge_id: int, criterion: str, kind: str) -> Pairs:
    if criterion == COMPOSITE:
        raise ValueError("a composite is no score on the scale and has no confusion table")
    return ground(panel, criterion, kind).pairs(panel.judges[judge_id])


def answer_grades(
    store: Store, panel: Panel, judge_id: int, item_ids: list[int]
) -> list[AnswerGrades]:
    """Some answers, each with the grades of a judge and of the annotators who count.

    The criteria come in the rubric's order.
    """
    versions = list(panel.rubric.versions().values())
    order = [criterion.name for criterion in panel.rubric.criteria]
    found = []
    for stored in items.items(store, item_ids):
        rows = grades.of_item(store, stored.id, versions)
        rows = sorted(rows, key=lambda row: (order.index(row["criterion"]), row["name"]))
        repeats: dict[tuple[int, str], list] = {}
        for row in sorted(rows, key=lambda row: row["repeat"]):
            repeats.setdefault((row["grader_id"], row["criterion"]), []).append(row)
        of_judge, of_annotators = [], []
        for (grader, criterion), same in repeats.items():
            first, *again = same
            if first["repeat"] > 1 or not (grader == judge_id or grader in panel.annotators):
                continue
            one = GraderScore(
                first["name"],
                bool(first["simulated"]),
                criterion,
                *(first[key] for key in ("status", "score", "reason")),
                tuple(row["score"] for row in again),
            )
            (of_judge if grader == judge_id else of_annotators).append(one)
        found.append(AnswerGrades(stored, of_judge, of_annotators))
    return found
