"""The chart of a look: the deciding figure of each judge against its price or its time."""

from collections.abc import Iterator
from typing import Literal

from concord.messages import Said, joined, said
from concord.reports.cells import written
from concord.reports.charts import Line, Point, Points
from concord.reports.decision.document import price, seconds, verdict
from concord.reports.decision.finding import certifiable
from concord.reports.decision.results import CANNOT_TELL, GOOD_ENOUGH, VERDICTS, Choice, JudgeFound
from concord.reports.panel.simulated import named
from concord.stats.core.estimate import Estimate
from concord.stats.decision.deciding_figure import EXACT, FIGURES, DecidingFigure

By = Literal["cost_per_1000", "seconds"]
AXES: dict[By, Said] = {
    "cost_per_1000": said("USD per 1,000 answers"),
    "seconds": said("seconds per answer (median)"),
}

_UNCERTIFIED = said("cannot be certified")


def against(found: Choice, by: By = "cost_per_1000") -> Points:
    """Return the deciding figure with its CI against price or time, a point per judge."""
    figure = FIGURES[found.figure]
    rows = [row for row in found.judges if _value(found, row).value is not None]
    priced = by == "cost_per_1000"
    return Points(
        name=f"choose-{by}",
        title="",
        alt=_alt(found, figure),
        across=said("{axis}, simulated", axis=AXES[by]) if found.simulated else AXES[by],
        unit="usd" if priced else "seconds",
        up=_axis_title(figure),
        kind=figure.kind,
        points=tuple(_point(found, row, figure, getattr(row, by), priced) for row in rows),
        lines=tuple(_lines(found, figure)),
        limit=_limit(found.minimum, figure),
    )


def _value(found: Choice, row: JudgeFound) -> Estimate:
    return row.exact if found.figure == EXACT else row.value


def _point(
    found: Choice, row: JudgeFound, figure: DecidingFigure, x: float | None, priced: bool
) -> Point:
    value = _value(found, row)
    text = (
        said(
            "{figure} {value} on {n} answers",
            figure=said(figure.title),
            value=_written(value, figure),
            n=row.n,
        ),
        said("{price} per 1,000 answers", price=price(row)),
        said("{seconds} s per answer", seconds=seconds(row)),
    )
    return Point(
        name=named(row.judge, row.simulated),
        found=value,
        x=x,
        result=row.verdict if certifiable(found, row) else CANNOT_TELL,
        verdict=_in_words(found, row),
        below=_below(found, row),
        told=text,
        reference=row.is_reference,
        on_front=priced and row.on_front,
    )


def _in_words(found: Choice, row: JudgeFound) -> str:
    """The verdict on a line of the legend."""
    if row.verdict == GOOD_ENOUGH and row.confirmed and not certifiable(found, row):
        return joined(", ", (verdict(row), _UNCERTIFIED))
    return verdict(row)


def _below(found: Choice, row: JudgeFound) -> tuple[str, ...]:
    """The verdict on a line, below the role of the reference judge; then what bars it."""
    lines = (VERDICTS[row.verdict],)
    if row.is_reference:
        role = said("reference judge")
        lines = (role,) if row.verdict == GOOD_ENOUGH else (role, *lines)
    return lines if certifiable(found, row) else (*lines, _UNCERTIFIED)


def _lines(found: Choice, figure: DecidingFigure) -> Iterator[Line]:
    """Yield the human ceiling and the majority-class baseline where known."""
    if found.ceiling is not None:
        words = said("annotators: {value}", value=_number(found.ceiling, figure))
        yield Line(Estimate(found.ceiling), words, "annotators")
    score, value = _baseline(found)
    if value is not None:
        given = {"value": _number(value, figure)}
        label = (
            said("always one score: {value}", **given)
            if score is None
            else said("always {score}: {value}", score=score, **given)
        )
        yield Line(Estimate(value), label, "constant")


def _baseline(found: Choice) -> tuple[int | None, float | None]:
    """The score and the figure of the majority-class baseline; the score is known of exact."""
    if found.figure == EXACT and found.majority_baseline:
        return found.majority_baseline.score, found.majority_baseline.exact
    return None, found.baseline


def _limit(minimum: float | None, figure: DecidingFigure) -> Line | None:
    if not minimum:
        return None
    words = said("minimum {limit}") if figure.higher_is_better else said("maximum {limit}")
    return Line(Estimate(minimum), said(words, limit=_number(minimum, figure)), "constant")


def _axis_title(figure: DecidingFigure) -> Said:
    if figure.key == EXACT:
        return said("exact agreement with an annotator")
    if figure.higher_is_better:
        return said("{figure}", figure=said(figure.title))
    return said("{figure}, lower is better", figure=said(figure.title))


def _alt(found: Choice, figure: DecidingFigure) -> Said:
    parts = [
        said(
            "{judge}: {figure} {value}, {price} per 1,000 answers, {seconds} seconds per answer, "
            "{verdict}.",
            judge=named(row.judge, row.simulated),
            figure=said(figure.title),
            value=_written(_value(found, row), figure),
            price=price(row),
            seconds=seconds(row),
            verdict=_in_words(found, row),
        )
        for row in found.judges
    ]
    if found.ceiling is not None:
        annotators = (
            said("Inter-annotator agreement: {value}.")
            if figure.higher_is_better
            else said("Between annotators: {value}.")
        )
        parts.append(said(annotators, value=_number(found.ceiling, figure)))
    score, value = _baseline(found)
    if value is not None:
        given = {"value": _number(value, figure)}
        parts.append(
            said("Majority-class baseline (always one score): {value}.", **given)
            if score is None
            else said("Majority-class baseline (always {score}): {value}.", score=score, **given)
        )
    return joined(" ", parts)


def _written(found: Estimate, figure: DecidingFigure) -> str | int:
    return written(found, "share" if figure.kind == "share" else "number")


def _number(value: float, figure: DecidingFigure) -> str:
    return written(value, "share" if figure.kind == "share" else "number")
