"""Annotators over time: whether annotators came to agree more, or less, as the grading went on.

An answer belongs to the moment at which the last of its annotators graded it.
"""

from datetime import tzinfo

import numpy as np

from concord.messages import said
from concord.reports.panel.comparison import Ground
from concord.reports.panel.grading_times import NO_TIME, Moments, each, local
from concord.reports.reliability.annotator_overlap import overall

THIRDS = (said("first third"), said("second third"), said("last third"))
TOO_FEW = said("it takes three answers that two annotators graded")


def over_time(on: Ground, moments: Moments, where: tzinfo) -> dict:
    """`thirds` of the answers and calendar `days`, lists of `annotator_overlap.overall`.

    Each row has `period`, and `since` and `until`, the days of its first and last answer.
    `left_out` counts the answers of which a grade has no time; `why_none` says why there is no row.
    """
    items, scores = on.overlap()
    given = np.stack([moments.of(on.name, person) for person in on.panel.annotators] or [[]])
    given = given[:, items] if len(items) else np.zeros((1, 0))
    known = ~(np.isnan(given) & ~np.isnan(scores)).any(axis=0)
    items, when = items[known], _latest(given, scores)[known]
    left_out = int((~known).sum())
    if len(items) < len(THIRDS):
        why = NO_TIME if left_out else TOO_FEW
        return {"thirds": [], "days": [], "left_out": left_out, "why_none": why}
    order = np.argsort(when, kind="stable")
    days = each(when, where, lambda moment: moment.date().isoformat())
    parts = zip(THIRDS, np.array_split(order, len(THIRDS)), strict=True)
    return {
        "thirds": [_row(on, name, items[part], when[part], where) for name, part in parts],
        "days": [
            _row(on, day, items[days == day], when[days == day], where)
            for day in sorted(set(days.tolist()))
        ],
        "left_out": left_out,
        "why_none": None,
    }


def _latest(given: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """(n,) when the last of the annotators whose scores count graded each answer."""
    counted = np.where(np.isnan(scores), -np.inf, given)
    return counted.max(axis=0, initial=-np.inf)


def _row(on: Ground, name: str, items: np.ndarray, when: np.ndarray, where: tzinfo) -> dict:
    keep = np.zeros(len(on.panel.items), bool)
    keep[items] = True
    since, until = (local(moment, where).date().isoformat() for moment in (when.min(), when.max()))
    return {"period": name, "since": since, "until": until, **overall(on, keep)}
