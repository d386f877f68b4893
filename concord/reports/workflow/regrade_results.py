"""Regraded: grades given again under a criterion's new words, beside the old ones, by annotator.

What moved is the wording and the grader's own unsteadiness together: hidden repeats say how large
the second is. Every annotator is compared with themselves alone.
"""

import numpy as np

from concord.grading import regrades
from concord.messages import Said, counted, said
from concord.reports.panel.simulated import named
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import undefined
from concord.stats.core.pairs import Pairs
from concord.stats.statistics import figures
from concord.store.database import Row, Store

WAITING = said("not given again yet")
UNSCORED_BEFORE, UNSCORED_NOW = said("had no score"), said("has no score now")
FIGURES = ("exact", "change")


def rows(store: Store, rubric: Rubric, criterion: str) -> list[dict]:
    """One row per annotator whose grades of a criterion were asked for again, by name.

    Each has `grader`, `simulated`, `asked`, `left_out` (reason -> count), `n` (grades with a score
    before and now), `questions`, `up`, `down`, `same`, and two figures with intervals by question:
    `exact`, the share that kept the score, and `change`, the mean of new minus old in points.
    """
    found: dict[tuple[str, bool], list[Row]] = {}
    for row in regrades.side_by_side(store, rubric.versions()[criterion]):
        found.setdefault((row["grader"], bool(row["simulated"])), []).append(row)
    return [_row(rubric, *who, own) for who, own in found.items()]


def sentence(found: list[dict]) -> Said:
    """How many grades were given again, and how they moved, in words."""
    asked, n, up, down = (sum(one[key] for one in found) for key in ("asked", "n", "up", "down"))
    if not asked:
        return said("No grade was asked for again.")
    grades = counted(asked, "grade")
    if not n:
        return said("{n:,} of {grades} can be compared with the old one.", n=n, grades=grades)
    return said(
        "{n:,} of {grades} can be compared with the old one: {up:,} moved up, {down:,} down.",
        n=n,
        grades=grades,
        up=up,
        down=down,
    )


def text(found: list[dict]) -> str:
    """The rows as lines, one per annotator."""
    return "\n".join(
        f"{named(one['grader'], one['simulated'])}: {one['n']} of {one['asked']}, {one['up']} up, "
        f"{one['down']} down, {one['same']} the same{_change(one['change'])}"
        for one in found
    )


def _change(figure: dict) -> str:
    if figure["value"] is None:
        return ""
    limits = "" if figure["low"] is None else f" ({figure['low']:+.2f} to {figure['high']:+.2f})"
    return f", mean change {figure['value']:+.2f}{limits}"


def _row(rubric: Rubric, grader: str, simulated: bool, own: list[Row]) -> dict:
    why = [_why_out(row) for row in own]
    both = [row for row, out in zip(own, why, strict=True) if not out]
    old = np.array([row["old_score"] for row in both], float)
    new = np.array([row["new_score"] for row in both], float)
    cluster = np.unique([row["cluster"] for row in both], return_inverse=True)[1]
    pairs = Pairs(new, old, np.ones(len(both)), np.arange(len(both)), cluster)
    found = figures(pairs, rubric.scale, (), names=("exact", "bias")) if both else {}
    none = undefined(said("no grade has a score before and now"))
    return {
        "grader": grader,
        "simulated": simulated,
        "asked": len(own),
        "left_out": {reason: why.count(reason) for reason in dict.fromkeys(filter(None, why))},
        "n": len(both),
        "questions": len(np.unique(cluster)),
        "up": int((new > old).sum()),
        "down": int((new < old).sum()),
        "same": int((new == old).sum()),
        "exact": found.get("exact", none)._asdict(),
        "change": found.get("bias", none)._asdict(),
    }


def _why_out(row: Row) -> str:
    if row["new_status"] is None:
        return WAITING
    if row["old_status"] != "scored":
        return UNSCORED_BEFORE
    return UNSCORED_NOW if row["new_status"] != "scored" else ""
