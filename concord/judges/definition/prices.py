"""Prices of calls, and estimates of their tokens.

Prices are dated and kept in the price file that ships, in one of the user's, or in the judge file.
An unknown price is never taken as 0, not even for a server on this machine, which may be a gateway
to a paid model.
"""

import datetime
import math
import os
import re
import string
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from concord import clock
from concord.definitions import Frozen
from concord.judges.definition.endpoint import OwnPrice
from concord.judges.definition.model import Judge
from concord.resources import data_folder
from concord.rubrics.model import read_text, validated

FILE = Path(__file__).parent / "prices.toml"
MILLION = 1_000_000

# Price of the batch mode, as a share of the live price.
BATCH_SHARE = Decimal("0.5")

_KINDS = ("input", "output", "cached", "cache_write")


class Usage(NamedTuple):
    """Tokens of one call as the server reports them.

    `cached` and `written` are the parts of `input` read from and written to the server's prompt
    cache; `output` includes hidden reasoning.
    """

    input: int
    output: int
    cached: int = 0
    written: int = 0


class Band(NamedTuple):
    """A lower and an upper estimate of a number of tokens."""

    low: int
    high: int


def total(bands: Iterable[Band]) -> Band:
    """The sum of bands."""
    bands = list(bands)
    return Band(sum(band.low for band in bands), sum(band.high for band in bands))


class Price(Frozen):
    """USD per million tokens of one model, where it was read and on which day.

    `host` limits the price to one server, at every port or at the one it names; `since` and `until`
    to a time. `cached` and `cache_write` default to the price of input. `batch_share` is what a
    batch costs of it. `decisions` limits it to requests that ask a decision model.
    """

    model: str = Field(min_length=1)
    input: Decimal = Field(ge=0)
    output: Decimal = Field(ge=0)
    cached: Decimal | None = Field(default=None, ge=0)
    cache_write: Decimal | None = Field(default=None, ge=0)
    host: str | None = None
    decisions: bool = False
    batch_share: Decimal = Field(default=BATCH_SHARE, ge=0, le=1)
    since: datetime.date | None = None
    until: datetime.date | None = None
    date: datetime.date
    source: str = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _is_exact(cls, value: Any):
        """Read 0.1 as one tenth and not as the nearest binary float."""
        return {k: Decimal(str(v)) if isinstance(v, float) else v for k, v in value.items()}

    @field_validator("host")
    @classmethod
    def _is_a_server(cls, value: str | None):
        """Refuse what no address could match: such a price would never count, unnoticed."""
        return value if value is None else _server(value)

    def holds(self, on: datetime.date) -> bool:
        """True where the price is valid on that day."""
        begun = self.since is None or self.since <= on
        return begun and (self.until is None or on <= self.until)


class PriceList(Frozen):
    """The content of a price file."""

    price: tuple[Price, ...]


def load(path: str | Path | None = None) -> tuple[Price, ...]:
    """The prices of a file, by default those that ship and the user's.

    Of prices with the same date the first counts: so the user's come before those that ship, and
    the last of the user's file before all others.

    Raises:
        Problem: A file is wrong; it names the file and the key.
    """
    if path is not None:
        return _parsed(read_text(path), str(path))
    own = own_file()
    return (*(reversed(load(own)) if own.is_file() else ()), *load(FILE))


@lru_cache
def _parsed(text: str, source: str) -> tuple[Price, ...]:
    return validated(PriceList, text, source).price


def own_file() -> Path:
    """Return where the user's prices are, which may not exist.

    `CONCORD_PRICES`, else prices.toml in the folder of the default database.
    """
    named = os.environ.get("CONCORD_PRICES")
    return Path(named) if named else data_folder() / "prices.toml"


def current(prices: Sequence[Price], on: datetime.date) -> list[Price]:
    """Return the prices that apply on a day: of each model, server and kind the newest."""
    found: dict[tuple[str, str | None, bool], Price] = {}
    for price in prices:
        key = price.model, price.host, price.decisions
        if price.holds(on) and (key not in found or price.date > found[key].date):
            found[key] = price
    return sorted(found.values(), key=lambda p: (p.model, p.decisions, p.host or ""))


def cost(usage: Usage | None, price: Price | None) -> Decimal | None:
    """Exact USD of one call; None where the price is unknown, or the usage of a call that costs."""
    if price is None:
        return None
    if usage is None:  # own servers do not always report it, and cost nothing all the same
        return None if any(getattr(price, kind) for kind in _KINDS) else Decimal(0)
    cached = price.input if price.cached is None else price.cached
    written = price.input if price.cache_write is None else price.cache_write
    plain = usage.input - usage.cached - usage.written
    total = plain * price.input + usage.cached * cached + usage.written * written
    return (total + usage.output * price.output) / MILLION


