"""Charts of the agreement report: each criterion, and a judge by answering model."""

from collections.abc import Iterator, Mapping, Sequence

from concord.messages import Said, capital, joined, said
from concord.model import BASELINE
from concord.reports.agreement.rows import AgreementRow
from concord.reports.cells import written
from concord.reports.charts import Grader, Intervals, Line, Mark, Row, graders
from concord.reports.panel.decision_conditions import withheld
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.unit_words import criterion_of, how_many, plural, score
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.statistics import BY_KEY, Statistic

ANNOTATORS, _EXACT = "annotators", BY_KEY["exact"]


def looks(panel: Panel) -> dict[str, Grader]:
    """Return the look that each judge of a panel has on all its charts."""
    judges = panel.judges.items()
    return graders((panel.labels[i], judge.name == BASELINE) for i, judge in judges)


def charts(
    rows: Sequence[AgreementRow],
    rubric: Rubric,
    figure: str,
    of: Mapping[str, Grader] | None = None,
) -> tuple[Intervals, ...]:
    """Return a chart of `figure` per criterion, and one per judge of rows by answering model.

    `of` are the `looks` of judges where `rows` are not those of the whole report.
    """
    of = of or graders((row.judge, row.floor) for row in rows)
    criteria: dict[str, list[AgreementRow]] = {}
    models: dict[tuple[str, str], list[AgreementRow]] = {}
    for row in rows:
        if row.criterion == COMPOSITE or _is_mean(row):
            continue
        if not row.answer_model:
            criteria.setdefault(row.criterion, []).append(row)
        elif not row.continuous:
            models.setdefault((row.criterion, row.judge), []).append(row)
    return (
        *(_of_criterion(mine, rubric, BY_KEY[figure], of) for mine in criteria.values()),
        *(_by_answer_model(mine, of) for mine in models.values()),
    )


def _of_criterion(
    rows: Sequence[AgreementRow], rubric: Rubric, one: Statistic, of: Mapping[str, Grader]
) -> Intervals:
    """Every judge's statistic, inter-annotator agreement and the majority-class baseline."""
    criterion = rows[0].units.title if rows[0].units else criterion_of(rubric, rows[0].criterion)
    axis = _axis(one, rows[0])
    values = [
        said(
            "{judge} on {criterion} {figure}, annotators {annotators}",
            judge=row.called(),
            criterion=criterion,
            figure=_worded(one, _found(row, one)),
            annotators=_worded(one, row.ceiling.statistics[one.key]),
        )
        for row in rows
    ]
    return Intervals(
        name=one.key,
        title="",
        alt=said("{what}: {values}.", what=capital(axis), values=joined("; ", values)),
        axis=axis,
        kind=one.kind,
        reach=_reach(rows, one),
        rows=tuple(
            Row(row.called(), (_mark(row, one, of[row.judge]),)) for row in _best_first(rows, one)
        ),
        lines=tuple(_lines(rows, one)),
        heading=criterion,
    )


def best_first(rows: Sequence[AgreementRow], figure: str) -> list[AgreementRow]:
    """Return rows of a criterion as its chart of `figure` has them; those of means come last."""
    means = [row for row in rows if _is_mean(row)]
    return [*_best_first([row for row in rows if not _is_mean(row)], BY_KEY[figure]), *means]


def _is_mean(row: AgreementRow) -> bool:
    return row.continuous is not None and bool(row.continuous.mean)


def _best_first(rows: Sequence[AgreementRow], one: Statistic) -> list[AgreementRow]:
    """The best judge first; after them those without an interval or a value, the floor last."""

    def order(row: AgreementRow) -> tuple:
        found = _found(row, one)
        return row.floor, found.value is None, found.low is None, -one.better(found.value or 0)

    return sorted(rows, key=order)


