"""Columns of failing verdicts: the same counts and figures for agreement and for a choice."""

from concord.messages import said
from concord.reports.document import Column, Part
from concord.stats.statistics import OF_FAILING

_COUNTS = (
    (said("failed by annotators"), "failure_recall", "failing"),
    (said("passed by annotators"), "false_alarm_rate", "passing"),
    (said("failed by the judge"), "failure_precision", "judge_failing"),
)


def failing_parts() -> list[Part]:
    """Return the columns of counts and figures; a row has its `statistics`."""
    figures = [
        (Column(one.head, one.kind, help=one.heading), lambda row, key=one.key: row.statistics[key])
        for one in OF_FAILING
    ]
    return [*map(_count, _COUNTS), *figures]


def _count(one: tuple[str, str, str]) -> Part:
    title, key, name = one
    return Column(title, "count"), lambda row: row.statistics.counts.get(key, {}).get(name)
