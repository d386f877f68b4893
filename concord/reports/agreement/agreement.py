"""Agreement of judges with annotators: the report, one definition for screen and `--json`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from concord.messages import message_of
from concord.model import BASELINE, Grader
from concord.reports.agreement import bias_tests, unit_agreement
from concord.reports.agreement.rows import AgreementRow, rows
from concord.reports.document import OPTIONAL
from concord.reports.panel.candidates import ENOUGH, of_decision
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, PairStatistics, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.provenance import Annotator, counted_annotators, named, weighting
from concord.reports.probabilities import judge_probabilities
from concord.reports.reliability import annotator_alerts, panel_reliability, test_retest
from concord.reports.reliability.annotator_alerts import Alert
from concord.rubrics.model import Rubric
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.statistics import best_exact
from concord.store.database import Store

_OF_ROW = (
    *("sheet", "rubric", "judge", "fingerprint", "simulated", "criterion", "reference"),
    *("answer_model", "n", "questions", "clusters"),
)
_NUMBERS = ("value", "low", "high", "human_ceiling", "majority_baseline")


@dataclass(frozen=True)
class AgreementReport:
    """Agreement of all judges with the annotators.

    Attributes:
        reliability: From `test_retest.of_annotators`.
        uncounted: Annotators whose grades do not count, with the reason.
        weighting: How answers are weighted; None where all weigh the same.
        alerts: Open ones, from `annotator_alerts.open_alerts`.
        without_alerts: The row of the headline without the annotators of these; None without any.
        segments: From `segments.agreement`, where a column was asked for.

    Of a whole report only:
        annotator_agreement: From `panel_reliability.rows`.
        bias_tests: From `bias_tests.run`.
        units: From `unit_agreement.report`; None but for a rubric of units.
        confidence: From `judge_probabilities.report`, of every criterion.
    """

    rows: tuple[AgreementRow, ...]
    reliability: tuple[Any, ...]
    annotators: tuple[Annotator, ...]
    uncounted: dict[str, str]
    weighting: str | None
    alerts: tuple[Alert, ...] = ()
    without_alerts: AgreementRow | None = field(default=None, metadata=OPTIONAL)
    segments: dict[str, Any] | None = field(default=None, metadata=OPTIONAL)
    annotator_agreement: tuple[Any, ...] | None = field(default=None, metadata=OPTIONAL)
    bias_tests: tuple[Any, ...] | None = field(default=None, metadata=OPTIONAL)
    units: Any | None = field(default=None, metadata=OPTIONAL)
    confidence: tuple[Any, ...] | None = field(default=None, metadata=OPTIONAL)

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with one row per judge, criterion, answering model and statistic.

        `value`, `low` and `high` are in the unit of the statistic; what is undefined is NaN, with
        its reason in `why_none`. `human_ceiling` is the same statistic of annotators with one
        another, `majority_baseline` that of always giving the most frequent score.
        """
        lines = [
            (
                *(getattr(row, name) for name in _OF_ROW),
                key,
                *one[:3],
                ceiling.value if (ceiling := row.ceiling.statistics.by_key.get(key)) else None,
                row.majority_baseline.get(key),
                message_of(one.why_none),
            )
            for row in self.rows
            for key, one in row.statistics.by_key.items()
        ]
        columns = [*_OF_ROW, "statistic", *_NUMBERS, "why_none"]
        return pd.DataFrame(lines, columns=columns).astype(dict.fromkeys(_NUMBERS, float))


def best_judge(on: CriterionPanel) -> tuple[Grader, PairStatistics, dict[str, Any]] | None:
    """Return the best judge, its answers and its `best_of`; the baseline only where it is alone.

    None where no judge has scores of the scale, which the composite has not.
    """
    if on.criterion is None:
        return None
    panel = on.panel
    judged = [(judge, on.judged(judge, ())) for judge in panel.judges.values()]
    judged = [(judge, one) for judge, one in judged if one.n]
    real = [pair for pair in judged if pair[0].name != BASELINE] or judged
    if not real:
        return None
    # A judge that scored the easy answers alone would lead every list by agreement.
    most = max(one.n for _, one in real)
    real = [(judge, one) for judge, one in real if one.n >= ENOUGH * most]
    pairs = [one.pairs for _, one in real]
    best, exact = best_exact(pairs, panel.rubric.scale)
    shares = [one.weight @ (one.judge == one.annotator) / one.weight.sum() for one in pairs]
    tied = tuple(
        panel.labels[judge.id]
        for n, (judge, _) in enumerate(real)
        if n != best and shares[best] - shares[n] < NEGLIGIBLE
    )
    return *real[best], {"judges": len(real), "exact": exact, "tied": tied}


