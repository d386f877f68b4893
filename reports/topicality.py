"""Topicality: the measures on sets of questions side by side, a topic's against others.

Sources: VERA (2024) for the design, `stats.bootstrap` and `stats.contrast` for the figures.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import metrics
from reports.measure_figure import indexed
from reports.measured import Record
from reports.question_sets import Sets
from stats.bootstrap import Bootstrap, another, of_mean
from stats.contrast import Contrast, contrast
from stats.draws import Draws
from stats.table import NEGLIGIBLE
from stats.wilson import QUESTION_FLOOR
from words.said import said

BINS = 40
YES, NO, UNSURE = said("better"), said("worse"), said("cannot tell")
NOT_MEASURED = said("not measured")
_Key = tuple[str, str, tuple]


class _Side(NamedTuple):
    """One set under one reading of a measure."""

    name: str
    values: np.ndarray
    found: Bootstrap
    left_out: dict[str, int]


def report(found: Sets, draws: Draws) -> dict[str, Any]:
    """Every measure on every set, each set's mean drawn again, and the topic against the others.

    Args:
        found: The sets, the topic's first.
        draws: B, the seed and the questions each resample draws.

    Returns:
        `by`, `topic`, `sets` (name, items, questions), `measures` (one per judge, measure and
        reading: `sets`, `contrasts`), `without` (measures that have no number on any of them),
        `caveats`, `resamples`, `seed`. `sets` holds per set the
        figures of `stats.bootstrap`, `left_out` and `spread` (`low`, `high`, `shares` of the
        resampled means in as many bins); `contrasts` those of `stats.contrast` and `verdict`:
        whether the topic is better, worse, or one cannot tell.
    """
    by_key = [_by_key(one.records) for one in found.sets]
    keys = dict.fromkeys(key for known in by_key for key in known)
    each = [draws]
    while len(each) < len(found.sets):
        each.append(another(each[-1]))
    names = [one.name for one in found.sets]
    rows = [
        _measure(
            key,
            [
                _side(name, known.get(key, []), draws)
                for name, known, draws in zip(names, by_key, each, strict=True)
            ],
        )
        for key in keys
    ]
    return {
        "by": found.by,
        "topic": found.sets[0].name,
        "sets": [
            {"set": one.name, "items": one.items, "questions": one.questions, "closed": one.closed}
            for one in found.sets
        ],
        "measures": [row for row in rows if _has_numbers(row)],
        "without": [row["title"] for row in rows if not _has_numbers(row)],
        "caveats": list(found.caveats),
        "resamples": draws.resamples,
        "seed": draws.seed,
    }


def _has_numbers(row: dict[str, Any]) -> bool:
    return any(one["n"] for one in row["sets"])


def _by_key(records: Sequence[Record]) -> dict[_Key, list[Record]]:
    """The records of each judge, measure and reading, in one pass: there may be many."""
    found: dict[_Key, list[Record]] = {}
    for one in records:
        key = one.judge, one.measure, tuple(sorted(one.switches.items()))
        found.setdefault(key, []).append(one)
    return found


def _measure(key: _Key, sides: Sequence[_Side]) -> dict[str, Any]:
    judge, name, switches = key
    measure = metrics.found().get(name)
    better = measure.better if measure else "higher"
    spans = [side.found.means for side in sides if _drawn(side)]
    span = (min(map(np.min, spans)), max(map(np.max, spans))) if spans else (0.0, 1.0)
    return {
        "judge": judge,
        "measure": name,
        "title": measure.title if measure else name,
        "better": better,
        "switches": dict(switches),
        "sets": [_shown(side, span) for side in sides],
        "contrasts": [_contrast(sides[0], side, better) for side in sides[1:]],
    }


def _side(name: str, mine: Sequence[Record], draws: Draws) -> _Side:
    scored = [record for record in mine if record.value is not None]
    out = Counter(record.status for record in mine if record.value is None)
    values = np.array([record.value for record in scored], float)
    item = indexed(record.item_id for record in scored)
    cluster = indexed(record.cluster for record in scored)
    questions = len(set(cluster.tolist()))
    if draws.size is not None and draws.size > questions:  # no more than there are
        draws = Draws(draws.resamples, draws.seed)
    return _Side(name, values, of_mean(values, cluster, draws, item), dict(sorted(out.items())))


def _shown(side: _Side, span: tuple[float, float]) -> dict[str, Any]:
    found = side.found
    kept = ("n", "questions", "drawn", "mean", "mean_of_means", "variance", "error", "from_repeats")
    return {
        "set": side.name,
        **{key: getattr(found, key) for key in kept},
        "interval": found.interval._asdict(),
        "wilson": found.wilson._asdict() if found.wilson else None,
        "convergence": [{"resamples": b, "error": error} for b, error in found.convergence],
        "settled": found.settled,
        "flags": list(found.flags),
        "left_out": side.left_out,
        "spread": _spread(found.means, span) if _drawn(side) else None,
    }


def _drawn(side: _Side) -> bool:
    """Whether the means drawn again are worth a picture: not of few questions, nor all alike."""
    return side.found.questions >= QUESTION_FLOOR and side.found.variance > 0


def _spread(means: np.ndarray, span: tuple[float, float]) -> dict[str, Any]:
    """The shares of the means in bins over the span of all sets."""
    low, high = map(float, span)
    if high <= low:
        return {"low": low, "high": high, "shares": [1.0]}
    counts, _ = np.histogram(means, BINS, (low, high))
    return {"low": low, "high": high, "shares": (counts / len(means)).tolist()}


def _contrast(topic: _Side, other: _Side, better: str) -> dict[str, Any]:
    found = contrast(topic.found, other.found, topic.values, other.values)
    return {
        "against": other.name,
        "difference": found.difference._asdict(),
        "exceeds": found.exceeds,
        "overlap": found.overlap,
        "item_exceeds": found.item_exceeds,
        "verdict": _verdict(found, better),
    }


def _verdict(found: Contrast, better: str) -> str:
    low, high = found.difference.low, found.difference.high
    if found.difference.value is None:
        return NOT_MEASURED
    if low is None or (low <= NEGLIGIBLE and high >= -NEGLIGIBLE):
        return UNSURE
    return YES if (low > 0) == (better == "higher") else NO
