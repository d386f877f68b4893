"""The power of a planned decision in words and in a table."""

from collections.abc import Sequence

from concord.messages import Numeral, Said, capital, counted, joined, on_command_line, said
from concord.reports.cells import percent
from concord.reports.charts import Curve, CurvePoint, Curves
from concord.reports.document import Column, Table
from concord.reports.panel.decision_conditions import CONDITIONS
from concord.reports.planning.power import (
    ANNOTATORS,
    FIGURE,
    JUDGES,
    MARGINS,
    OTHER_SHEETS,
    PowerCurve,
    SimulatedPower,
)
from concord.stats.decision.deciding_figure import FIGURES
from concord.stats.planning.power_curve import POWER

BLOCKED = {one.key: one.no_power for one in CONDITIONS} | {
    "enough": said("too few answers fail, or pass, for this figure")
}
COMPARED = {
    JUDGES: said("candidates"),
    FIGURE: said("deciding figure"),
    MARGINS: said("margin"),
    ANNOTATORS: said("annotators per answer"),
}


def meaning(decision: SimulatedPower, graded: int) -> Said:
    """Return what the power is of, with the number of questions graded so far; or why it is low."""
    blocked = BLOCKED.get(decision.needed.blocked) if decision.needed.likely is None else None
    if blocked:
        other = said(
            "Choose other terms, or another pair of judges{on_command_line}.",
            on_command_line=on_command_line("--against, --candidate"),
        )
        return said("Power stays low because {why}. {other}", why=blocked, other=other)
    return said(
        "Power is the chance that a candidate as good as the reference judge is found good enough. "
        "Graded so far: {questions}.",
        questions=counted(graded, "question"),
    )


def basis(decision: SimulatedPower) -> Said:
    """Return what the power was simulated from."""
    terms = decision.terms
    if decision.by == "pilot":
        return said(
            "Simulated from {questions} ({answers:,} answers, one annotator per answer) that "
            "{against} and {candidate} graded; both are assumed to be equally good, at their mean "
            "agreement."
            if decision.annotators_per_answer == 1
            else "Simulated from {questions} ({answers:,} answers, {annotators:.2g} annotators per "
            "answer) that {against} and {candidate} graded; both are assumed to be equally good, "
            "at their mean agreement.",
            questions=counted(decision.questions, "document" if decision.clustered else "question"),
            answers=decision.answers,
            annotators=decision.annotators_per_answer,
            against=decision.against,
            candidate=decision.candidate,
        )
    return said(
        "Simulated from assumptions, because {why}: judges agree with annotators on {share:.0%} of "
        "the "
        "answers, annotators with one another on {ceiling:.0%}, and {failing:.0%} fail.",
        why=decision.why_assumed,
        share=terms.share,
        ceiling=terms.ceiling,
        failing=terms.failing,
    )


def notes(decision: SimulatedPower) -> tuple[Said, ...]:
    """Return what the range means, the Monte Carlo error, and why a curve is missing."""
    range_of = (
        said("The range holds the middle 80% of what resampled pilots give.")
        if decision.by == "pilot"
        else said("The range runs from independent to very similar answers to a question.")
    )
    simulated = said(
        "Power is the share of simulated decisions; its standard error is at most {error:.1f} "
        "points.",
        error=50 / OTHER_SHEETS**0.5,
    )
    why = tuple(
        said("{curve}: {why}.", curve=capital(curve_name(decision, one.compared)), why=one.why_none)
        for one in decision.curves
        if one.why_none
    )
    return (
        range_of,
        simulated,
        *why,
    )


def curve_name(decision: SimulatedPower, value: str | float) -> Said | str:
    """Return the name of the curve of a value compared: `4 candidates`."""
    if decision.compare == JUDGES:
        return counted(value, "candidate")
    if decision.compare == FIGURE:
        return FIGURES[value].title
    if decision.compare == MARGINS:
        margin = (
            points(value)
            if FIGURES[decision.terms.figure].kind == "share"
            else Numeral(f"{value:g}")
        )
        return said("margin {margin}", margin=margin)
    if value:
        return said("{n} per answer", n=value)
    return said("as graded so far")


def power(decision: SimulatedPower) -> Table:
    """Return the power of each curve by number of questions, and the number for 80 percent."""
    columns = (
        Column(COMPARED[decision.compare], help="power"),
        Column(
            said("documents for 80%") if decision.clustered else said("questions for 80%"), "count"
        ),
        *(Column(Numeral(f"{size:,}"), "share") for size in _shown(decision)),
    )
    rows = tuple(
        (
            curve_name(decision, one.compared),
            _reached(one),
            *_powers(one, _shown(decision)),
        )
        for one in decision.curves
    )
    title = (
        said("Power by number of documents")
        if decision.clustered
        else said("Power by number of questions")
    )
    return Table("power", columns, rows, title)


def chart(decision: SimulatedPower) -> Curves:
    """Return the power by number of questions, a curve for each variant of the terms."""
    curves = [one for one in decision.curves if one.points]
    unit = "document" if decision.clustered else "question"
    parts = [
        said(
            "{curve}: {low}% at {first}, {high}% at {last:,}",
            curve=curve_name(decision, one.compared),
            low=percent(one.points[0].good),
            first=counted(one.points[0].questions, unit),
            high=percent(one.points[-1].good),
            last=one.points[-1].questions,
        )
        for one in curves
    ]
    return Curves(
        name="power",
        title="",
        alt=joined("; ", parts),
        across=said("documents") if decision.clustered else said("questions"),
        up=said("power"),
        kind="share",
        curves=tuple(
            Curve(curve_name(decision, one.compared), place, _drawn(one), one.planned)
            for place, one in enumerate(curves)
        ),
        curves_are="terms",
        level=POWER,
    )


def _drawn(one: PowerCurve) -> tuple[CurvePoint, ...]:
    """The points of a curve with bars of two standard errors."""
    return tuple(CurvePoint(at.questions, at.good, 2 * at.error) for at in one.points)


def _reached(one: PowerCurve) -> int | Said | None:
    if one.questions is not None or not one.points:
        return one.questions
    return said("more than {n:,}", n=one.points[-1].questions)


def _shown(decision: SimulatedPower) -> list[int]:
    """Every other number of questions of the curves, the largest among them."""
    every = next((one.points for one in decision.curves if one.points), ())
    return [one.questions for one in every][::-2][::-1]


def _powers(one: PowerCurve, sizes: Sequence[int]) -> list[float | None]:
    found = {point.questions: point.good for point in one.points}
    return [found.get(size) for size in sizes]


def points(share: float) -> Said:
    """Return a share in points: `5 points`."""
    number = Numeral(f"{100 * share:g}")
    return said("{n} point", n=number) if number == "1" else said("{n} points", n=number)
