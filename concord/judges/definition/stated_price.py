"""Stated price: what a judge costs per 1,000 answers, said by a person where nothing was measured.

The grades of such a judge came from a file. Each statement is kept with its date in the definition
of the grader; the last one counts, and a statement without a price withdraws the one before it.
"""

from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from concord import clock
from concord.messages import Problem
from concord.model import BASELINE, Grader
from concord.store import graders
from concord.store.database import Store

KEY = "stated_prices"
WITHDRAWN = "none"
_MOST = Decimal(10) ** 9  # USD per 1,000 answers


class Statement(NamedTuple):
    """A price as stated, on a day in UTC.

    `usd` is per 1,000 answers and None where a price was withdrawn. `by` is the member signed in,
    else where it was stated.
    """

    usd: Decimal | None
    on: str
    by: str


def state(store: Store, name: str, text: str, by: str) -> Statement:
    """Record the price of a judge whose grades came from a file; return the statement.

    `text` is USD per 1,000 answers, as `2.50`, or `none`, which withdraws the price. A member who
    is signed in is named instead of `by`.

    Raises:
        Problem: There is no such judge, it was run here, or the text is no price.
    """
    grader = graders.named(store, "judge", name)
    if grader.name == BASELINE or grader.simulated:
        raise Problem("{judge} makes no API calls, so it has no price to state.", judge=name)
    if not may_state(store, grader):
        raise Problem(
            "{judge} was run here, so its price is measured from its replies. Where its model has "
            "no price, add one to the judge file or prices.toml before it runs.",
            judge=name,
        )
    given = text.strip().casefold()
    usd = None if given == WITHDRAWN else _number(given)
    made = Statement(usd, clock.today().isoformat(), store.who.name if store.who else by)
    with store.write():
        known = graders.get(store, grader.id).definition
        exact = None if usd is None else str(usd)
        every = [*known.get(KEY, ()), made._asdict() | {"usd": exact}]
        graders.define(store, grader.id, known | {KEY: every})
    return made


def stated(grader: Grader) -> Statement | None:
    """Return the price that counts, or that the last one was withdrawn; None without any."""
    every = grader.definition.get(KEY)
    if not every:
        return None
    usd, on, by = (every[-1][key] for key in Statement._fields)
    return Statement(None if usd is None else Decimal(usd), on, by)


def may_state(store: Store, grader: Grader) -> bool:
    """True where a price can be stated: nothing was measured, and it is not simulated."""
    return (
        grader.kind == "judge"
        and grader.name != BASELINE
        and not grader.simulated
        and not graders.has_replies(store, grader.id)
    )


def _number(text: str) -> Decimal:
    try:
        number = Decimal(text) if text.isascii() else None
    except InvalidOperation:
        number = None
    if number is None or not number.is_finite() or not 0 <= number <= _MOST:
        raise Problem(
            "“{text}” is not a price. Give USD per 1,000 answers, as 2.50; “none” withdraws it.",
            text=text,
        )
    return number


def to_json(found: Statement) -> dict[str, Any] | None:
    """Return a price as JSON of the commands has it, in numbers; None where it was withdrawn."""
    if found.usd is None:
        return None
    return {"per_1000": float(found.usd), "on": found.on, "by": found.by}
