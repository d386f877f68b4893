"""Model leaders: the answering model with the best mean in most metrics."""

from collections import Counter
from collections.abc import Sequence

from concord.messages import Numeral, joined, said
from concord.reports.charts import Dots, dots
from concord.reports.document import Column, Table
from concord.reports.metrics.metric_mean import MetricMean
from concord.reports.metrics.metric_words import better
from concord.reports.metrics.metrics import MetricValues
from concord.stats.core.tables import NEGLIGIBLE


def leaders(rows: Sequence[MetricValues]) -> str:
    """Return which answering model has the best mean in most metrics, in one sentence.

    Metrics with values of one answering model alone are not counted. A metric in which models
    share the best mean is counted, and led by none of them. Of one metric nothing is said: its
    chart names the best.
    """
    compared = [row for row in rows if sum(one.n > 0 for one in row.by_model.values()) > 1]
    if not compared:
        return said("No metric has values of two answering models, so they cannot be compared.")
    if len(compared) == 1:
        return ""
    best = Counter(name for row in rows if (name := _leader(row)))
    if not best:
        return said(
            "In each of {of:,} metrics, several answering models share the best mean.",
            of=len(compared),
        )
    most = max(best.values())
    names = [name for name, n in best.items() if n == most]
    return said(
        "{models} has the best mean in {n:,} of {of:,} metrics."
        if len(names) == 1
        else "{models}: each has the best mean in {n:,} of {of:,} metrics.",
        models=joined(", ", names),
        n=most,
        of=len(compared),
    )


def chart(row: MetricValues, title: str) -> Dots:
    """Return the mean of each answering model, with that of all answers as the reference line."""
    rows = tuple((name, one.estimate, one.n) for name, one in row.by_model.items() if one.n)
    model, n = Column(said("answering model")), Column(said("n"), "count")
    columns = (model, Column(said("mean"), "number"), n)
    table = Table("by-model", columns, rows, _finding(row, title))
    return dots(table, "models", row.mean)


def _finding(row: MetricValues, title: str) -> str:
    """Return the best and the worst answering model by a metric."""
    known = {name: one.mean for name, one in row.by_model.items() if one.n}
    if len(known) < 2:
        return said("{title}: {mean:.2f}", title=title, mean=row.mean)
    order = sorted(known, key=known.get, reverse=better(row.metric) != "lower")
    first, last = order[0], order[-1]
    best, worst = (Numeral(f"{known[one]:.2f}") for one in (first, last))
    if best == worst:
        return said("{title}: {mean} for every answering model", title=title, mean=worst)
    ends = [row.by_model[name] for name in (first, last)]
    return said(
        "{title}: {first} is best with {best}, {last} last with {worst}"
        if _apart(*ends)
        else "{title}: {first} is best with {best}, {last} last with {worst}, possibly by chance",
        title=title,
        first=first,
        best=best,
        last=last,
        worst=worst,
    )


def _apart(one: MetricMean, other: MetricMean) -> bool:
    """Return True where the confidence intervals of two means do not overlap."""
    if None in (one.low, other.low):
        return False
    return one.low > other.high or other.low > one.high


def _leader(row: MetricValues) -> str | None:
    sign = -1 if better(row.metric) == "lower" else 1
    means = {name: sign * one.mean for name, one in row.by_model.items() if one.n}
    first = [name for name, mean in means.items() if mean > max(means.values()) - NEGLIGIBLE]
    return first[0] if len(first) == 1 < len(means) else None
