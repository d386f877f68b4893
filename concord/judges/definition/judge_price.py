"""Price of a judge's model, on a day: from the judge file, else from the price list."""

import datetime
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from concord import clock
from concord.judges.definition import prices as price_list
from concord.judges.definition.endpoint import OwnPrice
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Band, Price

_PORTS = {"http": 80, "https": 443}


class Request(NamedTuple):
    """One request: the judge and model that price it (None: it fits none), and its tokens."""

    judge: Judge
    model: str | None
    read: Band
    written: Band


class DayPrice:
    """The prices of a judge's models, read once and looked up once a day: a run may pass midnight.

    `batch_of` is the day a batch was submitted, whose prices apply; None for live replies.
    """

    def __init__(self, judge: Judge, batch_of: datetime.date | None = None):
        self._judge, self._batch_of = judge, batch_of
        self._prices, self._found = price_list.load(), {}

    def of(self, model: str) -> Price | None:
        """The price of a model on the day; None where it is unknown."""
        # By model: a prompt that went to the larger model has that model's price.
        key = model, self._batch_of or clock.today()
        if key not in self._found:
            found = price_of(self._prices, self._judge, key[1], model)
            self._found[key] = price_list.batched(found) if self._batch_of else found
        return self._found[key]


def price_of(
    prices: Sequence[Price], judge: Judge, on: datetime.date, model: str | None = None
) -> Price | None:
    """The price of the judge's model (or the named one) on a day; None where it is unknown.

    What the judge file says comes first, then a price for the judge's very host and port, then one
    for its host. Without any, a server elsewhere has the price given for the model's name; that of
    a server on this machine is unknown. Of several, the newest counts. Prices of decisions are for
    decision models alone, which have another price only in the absence of those.
    """
    wanted = model or judge.model
    if wanted is None or judge.price == 0:
        return _stated(wanted or judge.name, OwnPrice(input=0, output=0), on)
    if judge.price is not None and wanted == judge.model:
        return _stated(wanted, judge.price, on)
    valid = _of_kind(judge, [p for p in prices if p.model == wanted and p.holds(on)])
    hosts = [*_names(judge.url()), *(() if judge.is_local() else (None,))]
    found = next(filter(None, ([p for p in valid if p.host == host] for host in hosts)), [])
    return max(found, key=lambda p: p.date, default=None)


def _of_kind(judge: Judge, valid: list[Price]) -> list[Price]:
    """The prices of a model that are for the judge's kind of request."""
    decisions = [price for price in valid if price.decisions]
    others = [price for price in valid if not price.decisions]
    return decisions or others if judge.kind == "decision" else others


def _names(url: str) -> tuple[str, str]:
    """A server as a price may name it: with its port, and without."""
    parts = urlsplit(url)
    name = parts.hostname or ""
    name = f"[{name}]" if ":" in name else name
    return f"{name}:{parts.port or _PORTS.get(parts.scheme)}", name


def _stated(model: str, price: OwnPrice, on: datetime.date) -> Price:
    """The price that a judge file states."""
    return Price(model=model, date=on, source="the judge file", **price.model_dump())
