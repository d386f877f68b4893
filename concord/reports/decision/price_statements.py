"""Stated prices of a judge whose grades were imported, the newest first."""

from collections.abc import Sequence

from concord.judges.definition.stated_price import Statement
from concord.messages import said
from concord.reports.cells import written
from concord.reports.document import Column, Document, table_of


def document(found: Sequence[Statement]) -> Document:
    """Return the price that counts, and every statement; `found` is oldest first."""
    newest = found[-1] if found else None
    parts = (
        (Column(said("per 1,000"), "usd"), lambda one: one.usd),
        (Column(said("stated on")), lambda one: one.on),
        (Column(said("by")), lambda one: one.by),
        (Column(said("tokens in"), "count"), lambda one: one.tokens and int(one.tokens.input)),
        (Column(said("tokens out"), "count"), lambda one: one.tokens and int(one.tokens.output)),
        (Column(said("model")), lambda one: one.tokens and one.tokens.model),
        (Column(said("price from")), lambda one: one.price),
    )
    table = table_of("stated-prices", reversed(found), parts, sparse=True)
    if newest is None or newest.usd is None:
        return Document(
            said("Price per 1,000 answers: unknown"),
            (
                said(
                    "The grades of this judge were imported. Without a price it cannot be the "
                    "cheapest that is good enough."
                ),
            ),
            (table,),
        )
    return Document(
        said("Price per 1,000 answers: {price}", price=written(newest.usd, "usd")),
        tables=(table,),
        notes=(said("Stated, not measured."),),
    )
