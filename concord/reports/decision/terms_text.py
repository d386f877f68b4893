"""Terms of a decision in words."""

from concord.clock import day_of
from concord.messages import joined, said
from concord.reports.cells import plain_share
from concord.stats.decision.deciding_figure import FIGURES, DecidingFigure
from concord.store.decisions import Decision


def in_words(decision: Decision) -> str:
    """The terms of a decision in one sentence."""
    figure, least = FIGURES[decision.metric], (decision.caught_minimum, decision.failure_precision)
    margin = said(
        "non-inferior to {judge} at a margin of {points} in {figure}",
        judge=short(decision.against),
        points=margin_text(decision.metric, decision.margin),
        figure=figure.title,
    )
    minimum = [minimum_text(figure, decision.minimum)] if decision.minimum else []
    return said(
        "Terms for {criterion}, fixed on {day}: {terms}.",
        criterion=decision.criterion,
        day=day_of(decision.created_at),
        terms=joined("; ", [margin, *minimum, *least_text(*least)]),
    )


def least_text(recall: float | None, precision: float | None) -> list[str]:
    """Return the minimums of failing verdicts in words; none for None and 0."""
    every = (
        (said("recall of failing answers at least {share}"), recall),
        (said("precision of failing verdicts at least {share}"), precision),
    )
    return [said(text, share=plain_share(share)) for text, share in every if share]


def terms_text(figure: str, margin: float, minimum: float | None) -> str:
    """Return figure, margin and limit in words."""
    own = FIGURES[figure]
    return said(
        "{figure}, margin {margin}, {minimum}",
        figure=own.title,
        margin=margin_text(figure, margin),
        minimum=minimum_text(own, minimum) if minimum else said("no minimum"),
    )


def minimum_text(figure: DecidingFigure, minimum: float) -> str:
    """Return the limit of a deciding figure in words, as `exact agreement at least 60%`."""
    number = plain_share(minimum) if figure.kind == "share" else f"{minimum:g}"
    if not figure.higher_is_better:
        return said("{figure} at most {number}", figure=figure.title, number=number)
    return said("{figure} at least {number}", figure=figure.title, number=number)


def short(label: str) -> str:
    """A judge's name with the beginning of its fingerprint."""
    name, at, identity = label.rpartition("@")
    return f"{name}@{identity[:6]}" if at else label


def points_text(share: float) -> str:
    """Return a share in points, as `10 points`."""
    value = round(100 * share, 9)
    return said("1 point") if value == 1 else said("{n:g} points", n=value)


def margin_text(figure: str, margin: float) -> str:
    """Return a margin in the unit of its figure, as `10 points` or `0.15`."""
    return points_text(margin) if FIGURES[figure].kind == "share" else f"{margin:g}"
