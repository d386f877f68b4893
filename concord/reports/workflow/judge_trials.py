"""Trials of a judge before it runs: the findings of one call, and the canaries it failed."""

from concord.judges.checks.canary import Outcome
from concord.judges.checks.endpoint_findings import Report
from concord.messages import joined, said
from concord.reports.document import Document

_MARKS = {True: "✓", False: "✗", None: "–"}
_CALLED = {"reached": said("connection")}  # what a finding is called, where that differs


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
    failures = (joined(" ", [_MARKS[False], *told]) for told in outcome.failures())
    return Document(outcome.head(), tuple(failures), notes=outcome.untried)
