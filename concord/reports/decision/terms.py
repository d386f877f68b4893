"""Terms of a decision: rows of a table, and its label in a list."""

from concord.clock import day_of
from concord.messages import Numeral, said
from concord.reports.cells import plain_share
from concord.reports.document import Column, Table
from concord.reports.panel.simulated import short_label
from concord.stats.decision.deciding_figure import FIGURES, DecidingFigure
from concord.store.decisions import Decision


def label(decision: Decision) -> str:
    """Return what a decision is about; its minimums are in `rows`."""
    return said(
        "Terms for {criterion}, fixed on {day}: non-inferior to {judge} at a margin of {margin} in "
        "{figure}.",
        criterion=decision.criterion,
        day=day_of(decision.created_at),
        judge=short_label(decision.against),
        margin=margin_text(decision.figure, decision.margin),
        figure=FIGURES[decision.figure].title,
    )


def rows_of(decision: Decision) -> tuple[tuple[str, str], ...]:
    """Return the terms of a decision, a row each."""
    return rows(
        decision.figure,
        short_label(decision.against),
        decision.margin,
        decision.minimum,
        (decision.failure_recall, decision.failure_precision),
    )


def table(decision: Decision) -> Table:
    """Return the terms of a decision as a table."""
    return Table("terms", (Column(said("term")), Column(said("value"))), rows_of(decision))


def rows(
    figure: str,
    against: str,
    margin: float,
    minimum: float | None,
    of_failing: tuple[float | None, float | None],
) -> tuple[tuple[str, str], ...]:
    """Return terms, a row each; `of_failing` are the least recall and precision."""
    recall, precision = of_failing
    return (
        (said("deciding figure"), FIGURES[figure].title),
        (said("reference judge"), against),
        (said("margin"), margin_text(figure, margin)),
        (
            said("minimum") if FIGURES[figure].higher_is_better else said("maximum"),
            minimum_text(FIGURES[figure], minimum) if minimum else said("none"),
        ),
        (said("minimum recall of failing answers"), _share(recall)),
        (said("minimum precision of failing verdicts"), _share(precision)),
    )


def _share(share: float | None) -> str:
    return plain_share(share) if share else said("none")


def minimum_text(figure: DecidingFigure, minimum: float) -> str:
    """Return the limit of a deciding figure in words, as `exact agreement at least 60%`."""
    number = limit_text(figure.key, minimum)
    if not figure.higher_is_better:
        return said("{figure} at most {number}", figure=figure.title, number=number)
    return said("{figure} at least {number}", figure=figure.title, number=number)


def limit_text(figure: str, limit: float | None) -> str:
    """Return the limit of a deciding figure in its unit, as `60%` or `0.5`."""
    if not limit:
        return said("none")
    return plain_share(limit) if FIGURES[figure].kind == "share" else Numeral(f"{limit:g}")


def points_text(share: float) -> str:
    """Return a share in points, as `10 points`."""
    value = round(100 * share, 9)
    return said("1 point") if value == 1 else said("{n:g} points", n=value)


def margin_text(figure: str, margin: float) -> str:
    """Return a margin in the unit of its figure, as `10 points` or `0.15`."""
    return points_text(margin) if FIGURES[figure].kind == "share" else Numeral(f"{margin:g}")
