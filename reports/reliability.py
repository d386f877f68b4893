"""Reliability: each person against themselves, from the answers that came back unannounced."""

import pandas as pd

from data.graders import Grader
from reports.panel import Panel
from reports.unit_words import worded
from stats.reliability import reliability


def rows(panel: Panel) -> list[dict]:
    """One row per person and criterion with second grades, each figure as an object."""
    return [
        _row(panel, person, criterion.name, found)
        for criterion in panel.rubric.criteria
        for person in panel.people.values()
        if len(found := again(panel, person, criterion.name))
    ]


def again(panel: Panel, person: Grader, criterion: str) -> pd.DataFrame:
    """The second scores of answers whose first score counts: columns item, score."""
    second = panel.repeats[
        (panel.repeats["grader_id"] == person.id)
        & (panel.repeats["criterion"] == criterion)
        & (panel.repeats["repeat"] == 2)
        & (panel.repeats["status"] == "scored")
    ]
    return second[panel.counted(criterion, person.id)[second["item"]]]


def _row(panel: Panel, person: Grader, criterion: str, again: pd.DataFrame) -> dict:
    item = again["item"].to_numpy()
    first = panel.of(criterion, person.id).score[item]
    second = again["score"].to_numpy(float)
    cluster, weight = panel.cluster[item], panel.weight[item]
    same = reliability(first, second, cluster, panel.rubric.scale, weight)
    row = {
        "person": person.name,
        "simulated": person.simulated,
        "criterion": criterion,
        "n": same.n,
        **{name: getattr(same, name)._asdict() for name in ("exact", "within_one", "qwk", "drift")},
    }
    return worded(panel.rubric, row)
