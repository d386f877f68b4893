"""The document of a look: its tables and facts, and the chart of figures by price or time."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from concord.clock import day_of
from concord.messages import Numeral, Said, counted, joined, said
from concord.reports.cells import UNDEFINED, interval, undefined, written
from concord.reports.charts import Line, Point, Points
from concord.reports.decision.cost import dollars
from concord.reports.decision.finding import (
    certifiable,
    counted_of,
    finding,
    findings,
    kinds,
    look,
    more,
    not_compared,
    repeated,
)
from concord.reports.decision.results import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    SETTLED,
    VERDICTS,
    Choice,
    Condition,
    JudgeFound,
    told,
)
from concord.reports.document import Column, Document, Kind, Part, Table, table_of
from concord.reports.panel.decision_conditions import (
    BY_KEY,
    MET,
    NOT_MET,
    counted_as_both,
    failing_parts,
)
from concord.reports.panel.provenance import annotators_sentence, named
from concord.stats.core.estimate import Estimate
from concord.stats.core.minimums import FAILING_FLOOR
from concord.stats.decision.conditions import MAJORITY, MINIMUM, REFERENCE
from concord.stats.decision.deciding_figure import EXACT, FIGURES, QWK, DecidingFigure
from concord.stats.statistics import OF_FAILING

_RESULTS = {
    "clear": MET,
    "fails": NOT_MET,
    "open": "inconclusive",
    "no_veto": "not significantly below",
    "untested": "no verdict",
    "none": "not tested",
}
_REFERENCE = {
    GOOD_ENOUGH: "reference judge",
    NOT: "reference judge: not good enough",
    CANNOT_TELL: "reference judge: inconclusive",
}


def document(found: Choice) -> Document:
    """Return what is shown of a look."""
    return Document(
        finding(found).verdict,
        tuple(filter(None, (*facts(found), *look(found)))),
        (conditions(found), more_labels(found), judges(found), failing(found), without(found)),
        notes(found),
        found.signature,
    )


def facts(found: Choice) -> tuple[str, ...]:
    """Return the lines under the verdict: the reason, and what it needs."""
    return finding(found).reason, *findings(found)


def verdict(row: JudgeFound) -> str:
    """Return the verdict on a judge; of the reference judge only where it is not good enough."""
    if not row.confirmed:
        return "good enough, not confirmed by the present grades"
    return _REFERENCE[row.verdict] if row.is_reference else VERDICTS[row.verdict]


def with_verdict(row: JudgeFound) -> str:
    """Return a judge's name with the verdict on it."""
    return said("{judge}: {verdict}", judge=_name(row), verdict=verdict(row))


def price(row: JudgeFound) -> str:
    """Return the price of 1,000 answers, as `$0.90`; `free` and `unknown` where it is so."""
    if row.cost_per_1000 is None:
        return "unknown"
    known = dollars(row.cost_per_1000) if row.cost_per_1000 else "free"
    if row.cost and row.cost.cost.stated_on:
        return said("{price} (stated)", price=known)
    return known


def seconds(row: JudgeFound) -> str:
    """Return median and 95th percentile of the seconds per answer, as `6.4 (14.2)`."""
    if row.seconds is None:
        return UNDEFINED
    if row.seconds_p95 is None:
        return Numeral(f"{row.seconds:.1f}")
    return Numeral(f"{row.seconds:.1f} ({row.seconds_p95:.1f})")


