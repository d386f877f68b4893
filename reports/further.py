"""Further: what is folded below the figures that decide; computed only where it is asked for."""

import numpy as np

from data.graders import Grader
from reports.ground import ONE_PERSON, Ground, ground
from reports.panel import COMPOSITE, Panel
from reports.reference import EACH
from reports.sensitivity import sensitivity
from reports.unit_words import worded
from stats.estimate import undefined
from stats.further import NAMES, NOTHING, composite_further, further, within_points
from stats.pairs import Pairs

FIGURES = NAMES


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

    Each of `FIGURES` (of the composite `tau_b` too); `within_points`, a list of the shares at most
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
        found = composite_further(pairs, on.panel.denominator, between_people)
        points = {}
    else:
        found = further(pairs, on.panel.rubric.scale, between_people)
        points = within_points(pairs, on.panel.rubric.scale)
    if not len(pairs.item):
        found, points = (dict.fromkeys(names, undefined(why_none)) for names in (found, points))
    return {name: one._asdict() for name, one in found.items()} | {
        "within_points": [{"points": k} | one._asdict() for k, one in points.items()]
    }
