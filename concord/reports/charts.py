"""Data of charts, a class for each kind; `ui.chart` draws them.

A terminal leaves charts out, for the tables of their document hold the figures.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from concord.messages import counted
from concord.reports.document import Chart, Kind, Table
from concord.stats.core.estimate import Estimate

# Whose a mark is, which decides its look: a judge, by its place among all judges of a report, so
# that it looks the same on every chart of it; or one that every report has.
Grader = int | Literal["annotators", "baseline", "constant"]


class Mark(NamedTuple):
    """An estimate on a chart: whose it is, and on how many answers, in words."""

    name: str
    found: Estimate
    on: str
    of: Grader


class Line(NamedTuple):
    """A reference line with its CI as a band; on `Intervals` its label is followed by its value."""

    found: Estimate
    label: str
    of: Grader


@dataclass(frozen=True)
class Intervals(Chart):
    """Estimates with their CIs in rows, compared with reference lines.

    Attributes:
        axis: What the values are of.
        reach: The least and the greatest value of the axis.
        rows: From the top: a name, and its marks.
    """

    axis: str
    kind: Kind
    reach: tuple[float, float]
    rows: tuple[tuple[str, tuple[Mark, ...]], ...]
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Matrix(Chart):
    """Answers by two scores, the rows and the columns of one scale.

    Attributes:
        scale: Its scores, with what each is called in `names`.
        down: What the rows are; `across` what the columns are.
        counts: Answers in each cell.
        shares: Of each cell in its row, which shades it.
    """

    scale: tuple[int, ...]
    names: tuple[str, ...]
    down: str
    across: str
    counts: tuple[tuple[int, ...], ...]
    shares: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Curve(Chart):
    """Shares over a logarithmic axis; `points` have how far their error bars reach.

    `level` is where a reference line is.
    """

    across: str
    up: str
    points: tuple[tuple[float, float, float], ...]
    level: float


class Point(NamedTuple):
    """A judge of a decision.

    Attributes:
        x: Its price; 0 if it is free.
        result: The verdict, which decides the colour, as far as it can be certified; `verdict` in
            words.
        told: Further facts about it, a line each.
        reference: It is the judge that the others are compared with.
    """

    name: str
    found: Estimate
    x: float
    result: Literal["good_enough", "not", "cannot_tell"]
    verdict: str
    told: tuple[str, ...]
    reference: bool


@dataclass(frozen=True)
class Points(Chart):
    """A figure of judges against their price.

    Attributes:
        across: What the logarithmic axis is of; `up` what the other one is of.
        kind: Of the figure.
        lines: What judges are compared with, and the limit that was fixed.
    """

    across: str
    up: str
    kind: Kind
    points: tuple[Point, ...]
    lines: tuple[Line, ...]


class CalibrationBin(NamedTuple):
    """Answers of similar confidence: its mean, 0 to 1, who agreed, and the same in words."""

    confidence: float
    agreed: Estimate
    words: str


@dataclass(frozen=True)
class Calibration(Chart):
    """A reliability diagram: agreement by confidence, both from 0 to 1.

    Attributes:
        across: What the confidence is of; `up` what the agreement is of.
        bins: By rising confidence.
    """

    across: str
    up: str
    bins: tuple[CalibrationBin, ...]
    of: Grader


def graders(judges: Iterable[tuple[str, bool]]) -> dict[str, Grader]:
    """Return judges by name, each given with whether it is the baseline."""
    baseline = dict(judges)
    real = [name for name in baseline if not baseline[name]]
    return {name: "baseline" if baseline[name] else real.index(name) for name in baseline}


def dots(
    table: Table, rows_are: Literal["annotators", "metrics", "models"], line: float | None = None
) -> Intervals:
    """Return a chart of a table of a name, an estimate and its number of answers.

    The title of the table states the finding; a reference line is at `line`.
    """
    of, known = table.columns[1], [0.0]
    rows: list[tuple[str, tuple[Mark, ...]]] = []
    for place, (name, found, n) in enumerate(table.rows):
        look = {"models": place, "annotators": "annotators"}.get(rows_are, 0)
        rows.append((name, (Mark(name, found, counted(n, "answer"), look),)))
        known += [end for end in found[:3] if end is not None]
    air = 0.04 * (max(known) - min(known) or 1)
    reach = min(known) - air, max(known) + air
    lines = () if line is None else (Line(Estimate(line), "", "constant"),)
    alt = table.title or of.title
    return Intervals(table.name, table.title, alt, of.title, of.kind, reach, tuple(rows), lines)
