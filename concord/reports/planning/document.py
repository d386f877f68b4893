"""The document of a plan: the sample size, power, hours, annotators and minimum sizes."""

from collections.abc import Sequence

from concord.messages import Numeral, Said, counted, said
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.minimum_sizes import Floor
from concord.reports.planning.extent import Sizes
from concord.reports.planning.interval_width import NEVER
from concord.reports.planning.plan import TARGETS, Plan
from concord.reports.planning.power_document import (
    BLOCKED,
    basis,
    chart,
    meaning,
    notes,
    points,
    power,
)
from concord.stats.decision.deciding_figure import FIGURES

_BY = {
    "formula": said("by formula"),
    "pilot": said("from the grades so far"),
    "assumptions": said("from assumptions"),
}
_OVER_JUDGES = said("from the grades so far, over all judges")
_RANGES = {
    "pilot": said("The range for the 95% CI comes from resampling the questions graded so far."),
    "formula": said(
        "The range for the 95% CI comes from a formula. Grade 20 to 30 questions to narrow it."
    ),
}
_GIVES = (
    said("every figure of the judges; inter-annotator agreement stays unknown"),
    said("also inter-annotator agreement, the human ceiling of every judge"),
    said("also whether a judge could replace one of them (alternative annotator test)"),
)


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
        annotators(),
        hours(found),
        floors(found.floors),
    )
    facts.append(_RANGES[width.by])
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
        return said("No number of questions gives 80% power")
    return said("Not even 100,000 questions give 80% power")


def sizes(found: Plan) -> Table:
    """Return the sample size of each target, and what it was estimated from."""
    columns = (
        Column(said("aim")),
        Column(said("estimated")),
        Column(said("questions from"), "count"),
        Column(said("likely"), "count"),
        Column(said("up to"), "count"),
        Column(said("answers from"), "count"),
        Column(said("answers up to"), "count"),
    )
    margin, width = found.needed["margin"], found.needed["half_width"]
    rows = [
        _row(found, "margin", margin.by, margin.sizes),
        _row(found, "half_width", "formula", found.formula.half_width),
    ]
    if width.by == "pilot":
        rows.append(_row(found, "half_width", "pilot", width.sizes))
    return Table("plan", columns, tuple(rows), said("Sample size"))


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
        Column(said("questions"), "count"),
        Column(said("half-width from, points"), help="half-width"),
        Column(said("up to, points")),
        Column(said("estimated")),
    )
    each = found.extent.questions / found.extent.clusters
    rows = (
        (round(clusters * each), *(Numeral(f"{100 * end:.1f}") for end in (low, high)), source)
        for clusters, low, high in at
    )
    return Table("widths", columns, tuple(rows), said("Half-width of the 95% CI"))


def annotators() -> Table:
    """Return what one, two and three annotators of the same answers give."""
    columns = (Column(said("annotators"), "count"), Column(said("gives")))
    rows = tuple(enumerate(_GIVES, start=1))
    return Table("annotators", columns, rows, said("Annotators per answer"))


def hours(found: Plan) -> Table:
    """Return the hours of each annotator for each target."""
    pace = dict.fromkeys(round(one) for one in found.hours.seconds_per_answer)
    source = said("annotators' pace") if found.hours.measured else said("assumed")
    by_target = found.hours.by_target
    parts = [
        (Column(said("aim")), lambda target: _aim(found, target)),
        (Column(said("hours from"), "precise"), lambda target: _known(by_target[target][0])),
        (Column(said("up to"), "precise"), lambda target: _known(by_target[target][1])),
        (Column(said("seconds per answer")), lambda _: " – ".join(map(str, pace))),
        (Column(said("estimated")), lambda _: source),
    ]
    title = said("Hours of each annotator, with a tenth of the answers shown twice")
    return table_of("hours", TARGETS, parts, title)


def floors(found: Sequence[Floor]) -> Table:
    """Return the minimum sizes, and about how many answers each takes."""
    parts = [
        (Column(said("analysis")), lambda one: one.what),
        (Column(said("minimum"), "count"), lambda one: one.needs),
        (Column(said("counted in")), lambda one: one.of),
        (Column(said("so far"), "count"), lambda one: one.has),
        (Column(said("reached")), lambda one: said("yes") if one.holds else said("not yet")),
        (Column(said("answers needed (approx.)"), "count"), lambda one: one.answers),
    ]
    return table_of("floors", found, parts, said("Minimum sizes"))


def span(questions: Sequence[int | None]) -> Said:
    """Return low, likely and high as a range: `50 to 88 questions`."""
    low, _, high = questions
    if low is None:
        return said("more than 100,000 questions")
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
    share = FIGURES[terms.figure].kind == "share"
    return said(
        "80% power, {figure}, margin {margin}",
        figure=FIGURES[terms.figure].title,
        margin=points(terms.margin) if share else Numeral(f"{terms.margin:g}"),
    )


def _known(number: float | None) -> float | str:
    return NEVER if number is None else number
