"""Steadiness: whether a judge says the same when it is asked again, from its repeated grades."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from data.store import Row
from reports.panel import Panel
from stats.consistency import consistency
from words.said import joined, said

FIGURES = ("exact", "flips", "qwk", "alpha")


def steadiness(panel: Panel, judge_id: int, criteria: Sequence[str]) -> dict:
    """How far a judge repeats its own scores, on every open answer it scored twice or more.

    Several criteria are taken together: each score of an answer is compared with its own repeats.

    Returns:
        `scores` that were repeated (one per answer and criterion), `repeats` at most, and `exact`,
        `flips`, `qwk` and `alpha` as in `stats.consistency`.
    """
    items, scores = [np.zeros(0, int)], [np.zeros(0)]
    for place, criterion in enumerate(criteria):
        item, score = repeated(panel, judge_id, criterion)
        items.append(item + place * len(panel.items))
        scores.append(score)
    cluster = np.tile(panel.cluster, max(1, len(criteria)))
    found = consistency(np.concatenate(items), np.concatenate(scores), cluster, panel.rubric.scale)
    figures = {name: getattr(found, name)._asdict() for name in FIGURES}
    return {"scores": found.answers, "repeats": found.repeats, **figures}


def by_reply(rows: Iterable[Row], names: Mapping[str, str]) -> str:
    """What the replies to one answer came to, criterion by criterion; '' for a single reply.

    Args:
        rows: One judge's grades of the answer, with version, repeat and score.
        names: Criterion by version; others are left out.
    """
    by: dict[str, list] = {}
    for row in sorted(rows, key=lambda row: row["repeat"]):
        if row["version"] in names:
            by.setdefault(names[row["version"]], []).append(row["score"])
    most = max(map(len, by.values()), default=0)
    if most < 2:
        return ""
    told = joined("; ", [f"{name} {scores(by[name])}" for name in names.values() if name in by])
    return said("{n} replies: {scores}.", n=most, scores=told)


def scores(given: Iterable[float | None]) -> str:
    """Scores in a row; a dash is a reply without one."""
    return ", ".join("–" if score is None else f"{score:g}" for score in given)


def repeated(panel: Panel, judge_id: int, criterion: str) -> tuple[np.ndarray, np.ndarray]:
    """Items and scores of one criterion by one judge: the first ones, then all later ones."""
    first, later = panel.of(criterion, judge_id), panel.repeats
    at_first = np.flatnonzero(first.scored)
    mine = (later["grader_id"] == judge_id) & (later["criterion"] == criterion)
    later = later[mine & (later["status"] == "scored") & later["score"].isin(panel.rubric.scale)]
    item = np.concatenate([at_first, later["item"].to_numpy(int)])
    score = np.concatenate([first.score[at_first], later["score"].to_numpy(float)])
    return item[panel.open[item]], score[panel.open[item]]
