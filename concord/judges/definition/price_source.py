"""Prices from the package `genai-prices`: what it says of models that judges use.

Only the data that comes with the package is read, never the network, and only when asked for: a run
knows the price files alone.
"""

import datetime
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Price, price_of
from concord.messages import Problem
from concord.resources import install

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice, Provider

NAME = "genai-prices"
_KINDS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cached": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
}
_DECISIONS = "-decisions"  # how the package names a provider's prices of decisions
UNKNOWN = "not in genai-prices"
TIERED = "the price depends on the length of the prompt"
BY_HOUR = "the price depends on the time of day"
PER_REQUEST = "each request is also charged"
NOT_BY_TOKEN = "there is no price per token of input and output"


class PriceChange(NamedTuple):
    """What the package says of one model.

    Attributes:
        model: Its name; `host` is the server that the price is limited to, None for all.
        old: The price that applies today; None where it is unknown.
        new: The price of the package; None where it has no single number, and `why` says why.
    """

    model: str
    host: str | None
    decisions: bool
    old: Price | None
    new: Price | None
    why: str | None = None

    @property
    def differs(self) -> bool:
        """True where there is a new price with another number than the old one."""
        if self.new is None:
            return False
        return self.old is None or any(
            getattr(self.old, kind) != getattr(self.new, kind) for kind in ("until", *_KINDS)
        )


def changes(
    judges: Iterable[Judge], models: Sequence[str], known: Sequence[Price], on: datetime.date
) -> list[PriceChange]:
    """Return what the package says of the judges' models, or of the models named alone.

    A judge that states its price, or whose server is on this machine, is left out.

    Args:
        judges: Those that may use the models.
        models: Their names; all models of the judges where empty.
        known: The prices that are known.
        on: The day.

    Raises:
        Problem: The package is not installed.
    """
    providers, version = _package()
    found = {}
    for judge in judges:
        paid = judge.model and judge.price is None and not judge.is_local()
        if not paid or (models and judge.model not in models):
            continue
        old, decisions = price_of(known, judge, on), not judge.chats
        host = old.host if old else urlsplit(judge.url()).hostname
        at = _at(providers, judge.url(), decisions)
        new = _new(at, providers, judge.model, decisions, on)
        found[judge.model, host, decisions] = old, new
    for model in models:
        if all(model != name for name, _, _ in found):
            valid = [p for p in known if p.model == model and not p.host and p.holds(on)]
            old = max((p for p in valid if not p.decisions), key=lambda p: p.date, default=None)
            at = [p for p in providers if p.model_match and p.model_match.is_match(model.lower())]
            found[model, None, False] = old, _new(at, providers, model, False, on)
    said, source = [], f"{NAME} {version}"
    for key, (old, new) in sorted(found.items(), key=lambda one: str(one[0])):
        if isinstance(new, str):
            said.append(PriceChange(*key, old, None, new))
            continue
        model, host, decisions = key
        price = Price(model=model, host=host, decisions=decisions, date=on, source=source, **new)
        said.append(PriceChange(*key, old, price))
    return said


def _package() -> tuple[list["Provider"], str]:
    try:
        from importlib.metadata import version

        from genai_prices.data import providers
    except ImportError:
        raise Problem(
            "genai-prices is not installed. Install it with `{command}`.",
            command=install("prices"),
        ) from None
    return providers, version(NAME)


def _at(providers: list["Provider"], url: str, decisions: bool) -> list["Provider"]:
    """The providers behind an address; for a decision model those of decisions, if any."""
    here = [one for one in providers if re.match(one.api_pattern, url)]
    of_decisions = [one for one in here if one.id.endswith(_DECISIONS)]
    others = [one for one in here if one not in of_decisions]
    return of_decisions or others if decisions else others


def _new(
    at: list["Provider"],
    providers: list["Provider"],
    model: str,
    decisions: bool,
    on: datetime.date,
) -> dict | str:
    """The numbers of a price, or why it is unknown."""
    infos = (one.find_model(model, all_providers=providers) for one in at)
    info = next(filter(None, infos), None)
    if info is None:
        return UNKNOWN
    whole = _today(info, on)
    if isinstance(whole, str):
        return whole
    price, until = whole
    given = vars(price)
    numbers = {kind: given.get(key) for kind, key in _KINDS.items()}
    if any(hasattr(number, "tiers") for number in numbers.values()):
        return TIERED
    if given.get("requests_kcount"):
        return PER_REQUEST
    if numbers["output"] is None and decisions:
        numbers["output"] = 0  # decision models write nothing
    if numbers["input"] is None or numbers["output"] is None:
        return NOT_BY_TOKEN
    return numbers | {"until": until}


def _today(info: "ModelInfo", on: datetime.date) -> tuple["ModelPrice", datetime.date | None] | str:
    """The price of a day and the last day of it that is known, or why there is no single one."""
    if not isinstance(info.prices, list):
        return info.prices, None
    starts = [getattr(one.constraint, "start_date", None) for one in info.prices]
    if any(one.constraint and not start for one, start in zip(info.prices, starts, strict=True)):
        return BY_HOUR
    later = min((start for start in starts if start and start > on), default=None)
    noon = datetime.datetime.combine(on, datetime.time(12), datetime.UTC)
    return info.get_prices(noon), later and later - datetime.timedelta(days=1)
