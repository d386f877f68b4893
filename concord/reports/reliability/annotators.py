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
from concord.reports.panel.criterion_comparison import EACH, ONE_SELECTED, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.wording import (
    annotators_sentence,
    counted_annotators,
    heading,
    named,
    weighting,
)
from concord.reports.reliability import annotator_alerts
from concord.reports.reliability.annotator_alerts import Card
from concord.reports.reliability.reliability import inter_rater
from concord.reports.reliability.reliability import of_criterion as of_all
from concord.rubrics.model import Rubric
from concord.stats.core.pairs import judge_pairs
from concord.stats.core.tables import distinct
from concord.stats.statistics import figures

Row = dict[str, Any]  # names, counts, and estimates by the key of their statistic


def report(panel: Panel, only: Sequence[str] = ()) -> Row:
    """Return inter-annotator agreement on every criterion, as JSON has it.

    `only` are the criteria (all without). `synthetic` counts the answers of the sheet that are
    synthetic.
    """
    names = [name for name in panel.criteria if name != COMPOSITE and (name in only or not only)]
    return {
        "sheet": panel.sheet.name,
        "synthetic": panel.sheet.synthetic,
        "rubric": panel.rubric.name,
        "annotators": counted_annotators(panel.graded_by),
        "uncounted": panel.uncounted,
        "weighting": weighting(panel),
        "reliability": [row for row in inter_rater(panel) if row["criterion"] in names],
        "criteria": [of_criterion(panel, name) for name in names],
    }


def of_criterion(panel: Panel, name: str) -> Row:
    """Return the agreement on one criterion; `not_blind` grades are not in it.

    `overall` has every pair on the answers that two or more graded, and `alpha` of all; `pairs`
    each two annotators (`bias` is the first minus the second), also those who share no answer;
    `strictness` each annotator compared with all others, more lenient where `bias` is above 0.
    """
    on = ground(panel, name, EACH)
    found, given = on.overlapping(np.ones(len(panel.items), bool)), on.each

    def compared(one: Grader, theirs: np.ndarray, keys: tuple[str, ...]) -> Row:
        """Return statistics of an annotator's scores paired with `theirs` of the same answers."""
        sides = ((given.item[of], given.score[of]) for of in (given.grader == one.id, theirs))
        (item, score), (other, others) = sides
        pairs = on.weighed(judge_pairs(item, score, other, others, panel.cluster))
        counts = {"n": distinct(pairs.item), "questions": distinct(panel.question[pairs.item])}
        return counts | figures(pairs, panel.rubric.scale, failing=(), names=keys)

    # Also those who gave no score.
    people = [
        one for one in panel.graded_by if (panel.open & (panel.of(name, one.id).status >= 0)).any()
    ]
    people.sort(key=lambda person: (person.name.casefold(), person.id))
    two = ("exact", "within_one", "qwk", "alpha", "bias")
    every = [panel.of(name, i) for i in panel.annotators]
    return {
        "criterion": name,
        "overall": {
            "n": found.n,
            "annotators": len(on.annotators_on(found.on)),
            "questions": distinct(panel.question[found.on]),
            "clusters": distinct(panel.cluster[found.on]),
            **{key: found.figures[key] for key in ("exact", "within_one", "qwk")},
            "alpha": of_all(on)["alpha"],
        },
        "pairs": [
            {"one": a.name, "other": b.name} | compared(a, given.grader == b.id, two)
            for a, b in combinations(people, 2)
        ],
        "strictness": [
            {"annotator": one.name, "simulated": one.simulated}
            | compared(one, given.grader != one.id, ("bias", "exact", "within_one"))
            for one in people
        ],
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
    (Column("n", "count"), "n"),
    (Column("bias", "difference", "strictness"), "bias"),
    (Column("exact", "share"), "exact"),
]
_FIGURES: list[Part] = [
    (Column("n", "count"), "n"),
    (Column("exact", "share", "exact"), "exact"),
    (Column("within one", "share", "within one"), "within_one"),
    (Column("alpha", "number", "alpha"), "alpha"),
    (Column("QWK", "number", "QWK"), "qwk"),
]


def documents(report: Row, rubric: Rubric, cards: Sequence[Card], graders: bool) -> list[Document]:
    """Return who needs a look, a document per criterion, and the cards where asked for."""
    simulated = sum(one["simulated"] for one in report["annotators"])
    parts = [document(one, rubric, simulated) for one in report["criteria"]]
    look = annotator_alerts.headline(cards)
    told = tuple(sentence for card in cards for sentence in annotator_alerts.sentences(card))
    look = replace(look, facts=told, notes=look.facts)
    shown = map(annotator_alerts.document, cards) if graders else ()
    return [look, *parts, Document(report["weighting"] or ""), *shown]


def document(agreed: Row, rubric: Rubric, simulated: int) -> Document:
    """Return the agreement on a criterion; `simulated` counts annotators."""
    whole = agreed["overall"]
    if not whole["n"]:
        selected = whole["exact"].why_none == ONE_SELECTED
        notes = () if selected else (why_alone(agreed),)
        return Document(_ONE_SELECTED if selected else ONE, notes=notes)
    headline = (
        f"Two annotators give the same score for {heading(rubric, agreed['criterion'])} on "
        f"{written(whole['exact'].value, 'share')} of {counted(whole['n'], 'answer')}"
    )
    known = [row for row in agreed["strictness"] if row["bias"].value is not None]
    who, n, *_ = _STRICTNESS
    drawn = table_of("strictness", known, [who, (_AXIS, "bias"), n])
    pair = "annotators", lambda row: f"{row['one']}, {row['other']}"
    first = Column("first minus second", "difference"), "bias"
    sharing = [row for row in agreed["pairs"] if row["n"]]
    overall = [(Column("annotators", "count"), "annotators"), *_FIGURES]
    return Document(
        headline,
        tuple(filter(None, [annotators_sentence(simulated, whole["annotators"])])),
        (
            table_of("overall", [whole], overall, "All annotators"),
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
