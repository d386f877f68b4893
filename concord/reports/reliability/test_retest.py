"""Test-retest reliability: of a judge that is asked again, of an annotator on hidden repeats."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from concord.model import Grader
from concord.reports.document import FLAT
from concord.reports.panel.panel import Panel
from concord.reports.panel.unit_words import in_units_throughout
from concord.stats.reliability.retest import Consistency, Reliability, consistency, reliability


@dataclass(frozen=True)
class AnnotatorRetest:
    """Test-retest reliability of one annotator on the answers of a criterion graded twice."""

    annotator: str
    simulated: bool
    criterion: str
    found: Reliability = field(metadata=FLAT)


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


def of_annotators(panel: Panel) -> list[AnnotatorRetest]:
    """Return a row per annotator and criterion with second grades."""
    rows = []
    for criterion in panel.rubric.criteria:
        for person in panel.annotators.values():
            second = again(panel, person, criterion.name)
            if len(second):
                same = with_first(panel, person, criterion.name, second)
                rows.append(AnnotatorRetest(person.name, person.simulated, criterion.name, same))
    return in_units_throughout(panel.rubric, rows)


def again(panel: Panel, person: Grader, criterion: str) -> pd.DataFrame:
    """Return the second scores of answers whose first score counts: columns item, score."""
    second = panel.repeats[
        (panel.repeats["grader_id"] == person.id)
        & (panel.repeats["criterion"] == criterion)
        & (panel.repeats["repeat"] == 2)
        & (panel.repeats["status"] == "scored")
    ]
    return second[panel.counted(criterion, person.id)[second["item"]]]


def with_first(panel: Panel, person: Grader, criterion: str, second: pd.DataFrame) -> Reliability:
    """Return the agreement of second scores, as from `again`, with the first ones."""
    item, score = second["item"].to_numpy(int), second["score"].to_numpy(float)
    first = panel.of(criterion, person.id).score[item]
    return reliability(first, score, panel.cluster[item], panel.rubric.scale, panel.weight[item])