def judges(found: Choice) -> Table:
    """Return agreement, verdict and cost, a row per judge, the reference judge first."""
    kind, apart = kinds(found)
    unit = ", points" if apart == "points" else ""
    value = [(Column(FIGURES[found.figure].title, kind), "value")]
    parts: list[Part] = [
        (Column("judge"), _name),
        (Column("verdict"), verdict),
        *(() if found.figure == EXACT else value),
        (Column("exact", "share"), "exact"),
        *(() if found.figure == QWK else [(Column("QWK", "number"), "qwk")]),
        (
            Column(said("difference from the reference judge{unit}", unit=unit), apart),
            lambda row: None if row.is_reference else row.difference,
        ),
        (
            Column(said("difference from inter-annotator agreement{unit}", unit=unit), apart),
            "judge_minus_ceiling",
        ),
        (Column("adjusted p", "p"), "p"),
        (Column("answers without a score", "count"), lambda row: row.failed or None),
        (Column("never graded", "count"), lambda row: (row.n and row.not_graded) or None),
        (Column("USD per 1,000 answers"), price),
        (Column("seconds (p95)"), seconds),
    ]
    return _of_judges(table_of("choose", found.judges, parts, sparse=True))


def failing(found: Choice) -> Table:
    """Return the figures of failing verdicts with their counts, a row per judge."""
    rows = [row for row in found.judges if row.statistics.by_key.keys() >= _FAILING]
    parts = [(Column("judge"), _name), *failing_parts()]
    labels = joined(" or ", map(str, found.failing_scores))
    title = said("Failing verdicts: score {labels}", labels=labels)
    return _of_judges(table_of("failing", rows, parts, title))


def _of_judges(table: Table) -> Table:
    """The table with a column per judge while they are few: it has more figures than fit a row."""
    return replace(table, across=len(table.rows) <= _ACROSS)


_ACROSS = 4
_FAILING = {one.key for one in OF_FAILING}


def _name(row: JudgeFound) -> str:
    return named(row.judge, row.simulated)


def conditions(found: Choice, judge: str | None = None) -> Table:
    """Return the conditions of a judge, or of all: estimate, CI, limit and result, a row each."""
    rows = [
        (row, name, one)
        for row in found.judges
        for name, one in row.conditions.items()
        if judge in (None, row.judge) and _has(found, name, one)
    ]
    parts: list[Part] = [
        (Column("judge"), lambda of: _name(of[0])),
        (Column("condition"), lambda of: condition_title(found, of[1])),
        (Column("estimate"), lambda of: _estimated(found, of)),
        (
            Column("95% CI"),
            lambda of: interval(of[2].estimate, _condition_kind(found, of[1])),
        ),
        (Column("limit"), lambda of: _limit_written(found, of, of[2].above)),
        (
            Column("adjusted p", "p"),
            lambda of: of[2].p_not if of[2].state == "fails" else of[2].p,
        ),
        (Column("result"), lambda of: _result(of[1], of[2].state)),
        (Column("undefined because"), lambda of: of[2].estimate.why_none or ""),
    ]
    explained = any(one.estimate.why_none for _, _, one in rows)
    parts = parts[judge is not None : len(parts) if explained else -1]
    kept = found.kept_from
    title = said("Conditions on {day}", day=day_of(kept.looked_at)) if kept else "Conditions"
    return table_of("conditions", rows, parts, title)


def _has(found: Choice, name: str, one: Condition) -> bool:
    """True of a condition of these terms, and of one that the grades are too few to test."""
    return one.state != "none" or bool(one.estimate.why_none and is_asked(found, name))


def is_asked(found: Choice, name: str) -> bool:
    """Return whether the terms ask a condition: a minimum only where named."""
    return name != MINIMUM or found.minimum is not None


def _result(name: str, state: str) -> str:
    """Return the result of a condition; that of the reference judge is not tested."""
    return "not met" if state == "open" and name in (MAJORITY, REFERENCE) else _RESULTS[state]


def _estimated(found: Choice, of: tuple) -> str | int:
    """The estimate of a condition; a share of too few answers is withheld, its number is not."""
    row, name, one = of
    of_these = counted_of(row, name)
    if of_these is not None and of_these < FAILING_FLOOR:
        return said("too few ({n})", n=of_these)
    return _limit_written(found, of, one.estimate.value)


