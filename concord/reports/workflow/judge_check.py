"""Judge check: the one request that a check sends to a judge, and documents of a judge's trials."""

from concord.judges.checks import endpoint_check
from concord.judges.checks.canary import Outcome
from concord.judges.checks.endpoint_check import ITEM, Report, SentRequest
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.prompting import metric_request
from concord.judges.run.progress import usd
from concord.messages import counted, joined
from concord.metrics.prompts import verdicts
from concord.metrics.selection import wanted
from concord.model import Unit
from concord.reports.document import Document
from concord.store.database import Store


def named(
    store: Store,
    name: str,
    model: str | None = None,
    base_url: str | None = None,
    rubric: str | None = None,
    sheet_name: str | None = None,
) -> SentRequest | Report:
    """The request for a judge that the user names, or the report on one that sends none.

    A judge for metrics is asked for a verdict as its first metric with verdicts asks for one;
    where none does, by a small rubric.
    """
    judge = registry.named(store, name).with_overrides(model, base_url)
    if judge.of_metrics and judge.model and not rubric:
        asked = (rubric for one in wanted(judge) if not one.by_rule for rubric in one.rubrics)
        if first := next(asked, None):
            return of_rubric(judge, first)
    return endpoint_check.of_judge(store, judge, rubric, sheet_name)


def of_rubric(judge: Judge, name: str) -> SentRequest:
    """A request for a verdict on the built-in answer under a rubric of units."""
    rubric = verdicts.rubric(name)
    ask = verdicts.request(rubric, _ITEM, [Unit(1, rubric.units, ITEM.answer, 0)])
    return SentRequest(
        judge, rubric, metric_request.part(ask), metric_request.body(judge, ask), 1, ask
    )


_ITEM = ITEM._replace(reference_contexts=tuple(one.text for one in ITEM.contexts))


_MARKS = {True: "✓", False: "✗", None: "–"}
_CALLED = {"reached": "connection"}  # what a finding is called, where that differs


def of_check(report: Report) -> Document:
    """Return the findings of a check: what works, ignored options, and what to change."""
    facts = (
        joined(
            " ", [_MARKS[one.holds], joined(": ", [_CALLED.get(one.what, one.what), one.sentence])]
        )
        for one in report.findings
    )
    return Document(f"{report.judge} ({report.url or 'no API calls'})", tuple(facts))


def of_canaries(outcome: Outcome) -> Document:
    """Return how many canaries passed, each failure, and what has no canary."""
    failures = []
    for one in outcome.canaries:
        if not one["holds"]:
            told = f"it said {one['said'].removesuffix('.')}." if one["said"] else one["why"]
            asked = f"{_MARKS[False]} {one['name']} ({one['under']}):", one["asked"]
            right = f"Expected: {' or '.join(one['right'])};"
            failures.append(joined(" ", [*asked, right, told]))
    n, right = len(outcome.canaries), sum(one["holds"] for one in outcome.canaries)
    spent = "cost unknown" if outcome.cost_usd is None else usd(outcome.cost_usd)
    head = f"{outcome.judge}: no canary applies to its requests."
    if n:
        head = f"{outcome.judge}: {right:,} of {counted(n, 'canary', 'canaries')} right ({spent})."
    return Document(head, tuple(failures), notes=outcome.untried)
