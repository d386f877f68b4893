"""The document of a plan: sample size, hours, minimum sizes and power."""

from collections.abc import Iterator, Mapping
from typing import Any

from concord.messages import counted, message_of, on_command_line, said
from concord.reports.charts import Curve, Curves
from concord.reports.document import Column, Document, Table
from concord.reports.panel.decision_conditions import CONDITIONS
from concord.reports.planning.plan import OTHER_SHEETS
from concord.stats.decision.deciding_figure import FIGURES
from concord.stats.planning.simulated_power import POWER

BLOCKED = {one.key: one.no_power for one in CONDITIONS} | {
    "enough": "too few answers fail, or pass, for this figure"
}
NEVER = "no number up to 100,000"
_RANGES = {
    "pilot": "Ranges: the middle 80% of what resampled pilots give.",
    "assumptions": "Ranges: from independent to very similar answers to a question.",
}
_ERROR = "Standard error of a simulated power: at most {error:.0f} points."
_PILOT = (
    "Simulated from {questions} that {against} and {candidate} graded, both taken to be equally "
    "good. {graded} graded so far, of {sheet:,}."
)
_ASSUMED = (
    "Assumed, because {why}: judges agree with annotators on {share:.0%}, annotators with one "
    "another on {ceiling:.0%}, {failing:.0%} fail. {graded} graded so far, of {sheet:,}."
)


def document(plan: Mapping[str, Any]) -> Document:
    """Return what is shown of a plan."""
    decision, notes = plan["decision"], ()
    if decision["needed"].likely is not None:
        notes = _RANGES[decision["by"]], _ERROR.format(error=50 / OTHER_SHEETS**0.5)
    columns = (
        *(Column("analysis"), Column("minimum", "count"), Column("counted in")),
        *(Column("so far", "count"), Column("answers needed (approx.)", "count")),
    )
    rows = tuple(tuple(one.values())[:-1] for one in plan["floors"])
    floors = Table("floors", columns, rows, "Minimum sizes")
    tables = _sizes(plan), _power(decision), floors
    return Document(headline(plan), tuple(_facts(plan)), tables, notes, charts=(_chart(decision),))


def headline(plan: Mapping[str, Any]) -> str:
    """Return how many questions the decision takes, or that no number suffices."""
    low, likely, high = plan["needed"]["margin"]["questions"]
    if likely is not None:
        number = counted(likely, "question")
        by = "About" if plan["decision"]["by"] == "pilot" else "From assumptions, about"
        if None in (low, high):
            return f"{by} {number} or far more give 80% power"
        return f"{by} {number}{'' if low == high else f' ({low:,} to {high:,})'} give 80% power"
    if plan["decision"]["needed"].blocked in BLOCKED:
        return "No number of questions gives 80% power"
    return "Not even 100,000 questions give 80% power"


def _facts(plan: Mapping[str, Any]) -> Iterator[str]:
    """Yield why power stays low, and what it was simulated from."""
    decision = plan["decision"]
    if decision["needed"].likely is None and decision["needed"].blocked in BLOCKED:
        yield said(
            "Power stays low because {why}. Choose other terms, or another pair of "
            "judges{on_command_line}.",
            why=BLOCKED[decision["needed"].blocked],
            on_command_line=on_command_line("--against, --candidate"),
        )
    unit = "document" if decision["clustered"] else "question"
    yield (_PILOT if decision["by"] == "pilot" else _ASSUMED).format(
        **decision["terms"]._asdict(),
        questions=counted(decision["questions"], unit),
        against=decision["against"],
        candidate=decision["candidate"],
        why=message_of(decision["why_assumed"]),
        graded=counted(plan["pilot"]["questions"], "question"),
        sheet=plan["questions"],
    )


def _sizes(plan: Mapping[str, Any]) -> Table:
    """Return the sample size, and an annotator's hours."""
    terms, needed = plan["decision"]["terms"], plan["needed"]["margin"]
    heads = ("questions from", "likely", "up to", "answers from", "answers up to")
    columns = (
        Column("aim"),
        *(Column(head, "count") for head in heads),
        Column("hours of each annotator", "precise"),
        Column("hours up to", "precise"),
    )
    figure, share = FIGURES[terms.figure], FIGURES[terms.figure].kind == "share"
    margin = f"{100 * terms.margin:g} points" if share else f"{terms.margin:g}"
    aim = f"80% power, {figure.title}, margin {margin}"
    numbers = (*needed["questions"], *needed["answers"][::2], *plan["hours"]["margin"])
    known = (NEVER if one is None else one for one in numbers)
    return Table("plan", columns, ((aim, *known),), "Sample size")


def _power(decision: Mapping[str, Any]) -> Table:
    """Return the power of each curve by number of questions, and the number for 80 percent."""
    units = "documents" if decision["clustered"] else "questions"
    every = next((one["points"] for one in decision["curves"]), ())
    shown = every[::-2][::-1]  # every other number of questions, the largest among them
    rows = []
    for one in decision["curves"]:
        reached = one["questions"]
        reached = f"more than {every[-1].questions:,}" if reached is None else reached
        rows.append((one["compared"], reached, *(at.good for at in one["points"][::-2][::-1])))
    columns = (
        Column("candidates", "count", help="power"),
        Column(f"{units} for 80%", "count"),
        *(Column(f"{at.questions:,}", "share") for at in shown),
    )
    return Table("power", columns, tuple(rows), f"Power by number of {units}")


def _chart(decision: Mapping[str, Any]) -> Curves:
    """Return the power by number of questions, a curve for each number of candidates."""
    curves = (
        Curve(
            counted(one["compared"], "candidate"),
            # With bars of two standard errors.
            tuple((at.questions, at.good, 2 * at.error) for at in one["points"]),
            one["planned"],
        )
        for one in decision["curves"]
    )
    return Curves(
        name="power",
        title="",
        alt="Power",
        across="documents" if decision["clustered"] else "questions",
        up="power",
        curves=tuple(curves),
        level=POWER,
    )
