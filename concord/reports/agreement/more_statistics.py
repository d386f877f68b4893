"""Further: what is folded below the figures that decide; computed only where it is asked for."""

import numpy as np

from concord.reports.agreement.model_sensitivity import sensitivity
from concord.reports.panel.comparison import ONE_PERSON, Ground, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.unit_words import worded
from concord.stats.core.estimate import undefined
from concord.stats.core.pairs import Pairs
from concord.stats.statistics import (
    FURTHER,
    FURTHER_OF_COMPOSITES,
    NOTHING,
    composite_figures,
    figures,
    within_points,
)
from concord.store.graders import Grader


def rows(panel: Panel, kind: str = EACH, criteria: list[str] | None = None) -> list[dict]:
    """What `of` adds to each row of the agreement report, in its order."""
    grounds = [ground(panel, name, kind) for name in criteria or panel.criteria]
    return [of(each, judge) for judge in panel.judges.values() for each in grounds]


def merged(row: dict, more: dict) -> dict:
    """A row of the agreement report with what `of` found, also in its ceiling."""
    ceiling = row["ceiling"] | more["ceiling"]
    ceiling["judge_on_same_items"] = (
        row["ceiling"]["judge_on_same_items"] | more["ceiling"]["judge_on_same_items"]
    )
    return row | more | {"ceiling": ceiling}


def of(on: Ground, judge: Grader) -> dict:
    """The further figures of one judge on one criterion or the composite, as objects.

    Each statistic that is computed on demand; `within_points`, a list of the shares at most
    2, 3, ... points apart; the same under `ceiling` for people and for the judge on their answers;
    `clustered_by_answer_model`.
    """
    pairs = on.pairs(judge)
    judged = np.zeros(len(on.panel.items), bool)
    judged[pairs.item] = True
    people = on.ceiling(judged)
    same = pairs.where(people.on[pairs.item])
    found = {
        **_figures(on, pairs, False, NOTHING),
        "clustered_by_answer_model": sensitivity(on, pairs),
        "ceiling": {
            **_figures(on, people.pairs, on.kind == EACH, ONE_PERSON),
            "judge_on_same_items": _figures(on, same, False, ONE_PERSON),
        },
    }
    return worded(on.panel.rubric, found)


def _figures(on: Ground, pairs: Pairs, between_people: bool, why_none: str) -> dict:
    if on.name == COMPOSITE:
        names, points = FURTHER_OF_COMPOSITES, {}
        found = composite_figures(pairs, between_people, names, on.panel.denominator)
    else:
        scale, failing = on.panel.rubric.scale, on.panel.rubric.failing(on.criterion)
        found = figures(pairs, scale, failing, between_people, FURTHER)
        points = within_points(pairs, scale)
    if not len(pairs.item):
        found, points = (dict.fromkeys(names, undefined(why_none)) for names in (found, points))
    return {name: one._asdict() for name, one in found.items()} | {
        "within_points": [{"points": k} | one._asdict() for k, one in points.items()]
    }
