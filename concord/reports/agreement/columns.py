"""Figures of agreement: which a table or chart has follows from the criterion and the judge."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from concord.messages import said
from concord.reports.agreement.rows import AgreementRow
from concord.reports.document import Column, Part, Table, table_of
from concord.reports.panel.decision_conditions import FAILING
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.unit_words import heading, score, words
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
_COUNTS = (
    ("failed by annotators", "failure_recall", "failing"),
    ("passed by annotators", "false_alarm_rate", "passing"),
    ("failed by the judge", "failure_precision", "judge_failing"),
)
_TITLES = {COMPOSITE: "Composite", CONTINUOUS: "Continuous grades"}


def family(row: AgreementRow, rubric: Rubric) -> str:
    """Return the family of the figures of a row."""
    if row.continuous:
        return CONTINUOUS
    return COMPOSITE if row.criterion == COMPOSITE else of_scale(rubric)


def of_scale(rubric: Rubric) -> str:
    """Return the family of scores of the rubric's scale."""
    return TWO_LEVELS if len(rubric.scale) == 2 else ORDERED


def head(key: str, rubric: Rubric) -> str:
    """Return what a figure is called; of two levels exact agreement is accuracy."""
    return "accuracy" if key == "exact" and of_scale(rubric) == TWO_LEVELS else BY_KEY[key].head


def widest(rows: Sequence[AgreementRow]) -> AgreementRow:
    """Return the row with the largest overlap of annotators, which all are read against."""
    return max(rows, key=lambda row: row.ceiling.n)


def withheld(
    found: Statistics, key: str, other: Estimate | None = None
) -> Estimate | str | float | None:
    """Return a figure, or the number of answers where it is a share of too few that fail.

    None where there is no such figure. `other` is the same figure counted in another way.
    """
    estimate = other or found.by_key.get(key)
    counts = [n for n in found.counts.get(key, {}).values() if n is not None]
    if counts and min(counts) < FAILING_FLOOR and estimate and estimate.value is not None:
        return said("too few ({n})", n=min(counts))
    return estimate


class _Line(NamedTuple):
    """A line of a table: a judge, the annotators with one another, or the baseline."""

    name: str
    of: AgreementRow
    n: int
    statistics: Statistics


def _lines(rows: Sequence[AgreementRow]) -> Iterator[_Line]:
    """Yield the rows of a criterion, and what they are read against, of the largest overlap."""
    yield from (_Line(row.called(), row, row.n, row.statistics) for row in rows)
    of = widest(rows)
    if of.ceiling.n and not of.ceiling.why_none:
        between = of.ceiling.statistics.by_key.items()
        known = {key: one for key, one in between if not BY_KEY[key].directed}
        yield _Line(ANNOTATORS, of, of.ceiling.n, Statistics(known, {}))
    if of.majority_baseline["exact"] is not None and not of.continuous:
        yield _Line(MAJORITY, of, of.n, Statistics(of.majority_baseline, {}))


def tables(rows: Sequence[AgreementRow], rubric: Rubric) -> list[Table]:
    """Return a table per family, and on a scale of several levels two with further figures."""
    by_family: dict[str, dict[str, list[AgreementRow]]] = {}
    for row in rows:
        by_family.setdefault(family(row, rubric), {}).setdefault(row.criterion, []).append(row)
    place: list[Part] = [
        ("judge", "name"),
        ("criterion", lambda line: heading(rubric, line.of.criterion)),
        ("compared with", lambda line: (line.of.continuous or {}).get("mean")),
    ]

    def table(name: str, lines: Sequence[_Line], figures: Sequence[Part], title: str) -> Table:
        return table_of(name, lines, [*place, *figures], title, sparse=True)

    def figures(keys: Sequence[str]) -> list[Part]:
        return [
            (
                Column(head(key, rubric), BY_KEY[key].kind, BY_KEY[key].heading),
                lambda line, key=key: withheld(line.statistics, key),
            )
            for key in keys
        ]

    found, every = [], []
    for one in (one for one in FIGURES if one in by_family):
        lines = [line for mine in by_family[one].values() for line in _lines(mine)]
        parts = [(Column("n", "count"), "n"), *figures(FIGURES[one])]
        found.append(table(one.replace(" ", "-"), lines, parts, _TITLES.get(one, "Agreement")))
        every = lines if one == ORDERED else every
    if every:
        found.append(table("further", every, figures(FURTHER), "Chance-corrected and distance"))
    failing = [line for line in every if line.of.statistics.counts["failure_recall"]["failing"]]
    if failing:
        counts: list[Part] = [
            (
                Column(title, "count"),
                lambda line, key=key, name=name: line.statistics.counts.get(key, {}).get(name),
            )
            for title, key, name in _COUNTS
        ]
        parts = [*counts, *figures(FAILING)]
        found.append(table("failing", failing, parts, _failing_scores(rubric, rows)))
    return found


def _failing_scores(rubric: Rubric, rows: Sequence[AgreementRow]) -> str:
    """Return the title, with the scores that fail where they are the same for all criteria."""
    named = {row.criterion for row in rows}
    failing = {rubric.failing(one) for one in rubric.criteria if one.name in named}
    if len(failing) != 1:
        return "Failing verdicts"
    units = words(rubric)
    scores = " or ".join(score(units, one) for one in sorted(failing.pop()))
    return f"Failing verdicts: {'' if units.labels else 'score '}{scores}"
