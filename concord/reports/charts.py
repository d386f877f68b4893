"""Data of charts, a class for each kind; `ui.charts` has a module of that name that draws it.

A terminal leaves charts out, for the tables of their document hold the figures.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from concord.messages import joined, said
from concord.reports.cells import written
from concord.reports.document import Chart, Kind, Table
from concord.stats.core.estimate import Estimate

# Whose a mark is, which decides its look: a judge, by its place among all judges of a report, so
# that it looks the same on every chart of it; or one that every report has.
Grader = int | Literal["annotators", "baseline", "constant"]


@dataclass(frozen=True)
class Dots(Chart):
    """Estimates whose values are in their names.

    Attributes:
        table: A name, an estimate and its number of answers in each row, in the order of the rows
            of the chart. The title of the estimate is on the axis.
        rows_are: What the names are of, which decides the look.
        line: Where a reference line is; None for none.
    """

    table: Table
    rows_are: Literal["annotators", "metrics", "models"]
    line: float | None = None


@dataclass(frozen=True)
class Mark:
    """An estimate on a chart: whose it is, and on how many answers, in words."""

    name: str
    found: Estimate
    on: str
    of: Grader


@dataclass(frozen=True)
class Line:
    """A reference line with its CI as a band; without a value its label says that it is unknown."""

    found: Estimate
    label: str
    of: Grader


@dataclass(frozen=True)
class Row:
    """A row of a chart: its name, a mark whose value is written, and marks to compare it with."""

    name: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Intervals(Chart):
    """Estimates with their CIs, compared with reference lines.

    Attributes:
        axis: What the values are of.
        reach: The least and the greatest value of the axis.
        rows: From the top.
        heading: What all rows are of.
        interrupted: Lines leave out the names of the rows.
    """

    axis: str
    kind: Kind
    reach: tuple[float, float]
    rows: tuple[Row, ...]
    lines: tuple[Line, ...] = ()
    heading: str = ""
    interrupted: bool = False


@dataclass(frozen=True)
class Matrix(Chart):
    """Answers by two scores, the rows and the columns of one scale.

    Attributes:
        scale: Its scores, with what each is called in `names`.
        down: What the rows are; `across` what the columns are.
        counts: Answers in each cell.
        shares: Of each cell in its row, which shades it.
        words: What each cell holds, in words.
    """

    scale: tuple[int, ...]
    names: tuple[str, ...]
    down: str
    across: str
    counts: tuple[tuple[int, ...], ...]
    shares: tuple[tuple[float, ...], ...]
    words: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Slope:
    """A mean on either side; `swap` says how sure it is that it swaps places with another."""

    name: str
    left: Estimate
    right: Estimate
    swap: Literal["", "possible", "certain"]


@dataclass(frozen=True)
class Slopes(Chart):
    """Means by annotators, on the left, and by a judge, each with a line between them."""

    left: str
    right: str
    of: Grader
    rows: tuple[Slope, ...]


class CurvePoint(NamedTuple):
    """A point of a curve, and how far its error bar reaches; 0 for none."""

    x: float
    y: float
    error: float = 0.0


@dataclass(frozen=True)
class Curve:
    """A curve: styled by `place`, and highlighted if `planned`."""

    name: str
    place: int
    points: tuple[CurvePoint, ...]
    planned: bool = False


@dataclass(frozen=True)
class Curves(Chart):
    """Curves over a logarithmic axis.

    Attributes:
        across: What the axis is of; `up` the other one.
        kind: `share` for values up to 1.
        level: Where a reference line is.
    """

    across: str
    up: str
    kind: Kind
    curves: tuple[Curve, ...]
    level: float


@dataclass(frozen=True)
class Point:
    """A judge of a decision.

    Attributes:
        x: Its price or seconds; 0 if it is free, None if unknown.
        result: The verdict, which decides the colour, as far as it can be certified; `verdict` in
            words.
        told: Further facts about it, a line each.
        reference: It is the judge that the others are compared with.
    """

    name: str
    found: Estimate
    x: float | None
    result: Literal["good_enough", "not", "cannot_tell"]
    verdict: str
    told: tuple[str, ...]
    reference: bool


@dataclass(frozen=True)
class Points(Chart):
    """A figure of judges against a price or a time.

    Attributes:
        across: What the logarithmic axis is of, in `unit`; `up` what the other one is of.
        kind: Of the figure.
        lines: What judges are compared with.
        limit: The limit that was fixed; None for none.
    """

    across: str
    unit: Literal["usd", "seconds"]
    up: str
    kind: Kind
    points: tuple[Point, ...]
    lines: tuple[Line, ...]
    limit: Line | None


@dataclass(frozen=True)
class CalibrationBin:
    """Answers of similar confidence: mean, least and greatest, 0 to 1, and who agreed.

    `words` say the same in words.
    """

    confidence: float
    lowest: float
    highest: float
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
) -> Dots:
    """Return a chart of the rows of a table, whose title states the finding."""
    kind = table.columns[1].kind
    parts = (
        said("{name} {number}", name=name, number=written(found, kind))
        for name, found, _ in table.rows
    )
    alt = said("{parts}.", parts=joined("; ", parts))
    return Dots(table.name, table.title, alt, table, rows_are, line)