def batched(price: Price | None) -> Price | None:
    """The price of the same tokens in a batch; None where the price is unknown."""
    if price is None:
        return None
    given = price.model_dump(include={*_KINDS}, exclude_none=True)
    shares = {kind: usd * price.batch_share for kind, usd in given.items()}
    return price.model_copy(update={**shares, "source": f"{price.source}; in a batch"})


def token_band(text: str) -> Band:
    """Return the range of tokens of a text, estimated from its characters, without a vocabulary.

    Latin letters and white space: 3 to 5 characters a token. ASCII digits and punctuation: 0.25 to
    1 token a character. Chinese, Japanese and Korean: 0.6 to 1.5. Other scripts: 0.25 to 1.2.
    Rules of thumb over today's vocabularies, not bounds.
    """
    data = text.encode("utf-8", "replace")
    letters = len(data) - len(data.translate(None, _LETTERS))
    marks = len(data) - len(data.translate(None, _MARKS))
    wide = 0 if text.isascii() else len(_CJK.findall(text))
    other = len(text) - wide - letters - marks
    low = letters / 5 + marks / 4 + 0.6 * wide + other / 4
    return Band(int(low), math.ceil(letters / 3 + marks + 1.5 * wide + 1.2 * other))


def scaled(calls: int, sample: Sequence[Band]) -> Band:
    """Return the total of `calls` values that are like those of a sample, rounded outwards."""
    whole, of = total(sample), len(sample) or 1
    return Band(calls * whole.low // of, -(-calls * whole.high // of))


def cost_band(read: Band, written: Band, price: Price | None) -> tuple[Decimal, Decimal] | None:
    """Lower and upper USD for the expected tokens, none of them cached; None where unknown."""
    costs = [cost(Usage(*tokens), price) for tokens in zip(read, written, strict=True)]
    return None if None in costs else tuple(costs)


_CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef"
    "\U00020000-\U0003ffff]"
)
_LETTERS = (string.ascii_letters + string.whitespace).encode()
_MARKS = (string.digits + string.punctuation).encode()


def _server(given: str) -> str:
    """A server as `host` or `host:port`, in small letters; a ValueError where it is neither."""
    text = given.strip().lower()
    text = f"[{text}]" if text.count(":") > 1 and "[" not in text else text  # a bare IPv6 address
    if not re.fullmatch(r"([^\s:/@?#\[\]]+|\[[0-9a-f:.]+\])(:([0-9]{1,4}|[1-6][0-9]{4}))?", text):
        raise ValueError("give the server alone, as llm.example.org or localhost:8000")
    return text


_PORTS = {"http": 80, "https": 443}


class PricedRequest(NamedTuple):
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
        self._prices, self._found = load(), {}

    def of(self, model: str) -> Price | None:
        """The price of a model on the day; None where it is unknown."""
        # By model: a prompt that went to the larger model has that model's price.
        key = model, self._batch_of or clock.today()
        if key not in self._found:
            found = price_of(self._prices, self._judge, key[1], model)
            self._found[key] = batched(found) if self._batch_of else found
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
        return _file_price(wanted or judge.name, OwnPrice(input=0, output=0), on)
    if judge.price is not None and wanted == judge.model:
        return _file_price(wanted, judge.price, on)
    valid = [p for p in prices if p.model == wanted and p.holds(on)]
    others = [price for price in valid if not price.decisions]
    if judge.chats or len(others) == len(valid):
        valid = others
    else:
        valid = [price for price in valid if price.decisions]
    hosts = [*_host_names(judge.url()), *(() if judge.is_local() else (None,))]
    found = next(filter(None, ([p for p in valid if p.host == host] for host in hosts)), [])
    return max(found, key=lambda p: p.date, default=None)


def _host_names(url: str) -> tuple[str, str]:
    """A server as a price may name it: with its port, and without."""
    parts = urlsplit(url)
    name = _server(parts.hostname)
    return f"{name}:{parts.port or _PORTS[parts.scheme]}", name


def _file_price(model: str, price: OwnPrice, on: datetime.date) -> Price:
    """The price that a judge file states."""
    return Price(model=model, date=on, source="the judge file", **price.model_dump())
