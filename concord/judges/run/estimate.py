"""The estimate of a run: calls, tokens and USD, shown before anything is asked."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, Self

from concord import clock
from concord.judges.definition import prices as definition_prices
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Band, Price, PricedRequest, Usage, price_of
from concord.judges.run.progress import usd
from concord.messages import counted, said

# At least so many requests of a job are written out for its estimate.
SAMPLED_REQUESTS = 50


class Estimate(NamedTuple):
    """Estimate for a job; USD are None where the price is unknown.

    Of the pending requests, `failed` failed before, `retried` had no score, and `new` were never
    sent; `too_long` exceed the context of the model and its larger sibling, and are not sent.
    `in_batch` more are in an open batch. `cost` is the live price, `batch_cost` that of a batch.
    `basis` says in words what it rests on, where that needs saying.
    """

    # The heads over `new`, `settled` and `cached` in a table.
    heads = ("new", "done", "cached")

    calls: int
    tokens_in: Band
    tokens_out: Band
    from_usage: bool
    cost: tuple[Decimal, Decimal] | None
    price: Price | None
    cached: int = 0
    failed: int = 0
    settled: int = 0
    too_long: int = 0
    new: int = 0
    retried: int = 0
    in_batch: int = 0
    batch_cost: tuple[Decimal, Decimal] | None = None
    basis: str = ""

    @classmethod
    def of(
        cls,
        judge: Judge,
        requests: Iterable[PricedRequest],
        scale: float,
        past: Sequence[Usage] = (),
        prices: Sequence[Price] | None = None,
        batches: bool = False,
        **known: Any,
    ) -> Self:
        """Return the estimate from a sample of requests, each of which represents `scale`.

        Args:
            judge: The judge of the job.
            requests: The sample; requests that fit no model are not sent.
            scale: Requests of the job per request of the sample.
            past: The usage of earlier replies to the same judge, which tells more than texts do.
            prices: All known prices; None reads prices.toml.
            batches: True where a batch can take the requests.
            known: The other fields, which are counted and not estimated.
        """
        prices, today = prices or definition_prices.load(), clock.today()
        alike: dict[tuple[str, str | None], list[PricedRequest]] = defaultdict(list)
        for one in requests:
            alike[one.judge.name, one.model].append(one)
        unsent = {key for key in alike if key[1] is None}
        too_long = round(scale * sum(len(alike[key]) for key in unsent))
        calls = round(scale * sum(map(len, alike.values()))) - too_long
        sent = [same for key, same in alike.items() if key not in unsent]
        expected = [_expected(same, scale, past) for same in sent]
        priced = [price_of(prices, same[0].judge, today, same[0].model) for same in sent]
        return cls(
            calls=calls,
            tokens_in=definition_prices.total(one.input for one in expected),
            tokens_out=definition_prices.total(one.output for one in expected),
            from_usage=bool(expected) and all(one.from_usage for one in expected),
            cost=_cost(expected, priced),
            price=price_of(prices, judge, today),
            too_long=too_long,
            batch_cost=_cost(expected, map(definition_prices.batched, priced)) if batches else None,
            **known,
        )

    def sentence(self, batch: bool = False) -> str:
        """The number of calls and their cost, live or in a batch.

        `reports.workflow.runs` has the rest.
        """
        if not self.calls:
            return "No requests to send."
        calls = counted(self.calls, "request")
        cost = self.batch_cost if batch else self.cost
        if cost is None:
            return said(
                "{calls}, cost unknown. Set “price” in the judge file (0 if it is free).",
                calls=calls,
            )
        return said(
            "{calls} in a batch, {cost}." if batch else "{calls}, {cost}.",
            calls=calls,
            cost=price_in_words(cost),
        )

    def waiting(self) -> str:
        """Return a sentence on requests in an open batch; '' without one."""
        if not self.in_batch:
            return ""
        return said("{n:,} more are in a pending batch and are not sent twice.", n=self.in_batch)

    def is_free(self) -> bool:
        """True where the cost is known to be zero."""
        return not self.calls or (self.cost is not None and not self.cost[1])

    def as_json(self) -> dict:
        """The estimate for `--json` and for the run's record."""
        return {
            "calls": self.calls,
            "cached": self.cached,
            "failed": self.failed,
            "settled": self.settled,
            "tokens_in": list(self.tokens_in),
            "tokens_out": list(self.tokens_out),
            "from_usage": self.from_usage,
            "cost_usd": [float(c) for c in self.cost] if self.cost else None,
            "price_date": str(self.price.date) if self.price else None,
            "too_long": self.too_long,
            "new": self.new,
            "retried": self.retried,
            "in_batch": self.in_batch,
            "batch_cost_usd": [float(c) for c in self.batch_cost] if self.batch_cost else None,
        }

    def cost_per_call(self, batch: bool = False) -> float:
        """The upper estimate for one call in USD; 0 where it is free or unknown."""
        cost = self.batch_cost if batch else self.cost
        return float(cost[1]) / self.calls if cost and self.calls else 0.0


def price_in_words(cost: tuple[Decimal, Decimal] | None) -> str:
    """A band of USD in words; what is not known is not free."""
    if cost is None:
        return "price unknown"
    low, high = map(float, cost)
    if not high:
        return "free"
    if usd(low) == usd(high):
        return usd(low)
    return f"{usd(low)} to {usd(high)}"


def evenly(tasks: Sequence, least: int = SAMPLED_REQUESTS) -> Sequence:
    """Return all tasks, or evenly spaced ones: at least so many, and fewer than twice as many."""
    return tasks[:: max(1, len(tasks) // least)]


def _expected(
    same: Sequence[PricedRequest], scale: float, past: Sequence[Usage]
) -> definition_prices.ExpectedTokens:
    """The tokens that requests to one model take, so many times."""
    read, written = [one.read for one in same], [one.written for one in same]
    return definition_prices.expect(round(scale * len(same)), read, written, past)


def _cost(
    expected: Iterable[definition_prices.ExpectedTokens], priced: Iterable[Price | None]
) -> tuple[Decimal, Decimal] | None:
    """Lower and upper USD of all; None where a price is unknown."""
    costs = [definition_prices.cost_band(*pair) for pair in zip(expected, priced, strict=True)]
    if None in costs:
        return None
    return sum((low for low, _ in costs), Decimal(0)), sum((high for _, high in costs), Decimal(0))
