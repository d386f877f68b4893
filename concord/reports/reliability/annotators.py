"""Annotators: how far the annotators of a sheet agree, as `annotators --json` has it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from concord.messages import counted, said
from concord.model import Grader
from concord.reports.cells import written
from concord.reports.charts import dots
from concord.reports.document import Column, Document, Part, table_of
from concord.reports.panel.criterion_comparison import EACH, ONE_SELECTED, CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.provenance import (
    annotators_sentence,
    counted_annotators,
    named,
    weighting,
)
from concord.reports.panel.unit_words import heading
from concord.reports.reliability import annotator_cards, panel_reliability
from concord.reports.reliability.annotator_cards import Card
from concord.rubrics.model import Rubric
from concord.stats.core.pairs import judge_pairs
from concord.stats.core.tables import distinct
from concord.stats.statistics import figures

TOGETHER = ("exact", "within_one", "qwk")
BETWEEN_TWO = ("exact", "within_one", "qwk", "alpha", "bias")
OF_ONE = ("bias", "exact", "within_one")
Row = dict[str, Any]  # names, counts, and estimates by the key of their statistic


def overall_figures(on: CriterionPanel) -> Row:
    """Return the agreement of every pair on answers that two or more graded, `alpha` of all."""
    found = on.overlapping(np.ones(len(on.panel.items), bool))
    return {
        "n": found.n,
        "annotators": len(on.annotators_on(found.on)),
        "questions": distinct(on.panel.question[found.on]),
        "clusters": distinct(on.panel.cluster[found.on]),
        **{name: found.figures[name] for name in TOGETHER},
        "alpha": panel_reliability.of_criterion(on).figures["alpha"],
    }


def figures_of_pairs(on: CriterionPanel) -> list[Row]:
    """Return a row per pair of annotators, also of those who share no answer.

    `bias` is the mean of the first minus the second.
    """
    whose = on.each().grader
    return [
        {"one": a.name, "other": b.name} | _compared(on, a, whose == b.id, BETWEEN_TWO)
        for a, b in combinations(_by_name(on), 2)
    ]


def strictness_of(on: CriterionPanel) -> list[Row]:
    """Return a row per annotator, compared with all others; a `bias` above 0 is more lenient."""
    whose = on.each().grader
    return [
        {"annotator": one.name, "simulated": one.simulated}
        | _compared(on, one, whose != one.id, OF_ONE)
        for one in _by_name(on)
    ]


def _by_name(on: CriterionPanel) -> list[Grader]:
    """Return the annotators who graded the criterion, by name, also those who gave no score."""
    panel = on.panel
    status = {one.id: panel.of(on.name, one.id).status for one in panel.graded_by}
    annotators = [one for one in panel.graded_by if (panel.open & (status[one.id] >= 0)).any()]
    return sorted(annotators, key=lambda person: (person.name.casefold(), person.id))


def _compared(
    on: CriterionPanel, person: Grader, theirs: np.ndarray, names: tuple[str, ...]
) -> Row:
    """Return some statistics of an annotator's scores paired with others' of the same answers.

    `theirs` are the scores compared with, of those that annotators gave.
    """
    given = on.each()
    mine = given.grader == person.id
    own, others = ((given.item[part], given.score[part]) for part in (mine, theirs))
    pairs = on.weighed(judge_pairs(*own, *others, on.panel.cluster))
    counts = {"n": distinct(pairs.item), "questions": distinct(on.panel.question[pairs.item])}
    return counts | figures(pairs, on.panel.rubric.scale, failing=(), names=names)


def report(panel: Panel, only: Sequence[str] = ()) -> Row:
    """Return inter-annotator agreement on every criterion, as JSON has it.

    `only` are the criteria (all without). `synthetic` counts the answers of the sheet that are
    synthetic.
    """
    names = [name for name in panel.criteria if name != COMPOSITE and (name in only or not only)]
    together = panel_reliability.rows(panel)
    return {
        "sheet": panel.sheet.name,
        "synthetic": panel.sheet.synthetic,
        "rubric": panel.rubric.name,
        "annotators": counted_annotators(panel.graded_by),
        "uncounted": panel.uncounted,
        "weighting": weighting(panel),
        "reliability": [row for row in together if row.criterion in names],
        "criteria": [of_criterion(panel, name) for name in names],
    }


def of_criterion(panel: Panel, name: str) -> Row:
    """Return the agreement on one criterion; `not_blind` grades are not in it."""
    on = ground(panel, name, EACH)
    every = [panel.of(name, i) for i in panel.annotators]
    return {
        "criterion": name,
        "overall": overall_figures(on),
        "pairs": figures_of_pairs(on),
        "strictness": strictness_of(on),
        "not_blind": sum(int((one.scored & ~one.blind & panel.open).sum()) for one in every),
    }


ONE = "No answer was graded blind by two annotators, so inter-annotator agreement is unknown"
_ONE_SELECTED = "Only one annotator is included, so inter-annotator agreement is unknown"
WHAT_TO_DO = "Send two annotators the link to the same grading set: 30 shared answers are enough."
_NOT_BLIND = (
    "{grades} not blind, and excluded. If the annotators saw no scores, undo the import and import "
    "the file again, saying so."
)
STRICTNESS = (
    "Mean difference from the other annotators on the same answers. Shows leniency, not "
    "correctness."
)
_AXIS = Column("points below (−) or above (+) the others", "difference")
_STRICTNESS: list[Part] = [
    ("annotator", lambda row: named(row["annotator"], row["simulated"])),
    (Column("n", "count"), lambda row: row["n"]),
    (Column("bias", "difference", "strictness"), lambda row: row["bias"]),
    (Column("exact", "share"), lambda row: row["exact"]),
]
_FIGURES: list[Part] = [
    (Column("n", "count"), lambda row: row["n"]),
    (Column("exact", "share", "exact"), lambda row: row["exact"]),
    (Column("within one", "share", "within one"), lambda row: row["within_one"]),
    (Column("alpha", "number", "alpha"), lambda row: row["alpha"]),
    (Column("QWK", "number", "QWK"), lambda row: row["qwk"]),
]


def documents(report: Row, rubric: Rubric, cards: Sequence[Card], graders: bool) -> list[Document]:
    """Return who needs a look, a document per criterion, and the cards where asked for."""
    simulated = sum(one.simulated for one in report["annotators"])
    parts = [document(one, rubric, simulated) for one in report["criteria"]]
    look = annotator_cards.headline(cards)
    told = tuple(sentence for card in cards for sentence in annotator_cards.sentences(card))
    look = replace(look, facts=told, notes=look.facts)
    shown = map(annotator_cards.document, cards) if graders else ()
    return [look, *parts, Document(report["weighting"] or ""), *shown]


def document(agreed: Row, rubric: Rubric, simulated: int) -> Document:
    """Return the agreement on a criterion; `simulated` counts annotators."""
    whole = agreed["overall"]
    if not whole["n"]:
        selected = whole["exact"].why_none == ONE_SELECTED
        notes = () if selected else (why_alone(agreed),)
        return Document(_ONE_SELECTED if selected else ONE, notes=notes)
    headline = said(
        "Two annotators give the same score for {criterion} on {exact} of {answers}",
        criterion=heading(rubric, agreed["criterion"]),
        exact=written(whole["exact"].value, "share"),
        answers=counted(whole["n"], "answer"),
    )
    facts = filter(None, (annotators_sentence(simulated, whole["annotators"]),))
    known = [row for row in agreed["strictness"] if row["bias"].value is not None]
    (who, n, *_), bias = _STRICTNESS, lambda row: row["bias"]
    drawn = table_of("strictness", known, [who, (_AXIS, bias), n])
    count = Column("annotators", "count"), lambda row: row["annotators"]
    pair = "annotators", lambda row: f"{row['one']}, {row['other']}"
    first = Column("first minus second", "difference"), bias
    sharing = [row for row in agreed["pairs"] if row["n"]]
    return Document(
        headline,
        tuple(facts),
        (
            table_of("overall", [whole], [count, *_FIGURES], "All annotators"),
            table_of("strictness", agreed["strictness"], _STRICTNESS, "Strictness"),
            table_of("pairs", sharing, [pair, *_FIGURES, first], "Pairs of annotators"),
        ),
        charts=(dots(drawn, "annotators", 0.0),) if known else (),
    )


def why_alone(agreed: Row) -> str:
    """Return why no answer counts as graded by two annotators, and what to do."""
    if not agreed["not_blind"]:
        return WHAT_TO_DO
    return said(_NOT_BLIND, grades=counted(agreed["not_blind"], "grade was", "grades were"))
