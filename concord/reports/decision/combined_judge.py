"""A combined judge on a sheet: its members, its fit, and how its members' errors correlate."""

from collections.abc import Sequence

from concord.judges.combined.combine import Combination, ErrorCorrelation, combine
from concord.judges.definition.model import FITTED, RULE_WORDS, CriterionFit, Judge
from concord.judges.running.job import ComputedOutcome
from concord.messages import Numeral, joined, said
from concord.model import Grader, Sheet
from concord.reports.decision.cost import cost
from concord.reports.document import Column, Document, Table, table_of
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


def document(store: Store, sheet: Sheet, judge: Judge, grader: Grader | None) -> Document:
    """Return what a combined judge is made of.

    Raises:
        Problem: A member has no grades on the sheet.
    """
    _, rubric = rubric_versions.argument(store, judge.rubric)
    found = combine(store, sheet, rubric, judge)
    notes = [
        said("{criterion}: {why}", criterion=name, why=why) for name, why in found.lacking.items()
    ]
    if grader is not None and grader.fingerprint != found.fingerprint and judge.rule in FITTED:
        notes.append("The grades have changed since: run it again for a new fit.")
    tables = [_members(store, sheet, found), error_correlations(found.correlations)]
    if found.fit:
        tables.insert(1, _fits(found.fit.criteria))
        notes.append(said("Digest of the fit: {digest}.", digest=found.fit.digest))
    title = said(
        "{rule} of {members}",
        rule=RULE_WORDS[judge.rule],
        members=joined(", ", [one.name for one in found.members]),
    )
    return Document(title, tables=tuple(one for one in tables if one.rows), notes=tuple(notes))


def of_outcome(one: ComputedOutcome) -> Document:
    """Return how a run ended, with how its members' errors correlate."""
    tables = (error_correlations(one.combination.correlations),) if one.combination else ()
    return Document(one.sentence(), tables=tuple(table for table in tables if table.rows))


def error_correlations(found: Sequence[ErrorCorrelation]) -> Table:
    """Return how the errors of each pair of members correlate, criterion by criterion."""
    parts = (
        (Column("criterion"), "criterion"),
        (Column("member"), "one"),
        (Column("other member"), "other"),
        (Column("correlation of errors", "number"), "estimate"),
        (Column("n", "count"), "n"),
        (Column("clusters of questions", "count"), "clusters"),
    )
    return table_of("error-correlations", found, parts)


def _members(store: Store, sheet: Sheet, found: Combination) -> Table:
    priced = [(one, cost(store, sheet, one)) for one in found.members]
    parts = (
        (Column("member"), lambda pair: pair[0].label()),
        (Column("USD per 1,000 answers", "usd"), lambda pair: pair[1].per_1000),
    )
    return table_of("members", priced, parts)


def _fits(criteria: dict[str, CriterionFit]) -> Table:
    rows = [(name, one) for name, one in criteria.items()]
    parts = (
        (Column("criterion"), lambda row: row[0]),
        (Column("weights"), lambda row: _numbers(row[1].weights)),
        (Column("cut points"), lambda row: _numbers(row[1].points)),
        (Column("answers fitted to", "count"), lambda row: row[1].answers),
    )
    return table_of("fit", rows, parts)


def _numbers(found: Sequence[float]) -> str:
    return joined(", ", [Numeral(f"{one:.3g}") for one in found])
