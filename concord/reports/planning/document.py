"""The document of a plan: sample size, hours, annotators, minimum sizes and power."""

from collections.abc import Sequence

from concord.messages import Numeral, Said, capital, counted, joined, on_command_line, said
from concord.reports.cells import percent
from concord.reports.charts import Curve, CurvePoint, Curves
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.decision_conditions import CONDITIONS, Floor
from concord.reports.planning.interval_width import NEVER, Sizes
from concord.reports.planning.plan import TARGETS, Plan
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
from concord.stats.planning.simulated_power import POWER

BLOCKED = {one.key: one.no_power for one in CONDITIONS} | {
    "enough": "too few answers fail, or pass, for this figure"
}
COMPARED = {
    JUDGES: "candidates",
    FIGURE: "deciding figure",
    MARGINS: "margin",
    ANNOTATORS: "annotators per answer",
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
            "Simulated from {questions} ({answers:,} answers, annotators per answer: "
            "{annotators:.2g}) that {against} and {candidate} graded; both are assumed to be "
            "equally good, at their mean agreement.",
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
        "The range holds the middle 80% of what resampled pilots give."
        if decision.by == "pilot"
        else "The range runs from independent to very similar answers to a question."
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
        return said("margin {margin}", margin=_margin(decision.terms.figure, value))
    if value:
        return said("{n} per answer", n=value)
    return "as graded so far"


def power(decision: SimulatedPower) -> Table:
    """Return the power of each curve by number of questions, and the number for 80 percent."""
    columns = (
        Column(COMPARED[decision.compare], help="power"),
        Column("documents for 80%" if decision.clustered else "questions for 80%", "count"),
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
    title = "Power by number of documents" if decision.clustered else "Power by number of questions"
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
        across="documents" if decision.clustered else "questions",
        up="power",
        kind="share",
        curves=tuple(
            Curve(
                curve_name(decision, one.compared),
                place,
                # With bars of two standard errors.
                tuple(CurvePoint(at.questions, at.good, 2 * at.error) for at in one.points),
                one.planned,
            )
            for place, one in enumerate(curves)
        ),
        curves_are="terms",
        level=POWER,
    )


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


_BY = {
    "formula": "by formula",
    "pilot": "from the grades so far",
    "assumptions": "from assumptions",
}
_OVER_JUDGES = said("from the grades so far, over all judges")


def document(found: Plan) -> Document:
    """Return what is shown of a plan."""
    decision = found.decision
    width = found.needed["half_width"]
    facts = [
        meaning(decision, found.pilot.questions),
        basis(decision),
        said(
            "A 95% CI of ±{points} for each judge's exact agreement takes {questions}.",
            points=points(found.half_width),
            questions=span(width.sizes.questions),
        ),
    ]
    most = [one.sizes.questions[-1] for one in found.needed.values()]
    if None in most or max(most) > found.extent.questions:
        there = counted(found.extent.questions, "question")
        facts.append(said("The sheet has {questions} that count in figures.", questions=there))
    tables = (
        sizes(found),
        power(decision),
        widths(found),
        hours(found),
        floors(found.floors),
    )
    drawn = (chart(decision),)
    return Document(headline(found), tuple(facts), tables, notes(decision), charts=drawn)


def headline(found: Plan) -> Said:
    """Return how many questions the decision takes, or that no number suffices."""
    needed = found.decision.needed
    if needed.likely is not None:
        size = found.needed["margin"].sizes.questions
        if found.decision.by == "pilot":
            return said(
                "About {likely:,} questions ({span}) give 80% power",
                likely=size[1],
                span=_range(size),
            )
        return said(
            "From assumptions, about {likely:,} questions ({span}) give 80% power",
            likely=size[1],
            span=_range(size),
        )
    if needed.blocked in BLOCKED:
        return "No number of questions gives 80% power"
    return "Not even 100,000 questions give 80% power"


def sizes(found: Plan) -> Table:
    """Return the sample size of each target, and what it was estimated from."""
    columns = (
        Column("aim"),
        Column("estimated"),
        Column("questions from", "count"),
        Column("likely", "count"),
        Column("up to", "count"),
        Column("answers from", "count"),
        Column("answers up to", "count"),
    )
    margin, width = found.needed["margin"], found.needed["half_width"]
    rows = [
        _row(found, "margin", margin.by, margin.sizes),
        _row(found, "half_width", "formula", found.formula.half_width),
    ]
    if width.by == "pilot":
        rows.append(_row(found, "half_width", "pilot", width.sizes))
    return Table("plan", columns, tuple(rows), "Sample size")


def widths(found: Plan) -> Table:
    """Return the half-width of a CI of exact agreement with the questions of a usual pilot."""
    source = _OVER_JUDGES if len(found.pilot.half_width) > 1 else _BY["pilot"]
    at = [
        (one.clusters, one.forecast.low, one.forecast.high)
        for one in found.pilot.at
        if not one.forecast.why_none
    ]
    if not at:
        source = _BY["formula"]
        at = [(one.clusters, one.low, one.high) for one in found.formula.at]
    columns = (
        Column("questions", "count"),
        Column("half-width from, points", help="half-width"),
        Column("up to, points"),
        Column("estimated"),
    )
    each = found.extent.questions / found.extent.clusters
    rows = (
        (round(clusters * each), *(Numeral(f"{100 * end:.1f}") for end in (low, high)), source)
        for clusters, low, high in at
    )
    return Table("widths", columns, tuple(rows), "Half-width of the 95% CI")


def hours(found: Plan) -> Table:
    """Return the hours of each annotator for each target."""
    pace = dict.fromkeys(round(one) for one in found.hours.seconds_per_answer)
    source = "annotators' pace" if found.hours.measured else "assumed"
    by_target = found.hours.by_target
    parts = [
        (Column("aim"), lambda target: _aim(found, target)),
        (Column("hours from", "precise"), lambda target: _known(by_target[target][0])),
        (Column("up to", "precise"), lambda target: _known(by_target[target][1])),
        (Column("seconds per answer"), lambda _: " – ".join(map(str, pace))),
        (Column("estimated"), lambda _: source),
    ]
    title = "Hours of each annotator, with a tenth of the answers shown twice"
    return table_of("hours", TARGETS, parts, title)


def floors(found: Sequence[Floor]) -> Table:
    """Return the minimum sizes, and about how many answers each takes."""
    parts = [
        (Column("analysis"), "what"),
        (Column("minimum", "count"), "needs"),
        (Column("counted in"), "of"),
        (Column("so far", "count"), "has"),
        (Column("reached"), lambda one: "yes" if one.holds else "not yet"),
        (Column("answers needed (approx.)", "count"), "answers"),
    ]
    return table_of("floors", found, parts, "Minimum sizes")


def span(questions: Sequence[int | None]) -> Said:
    """Return low, likely and high as a range: `50 to 88 questions`."""
    low, _, high = questions
    if low is None:
        return "more than 100,000 questions"
    if high is None:
        return said("{low} or far more", low=counted(low, "question"))
    if low == high:
        return counted(low, "question")
    return said("{low:,} to {high:,} questions", low=low, high=high)


def _range(questions: Sequence[int | None]) -> Said:
    """Return the span next to a number of questions: `50 to 88`."""
    low, _, high = questions
    if low is None or high is None or low == high:
        return span(questions)
    return said("{low:,} to {high:,}", low=low, high=high)


def _row(found: Plan, target: str, by: str, needed: Sizes) -> tuple:
    low, _, high = needed.answers
    numbers = map(_known, (*needed.questions, low, high))
    return (_aim(found, target), _BY[by], *numbers)


def _aim(found: Plan, target: str) -> Said:
    if target == "half_width":
        return said("95% CI of exact agreement, ± {points}", points=points(found.half_width))
    terms = found.decision.terms
    return said(
        "80% power, {figure}, margin {margin}",
        figure=FIGURES[terms.figure].title,
        margin=_margin(terms.figure, terms.margin),
    )


def _margin(figure: str, margin: float) -> Said | Numeral:
    return points(margin) if FIGURES[figure].kind == "share" else Numeral(f"{margin:g}")


def _known(number: float | None) -> float | str:
    return NEVER if number is None else number
