"""Annotator quality: consistency of each annotator throughout the grading; for leads.

Compared with the others on the same answers, by thirds of the annotator's own grades and by the
hour of the day, and with themselves on hidden repeats. Rows are in the order of names, never
ranked.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import tzinfo

import numpy as np

from concord.messages import said
from concord.model import Grader
from concord.reports.document import FLAT
from concord.reports.panel.criterion_comparison import CriterionPanel, ground
from concord.reports.panel.grading_times import NO_TIME, Moments, each, local
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.reliability.annotator_overlap import (
    Agreement,
    against_others,
    agreement,
    by_name,
)
from concord.reports.reliability.speeding import FastGrade, Pace, speeding
from concord.reports.reliability.test_retest import again, with_first
from concord.stats.comparison.mean_change import change
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs
from concord.store.database import Store

HOURS = tuple(
    (said("{since}-{until} h", since=at, until=at + 6), at, at + 6) for at in (0, 6, 12, 18)
)
_FIGURES = ("bias", "exact")
_NO_THIRDS = said("it requires three timed grades; {no_time}", no_time=NO_TIME)


@dataclass(frozen=True)
class Part:
    """`bias` and `exact` compared with the others in a third of an annotator's grades."""

    since: str
    until: str
    agreement: Agreement = field(metadata=FLAT)


@dataclass(frozen=True)
class HoursOfDay:
    """`bias` and `exact` compared with the others in a quarter of the day."""

    hours: str
    agreement: Agreement = field(metadata=FLAT)


@dataclass(frozen=True)
class Repeated:
    """Agreement of an annotator with themselves on n hidden repeats."""

    n: int
    exact: Estimate
    within_one: Estimate


@dataclass(frozen=True)
class Repeats:
    """All hidden repeats, and those of the first and the last third; None without thirds."""

    whole: Repeated = field(metadata=FLAT)
    first: Repeated | None = None
    last: Repeated | None = None


@dataclass(frozen=True)
class AnnotatorConsistency:
    """Consistency of one annotator on one criterion.

    Attributes:
        graded: Grades with a time.
        first: The first third of these; None for fewer than three.
        last: The last third.
        bias_change: Last minus first.
        exact_change: Last minus first.
        by_hour: Quarters of the day with a grade.
        why_none: Why there are no thirds.
    """

    criterion: str
    annotator: str
    simulated: bool
    graded: int
    first: Part | None
    last: Part | None
    bias_change: Estimate
    exact_change: Estimate
    by_hour: tuple[HoursOfDay, ...]
    repeats: Repeats
    why_none: str | None


@dataclass(frozen=True)
class AnnotatorQuality:
    """Consistency by criterion and annotator, and the speed of grading whole answers."""

    zone: str
    rows: tuple[AnnotatorConsistency, ...]
    pace: tuple[Pace, ...]
    flagged: tuple[FastGrade, ...]


def quality(
    store: Store, panel: Panel, moments: Moments, where: tzinfo, only: Collection[str] = ()
) -> AnnotatorQuality:
    """Return the quality of every annotator, on the criteria `only`; on all without."""
    names = [name for name in panel.criteria if name != COMPOSITE and (name in only or not only)]
    grounds = [ground(panel, name, EACH) for name in names]
    rows = (_row(on, person, moments, where) for on in grounds for person in by_name(on))
    return AnnotatorQuality(str(where), tuple(rows), *speeding(store, panel, moments))


def _row(
    on: CriterionPanel, person: Grader, moments: Moments, where: tzinfo
) -> AnnotatorConsistency:
    when = moments.of(on.name, person.id)
    when = np.where(on.panel.counted(on.name, person.id), when, np.nan)
    third = in_thirds(when)
    found = against_others(on, person)
    bias, exact = _changes(found, third)
    return AnnotatorConsistency(
        criterion=on.name,
        annotator=person.name,
        simulated=person.simulated,
        graded=int((~np.isnan(when)).sum()),
        first=_part(on, found, when, third, 0, where),
        last=_part(on, found, when, third, 2, where),
        bias_change=bias,
        exact_change=exact,
        by_hour=_by_hour(on, found, when, where),
        repeats=_repeats(on, person, moments, when, third),
        why_none=None if third is not None else _NO_THIRDS,
    )


def in_thirds(when: np.ndarray) -> np.ndarray | None:
    """(N,) 0, 1 or 2 for the third of the annotator's grades an item is in, else -1."""
    known = np.flatnonzero(~np.isnan(when))
    if len(known) < 3:
        return None
    third = np.full(len(when), -1)
    for index, part in enumerate(np.array_split(known[np.argsort(when[known], kind="stable")], 3)):
        third[part] = index
    return third


def _changes(found: Pairs, third: np.ndarray | None) -> tuple[Estimate, Estimate]:
    """Bias and exact agreement in the last third minus the first."""
    if third is None:
        return undefined(_NO_THIRDS), undefined(_NO_THIRDS)
    both = found.where(np.isin(third[found.item], (0, 2)))
    later, differ = third[both.item] == 2, both.judge - both.annotator
    same = (differ == 0).astype(float)
    bias, exact = (change(one, both.weight, later, both.cluster) for one in (differ, same))
    return bias, exact


def _part(
    on: CriterionPanel,
    found: Pairs,
    when: np.ndarray,
    third: np.ndarray | None,
    which: int,
    where: tzinfo,
) -> Part | None:
    if third is None:
        return None
    own = when[third == which]
    since, until = (local(one, where).date().isoformat() for one in (own.min(), own.max()))
    return Part(since, until, agreement(on, found.where(third[found.item] == which), _FIGURES))


def _by_hour(
    on: CriterionPanel, found: Pairs, when: np.ndarray, where: tzinfo
) -> tuple[HoursOfDay, ...]:
    hour = np.full(len(when), -1)
    known = ~np.isnan(when)
    hour[known] = each(when[known], where, lambda moment: moment.hour)
    return tuple(
        HoursOfDay(name, agreement(on, found.where(part[found.item]), _FIGURES))
        for name, since, until in HOURS
        if (part := (hour >= since) & (hour < until)).any()
    )


def _repeats(
    on: CriterionPanel, person: Grader, moments: Moments, when: np.ndarray, third: np.ndarray | None
) -> Repeats:
    """Return all repeats; those until the end of the first third, and from the last third on."""
    second = again(on.panel, person, on.name)

    def same(which: np.ndarray) -> Repeated:
        found = with_first(on.panel, person, on.name, second[which])
        return Repeated(found.n, found.exact, found.within_one)

    whole = same(np.ones(len(second), bool))
    if third is None:
        return Repeats(whole)
    at = moments.of(on.name, person.id, 2)[second["item"].to_numpy(int)]
    first = at <= when[third == 0].max()
    return Repeats(whole, same(first), same(~first & (at >= when[third == 2].min())))
