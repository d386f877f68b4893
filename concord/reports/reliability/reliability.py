"""Reliability: of annotators together (inter-rater), and of a grader asked again (test-retest).

The human ceiling compares annotators in pairs, as a judge is compared with them; here any number
of annotators count together, and any of them may have left answers out.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from concord.messages import counted, said
from concord.model import Grader
from concord.reports.cells import written
from concord.reports.charts import dots
from concord.reports.document import Column, Document, Part, table_of
from concord.reports.panel.criterion_comparison import EACH, ONE_SELECTED, CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.wording import (
    annotators_sentence,
    counted_annotators,
    heading,
    named,
    weighting,
)
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import undefined
from concord.stats.core.minimums import PAIR_FLOOR
from concord.stats.core.pairs import judge_pairs
from concord.stats.core.tables import distinct
from concord.stats.reliability.multi_rater import gwet_ac2, krippendorff_alpha
from concord.stats.reliability.retest import Consistency, consistency, reliability
from concord.stats.statistics import figures

TOO_FEW = "too few items that two annotators graded"
UNEQUAL = (
    "items were sampled with unequal inclusion probabilities, and these figures have no weights"
)


def inter_rater(panel: Panel) -> list[dict[str, Any]]:
    """Return a row per criterion, as `of_annotators`."""
    names = [name for name in panel.criteria if name != COMPOSITE]
    return [of_annotators(ground(panel, name, EACH)) for name in names]


def of_annotators(on: CriterionPanel) -> dict[str, Any]:
    """Return `alpha` and `ac2` of all annotators on the `n` answers that two or more graded.

    `annotators` counts those of these answers.
    """
    (items, scores), scale = on.overlap, on.panel.rubric.scale
    cluster, why = on.panel.cluster[items], None
    if not len(items):
        why = on.no_overlap
    elif on.panel.reweighted:
        why = UNEQUAL
    elif len(items) < PAIR_FLOOR:
        why = TOO_FEW
    return {
        "criterion": on.name,
        "annotators": int((~np.isnan(scores)).any(axis=1).sum()),
        "n": len(items),
        "alpha": undefined(why) if why else krippendorff_alpha(scores, scale, "ordinal", cluster),
        "ac2": undefined(why) if why else gwet_ac2(scores, scale, cluster),
    }


def test_retest(panel: Panel) -> list[dict[str, Any]]:
    """Return a row per annotator and criterion with second grades: `Reliability` of both."""
    rows = []
    for criterion in (one.name for one in panel.rubric.criteria):
        for person in panel.annotators.values():
            second = again(panel, person, criterion)
            if not len(second):
                continue
            item, score = second["item"].to_numpy(int), second["score"].to_numpy(float)
            first, cluster = panel.of(criterion, person.id).score[item], panel.cluster[item]
            found = reliability(first, score, cluster, panel.rubric.scale, panel.weight[item])
            about = {"annotator": person.name, "simulated": person.simulated}
            rows.append(about | {"criterion": criterion} | found._asdict())
    return rows


def again(panel: Panel, person: Grader, criterion: str) -> pd.DataFrame:
    """Return the second scores of answers whose first score counts: columns item, score."""
    later = panel.repeats
    mine = (later["grader_id"] == person.id) & (later["criterion"] == criterion)
    second = later[mine & (later["repeat"] == 2) & (later["status"] == "scored")]
    return second[panel.counted(criterion, person.id)[second["item"]]]


def of_judge(panel: Panel, judge_id: int, criterion: str) -> Consistency:
    """Return how far a judge repeats its scores, on open answers it scored twice or more."""
    return consistency(*repeated(panel, judge_id, criterion), panel.cluster, panel.rubric.scale)


def repeated(panel: Panel, judge_id: int, criterion: str) -> tuple[np.ndarray, np.ndarray]:
    """Return items and scores of one criterion by one judge: first ones, then all later ones."""
    first, later = panel.numbers(criterion, judge_id), panel.repeats
    numbers = panel.is_continuous(criterion, judge_id)
    at_first = np.flatnonzero(first.scored)
    mine = (later["grader_id"] == judge_id) & (later["criterion"] == criterion)
    on_scale = later["score"].isin(panel.rubric.scale) | numbers
    later = later[mine & (later["status"] == "scored") & on_scale]
    item = np.concatenate([at_first, later["item"].to_numpy(int)])
    score = np.concatenate([first.score[at_first], later["score"].to_numpy(float)])
    return item[panel.open[item]], score[panel.open[item]]


def report(panel: Panel, only: Sequence[str] = ()) -> dict[str, Any]:
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


def of_criterion(panel: Panel, name: str) -> dict[str, Any]:
    """Return the agreement on one criterion; `not_blind` grades are not in it.

    `overall` has every pair on the answers that two or more graded, and `alpha` of all; `pairs`
    each two annotators (`bias` is the first minus the second), also those who share no answer;
    `strictness` each annotator compared with all others, more lenient where `bias` is above 0.
    """
    on = ground(panel, name, EACH)
    found, given = on.overlapping(np.ones(len(panel.items), bool)), on.each

    def compared(one: Grader, theirs: np.ndarray, keys: tuple[str, ...]) -> dict[str, Any]:
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
            "alpha": of_annotators(on)["alpha"],
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


def document(agreed: Mapping[str, Any], rubric: Rubric, simulated: int) -> Document:
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


def why_alone(agreed: Mapping[str, Any]) -> str:
    """Return why no answer counts as graded by two annotators, and what to do."""
    if not agreed["not_blind"]:
        return WHAT_TO_DO
    return said(_NOT_BLIND, grades=counted(agreed["not_blind"], "grade was", "grades were"))
