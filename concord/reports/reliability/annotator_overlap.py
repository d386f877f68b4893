"""Annotator overlap: how annotators agree on the same answers, all, each pair, and each one.

An annotator is held against the others exactly as a judge is held against annotators: every pair
of scores
of the same answer, each answer with weight 1. Rows of annotators stand by name and never by a
figure.
"""

from itertools import combinations

import numpy as np

from concord.reports.panel.comparison import Ground
from concord.reports.reliability.panel_reliability import why_none
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs, judge_pairs
from concord.stats.core.tables import ranked
from concord.stats.reliability.multi_rater import krippendorff_alpha
from concord.stats.statistics import figures
from concord.store.graders import Grader

TOGETHER = ("exact", "within_one", "qwk")
BETWEEN_TWO = ("exact", "within_one", "qwk", "alpha", "bias")
OF_ONE = ("bias", "exact", "within_one")


def overall(on: Ground, keep: np.ndarray | None = None) -> dict:
    """How all annotators agree, on the answers that two or more graded; or on those of `keep` (N,).

    `n`, `annotators`, `questions`, `clusters`; `exact`, `within_one`, `qwk` over all pairs of
    annotators, `alpha` of any number of annotators at once.
    """
    keep = np.ones(len(on.panel.items), bool) if keep is None else keep
    found = on.ceiling(keep)
    return {
        "n": found.n,
        "annotators": len(on.annotators_on(found.on)),
        "questions": ranked(on.panel.question[found.on])[0],
        "clusters": ranked(on.panel.cluster[found.on])[0],
        **{name: found.figures[name]._asdict() for name in TOGETHER},
        "alpha": _alpha(on, keep)._asdict(),
    }


def pairs(on: Ground) -> list[dict]:
    """Each pair of annotators: `one`, `other`, `n`, `questions`, figures, `bias` (one - other)."""
    annotators = by_name(on)
    return [
        {"one": one.name, "other": other.name, **described(on, between(on, one, other))}
        for one, other in combinations(annotators, 2)
    ]


def strictness(on: Ground) -> list[dict]:
    """Each person: `bias` against the others on the same answers, `exact`, `within_one`."""
    return [
        {
            "annotator": person.name,
            "simulated": person.simulated,
            **described(on, against_others(on, person), OF_ONE),
        }
        for person in by_name(on)
    ]


def by_name(on: Ground) -> list[Grader]:
    """The annotators who graded the criterion, by name."""
    annotators = on.annotators_on(np.ones(len(on.panel.items), bool))
    return sorted(annotators, key=lambda person: (person.name.casefold(), person.id))


def between(on: Ground, one: Grader, other: Grader) -> Pairs:
    """Two annotators' scores of the answers both graded; `one` stands where a judge would."""
    return _beside(on, one, on.each().grader == other.id)


def against_others(on: Ground, person: Grader) -> Pairs:
    """An annotator's scores beside all others' of the same answers."""
    return _beside(on, person, on.each().grader != person.id)


def described(on: Ground, found: Pairs, names: tuple[str, ...] = BETWEEN_TWO) -> dict:
    """`n`, `questions` and some figures of pairs, as objects."""
    scale = on.panel.rubric.scale
    known = figures(found, scale, failing=(), names=names)
    return {
        "n": len(np.unique(found.item)),
        "questions": len(np.unique(on.panel.question[found.item])),
        **{name: known[name]._asdict() for name in names},
    }


def _beside(on: Ground, person: Grader, theirs: np.ndarray) -> Pairs:
    each = on.each()
    mine = each.grader == person.id
    return on.weighed(
        judge_pairs(
            each.item[mine],
            each.score[mine],
            each.item[theirs],
            each.score[theirs],
            on.panel.cluster,
        )
    )


def _alpha(on: Ground, keep: np.ndarray) -> Estimate:
    items, scores = on.overlap()
    kept = keep[items]
    why = why_none(on, int(kept.sum()))
    if why:
        return undefined(why)
    cluster = on.panel.cluster[items[kept]]
    return krippendorff_alpha(scores[:, kept], on.panel.rubric.scale, "ordinal", cluster)
