"""Annotator overlap: agreement of annotators on the same answers: all, each pair, each, over time.

Annotators are compared exactly as a judge is compared with them: every pair of scores of the same
answer, each answer with weight 1. Rows of annotators are in the order of their names, never ranked.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import tzinfo
from itertools import combinations

import numpy as np

from concord.messages import said
from concord.model import Grader
from concord.reports.document import FLAT
from concord.reports.panel.criterion_comparison import CriterionPanel
from concord.reports.panel.grading_times import NO_TIME, Moments, each, local
from concord.reports.panel.simulated import named
from concord.reports.reliability.panel_reliability import why_none
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs, judge_pairs
from concord.stats.core.tables import ranked
from concord.stats.reliability.multi_rater import krippendorff_alpha
from concord.stats.statistics import figures

TOGETHER = ("exact", "within_one", "qwk")
BETWEEN_TWO = ("exact", "within_one", "qwk", "alpha", "bias")
OF_ONE = ("bias", "exact", "within_one")
THIRDS = (said("first third"), said("second third"), said("last third"))
TOO_FEW = said("it requires three answers that two annotators graded")


@dataclass(frozen=True)
class Overall:
    """Agreement of all annotators: of every pair of them, and `alpha` of all at once."""

    n: int
    annotators: int
    questions: int
    clusters: int
    exact: Estimate
    within_one: Estimate
    qwk: Estimate
    alpha: Estimate

    def __getitem__(self, key: str) -> Estimate:
        return getattr(self, key)


@dataclass(frozen=True)
class Agreement:
    """Statistics of some pairs of scores, on n answers."""

    n: int
    questions: int
    figures: dict[str, Estimate] = field(metadata=FLAT)

    def __getitem__(self, key: str) -> Estimate:
        return self.figures[key]


@dataclass(frozen=True)
class Pair:
    """Agreement of two annotators; `bias` is the mean of the first minus the second."""

    one: str
    other: str
    agreement: Agreement = field(metadata=FLAT)


@dataclass(frozen=True)
class Partner:
    """Agreement of an annotator with one other on a criterion, on the answers both graded."""

    partner: str
    criterion: str
    agreement: Agreement = field(metadata=FLAT)


@dataclass(frozen=True)
class Strictness:
    """Agreement of an annotator with all others; `bias` above 0 is more lenient than they are."""

    annotator: str
    simulated: bool
    agreement: Agreement = field(metadata=FLAT)


@dataclass(frozen=True)
class Period:
    """Agreement on the answers of a period, with the days of its first and last answer."""

    period: str
    since: str
    until: str
    overall: Overall = field(metadata=FLAT)


@dataclass(frozen=True)
class OverTime:
    """Agreement by thirds of the answers and by days.

    Attributes:
        thirds: Three periods with the same number of answers; none for fewer than three answers.
        days: Calendar days.
        left_out: Answers of which a grade has no time.
        why_none: Why there are no periods.
    """

    thirds: tuple[Period, ...]
    days: tuple[Period, ...]
    left_out: int
    why_none: str | None


def overall(on: CriterionPanel, keep: np.ndarray | None = None) -> Overall:
    """Return the agreement on answers that two or more graded; of those in the (N,) mask `keep`."""
    keep = np.ones(len(on.panel.items), bool) if keep is None else keep
    found = on.overlapping(keep)
    return Overall(
        n=found.n,
        annotators=len(on.annotators_on(found.on)),
        questions=ranked(on.panel.question[found.on])[0],
        clusters=ranked(on.panel.cluster[found.on])[0],
        **{name: found.figures[name] for name in TOGETHER},
        alpha=_alpha(on, keep),
    )


def pairs(on: CriterionPanel) -> list[Pair]:
    """Return a row per pair of annotators, also of those who share no answer."""
    found = combinations(by_name(on), 2)
    return [Pair(a.name, b.name, agreement(on, between(on, a, b))) for a, b in found]


def partners(on: CriterionPanel) -> dict[int, list[Partner]]:
    """Return the agreement with every other annotator who shares answers, by grader id."""
    people = [one for one in by_name(on) if one.id in on.panel.annotators]
    found: dict[int, list[Partner]] = {one.id: [] for one in people}
    for one, other in combinations(people, 2):
        both = agreement(on, between(on, one, other), ("exact", "qwk"))
        if both.n:
            found[one.id].append(Partner(named(other.name, other.simulated), on.name, both))
            found[other.id].append(Partner(named(one.name, one.simulated), on.name, both))
    return found


def strictness(on: CriterionPanel) -> list[Strictness]:
    """Return a row per annotator."""
    return [
        Strictness(one.name, one.simulated, agreement(on, against_others(on, one), OF_ONE))
        for one in by_name(on)
    ]


def over_time(on: CriterionPanel, moments: Moments, where: tzinfo) -> OverTime:
    """Return agreement by period; an answer counts when its last annotator graded it."""
    items, scores = on.overlap()
    given = np.stack([moments.of(on.name, person) for person in on.panel.annotators] or [[]])
    given = given[:, items] if len(items) else np.zeros((1, 0))
    known = ~(np.isnan(given) & ~np.isnan(scores)).any(axis=0)
    last = np.where(np.isnan(scores), -np.inf, given).max(axis=0, initial=-np.inf)
    items, when = items[known], last[known]
    left_out = int((~known).sum())
    if len(items) < len(THIRDS):
        return OverTime((), (), left_out, NO_TIME if left_out else TOO_FEW)
    thirds = np.array_split(np.argsort(when, kind="stable"), len(THIRDS))
    days = each(when, where, lambda moment: moment.date().isoformat())
    by_day = ((day, days == day) for day in sorted(set(days.tolist())))

    def periods(parts: Iterable[tuple[str, np.ndarray]]) -> tuple[Period, ...]:
        return tuple(_period(on, name, items[part], when[part], where) for name, part in parts)

    return OverTime(periods(zip(THIRDS, thirds, strict=True)), periods(by_day), left_out, None)


def by_name(on: CriterionPanel) -> list[Grader]:
    """Return the annotators who graded the criterion, by name, also those who gave no score."""
    panel = on.panel
    annotators = [
        one
        for one in panel.graded_by
        if (panel.open & (panel.of(on.name, one.id).status >= 0)).any()
    ]
    return sorted(annotators, key=lambda person: (person.name.casefold(), person.id))


def between(on: CriterionPanel, one: Grader, other: Grader) -> Pairs:
    """Return the scores of answers that both graded; `one` is in the place of a judge."""
    return _paired(on, one, on.each().grader == other.id)


def against_others(on: CriterionPanel, person: Grader) -> Pairs:
    """Return an annotator's scores paired with all others' of the same answers."""
    return _paired(on, person, on.each().grader != person.id)


def with_whom(on: CriterionPanel, person: Grader) -> np.ndarray:
    """(n,) the grader id of the other annotator of each pair of `against_others`."""
    given = on.each()
    mine = given.grader == person.id
    theirs = given.item[~mine], given.grader[~mine]
    return judge_pairs(given.item[mine], given.score[mine], *theirs, on.panel.cluster).annotator


def agreement(on: CriterionPanel, found: Pairs, names: tuple[str, ...] = BETWEEN_TWO) -> Agreement:
    """Return some statistics of pairs."""
    return Agreement(
        len(np.unique(found.item)),
        len(np.unique(on.panel.question[found.item])),
        figures(found, on.panel.rubric.scale, failing=(), names=names),
    )


def _period(
    on: CriterionPanel, name: str, items: np.ndarray, when: np.ndarray, where: tzinfo
) -> Period:
    since, until = (local(moment, where).date().isoformat() for moment in (when.min(), when.max()))
    return Period(name, since, until, overall(on, on.panel.mask(items)))


def _paired(on: CriterionPanel, person: Grader, theirs: np.ndarray) -> Pairs:
    given = on.each()
    mine = given.grader == person.id
    own, others = ((given.item[part], given.score[part]) for part in (mine, theirs))
    return on.weighed(judge_pairs(*own, *others, on.panel.cluster))


def _alpha(on: CriterionPanel, keep: np.ndarray) -> Estimate:
    items, scores = on.overlap()
    kept = keep[items]
    why = why_none(on, int(kept.sum()))
    if why:
        return undefined(why)
    cluster = on.panel.cluster[items[kept]]
    return krippendorff_alpha(scores[:, kept], on.panel.rubric.scale, "ordinal", cluster)
