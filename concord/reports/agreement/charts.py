"""Charts of the agreement report: a figure of every judge on a criterion."""

from collections.abc import Iterator, Mapping, Sequence

from concord.messages import Said, said
from concord.model import BASELINE
from concord.reports.agreement.columns import FAILING, FIGURES, FURTHER, ORDERED, family, figure
from concord.reports.agreement.rows import AgreementRow
from concord.reports.cells import written
from concord.reports.charts import Grader, Intervals, Line, Mark, Row, graders
from concord.reports.panel.panel import Panel
from concord.reports.panel.unit_words import criterion_of, how_many, plural, score
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.statistics import BY_KEY, Statistic


def looks(panel: Panel) -> dict[str, Grader]:
    """Return the look that each judge of a panel has on all its charts."""
    judges = panel.judges.items()
    return graders((panel.labels[i], judge.name == BASELINE) for i, judge in judges)


def charted(row: AgreementRow, rubric: Rubric) -> list[str]:
    """Return the figures of a row that have a chart, the one to begin with first."""
    of = family(row, rubric)
    keys = (*FIGURES[of], *((*FURTHER, *FAILING) if of == ORDERED else ()))
    return [key for key in keys if BY_KEY[key].axis]


def chart(
    rows: Sequence[AgreementRow], rubric: Rubric, key: str, of: Mapping[str, Grader]
) -> Intervals:
    """Return every judge's figure on a criterion, beside what it is read against.

    `of` are the `looks` of judges.
    """
    rows, one = [row for row in rows if not is_mean(row)], BY_KEY[key]
    first = rows[0]
    criterion = first.units.title if first.units else criterion_of(rubric, first.criterion)
    axis = one.axis.title
    if first.units and one.axis.of_units:
        axis = one.axis.of_units(plural(first.units))
    marks = (
        Mark(row.called(), _estimate(row, key), how_many(row.units, row.n), of[row.judge])
        for row in _best_first(rows, one)
    )
    return Intervals(
        name=key,
        title="",
        alt=axis,
        axis=axis,
        kind=one.kind,
        reach=_reach(rows, one),
        rows=tuple(Row(mark.name, (mark,)) for mark in marks),
        lines=tuple(_lines(rows, one)),
        heading=criterion,
    )


def best_first(rows: Sequence[AgreementRow], key: str) -> list[AgreementRow]:
    """Return rows of a criterion as its chart of a figure has them; those of means come last."""
    means = [row for row in rows if is_mean(row)]
    return [*_best_first([row for row in rows if not is_mean(row)], BY_KEY[key]), *means]


def is_mean(row: AgreementRow) -> bool:
    """Return True for a row whose reference is an imported mean of annotators."""
    return row.continuous is not None and bool(row.continuous.mean)


def _best_first(rows: Sequence[AgreementRow], one: Statistic) -> list[AgreementRow]:
    """The best judge first; after them those without an interval or a value, the floor last."""

    def order(row: AgreementRow) -> tuple:
        found = _estimate(row, one.key)
        return row.floor, found.value is None, found.low is None, -one.better(found.value or 0)

    return sorted(rows, key=order)


def _estimate(row: AgreementRow, key: str) -> Estimate:
    """Return a figure of a row; one of too few failing answers is undefined, as in the tables."""
    found = figure(row.statistics, key)
    return found if isinstance(found, Estimate) else undefined(found or "")


def _between(row: AgreementRow, key: str) -> Estimate:
    return row.ceiling.statistics.by_key.get(key) or undefined(row.ceiling.why_none or "")


def _lines(rows: Sequence[AgreementRow], one: Statistic) -> Iterator[Line]:
    """Yield the reference lines, of the row with the largest overlap of annotators.

    Where rows are of other answers, the lines say of how many they are.
    """
    widest = max(rows, key=lambda row: row.ceiling.n)
    baseline, annotators = widest.majority_baseline, _between(widest, one.key)
    same = len({(row.n, row.ceiling.n) for row in rows if row.n}) < 2
    level = baseline.values.get(one.key)
    if level is not None and not widest.continuous:
        always = said("always {score}", score=score(widest.units, baseline.score))
        text = _label(always, level, one, None if same else widest.n)
        yield Line(Estimate(level), text, "constant")
    if one.kind == "difference":
        yield Line(Estimate(0.0), "no bias", "annotators")
    elif annotators.value is None:
        yield Line(annotators, "annotators: unknown", "annotators")
    else:
        n = None if same else widest.ceiling.n
        yield Line(annotators, _label("annotators", annotators.value, one, n), "annotators")


def _label(name: str, value: float, one: Statistic, n: int | None) -> Said:
    template = "{name}: {value}" if n is None else "{name}: {value} (n = {n:,})"
    return said(template, name=name, value=written(Estimate(value), one.kind), n=n)


def _reach(rows: Sequence[AgreementRow], one: Statistic) -> tuple[float, float]:
    """Return an axis that holds every interval and line; of shares the whole."""
    if one.kind == "share":
        return -0.01, 1.01
    found = [each for row in rows for each in (_estimate(row, one.key), _between(row, one.key))]
    ends = [end for each in found for end in (each.value, each.low, each.high)]
    ends += [row.majority_baseline.values.get(one.key) for row in rows if not row.continuous]
    known = [end for end in ends if end is not None]
    if one.kind == "difference":
        reach = max([0.5, *map(abs, known)]) * 1.08
        return -reach, reach
    return min([-0.01, *known]) * 1.08, max([1.0, *known]) * 1.02
