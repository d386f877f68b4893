"""Choose, the reasons: what stands against a judge, with the figure it rests on."""

from collections.abc import Iterable
from functools import reduce

from concord.messages import joined, said
from concord.reports.decision.verdict import (
    CANNOT_TELL,
    DIFFERENCE,
    KAPPA,
    MAJORITY,
    MINIMUM,
    NOT,
    QUESTIONS_FLOOR,
    REFERENCE,
)
from concord.reports.panel.simulated import named
from concord.reports.panel.terminal_tables import number, percent, share
from concord.stats.intervals.alpha_spending import LEVEL


def points(estimate: dict) -> str:
    """A difference of shares with its limits in points, as `-1.2 [-6.9, +4.4]`."""
    if estimate["value"] is None:
        return "—"
    value = _points(estimate["value"])
    if estimate["low"] is None:
        return value
    return f"{value} [{_points(estimate['low'])}, {_points(estimate['high'])}]"


def counted_points(value: float) -> str:
    """A number of points in words, as `10 points`."""
    return said("1 point") if value == 1 else said("{n:g} points", n=value)


def clauses(parts: Iterable[str]) -> str:
    """Parts of a sentence one after another; empty ones are left out."""
    return reduce(_and_then, filter(None, parts))


def reason(found: dict, row: dict) -> str:
    """What stands against a judge: with its figure where there is one, else every reason.

    A document that was stored holds its reasons in English; they are ours, so they are `said`.
    """
    return _first(found, row) or joined("; ", map(said, row["why"]))


def margin(found: dict) -> str:
    """The margin in words."""
    return counted_points(100 * found["margin"])


def confidence(found: dict) -> str:
    """The two-sided level of the limits, as `96.4%`: each side has the error of the look."""
    return f"{100 * (1 - 2 * (found['level'] or LEVEL)):g}%"


def _and_then(one: str, other: str) -> str:
    return said("{one}, {other}", one=one, other=other)


def _first(found: dict, row: dict) -> str:
    """The first condition that fails, or that is open where none does, with its figure."""
    wanted = "fails" if row["verdict"] != CANNOT_TELL else "open"
    states = {name: one for name, one in row["conditions"].items() if one["state"] == wanted}
    if not states or found["level"] is None or row["clusters"] < QUESTIONS_FLOOR:
        return ""
    name, one = next(iter(states.items()))
    if one["estimate"]["low"] is None:
        return said(one["estimate"]["why_none"])
    shown = _SHOWN.get(name, points)(one["estimate"])
    figure = said("{figure}, {level} CI", figure=shown, level=confidence(found))
    if name in (MAJORITY, REFERENCE):
        return _no_assay(name, found, figure)
    return _stands(name, wanted == "fails", found, figure)


_SHOWN = {MINIMUM: share, KAPPA: number, MAJORITY: share, REFERENCE: share}


def _no_assay(name: str, found: dict, figure: str) -> str:
    """Why the comparison can show nothing."""
    if name == MAJORITY:
        return said(
            "its exact agreement ({figure}) is below the majority-class baseline of {level}%",
            figure=figure,
            level=percent(found["constant"]["exact"]),
        )
    failed = any(row["is_reference"] and row["verdict"] == NOT for row in found["judges"])
    return said(
        "the reference judge {judge} is itself not good enough (exact {figure}), so to be as good "
        "shows nothing"
        if failed
        else "the reference judge {judge} agrees less than the majority-class baseline (exact "
        "{figure}), so to be as good shows nothing",
        judge=named(found["against"], found["simulated"]),
        figure=figure,
    )


def _stands(name: str, fails: bool, found: dict, figure: str) -> str:
    """What a condition that fails, or may, says of the judge."""
    against, limit = named(found["against"], found["simulated"]), margin(found)
    if name == DIFFERENCE:
        return said(
            "it is worse than {against} by more than {margin} ({figure})"
            if fails
            else "it may be worse than {against} by more than {margin} ({figure})",
            against=against,
            margin=limit,
            figure=figure,
        )
    if name == MINIMUM:
        return said(
            "it is below the minimum of {minimum}% ({figure})"
            if fails
            else "it may be below the minimum of {minimum}% ({figure})",
            minimum=percent(found["minimum"] or 0),
            figure=figure,
        )
    if name == KAPPA:
        return said(
            "it is no better than chance ({figure})"
            if fails
            else "it may be no better than chance ({figure})",
            figure=figure,
        )
    return said(
        "it is below people's agreement with one another by more than {margin} ({figure})"
        if fails
        else "it may be below people's agreement with one another by more than {margin} ({figure})",
        margin=limit,
        figure=figure,
    )


def _points(value: float) -> str:
    rounded = f"{100 * value:+.1f}"
    return "0.0" if rounded in ("+0.0", "-0.0") else rounded
