"""Figure axis: how each figure that a chart can show is worded, scaled and compared."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from reports.text import number, percent, share
from words.said import Said, said

_TICKS = (0, 0.2, 0.4, 0.6, 0.8, 1)


class FigureAxis(NamedTuple):
    """One figure on a chart.

    Attributes:
        title: What the axis shows, of answers.
        verb: How a sentence says it of a judge, before the value.
        said: An estimate in words, with its interval.
        short: A value alone in words.
        constant: The keys of the constant's value and of its score in `constant_baseline`.
        better: A value by which judges are ordered, the best one highest.
        of_units: What the axis shows of units, by what they are called; None where it is the same.
    """

    title: str
    verb: str
    said: Callable[[dict], str]
    short: Callable[[float], str]
    constant: tuple[str, str]
    better: Callable[[float], float]
    of_units: Callable[[str], Said] | None = None

    def layout(self, rows: Sequence[dict], figure: str) -> dict:
        """The x axis as plotly has it; wide enough for every interval and line."""
        if self.short is _percent:
            return {"range": [-0.01, 1.01], "tickformat": ".0%", "tickvals": _TICKS}
        ends = [_ends(row[figure]) for row in rows] + [
            _ends(row["ceiling"][figure]) for row in rows
        ]
        ends.append([row["constant_baseline"].get(self.constant[0]) for row in rows])
        known = [value for each in ends for value in each if value is not None]
        if figure == "bias":
            reach = max([0.5, *map(abs, known)]) * 1.08
            return {"range": [-reach, reach], "tickformat": "+.1f"}
        return {"range": [min([-0.01, *known]) * 1.08, 1.02], "tickformat": ".1f"}


def _ends(found: dict) -> list[float | None]:
    return [found["value"], found["low"], found["high"]]


def _percent(value: float) -> str:
    return f"{percent(value)}%"


def _signed(value: float) -> str:
    return f"{value:+.2f}"


def _plain(value: float) -> str:
    return f"{value + 0.0:.2f}"


def _itself(value: float) -> float:
    return value


AXES = {
    "exact": FigureAxis(
        said("share of answers with a person's exact score"),
        said("exact on"),
        share,
        _percent,
        ("exact", "score"),
        _itself,
        lambda units: said("share of {units} with a person's exact label", units=units),
    ),
    "within_one": FigureAxis(
        said("share within one point of a person's score"),
        said("within one on"),
        share,
        _percent,
        ("best_within_one", "best_within_one_score"),
        _itself,
    ),
    "caught": FigureAxis(
        said("share of failing answers the judge failed too"),
        said("caught"),
        share,
        _percent,
        ("caught", "score"),
        _itself,
        lambda units: said("share of failing {units} the judge failed too", units=units),
    ),
    "bias": FigureAxis(
        said("points above (+) or below (−) a person"),
        said("off by"),
        lambda found: number(found, "+"),
        _signed,
        ("bias", "score"),
        lambda value: -abs(value),
    ),
    "qwk": FigureAxis(
        said("quadratic kappa: 0 is chance, 1 is perfect"),
        said("quadratic kappa"),
        number,
        _plain,
        ("qwk", "score"),
        _itself,
    ),
}
