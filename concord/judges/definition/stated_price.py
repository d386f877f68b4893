"""Stated price: what a judge costs per 1,000 answers, said by a person where nothing was measured.

The grades of such a judge came from a file. Each statement is kept with its date in the definition
of the grader; the last one counts, and a statement without a price withdraws the one before it.
"""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from concord import clock
from concord.judges.definition import prices
from concord.judges.definition.prices import Price
from concord.messages import Problem
from concord.model import BASELINE, Grader
from concord.store import graders
from concord.store.database import Store

KEY = "stated_prices"
WITHDRAWN = "none"
_ANSWERS = 1000
_MOST = Decimal(10) ** 9  # USD per 1,000 answers, and tokens per answer
_HOW = (
    "Give USD per 1,000 answers, as 2.50, or a model of prices.toml with its input and output "
    "tokens per answer, as gpt-5-mini:1200/80; “none” withdraws it."
)


class Tokens(NamedTuple):
    """Tokens per answer of a model with a known price."""

    model: str
    input: Decimal
    output: Decimal


class Statement(NamedTuple):
    """A price as stated, on a day in UTC.

    `usd` is per 1,000 answers and None where a price was withdrawn; `tokens` is None where it was
    stated in USD, else what it was computed from, and `price` says where their price was read. `by`
    is the member signed in, else where it was stated.
    """

    usd: Decimal | None
    on: str
    by: str
    tokens: Tokens | None = None
    price: str = ""


def state(store: Store, name: str, text: str, by: str) -> Statement:
    """Record the price of a judge whose grades came from a file; return the statement.

    An import may carry prices and call this for each judge after its grades are stored. `text` is
    as in `parsed`; a member who is signed in is named instead of `by`.

    Raises:
        Problem: There is no such judge, it was run here, or the text is no price.
    """
    grader = graders.named(store, "judge", name)
    _check_imported(store, grader)
    made = parsed(text, store.who.name if store.who else by)
    with store.write():
        known = graders.get(store, grader.id).definition
        every = [*known.get(KEY, ()), _stored(made)]
        graders.define(store, grader.id, known | {KEY: every})
    return made


def parsed(text: str, by: str, known: tuple[Price, ...] | None = None) -> Statement:
    """Return the statement of a text: `2.50`, `gpt-5-mini:1200/80` or `none`.

    That is USD per 1,000 answers, or a model of `known` (prices.toml by default) and its input and
    output tokens per answer.
    """
    text, today = text.strip(), clock.today()
    if text.casefold() == WITHDRAWN:
        return Statement(None, today.isoformat(), by)
    model, colon, counts = text.rpartition(":")
    if not colon:
        return Statement(_number(text, text), today.isoformat(), by)
    read, slash, written = counts.partition("/")
    if not slash:
        raise _no_price(text)
    tokens = Tokens(model.strip(), _number(read, text), _number(written, text))
    listed = prices.load() if known is None else known
    valid = [one for one in listed if one.model == tokens.model and one.holds(today)]
    price = max((one for one in valid if one.host is None), key=lambda p: p.date, default=None)
    if price is None:
        raise Problem(
            "prices.toml has no current price for the model “{model}”. Add one, or state USD per "
            "1,000 answers instead.",
            model=tokens.model,
        )
    each = (tokens.input * price.input + tokens.output * price.output) / prices.MILLION
    source = f"{price.source}, {price.date.isoformat()}"
    return Statement(_ANSWERS * each, today.isoformat(), by, tokens, source)


def stated(grader: Grader) -> Statement | None:
    """Return the price that counts, or that the last one was withdrawn; None without any."""
    every = grader.definition.get(KEY) or ()
    return _read(every[-1]) if every else None


def may_state(store: Store, grader: Grader) -> bool:
    """True where a price can be stated: nothing was measured, and it is not simulated."""
    return (
        grader.kind == "judge"
        and grader.name != BASELINE
        and not grader.simulated
        and not graders.has_replies(store, grader.id)
    )


def _check_imported(store: Store, grader: Grader) -> None:
    if may_state(store, grader):
        return
    if grader.name == BASELINE or grader.simulated:
        raise Problem("{judge} makes no API calls, so it has no price to state.", judge=grader.name)
    raise Problem(
        "{judge} was run here, so its price is measured from its replies. Where its model has no "
        "price, add one to the judge file or prices.toml before it runs.",
        judge=grader.name,
    )


def _number(text: str, whole: str) -> Decimal:
    try:
        number = Decimal(text.strip()) if text.isascii() else None
    except InvalidOperation:
        number = None
    if number is None or not number.is_finite() or not 0 <= number <= _MOST:
        raise _no_price(whole)
    return number


def _no_price(text: str) -> Problem:
    return Problem("“{text}” is not a price. {how}", text=text, how=_HOW)


def _stored(made: Statement) -> dict[str, Any]:
    """As JSON keeps it: exact numbers as text."""
    tokens = made.tokens and {key: str(value) for key, value in made.tokens._asdict().items()}
    usd = None if made.usd is None else str(made.usd)
    return made._asdict() | {"usd": usd, "tokens": tokens}


def to_json(found: Statement) -> dict[str, Any] | None:
    """Return a price as JSON of the commands has it, in numbers; None where it was withdrawn."""
    if found.usd is None:
        return None
    tokens = found.tokens and {
        "model": found.tokens.model,
        "input": float(found.tokens.input),
        "output": float(found.tokens.output),
        "price": found.price,
    }
    return {"per_1000": float(found.usd), "on": found.on, "by": found.by, "tokens": tokens}


def _read(stored: Mapping[str, Any]) -> Statement:
    usd, tokens = stored["usd"], stored["tokens"]
    counts = tokens and Tokens(tokens["model"], Decimal(tokens["input"]), Decimal(tokens["output"]))
    exact = None if usd is None else Decimal(usd)
    return Statement(exact, stored["on"], stored["by"], counts, stored["price"])
