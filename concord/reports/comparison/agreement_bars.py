"""Exact agreement of judges compared with the bars of a published study."""

from collections.abc import Iterator, Sequence
from typing import Any

from concord.messages import said, spoken
from concord.reports.agreement.results import AgreementRow
from concord.reports.agreement.rows import rows as agreement_rows
from concord.reports.comparison.study import Request, StudyResult
from concord.reports.document import Column, Part, table_of
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.simulated import annotators_sentence, named
from concord.reports.panel.variants import Variant
from concord.stats.core.estimate import Estimate

EXACT_BAR, WITHIN_ONE_BAR = 0.80, 0.95
# As in JSON, whose words stay: a table says that it is inconclusive.
YES, NO, INCONCLUSIVE = said("reached"), said("not reached"), "cannot tell"


def reached(estimate: Estimate, bar: float) -> str:
    """Tell if a share reaches a bar, by its 95% CI."""
    if estimate.low is None:
        return INCONCLUSIVE
    if estimate.low >= bar:
        return YES
    return NO if estimate.high < bar else INCONCLUSIVE


def _shown(estimate: Estimate, bar: float) -> str:
    found = reached(estimate, bar)
    return said("inconclusive") if found == INCONCLUSIVE else found


_PARTS: tuple[Part, ...] = (
    (Column(said("judge")), lambda row: row.judge),
    (Column(said("criterion")), lambda row: spoken(row.criterion)),
    (Column(said("exact"), "share"), lambda row: row.statistics["exact"]),
    (Column(said("at least 80%")), lambda row: _shown(row.statistics["exact"], EXACT_BAR)),
    (Column(said("within one"), "share"), lambda row: row.statistics["within_one"]),
    (
        Column(said("at least 95%")),
        lambda row: _shown(row.statistics["within_one"], WITHIN_ONE_BAR),
    ),
    (
        Column(said("human ceiling, exact"), "share"),
        lambda row: row.ceiling.statistics["exact"].value,
    ),
    (Column(said("n"), "count"), lambda row: row.n),
)


def judged(asked: Request) -> list[AgreementRow]:
    """Return the agreement of every judge on the annotators' scale, by criterion."""
    labels = _labels(asked)
    return [
        row
        for row in agreement_rows(asked.annotators, asked.kind)
        if row.judge in labels and row.criterion != COMPOSITE and row.n and not row.continuous
    ]


def compare(asked: Request, rows: Sequence[AgreementRow]) -> StudyResult:
    """Compare exact agreement of every judge with the published bars."""
    annotators, labels = asked.annotators, _labels(asked)
    rubric = annotators.rubric.name
    judge = _best(rows, annotators.rubric.heaviest().name)
    own = [reached(row.statistics["exact"], EXACT_BAR) for row in rows if row.judge == judge]
    simulated = sum(person.simulated for person in annotators.annotators.values())
    judges = len({row.judge for row in rows})
    return StudyResult(
        said(
            "{judge} reaches 80% on {yes} of {n} criteria, {unsure} inconclusive",
            judge=named(labels[judge].label, labels[judge].judge.simulated),
            yes=own.count(YES),
            unsure=own.count(INCONCLUSIVE),
            n=len(own),
        ),
        table_of("agreement", rows, _PARTS),
        [_figures(row) for row in rows],
        (
            said("The bar is an annotator's exact score on at least 80% of answers."),
            said("Rubric {rubric}; each 95% CI is pointwise.", rubric=rubric),
            said("The figure of the best of several judges is slightly optimistic.")
            if judges > 1
            else "",
            ""
            if len(annotators.rubric.scale) == 4
            else said("The bars were set on a scale of four scores."),
            annotators_sentence(simulated, len(annotators.annotators)),
        ),
        tuple(_missing(rows)),
    )


def _labels(asked: Request) -> dict[str, Variant]:
    """Return the judges by label, without the baseline and other rubrics."""
    mine = [v for v in asked.chosen if v.rubric.name == asked.annotators.rubric.name]
    return {asked.annotators.labels[v.judge.id]: v for v in mine if not v.floor}


def _best(rows: Sequence[AgreementRow], criterion: str) -> str:
    mine = [row for row in rows if row.criterion == criterion] or rows
    return max(mine, key=lambda row: row.statistics["exact"].value).judge


def _figures(row: AgreementRow) -> dict[str, Any]:
    kept = ("judge", "fingerprint", "simulated", "criterion", "n", "questions", "left_out")
    return {name: getattr(row, name) for name in kept} | {
        "exact": row.statistics["exact"],
        "exact_reached": reached(row.statistics["exact"], EXACT_BAR),
        "within_one": row.statistics["within_one"],
        "within_one_reached": reached(row.statistics["within_one"], WITHIN_ONE_BAR),
        "ceiling_exact": row.ceiling.statistics["exact"],
    }


def _missing(rows: Sequence[AgreementRow]) -> Iterator[str]:
    if all(row.ceiling.statistics["exact"].value is None for row in rows):
        yield said("inter-annotator agreement. Let two annotators grade some of the same answers.")
    if any(row.statistics["exact"].low is None for row in rows):
        yield said("confidence intervals. Grade answers to at least 10 questions, better 50.")