def with_best(panel: Panel, kind: str, rows: Sequence[AgreementRow]) -> list[AgreementRow]:
    """Return the rows, each criterion's best judge marked as such."""
    best = {}
    for name in dict.fromkeys(row.criterion for row in rows if row.criterion != COMPOSITE):
        if found := best_judge(ground(panel, name, kind)):
            best[name, kind, panel.labels[found[0].id]] = found[2]
    places = [(row.criterion, row.reference, row.judge) for row in rows]
    return [replace(row, best_of=best.get(at)) for row, at in zip(rows, places, strict=True)]


def of_headline(rows: Iterable[AgreementRow], rubric: Rubric) -> AgreementRow | None:
    """Return the best judge's row on the heaviest criterion with grades of both.

    Else the first row there; None without rows of all answering models.
    """
    rows = [row for row in rows if not row.answer_model]
    graded = {row.criterion for row in rows if row.n}
    by_weight = [one.name for one in rubric.by_weight()]
    criterion = next((name for name in by_weight if name in graded), by_weight[0])
    mine = [row for row in rows if row.criterion == criterion]
    return max(mine, key=lambda row: (bool(row.best_of), row.n > 0), default=None)


def report(panel: Panel, kind: str = EACH, by_answer_model: bool = False) -> AgreementReport:
    """Return the figures that decide, each annotator's own reliability, and who counts."""
    by_model = [
        replace(row, answer_model=model)
        for model in (panel.answer_models if by_answer_model else ())
        for row in rows(panel.within(model), kind)
    ]
    return AgreementReport(
        rows=(*with_best(panel, kind, rows(panel, kind)), *by_model),
        reliability=tuple(test_retest.of_annotators(panel)),
        annotators=counted_annotators(panel.graded_by),
        uncounted=panel.uncounted,
        weighting=weighting(panel),
    )


def with_alerts(store: Store, panel: Panel, found: AgreementReport) -> AgreementReport:
    """Add the open alerts, and the row of the headline without the annotators of these."""
    alerts = annotator_alerts.open_alerts(store, panel)
    row = of_headline(found.rows, panel.rubric)
    return replace(found, alerts=alerts, without_alerts=row and without_alerted(panel, alerts, row))


def without_alerted(
    panel: Panel, alerts: Iterable[Alert], row: AgreementRow
) -> AgreementRow | None:
    """Return a row without the annotators who have an alert; None where that is none, or all."""
    alerted = {one.annotator for one in alerts}
    people = panel.annotators.items()
    others = [i for i, one in people if named(one.name, one.simulated) not in alerted]
    if not others or len(others) == len(people) or row.criterion not in panel.criteria:
        return None
    judge = next(i for i, label in panel.labels.items() if label == row.judge)
    found = rows(of_decision(panel, others), row.reference, [row.criterion], [judge])
    return next((one for one in found if one.reference == row.reference), None)


def whole(
    store: Store, panel: Panel, kind: str = EACH, by_answer_model: bool = False
) -> AgreementReport:
    """Return the report with alerts, probabilities, bias tests and every further analysis."""
    found = with_alerts(store, panel, report(panel, kind, by_answer_model))
    given = judge_probabilities.read(store, panel)
    return replace(
        found,
        annotator_agreement=tuple(panel_reliability.rows(panel)),
        bias_tests=tuple(bias_tests.run(panel, bias_tests.lengths(store, panel))),
        units=unit_agreement.report(store, panel),
        confidence=tuple(
            row
            for one in panel.rubric.criteria
            for row in judge_probabilities.report(panel, given, one.name, kind)
        ),
    )
