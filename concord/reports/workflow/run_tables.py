"""Run tables: what a run is expected to take, and what it took, one figure in each column."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from concord.judges.definition.prices import Band
from concord.judges.running.cost_estimate import Estimate, price_in_words
from concord.judges.running.job import Outcome
from concord.judges.running.progress import USABLE, Counts
from concord.language.grade_statuses import status_words
from concord.messages import Numeral, said, span
from concord.reports.document import Column, Document, Part, Table, table_of


def estimate(found: Estimate) -> Document:
    """Return what a run is expected to take: requests, tokens and price."""
    new, settled, cached = found.counted
    parts = (
        (Column(new, "count"), lambda one: one.new if one.new != one.calls else 0),
        (Column(said("failed before"), "count"), lambda one: one.failed),
        (Column(said("without a result before"), "count"), lambda one: one.retried),
        (Column(said("do not fit the model"), "count"), lambda one: one.too_long),
        (Column(settled, "count"), lambda one: one.settled),
        (Column(cached, "count"), lambda one: one.cached),
        (Column(said("tokens in")), lambda one: _band(one.tokens_in)),
        (Column(said("tokens out")), lambda one: _band(one.tokens_out)),
        (Column(said("cost")), lambda one: one.calls and one.cost and price_in_words(one.cost)),
        (
            Column(said("cost as a batch")),
            lambda one: one.calls and one.batch_cost and price_in_words(one.batch_cost),
        ),
    )
    calls = Column(said("requests"), "count"), lambda one: one.calls
    return Document(
        found.sentence(), tables=(_figures("estimate", found, calls, parts),), notes=_basis(found)
    )


def _basis(found: Estimate) -> tuple[str, ...]:
    """Return what an estimate rests on, and what it does not include."""
    notes = []
    if found.calls:
        notes.append(
            said("Tokens are estimated from earlier replies.")
            if found.from_usage
            else said("Tokens are estimated from the length of the texts.")
        )
        if found.cost and found.price:
            notes.append(said("Prices of {day}.", day=found.price.date))
    return (*notes, found.waiting(), found.basis)


def taken(counts: Counts) -> Table:
    """Return what a run took: requests, results, tokens and cost."""
    lacking = sorted({*counts.statuses} - {*USABLE})
    parts = (
        (Column(said("cached"), "count"), lambda one: one.cached),
        (Column(said("requests"), "count"), lambda one: one.calls),
        (Column(said("grades"), "count"), lambda one: one.statuses["scored"]),
        (Column(said("usable replies"), "count"), lambda one: one.statuses["good"]),
        *((Column(status_words(one), "count"), _with(one)) for one in lacking),
        (Column(said("tokens in"), "count"), lambda one: one.tokens_in),
        (Column(said("tokens out"), "count"), lambda one: one.tokens_out),
        (Column(said("cost")), lambda one: one.money() if one.calls else 0),
    )
    done = Column(said("done"), "count"), lambda one: one.done
    return _figures("taken", counts, done, parts)


def document(one: Any) -> Document:
    """Return how a run ended, or what it is expected to take; of the baseline a sentence."""
    if not isinstance(one, Outcome):
        return Document(one.sentence())
    notes = _basis(one.estimate) if one.status == "estimated" else ()
    return Document(one.sentence(), tables=tuple(outcomes([one])), notes=notes)


def outcomes(found: Iterable[Outcome]) -> Iterator[Table]:
    """Yield what each run took, or is expected to take."""
    for one in found:
        if one.status == "estimated":
            yield from estimate(one.estimate).tables
        elif one.may_be_used:
            yield taken(one.counts)


def _with(status: str):
    return lambda counts: counts.statuses[status]


def _figures(name: str, found: Any, first: Part, parts: Sequence[Part]) -> Table:
    """Return one row of figures; those that are zero or unknown are left out, but not the first."""
    return table_of(name, [found], [first, *(part for part in parts if part[1](found))])


def _band(of: Band) -> str | None:
    if of.low == of.high:
        return Numeral(f"{of.low:,}") if of.high else None
    return span(*(Numeral(f"{one:,}") for one in (of.low, of.high)))
