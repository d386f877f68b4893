"""Axis of each statistic that a chart can show: label, scale and direction."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from concord.messages import Said
from concord.reports.agreement.results import AgreementRow
from concord.reports.cells import figure, percent
from concord.stats.core.estimate import Estimate
from concord.stats.statistics import BY_KEY, CHARTED, Statistic

_TICKS = (0, 0.2, 0.4, 0.6, 0.8, 1)


class FigureAxis(NamedTuple):
    """One figure on a chart.

    Attributes:
        title: What the axis shows, of answers.
        verb: How a sentence says it of a judge, before the value.
        said: An estimate in words, with its interval.
        short: A value alone in words.
        constant: The keys of the constant's value and of its score in `majority_baseline`.
        better: A value by which judges are ordered, the best one highest.
        of_units: What the axis shows of units, by what they are called; None where it is the same.
    """

    title: str
    verb: str
    said: Callable[[Estimate], str]
    short: Callable[[float], str]
    constant: tuple[str, str]
    better: Callable[[float], float]
    of_units: Callable[[str], Said] | None = None

    def layout(self, rows: Sequence[AgreementRow], key: str) -> dict:
        """The x axis as plotly has it; wide enough for every interval and line."""
        if self.short is _percent:
            return {"range": [-0.01, 1.01], "tickformat": ".0%", "tickvals": _TICKS}
        ends = [_ends(of.statistics[key]) for row in rows for of in (row, row.ceiling)]
        ends.append([getattr(row.majority_baseline, self.constant[0], None) for row in rows])
        known = [value for each in ends for value in each if value is not None]
        if BY_KEY[key].kind == "difference":
            reach = max([0.5, *map(abs, known)]) * 1.08
            return {"range": [-reach, reach], "tickformat": "+.1f"}
        return {"range": [min([-0.01, *known]) * 1.08, 1.02], "tickformat": ".1f"}


def _ends(found: Estimate) -> tuple[float | None, ...]:
    return found[:3]


def _percent(value: float) -> str:
    return f"{percent(value)}%"


def _signed(value: float) -> str:
    return f"{value:+.2f}"


def _plain(value: float) -> str:
    return f"{value + 0.0:.2f}"


def _axis(one: Statistic) -> FigureAxis:
    short = {"share": _percent, "difference": _signed, "number": _plain}[one.kind]
    return FigureAxis(
        one.axis.title,
        one.axis.verb,
        lambda found: figure(found._asdict(), one.kind),
        short,
        (one.baseline, one.baseline_score),
        one.better,
        one.axis.of_units,
    )


AXES = {one.key: _axis(one) for one in CHARTED}
