"""Cascade: believe a cheap judge where it is sure, hand the rest to a dearer judge or to people.

Replayed over grades that are stored already, at no cost. The threshold of confidence is set on half
of the questions and certified on the other half, so the guarantee is honest: of the answers that
the cheap judge is believed on, at most a given share differs from a person's score.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from data.graders import Grader
from problems import Problem
from reports.confidence import Confidence, Source, confidence
from reports.cost import Cost
from reports.ground import Ground, ground
from reports.panel import Panel
from reports.reference import EACH
from reports.steadiness import steadiness
from stats.draws import SEED
from stats.escalation import Certified, certify
from stats.estimate import undefined
from stats.figures import figures
from stats.pairs import judge_pairs
from stats.wilson import proportion
from words.said import said

PEOPLE = "people"
EXACT, WITHIN_ONE = "exact", "within_one"
CERTIFIED, NOTHING, SIMULATED = "certified", "nothing", "simulated"
NO_PEOPLE = said("no answer with a confidence was graded by a person")
UNEQUAL = said("answers were drawn with unequal chances, which the exact bound cannot take")


class Limits(NamedTuple):
    """What the guarantee is to be.

    Attributes:
        at_most: The share of believed answers that may be in error.
        certainty: How sure that is to be.
        agreement: `exact` or `within_one`: in error is a believed score that differs (or differs by
            two or more) from that of a person drawn at random among those who graded the answer.
    """

    at_most: float = 0.2
    certainty: float = 0.95
    agreement: str = EXACT


DEFAULT = Limits()


def report(
    panel: Panel,
    source: Source,
    to: int | None,
    costs: Mapping[int, Cost],
    criterion: str,
    limits: Limits = DEFAULT,
) -> dict:
    """A cascade from one source of confidence to a judge (or to people, None).

    Returns:
        What it was asked; `unit` (question, or document where several questions share one: one
        answer of each enters the bound); `verdict` (certified, nothing, or simulated, since nothing
        simulated is certified); `threshold` and `tried` (confidence, questions, errors, upper,
        passes); `setting` and `certifying`, how many units, and `not_drawn`, how many the
        sampling by number of answers left out of the test; `needed` and `more`, how many it
        takes; `coverage` of all answers with a confidence; `levels`, `replay`, `cost`, `ceiling`,
        `steadiness`; `why_none` where nothing could be tried.
    """
    _check(limits)
    on, sure = ground(panel, criterion, EACH), confidence(panel, criterion, source)
    item, wrong = _errors(on, sure, limits.agreement)
    why = UNEQUAL if panel.reweighted else None if len(item) else NO_PEOPLE
    delta = round(1 - limits.certainty, 9)
    answers = np.bincount(panel.cluster[sure.known], minlength=len(panel.cluster))
    found = certify(sure.share[item], wrong, panel.cluster[item], limits.at_most, delta, answers)
    level = None if found.tried is None or why else found.tried.confidence
    people = on.ceiling(_marked(panel, item)).figures[limits.agreement]
    return {
        "criterion": criterion,
        **limits._asdict(),
        "seed": SEED,
        "unit": "question" if _own_clusters(panel) else "document",
        **_named(panel, source, to),
        **_certified(found, why),
        "verdict": _verdict(panel, source, to, found, why),
        "coverage": _coverage(panel, sure, level)._asdict(),
        "answers": int(sure.known.sum()),
        "levels": _levels(sure, item, wrong),
        "replay": _replay(panel, on, sure, level, to),
        "cost": _cost(sure, level, source, to, costs),
        "ceiling": people._asdict(),
        "steadiness": None if source.second else steadiness(panel, source.judge, [criterion]),
        "why_none": why,
    }


def dearer(panel: Panel, source: Source, named: str) -> int | None:
    """The judge that gets the rest, by label; None for people. A Problem where it cannot be one."""
    if named == PEOPLE:
        return None
    fits = {panel.labels[i]: i for i in panel.judges if i not in (source.judge, source.second)}
    if named not in fits:
        every = ", ".join([PEOPLE, *fits])
        raise Problem(f"The rest cannot go to “{named}”. Take one of: {every}.")
    return fits[named]


def _check(limits: Limits) -> None:
    if not (0 < limits.at_most < 1 and 0 < limits.certainty < 1):
        raise Problem("The limit and the certainty of a cascade lie between 0 and 1, as 0.2, 0.95.")


def _errors(on: Ground, sure: Confidence, agreement: str) -> tuple[np.ndarray, np.ndarray]:
    """Items that one person at random stands for, and whether the believed score is in error."""
    item, score = on.people.item, on.people.score
    order = np.random.default_rng([SEED, len(item)]).permutation(len(item))
    items, first = np.unique(item[order], return_index=True)
    person = score[order][first]
    known = sure.known[items]
    items, person = items[known], person[known]
    apart = np.abs(sure.score[items] - person)
    return items, apart > (1 if agreement == WITHIN_ONE else 0)


def _named(panel: Panel, source: Source, to: int | None) -> dict:
    graders = _graders(panel, source, to)
    return {
        "cheap": panel.labels[source.judge],
        "second": panel.labels[source.second] if source.second else None,
        "asks": source.asks,
        "to": panel.labels[to] if to else PEOPLE,
        "simulated": [grader.name for grader in graders if grader.simulated],
    }


def _graders(panel: Panel, source: Source, to: int | None) -> list[Grader]:
    judges = [panel.judges[i] for i in (source.judge, source.second, to) if i]
    return [*judges, *panel.people.values()]


def _verdict(
    panel: Panel, source: Source, to: int | None, found: Certified, why: str | None
) -> str:
    if why or found.threshold is None:
        return NOTHING
    simulated = any(grader.simulated for grader in _graders(panel, source, to))
    return SIMULATED if simulated else CERTIFIED


def _certified(found: Certified, why: str | None) -> dict:
    """What `certify` found, without its thresholds where nothing may be certified."""
    thresholds = {"threshold": found.threshold, "tried": found.tried}
    return found._asdict() | {
        name: one._asdict() if one and not why else None for name, one in thresholds.items()
    }


def _coverage(panel: Panel, sure: Confidence, level: float | None):
    """Of the answers with a confidence, the share that would be believed."""
    if level is None:
        return undefined(said("no threshold could be tried"))
    cluster = panel.cluster[sure.known]
    base = np.bincount(cluster).astype(float)
    return proportion(np.bincount(cluster, sure.share[sure.known] >= level), base, base.sum())


def _levels(sure: Confidence, item: np.ndarray, wrong: np.ndarray) -> list[dict]:
    """For each level of confidence, most confident first, how many answers and errors."""
    known, mine = sure.share[sure.known], sure.share[item]
    return [
        {
            "confidence": float(level),
            "answers": int((known == level).sum()),
            "graded": int((mine == level).sum()),
            "errors": int(wrong[mine == level].sum()),
        }
        for level in np.unique(known)[::-1]
    ]


def _replay(
    panel: Panel, on: Ground, sure: Confidence, level: float | None, to: int | None
) -> dict | None:
    """Agreement with people of the cascade, the cheap and the dear judge, on the same answers."""
    if to is None or level is None:
        return None
    dear = panel.of(on.name, to)
    both = sure.known & dear.scored & panel.open
    scores = {
        "cascade": np.where(sure.share >= level, sure.score, dear.score),
        "cheap": sure.score,
        "dear": dear.score,
    }
    scale, failing = panel.rubric.scale, panel.rubric.failing(on.criterion)
    found: dict = {}
    for name, score in scores.items():
        items, people = np.flatnonzero(both), on.people
        pairs = judge_pairs(items, score[items], people.item, people.score, panel.cluster)
        every = figures(pairs, scale, failing)
        found[name] = {figure: every[figure]._asdict() for figure in ("exact", "caught")}
        found["n"] = len(np.unique(pairs.item))
    return found


def _cost(
    sure: Confidence, level: float | None, source: Source, to: int | None, costs: Mapping[int, Cost]
) -> dict:
    """USD per 1,000 answers of the cascade, and of asking the dear judge about everything."""
    asked = [i for i in (source.judge, source.second, to) if i]
    unknown = [i for i in asked if i not in costs or costs[i].per_1000 is None]
    nothing = {"cascade": None, "dear": None, "saved": None}
    if to is None or level is None:
        return nothing | {
            "why_none": said("people have no price" if to is None else "no threshold")
        }
    if unknown:
        return nothing | {"why_none": said("the price of one of the judges is unknown")}
    cheap = source.asks * costs[source.judge].per_1000
    cheap += costs[source.second].per_1000 if source.second else 0.0
    rest = float((sure.share[sure.known] < level).mean())
    dear = costs[to].per_1000
    cascade = cheap + rest * dear
    return {"cascade": cascade, "dear": dear, "saved": dear - cascade, "why_none": None}


def _own_clusters(panel: Panel) -> bool:
    """Whether every question is a cluster of its own."""
    return len(np.unique(panel.cluster)) == len(np.unique(panel.question))


def _marked(panel: Panel, items: np.ndarray) -> np.ndarray:
    marked = np.zeros(len(panel.items), bool)
    marked[items] = True
    return marked