def _limit_written(found: Choice, of: tuple, value: float | None) -> str | int:
    return written(value, _condition_kind(found, of[1]))


def condition_title(found: Choice, name: str) -> str:
    """Return the name of a condition in words."""
    unit = ", points" if kinds(found)[1] == "points" else ""
    figure = FIGURES[found.figure]
    maximum = name == MINIMUM and not figure.higher_is_better
    title = said("{figure}: maximum") if maximum else BY_KEY[name].title
    return said(title, figure=figure.title, unit=unit)


def _condition_kind(found: Choice, name: str) -> Kind:
    kind, apart = kinds(found)
    return {"figure": kind, "apart": apart}.get(BY_KEY[name].kind, BY_KEY[name].kind)


def more_labels(found: Choice) -> Table:
    """Return how many more labels would settle each open verdict, or why none would."""
    columns = (Column("judge"), Column("more labels"), Column("none because"))
    rows = (
        (
            named(row.judge, row.simulated),
            more(found, row) or None,
            row.more_labels_why_none or "",
        )
        for row in found.judges
        if row.verdict == CANNOT_TELL and row.more_labels_why_none != SETTLED
    )
    return Table("labels", columns, tuple(rows), "Labels needed for a verdict")


def notes(found: Choice) -> tuple[str, ...]:
    """Return on what the look rests, and what limits it."""
    about, questions = told(found), counted(found.questions, "question")
    if found.clusters != found.questions:
        documents = counted(found.clusters, "document")
        questions = said("{questions} of {documents}", questions=questions, documents=documents)
    every = [
        said(
            "Compared on {answers} to {questions} that annotators and all judges scored for "
            "{criterion}.",
            answers=counted(found.answers, "answer"),
            questions=questions,
            criterion=found.criterion,
        ),
        annotators_sentence(sum(one.simulated for one in found.annotators), len(found.annotators)),
        *(
            said("{annotator} is not counted in this decision: {why}.", annotator=name, why=why)
            for name, why in found.uncounted.items()
        ),
        *(() if about and about.verdict == GOOD_ENOUGH else not_compared(found)),
        repeated(found) if found.repeated_questions else "",
        "Prices are simulated." if found.simulated else "",
        "The terms were fixed after agreement on these answers could be seen."
        if found.fixed_after_sight
        else "",
        (
            "A positive difference is a smaller distance than that of the reference judge, or "
            "between annotators."
        )
        if FIGURES[found.figure].sign < 0
        else "",
        "No judge that is good enough has a known price; the one that agrees most is named."
        if found.winner_by == "agreement"
        else "",
        p_values(found),
        *_refits(found),
        *(
            said("{judge} is left out: {why}.", judge=judge, why=why)
            for judge, why in found.left_out.items()
        ),
        *_as_both(found),
        *undefined(failing(found)),
    ]
    return tuple(filter(None, every))


def _refits(found: Choice) -> Iterator[str]:
    """Yield which scores are cross-fitted, and what is exported of their judges."""
    for judge, digest in found.refits.items():
        yield said(
            "The scores of {judge} are cross-fitted: each question by a fit to other questions. "
            "What is exported is one full refit, frozen ({digest}).",
            judge=judge,
            digest=digest,
        )


def _as_both(found: Choice) -> list[str]:
    """Explain counts that exceed the answers."""
    rows = (row for row in found.judges if row.statistics.by_key.keys() >= _FAILING and row.n)
    counts = [(row.statistics, row.n) for row in rows]
    return counted_as_both(counts, "answers")


def p_values(found: Choice) -> str:
    """Return what the intervals and p-values are."""
    return said(
        "Estimates have a 95% CI. Pass and fail follow the one-sided p-values, adjusted for "
        "{judges} and for the interim looks, even where the CI contains the limit.",
        judges=counted(_compared(found), "judge"),
    )


