"""Stated price: what a judge costs per 1,000 answers, said by a person where nothing was measured.

The grades of such a judge came from a file. The price is kept with its date in the definition of
the grader.
"""

from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from concord import clock
from concord.messages import Problem
from concord.model import BASELINE, Grader
from concord.store import graders
from concord.store.database import Store

KEY = "stated_price"
WITHDRAWN = "none"
_MOST = Decimal(10) ** 9  # USD per 1,000 answers


class Statement(NamedTuple):
    """A price in USD per 1,000 answers, as stated on a day in UTC.

    `by` is the member signed in, else where it was stated.
    """

    usd: Decimal
    on: str
    by: str


def state(store: Store, name: str, text: str, by: str) -> None:
    """Record the price of a judge whose grades came from a file.

    `text` is USD per 1,000 answers, as `2.50`, or `none`, which withdraws the price. A member who
    is signed in is named instead of `by`.

    Raises:
        Problem: There is no such judge, it was run here or asks nobody, or the text is no price.
    """
    grader = graders.named(store, "judge", name)
    if not may_state(store, grader):
        raise Problem(
            "A price is stated only for a judge whose grades were imported. That of {judge} comes "
            "from its judge file or prices.toml.",
            judge=name,
        )
    given = text.strip().casefold()
    usd = None if given == WITHDRAWN else _number(given)
    made = [str(usd), clock.today().isoformat(), store.who.name if store.who else by]
    with store.write():
        known = graders.get(store, grader.id).definition
        graders.define(store, grader.id, known | {KEY: None if usd is None else made})


def stated(grader: Grader) -> Statement | None:
    """Return the price of a judge; None without any."""
    usd, *of = grader.definition.get(KEY) or [None]
    return None if usd is None else Statement(Decimal(usd), *of)


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
