"""Figures of agreement: which a table or chart has follows from the criterion and the judge."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from concord.messages import Said, said
from concord.reports.agreement.rows import AgreementRow
from concord.reports.document import Column, Part, Table, table_of
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.unit_words import heading, of_rubric, score
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate, Statistics
from concord.stats.core.minimums import FAILING_FLOOR
from concord.stats.statistics import BY_KEY

ANNOTATORS, MAJORITY = "inter-annotator agreement", "majority-class baseline"
TWO_LEVELS, ORDERED, CONTINUOUS = "two levels", "ordered levels", "continuous"
# By family the figures in their order, the first of which is preselected. A further kind of
# criterion is a further entry.
FIGURES: dict[str, tuple[str, ...]] = {
    TWO_LEVELS: (
        *("exact", "kappa", "failure_recall", "failure_precision", "failure_f1"),
        "false_alarm_rate",
    ),
    ORDERED: ("exact", "within_one", "qwk", "bias"),
    CONTINUOUS: ("spearman", "pearson", "mae"),
    COMPOSITE: ("mae", "bias", "ccc"),
}
FURTHER = ("kappa", "tau_b", "mae")
FAILING = (
    *("failure_recall", "failure_precision", "false_alarm_rate", "failure_f1"),
    "balanced_accuracy",
)
_COUNTS = (
    ("failed by annotators", "failure_recall", "failing"),
    ("passed by annotators", "false_alarm_rate", "passing"),
    ("failed by the judge", "failure_precision", "judge_failing"),
)


def family(row: AgreementRow, rubric: Rubric) -> str:
    """Return the family of the figures of a row."""
    if row.criterion == COMPOSITE and not row.continuous:
        return COMPOSITE
    return CONTINUOUS if row.continuous else of_scale(rubric)


def of_scale(rubric: Rubric) -> str:
    """Return the family of scores of the rubric's scale."""
    return TWO_LEVELS if len(rubric.scale) == 2 else ORDERED


def head(key: str, rubric: Rubric) -> str:
    """Return what a figure is called; of two levels exact agreement is accuracy."""
    return "accuracy" if key == "exact" and of_scale(rubric) == TWO_LEVELS else BY_KEY[key].head


def figure(found: Statistics, key: str, other: Estimate | None = None) -> Estimate | Said | None:
    """Return a figure, or the number of answers where it is a share of too few that fail.

    `other` is the same figure counted in another way.
    """
    estimate = other or found.by_key.get(key)
    numbers = [n for n in found.counts.get(key, {}).values() if n is not None]
    known = isinstance(estimate, Estimate) and estimate.value is not None
    if known and numbers and min(numbers) < FAILING_FLOOR:
        return said("too few ({n})", n=min(numbers))
    return estimate


class _Line(NamedTuple):
    """A line of a table: a judge, the annotators with one another, or the baseline."""

    name: str
    of: AgreementRow
    n: int
    found: Statistics


def _lines(rows: Sequence[AgreementRow]) -> Iterable[_Line]:
    """Yield the rows of a criterion, and what they are read against, of the largest overlap."""
    yield from (_Line(row.called(), row, row.n, row.statistics) for row in rows)
    widest = max(rows, key=lambda row: row.ceiling.n)
    if widest.ceiling.n and not widest.ceiling.why_none:
        between = widest.ceiling.statistics.by_key.items()
        known = {key: one for key, one in between if not BY_KEY[key].directed}
        yield _Line(ANNOTATORS, widest, widest.ceiling.n, Statistics(known, {}))
    always = widest.majority_baseline
    if always.exact is not None and not widest.continuous:
        yield _Line(MAJORITY, widest, widest.n, Statistics(dict(always.values), {}))


def tables(rows: Sequence[AgreementRow], rubric: Rubric) -> list[Table]:
    """Return a table per family, and on a scale of several levels two with further figures."""
    by_family: dict[str, dict[str, list[AgreementRow]]] = {}
    for row in rows:
        by_family.setdefault(family(row, rubric), {}).setdefault(row.criterion, []).append(row)
    order = [one for one in FIGURES if one in by_family]
    found = []
    for one in order:
        every = [line for mine in by_family[one].values() for line in _lines(mine)]
        keys = [(key, Column(head(key, rubric), *_kind(key))) for key in FIGURES[one]]
        parts = [*_places(rubric), *((column, _cell(key)) for key, column in keys)]
        title = {COMPOSITE: "Composite", CONTINUOUS: "Continuous grades"}.get(one, "Agreement")
        found.append(table_of(one.replace(" ", "-"), every, parts, title, sparse=True))
    every = [line for mine in by_family.get(ORDERED, {}).values() for line in _lines(mine)]
    failing = [line for line in every if line.of.failing]
    for name, keys, counts, lines, title in (
        ("further", FURTHER, (), every, "Chance-corrected and distance"),
        ("failing", FAILING, _COUNTS, failing, _failing_scores(rubric, rows)),
    ):
        figures = [(Column(BY_KEY[key].head, *_kind(key)), _cell(key)) for key in keys]
        parts = [*_places(rubric, count=False), *map(_count, counts), *figures]
        found += [table_of(name, lines, parts, title, sparse=True)] if lines else []
    return found


def _kind(key: str) -> tuple[str, str]:
    return BY_KEY[key].kind, BY_KEY[key].heading


def _cell(key: str):
    return lambda line: figure(line.found, key)


def _count(one: tuple[str, str, str]) -> Part:
    title, key, name = one
    return Column(title, "count"), lambda line: line.found.counts.get(key, {}).get(name)


def _places(rubric: Rubric, count: bool = True) -> list[Part]:
    places: list[Part] = [
        ("judge", "name"),
        ("criterion", lambda line: heading(rubric, line.of.criterion)),
        ("compared with", lambda line: line.of.continuous and line.of.continuous.mean),
    ]
    return [*places, (Column("n", "count"), "n")] if count else places


def _failing_scores(rubric: Rubric, rows: Sequence[AgreementRow]) -> str:
    """Return the title, with the scores that fail where they are the same for all criteria."""
    named = {row.criterion for row in rows}
    failing = {rubric.failing(one) for one in rubric.criteria if one.name in named}
    if len(failing) != 1:
        return "Failing verdicts"
    units = of_rubric(rubric)
    scores = " or ".join(score(units, one) for one in sorted(failing.pop()))
    return f"Failing verdicts: {'' if units else 'score '}{scores}"
