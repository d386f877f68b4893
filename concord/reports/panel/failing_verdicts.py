"""Failing verdicts: the same figures, counts and columns for agreement and for a choice."""

from collections.abc import Collection, Iterable, Sequence

from concord.messages import Said, capital, said
from concord.reports.document import Column, Part
from concord.stats.agreement.failure_recall import VerdictCounts
from concord.stats.core.estimate import Estimate, Statistics, undefined
from concord.stats.core.minimums import FAILING_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.statistics import OF_FAILING, Statistic, counts, figures

_COUNTS = (
    (said("failed by annotators"), "failure_recall", "failing"),
    (said("passed by annotators"), "false_alarm_rate", "passing"),
    (said("failed by the judge"), "failure_precision", "judge_failing"),
)


def failing_statistics(pairs: Pairs, scale: Sequence[int], failing: Collection[int]) -> Statistics:
    """Return the figures of a judge's failing verdicts, with their counts."""
    found = figures(pairs, scale, failing, names=[one.key for one in OF_FAILING])
    return Statistics(found, counts(VerdictCounts.of(pairs, failing)))


def no_failing_statistics(why: str) -> Statistics:
    """Return the same of a judge without any."""
    return Statistics({one.key: undefined(why) for one in OF_FAILING}, counts(None))


def failing_parts() -> list[Part]:
    """Return the columns of counts and figures; a row has its `statistics`."""
    figures = [_figure(one) for one in OF_FAILING]
    return [*map(_count, _COUNTS), *figures]


def withheld(of: Statistics, one: Statistic, found: Estimate | None = None) -> Estimate | Said:
    """Return a figure, or the number of answers where it is a share of too few that fail.

    A figure that is undefined stays so: the reason is among the notes.

    Args:
        of: The statistics, with the counts.
        one: Any figure; only those of failing verdicts are withheld.
        found: The same figure counted in another way; by default that of the statistics.
    """
    found = found or of[one.key]
    counts = [n for n in of.counts.get(one.key, {}).values() if n is not None]
    if counts and found.value is not None and min(counts) < FAILING_FLOOR:
        return said("too few ({n})", n=min(counts))
    return found


def counted_as_both(rows: Iterable[tuple[Statistics, int]], units: str) -> list[str]:
    """Say why failing and passing answers may be more than there are, and a share no whole number.

    Args:
        rows: The figures of each judge's failing verdicts, and the number of answers.
        units: What is graded, as `answers`.
    """
    every = ((one.counts.get("balanced_accuracy"), n) for one, n in rows)
    counts = [(one, n) for one, n in every if one]
    if all(one["failing"] + one["passing"] <= n for one, n in counts):
        return []
    return [
        said(
            "{units} that some annotators fail and others pass are counted as both, weighted by "
            "the share of annotators.",
            units=capital(units),
        )
    ]


def _figure(one: Statistic) -> Part:
    column = Column(one.head, one.kind, help=one.heading)
    return column, lambda row: withheld(row.statistics, one)


def _count(one: tuple[str, str, str]) -> Part:
    title, key, name = one
    return Column(title, "count"), lambda row: row.statistics.counts.get(key, {}).get(name)
