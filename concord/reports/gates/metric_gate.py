"""Metric gate: whether the confidence limits of a metric's mean are within a script's bounds.

No annotator is involved: this says how high the metric is, not whether it tracks annotators.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from concord import metrics
from concord.messages import Numeral, Problem, joined, said
from concord.model import Sheet
from concord.reports.document import Column, Document, table_of
from concord.reports.gates.judge_gate import ceiled, floored
from concord.reports.metrics.metric_records import Readings
from concord.reports.metrics.metrics import MetricValues, limits, reading, rows, status_counts
from concord.reports.panel.decision_conditions import MET, NOT_MET

AT_LEAST, AT_MOST = "at_least", "at_most"
_KEPT = ("low", "high", "method", "why_none", "n", "questions")


@dataclass(frozen=True)
class MetricCheck:
    """The mean of a metric by one judge, in one reading, compared with one bound.

    Attributes:
        switches: The choices that make the reading.
        bound: `at_least` for the lower confidence limit, `at_most` for the upper one.
        value: The mean of `n` answers to `questions`; None without a value.
        left_out: How many answers have no value, by status.
    """

    judge: str
    switches: Mapping[str, str]
    bound: str
    wanted: float
    value: float | None
    low: float | None
    high: float | None
    method: str
    why_none: str | None
    n: int
    questions: int
    left_out: Mapping[str, int]
    holds: bool


@dataclass(frozen=True)
class MetricGate:
    """The result of a gate on a metric; it holds where every check does.

    `synthetic` is how many answers of the sheet are synthetic.
    """

    holds: bool
    metric: str
    checks: tuple[MetricCheck, ...]
    sheet: str
    synthetic: int


def gate(
    sheet: Sheet,
    found: Readings,
    name: str,
    at_least: float | None = None,
    at_most: float | None = None,
    judge: str | None = None,
) -> MetricGate:
    """Compare the confidence limits of a metric's mean with bounds.

    A mean without a confidence interval does not pass.

    `at_least` is the minimum of the lower limit, `at_most` the maximum of the upper one. `judge`
    restricts the values to one judge, by name or label.

    Raises:
        Problem: Nothing or nonsense is wanted, or the metric has no value on the sheet.
    """
    bounds = {"at_least": at_least, "at_most": at_most}
    wanted = {bound: value for bound, value in bounds.items() if value is not None}
    _check_wanted(name, wanted)
    of = [row for row in rows(found) if row.metric == name]
    mine = [row for row in of if judge in (None, row.judge, row.judge.partition("@")[0])]
    if not mine:
        raise Problem(_no_value(name, judge, list(dict.fromkeys(row.judge for row in of))))
    checks = tuple(_check(row, bound, value) for row in mine for bound, value in wanted.items())
    holds = all(check.holds for check in checks)
    return MetricGate(holds, name, checks, sheet.name, sheet.synthetic)


def document(found: MetricGate) -> Document:
    """Return what is shown of a gate on a metric."""
    failed, n = sum(not check.holds for check in found.checks), len(found.checks)
    parts = (
        (Column("judge"), "judge"),
        (Column("variant"), lambda check: reading(check.switches)),
        (Column("mean", "value"), "value"),
        (
            Column("95% confidence limit", "value"),
            lambda check: floored(check.low) if check.bound == AT_LEAST else ceiled(check.high),
        ),
        (
            Column("required"),
            lambda check: Numeral(f"{'≥' if check.bound == AT_LEAST else '≤'} {check.wanted:g}"),
        ),
        (Column("answers", "count"), "n"),
        (Column("left out"), _left_out),
        (Column("result"), lambda check: MET if check.holds else NOT_MET),
    )
    undefined = dict.fromkeys(check.why_none for check in found.checks if check.why_none)
    return Document(
        said("The gate fails: {failed} of {n} checks.", failed=failed, n=n)
        if failed
        else said("The gate passes: {n} of {n} checks.", n=n),
        tables=(table_of("checks", found.checks, parts, found.metric),),
        notes=tuple(said("Undefined: {why}.", why=why) for why in undefined),
    )


def _left_out(check: MetricCheck) -> str:
    asked = {status: n for status, n in check.left_out.items() if status != "not_asked"}
    return status_counts(asked, check.left_out.get("not_asked", 0))


def _no_value(name: str, judge: str | None, others: list[str]) -> str:
    if others:
        return said(
            "{judge} gave no value for {metric} on this sheet. Judges that did: {listed}.",
            judge=judge,
            metric=name,
            listed=joined(", ", others),
        )
    return said(
        "{metric} has no value on this sheet yet. Run a judge that computes it: `judge computed` "
        "if it needs no model, otherwise `judge FILE.toml`.",
        metric=name,
    )


def _check_wanted(name: str, wanted: Mapping[str, float]) -> None:
    metric = metrics.available().get(name)
    if metric is None:
        known = joined(", ", metrics.available())
        raise Problem("There is no metric “{name}”. Available: {known}.", name=name, known=known)
    if not wanted:
        option = "--at-least" if metric.better == "higher" else "--at-most"
        raise Problem(
            "The gate needs a bound for {name}. Give {option} with a number.",
            name=name,
            option=option,
        )
    low = -math.inf if metric.low is None else metric.low
    high = math.inf if metric.high is None else metric.high
    for value in wanted.values():
        if not (math.isfinite(value) and low <= value <= high):
            raise Problem(
                "{name}: {value:g} is not a value it can have ({limits}).",
                name=name,
                value=value,
                limits=limits(metric),
            )


def _check(row: MetricValues, bound: str, wanted: float) -> MetricCheck:
    limit = row.low if bound == AT_LEAST else row.high
    holds = limit is not None and (limit >= wanted if bound == AT_LEAST else limit <= wanted)
    return MetricCheck(
        judge=row.judge,
        switches=row.switches,
        bound=bound,
        wanted=wanted,
        value=row.mean,
        **{key: getattr(row, key) for key in _KEPT},
        left_out=Counter(row.left_out) + Counter({"not_asked": row.not_asked}),
        holds=holds,
    )
