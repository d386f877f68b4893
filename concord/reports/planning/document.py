"""The document of a plan: sample size, hours, annotators, minimum sizes and power."""

from collections.abc import Iterator, Sequence

from concord.messages import Numeral, Said, capital, counted, message_of, on_command_line, said
from concord.reports.charts import Curve, CurvePoint, Curves
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.decision_conditions import CONDITIONS, Floor
from concord.reports.planning.interval_width import NEVER
from concord.reports.planning.plan import Plan
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


_BY = {
    "formula": "by formula",
    "pilot": "from the grades so far",
    "assumptions": "from assumptions",
}


def document(found: Plan) -> Document:
    """Return what is shown of a plan."""
    decision = found.decision
    notes = [
        f"{capital(curve_name(decision, c.compared))}: {message_of(c.why_none)}."
        for c in decision.curves
        if c.why_none
    ]
    if decision.needed.likely is not None:
        notes.insert(0, _RANGES[decision.by])
        notes.insert(1, _ERROR.format(error=50 / OTHER_SHEETS**0.5))
    tables = sizes(found), power(decision), floors(found.floors)
    return Document(
        headline(found), tuple(_facts(found)), tables, tuple(notes), charts=(chart(decision),)
    )


_RANGES = {
    "pilot": "Ranges: the middle 80% of what resampled pilots give.",
    "assumptions": "Ranges: from independent to very similar answers to a question.",
}
_ERROR = "Standard error of a simulated power: at most {error:.0f} points."
_PILOT = (
    "Simulated from {questions} that {against} and {candidate} graded, both taken to be equally "
    "good. {graded} graded so far, of {sheet}."
)
_ASSUMED = (
    "Assumed, because {why}: judges agree with annotators on {share:.0%}, annotators with one "
    "another on {ceiling:.0%}, {failing:.0%} fail. {graded} graded so far, of {sheet}."
)


def _facts(found: Plan) -> Iterator[str]:
    """Yield why power stays low, and what it was simulated from."""
    decision, terms = found.decision, found.decision.terms
    if decision.needed.likely is None and decision.needed.blocked in BLOCKED:
        yield said(
            "Power stays low because {why}. Choose other terms, or another pair of "
            "judges{on_command_line}.",
            why=BLOCKED[decision.needed.blocked],
            on_command_line=on_command_line("--against, --candidate"),
        )
    yield said(
        _PILOT if decision.by == "pilot" else _ASSUMED,
        questions=counted(decision.questions, "document" if decision.clustered else "question"),
        against=decision.against,
        candidate=decision.candidate,
        why=decision.why_assumed,
        share=terms.share,
        ceiling=terms.ceiling,
        failing=terms.failing,
        graded=counted(found.pilot.questions, "question"),
        sheet=f"{found.extent.questions:,}",
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
    curves = (
        Curve(
            curve_name(decision, one.compared),
            place,
            # With bars of two standard errors.
            tuple(CurvePoint(at.questions, at.good, 2 * at.error) for at in one.points),
            one.planned,
        )
        for place, one in enumerate(one for one in decision.curves if one.points)
    )
    return Curves(
        name="power",
        title="",
        alt="Power",
        across="documents" if decision.clustered else "questions",
        up="power",
        kind="share",
        curves=tuple(curves),
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


def headline(found: Plan) -> str:
    """Return how many questions the decision takes, or that no number suffices."""
    needed = found.decision.needed
    if needed.likely is not None:
        low, likely, high = found.needed["margin"].sizes.questions
        by = "About" if found.decision.by == "pilot" else "From assumptions, about"
        number = counted(likely, "question")
        if None in (low, high):
            return f"{by} {number} or far more give 80% power"
        return f"{by} {number}{'' if low == high else f' ({low:,} to {high:,})'} give 80% power"
    if needed.blocked in BLOCKED:
        return "No number of questions gives 80% power"
    return "Not even 100,000 questions give 80% power"


def sizes(found: Plan) -> Table:
    """Return the sample size of each aim, what it was estimated from, and an annotator's hours."""
    heads = ("questions from", "likely", "up to", "answers from", "answers up to")
    columns = (
        Column("aim"),
        Column("estimated"),
        *(Column(head, "count") for head in heads),
        Column("hours of each annotator", "precise"),
        Column("hours up to", "precise"),
    )
    rows = []
    for target in ("margin", "half_width"):
        needed, hours = found.needed[target], found.hours[target]
        low, _, high = needed.sizes.answers
        numbers = (*needed.sizes.questions, low, high, *hours)
        known = (NEVER if one is None else one for one in numbers)
        rows.append((_aim(found, target), _BY[needed.by], *known))
    return Table("plan", columns, tuple(rows), "Sample size")


def floors(found: Sequence[Floor]) -> Table:
    """Return the minimum sizes, and about how many answers each takes."""
    parts = [
        (Column("analysis"), "what"),
        (Column("minimum", "count"), "needs"),
        (Column("counted in"), "of"),
        (Column("so far", "count"), "has"),
        (Column("answers needed (approx.)", "count"), "answers"),
    ]
    return table_of("floors", found, parts, "Minimum sizes")


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