def _lines(rows: Sequence[AgreementRow], one: Statistic) -> Iterator[Line]:
    """Yield the reference lines, of the row with the largest overlap of annotators.

    Where rows are of other answers, the lines say of how many they are.
    """
    widest = max(rows, key=lambda row: row.ceiling.n)
    baseline, annotators = widest.majority_baseline, widest.ceiling.statistics[one.key]
    same = len({(row.n, row.ceiling.n) for row in rows if row.n}) < 2
    level = baseline.values[one.key]
    if level is not None:
        given = score(widest.units, baseline.values["score"])
        shown = {"score": given, "value": _short(one, level), "n": widest.n}
        text = "always {score}: {value}" if same else "always {score}: {value} (n = {n:,})"
        yield Line(Estimate(level), said(text, **shown), "constant")
    if one.kind == "difference":
        yield Line(Estimate(0.0), "no bias", "annotators")
    elif annotators.value is None:
        yield Line(annotators, "annotators: unknown", "annotators")
    else:
        shown = {"value": _short(one, annotators.value), "n": widest.ceiling.n}
        text = "annotators: {value}" if same else "annotators: {value} (n = {n:,})"
        yield Line(annotators, said(text, **shown), "annotators")


def _reach(rows: Sequence[AgreementRow], one: Statistic) -> tuple[float, float]:
    """Return an axis that holds every interval and line; of shares the whole."""
    if one.kind == "share":
        return -0.01, 1.01
    found = [of.statistics[one.key] for row in rows for of in (row, row.ceiling)]
    ends = [end for each in found for end in (each.value, each.low, each.high)]
    ends += [row.majority_baseline.values[one.key] for row in rows]
    known = [end for end in ends if end is not None]
    if one.kind == "difference":
        reach = max([0.5, *map(abs, known)]) * 1.08
        return -reach, reach
    return min([-0.01, *known]) * 1.08, 1.02


def _by_answer_model(rows: Sequence[AgreementRow], of: Mapping[str, Grader]) -> Intervals:
    """One judge's exact agreement, and annotators', on each answering model's answers alone."""
    values = [
        said(
            "{model} {figure} of {n}, annotators {annotators}",
            model=row.answer_model,
            figure=_worded(_EXACT, row.statistics["exact"]),
            n=row.n,
            annotators=_worded(_EXACT, row.ceiling.statistics["exact"]),
        )
        for row in rows
    ]
    judge = rows[0].judge
    return Intervals(
        name="by-model",
        title=said("{judge} by answering model", judge=judge),
        alt=said(
            "Exact agreement of {judge} by answering model: {values}.",
            judge=judge,
            values=joined("; ", values),
        ),
        axis=_axis(_EXACT, rows[0]),
        kind=_EXACT.kind,
        reach=_reach(rows, _EXACT),
        rows=tuple(
            Row(row.answer_model, (_mark(row, _EXACT, of[judge]), _annotators(row))) for row in rows
        ),
    )


def _mark(row: AgreementRow, one: Statistic, of: Grader) -> Mark:
    return Mark(row.called(), _found(row, one), how_many(row.units, row.n), of)


def _found(row: AgreementRow, one: Statistic) -> Estimate:
    """Return a figure of a row; one of too few failing answers is undefined, as in the tables."""
    found = withheld(row.statistics, one)
    return found if isinstance(found, Estimate) else undefined(found)


def _annotators(row: AgreementRow) -> Mark:
    found, n = row.ceiling.statistics["exact"], how_many(row.units, row.ceiling.n)
    return Mark(ANNOTATORS, found, n, "annotators")


def _axis(one: Statistic, row: AgreementRow) -> str:
    """Return what the axis shows; with units it counts labels and not answers."""
    return (
        one.axis.of_units(plural(row.units)) if row.units and one.axis.of_units else one.axis.title
    )


def _short(one: Statistic, value: float) -> str:
    """A value without its interval."""
    return written(Estimate(value), one.kind)


def _worded(one: Statistic, found: Estimate) -> Said | str:
    """An estimate in words, or that it is undefined and why."""
    if found.value is not None:
        return written(found, one.kind)
    return said("undefined ({why})", why=found.why_none)
