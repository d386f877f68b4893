"""Charts of the agreement report: a figure of every judge on a criterion."""

from collections.abc import Mapping, Sequence

from concord.messages import said
from concord.model import BASELINE
from concord.reports.agreement.columns import FIGURES, FURTHER, ORDERED, family, widest, withheld
from concord.reports.agreement.rows import AgreementRow
from concord.reports.cells import written
from concord.reports.charts import Grader, Intervals, Line, Mark, graders
from concord.reports.panel.decision_conditions import FAILING
from concord.reports.panel.panel import Panel
from concord.reports.panel.unit_words import how_many, score, words
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.statistics import BY_KEY


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

    `of` are the `looks` of judges. The reference lines are of the row with the largest overlap of
    annotators; where rows are of other answers, the lines say of how many they are.
    """
    rows, one, units = [row for row in rows if not is_mean(row)], BY_KEY[key], words(rubric)
    against = widest(rows)
    between = against.ceiling.statistics.by_key.get(key) or undefined("")
    same = len({(row.n, row.ceiling.n) for row in rows if row.n}) < 2
    always = None if against.continuous else against.majority_baseline.get(key)

    def label(name: str, value: float, n: int) -> str:
        template = "{name}: {value}" if same else "{name}: {value} (n = {n:,})"
        return said(template, name=name, value=written(Estimate(value), one.kind), n=n)

    lines = []
    if always is not None:
        name = said("always {score}", score=score(units, against.majority_baseline["score"]))
        lines.append(Line(Estimate(always), label(name, always, against.n), "constant"))
    if one.kind == "difference":
        lines.append(Line(Estimate(0.0), "no bias", "annotators"))
    elif between.value is None:
        lines.append(Line(between, "annotators: unknown", "annotators"))
    else:
        text = label("annotators", between.value, against.ceiling.n)
        lines.append(Line(between, text, "annotators"))
    marks = [
        Mark(row.called(), _estimate(row, key), how_many(units, row.n), of[row.judge])
        for row in best_first(rows, key)
    ]
    ends = [end for mark in marks for end in mark.found[:3]]
    ends += [end for line in lines for end in line.found[:3]]
    known = [end for end in ends if end is not None]
    title = one.axis.format(units=units.plural)
    half = max([0.5, *map(abs, known)]) * 1.08
    return Intervals(
        name=key,
        title="",
        alt=title,
        axis=title,
        kind=one.kind,
        reach={"share": (-0.01, 1.01), "difference": (-half, half)}.get(
            one.kind, (min([-0.01, *known]) * 1.08, max([1.0, *known]) * 1.02)
        ),
        rows=tuple((mark.name, (mark,)) for mark in marks),
        lines=tuple(lines),
    )


def best_first(rows: Sequence[AgreementRow], key: str) -> list[AgreementRow]:
    """Return rows of a criterion as its chart of a figure has them; those of means come last.

    After the best judges those without an interval or a value, and the text model.
    """

    def order(row: AgreementRow) -> tuple:
        found = _estimate(row, key)
        known = found.value is None, found.low is None, -BY_KEY[key].better(found.value or 0)
        return (True,) if is_mean(row) else (False, row.floor, *known)

    return sorted(rows, key=order)


def is_mean(row: AgreementRow) -> bool:
    """Return True for a row whose reference is an imported mean of annotators."""
    return row.continuous is not None and bool(row.continuous["mean"])


def _estimate(row: AgreementRow, key: str) -> Estimate:
    """Return a figure of a row; one of too few failing answers is undefined, as in the tables."""
    found = withheld(row.statistics, key)
    return found if isinstance(found, Estimate) else undefined(found or "")
