"""Annotator quality: whether an annotator graded the same way throughout; for leads.

Against the others on the same answers, by thirds of the annotator's own grades and by the hour of
the day, and against themselves on answers that came back hidden. Annotators stand by name, never by
rank.
"""

from collections.abc import Collection
from datetime import tzinfo

import numpy as np

from concord.messages import said
from concord.reports.panel.comparison import Ground, ground
from concord.reports.panel.grading_times import NO_TIME, Moments, each, local
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.reliability.annotator_overlap import against_others, by_name, described
from concord.reports.reliability.speeding import too_fast
from concord.reports.reliability.test_retest import again
from concord.stats.comparison.mean_change import change
from concord.stats.core.estimate import undefined
from concord.stats.core.pairs import Pairs
from concord.stats.reliability.retest import reliability
from concord.store.database import Store
from concord.store.graders import Grader

HOURS = tuple(
    (said("{since}-{until} h", since=at, until=at + 6), at, at + 6) for at in (0, 6, 12, 18)
)
_BESIDE = ("bias", "exact")
_NO_THIRDS = said("it takes three grades with their time; {no_time}", no_time=NO_TIME)


def grader_quality(
    store: Store, panel: Panel, moments: Moments, where: tzinfo, only: Collection[str] = ()
) -> dict:
    """What there is to know of each person: `rows`, and `pace` and `flagged` of `too_fast`.

    A row per criterion and annotator, by name: `first` and `last` third of the annotator's grades
    and
    `by_hour`, each with `bias` and `exact` against the others; `bias_change` and `exact_change`,
    last minus first; `repeats` (n, exact, within_one), in all and in the two thirds. `only` names
    the criteria; all without. Pace is that of whole answers.
    """
    names = [name for name in panel.criteria if name != COMPOSITE and (name in only or not only)]
    grounds = [ground(panel, name, EACH) for name in names]
    return {
        "zone": str(where),
        "rows": [_row(on, person, moments, where) for on in grounds for person in by_name(on)],
        **too_fast(store, panel, moments),
    }


def _row(on: Ground, person: Grader, moments: Moments, where: tzinfo) -> dict:
    when = moments.of(on.name, person.id)
    when = np.where(on.panel.counted(on.name, person.id), when, np.nan)
    third = _in_thirds(when)
    found = against_others(on, person)
    return {
        "criterion": on.name,
        "annotator": person.name,
        "simulated": person.simulated,
        "graded": int((~np.isnan(when)).sum()),
        **_thirds(on, found, when, third, where),
        "by_hour": _by_hour(on, found, when, where),
        "repeats": _repeats(on, person, moments, when, third),
        "why_none": None if third is not None else _NO_THIRDS,
    }


def _in_thirds(when: np.ndarray) -> np.ndarray | None:
    """(N,) 0, 1 or 2 for the third of the annotator's grades an item is in, else -1."""
    known = np.flatnonzero(~np.isnan(when))
    if len(known) < 3:
        return None
    third = np.full(len(when), -1)
    for place, part in enumerate(np.array_split(known[np.argsort(when[known], kind="stable")], 3)):
        third[part] = place
    return third


def _thirds(
    on: Ground, found: Pairs, when: np.ndarray, third: np.ndarray | None, where: tzinfo
) -> dict:
    if third is None:
        nothing = undefined(_NO_THIRDS)._asdict()
        return {"first": None, "last": None, "bias_change": nothing, "exact_change": nothing}
    both = found.where(np.isin(third[found.item], (0, 2)))
    later, differ = third[both.item] == 2, both.judge - both.person
    parts = {"first": 0, "last": 2}
    return {
        **{
            name: _part(on, found.where(third[found.item] == part), when[third == part], where)
            for name, part in parts.items()
        },
        "bias_change": change(differ, both.weight, later, both.cluster)._asdict(),
        "exact_change": change(
            (differ == 0).astype(float), both.weight, later, both.cluster
        )._asdict(),
    }


def _part(on: Ground, found: Pairs, when: np.ndarray, where: tzinfo) -> dict:
    since, until = (local(one, where).date().isoformat() for one in (when.min(), when.max()))
    return {"since": since, "until": until, **described(on, found, _BESIDE)}


def _by_hour(on: Ground, found: Pairs, when: np.ndarray, where: tzinfo) -> list[dict]:
    """By quarters of the day in which the annotator graded something; empty without times."""
    hour = np.full(len(when), -1)
    known = ~np.isnan(when)
    hour[known] = each(when[known], where, lambda moment: moment.hour)
    return [
        {"hours": name, **described(on, found.where(part[found.item]), _BESIDE)}
        for name, since, until in HOURS
        if (part := (hour >= since) & (hour < until)).any()
    ]


def _repeats(
    on: Ground, person: Grader, moments: Moments, when: np.ndarray, third: np.ndarray | None
) -> dict:
    """Of all repeats, and of those given by the end of the first, or from the last third on."""
    second = again(on.panel, person, on.name)
    item, score = second["item"].to_numpy(int), second["score"].to_numpy(float)
    whole = _same(on.panel, person, on.name, item, score)
    if third is None:
        return whole | {"first": None, "last": None}
    at = moments.of(on.name, person.id, 2)[item]
    first = at <= when[third == 0].max()
    parts = {"first": first, "last": ~first & (at >= when[third == 2].min())}
    return whole | {
        name: _same(on.panel, person, on.name, item[part], score[part])
        for name, part in parts.items()
    }


def _same(
    panel: Panel, person: Grader, criterion: str, item: np.ndarray, score: np.ndarray
) -> dict:
    first = panel.of(criterion, person.id).score[item]
    scale = panel.rubric.scale
    found = reliability(first, score, panel.cluster[item], scale, panel.weight[item])
    return {
        "n": found.n,
        "exact": found.exact._asdict(),
        "within_one": found.within_one._asdict(),
    }