def _compared(found: Choice) -> int:
    """Return how many judges the p-values are adjusted for, the reference judge among them."""
    return sum(row.n > 0 and not (found.kept_from and row.p is None) for row in found.judges)


def without(found: Choice) -> Table:
    """Return the verdicts that differ without one of the annotators."""
    columns = (
        Column("without annotator"),
        Column("judge"),
        Column("verdict"),
        Column("verdict without"),
    )
    rows = (
        (row.annotator, one.judge, VERDICTS[one.verdict], VERDICTS[one.without])
        for row in found.without_annotators
        for one in row.judges
    )
    return Table("without", columns, tuple(rows), "Verdicts that depend on a single annotator")


By = Literal["cost_per_1000", "seconds"]
AXES: dict[By, Said] = {
    "cost_per_1000": "USD per 1,000 answers",
    "seconds": "seconds per answer (median)",
}

_UNCERTIFIED = said("cannot be certified")


def against(found: Choice, by: By = "cost_per_1000") -> Points:
    """Return the deciding figure with its CI against price or time, a point per judge."""
    figure = FIGURES[found.figure]
    rows = [row for row in found.judges if _value(found, row).value is not None]
    priced, lines = by == "cost_per_1000", tuple(_lines(found, figure))
    return Points(
        name=f"choose-{by}",
        title="",
        alt=_alt(found, lines),
        across=said("{axis}, simulated", axis=AXES[by]) if found.simulated else AXES[by],
        unit="usd" if priced else "seconds",
        up=_axis_title(figure),
        kind=figure.kind,
        points=tuple(_point(found, row, figure, getattr(row, by), priced) for row in rows),
        lines=lines,
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
        told=text,
        reference=row.is_reference,
        on_front=priced and row.on_front,
    )


def _in_words(found: Choice, row: JudgeFound) -> str:
    """The verdict on a line of the legend."""
    if row.verdict == GOOD_ENOUGH and row.confirmed and not certifiable(found, row):
        return joined(", ", (verdict(row), _UNCERTIFIED))
    return verdict(row)


def _lines(found: Choice, figure: DecidingFigure) -> Iterator[Line]:
    """Yield the human ceiling and the majority-class baseline where known."""
    if found.ceiling is not None:
        words = said("annotators: {value}", value=_written(Estimate(found.ceiling), figure))
        yield Line(Estimate(found.ceiling), words, "annotators")
    exact = found.majority_baseline if found.figure == EXACT else None
    value = exact.exact if exact else found.baseline
    if value is not None:
        label = said(
            "always {score}: {value}",
            score=exact.score if exact else "one score",
            value=_written(Estimate(value), figure),
        )
        yield Line(Estimate(value), label, "constant")


def _limit(minimum: float | None, figure: DecidingFigure) -> Line | None:
    if not minimum:
        return None
    words = said("minimum {limit}") if figure.higher_is_better else said("maximum {limit}")
    level = Estimate(minimum)
    return Line(level, said(words, limit=_written(level, figure)), "constant")


def _axis_title(figure: DecidingFigure) -> Said:
    if figure.key == EXACT:
        return "exact agreement with an annotator"
    if figure.higher_is_better:
        return said("{figure}", figure=said(figure.title))
    return said("{figure}, lower is better", figure=said(figure.title))


def _alt(found: Choice, lines: Sequence[Line]) -> Said:
    figure = FIGURES[found.figure]
    judges = (
        said(
            "{judge}: {figure} {value}, {price} per 1,000 answers, {seconds} seconds per answer, "
            "{verdict}",
            judge=_name(row),
            figure=figure.title,
            value=_written(_value(found, row), figure),
            price=price(row),
            seconds=seconds(row),
            verdict=_in_words(found, row),
        )
        for row in found.judges
    )
    return joined("; ", [*judges, *(one.label for one in lines)])


def _written(found: Estimate, figure: DecidingFigure) -> str | int:
    return written(found, "share" if figure.kind == "share" else "number")
