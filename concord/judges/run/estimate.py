"""The estimate of a run: requests, tokens and USD, shown before anything is sent."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, Self

from concord import clock
from concord.judges.definition import prices as known_prices
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import (
    Band,
    Price,
    PricedRequest,
    batched,
    cost_band,
    price_of,
    scaled,
)
from concord.judges.run.progress import usd
from concord.messages import Problem, counted, said


class Estimate(NamedTuple):
    """Estimate for a job; USD are None where the price is unknown.

    Of the pending requests, `failed` failed before, and `new` did not; `too_long` exceed the
    context of the model and its larger sibling, and are not sent. `in_batch` more are in an open
    batch. `cost` is the live price, `batch_cost` that of a batch.
    """

    calls: int = 0
    tokens_in: Band = Band(0, 0)
    tokens_out: Band = Band(0, 0)
    cost: tuple[Decimal, Decimal] | None = (Decimal(0), Decimal(0))
    price: Price | None = None
    cached: int = 0
    failed: int = 0
    settled: int = 0
    too_long: int = 0
    new: int = 0
    in_batch: int = 0
    batch_cost: tuple[Decimal, Decimal] | None = None

    @classmethod
    def of(
        cls,
        judge: Judge,
        requests: Iterable[PricedRequest],
        scale: float,
        prices: Sequence[Price] | None = None,
        batches: bool = False,
        **known: Any,
    ) -> Self:
        """Return the estimate from a sample of requests, each of which represents `scale`.

        Args:
            judge: The judge of the job.
            requests: The sample; requests that fit no model are not sent.
            scale: Requests of the job per request of the sample.
            prices: All known prices; None reads prices.toml.
            batches: True where a batch can take the requests.
            known: The other fields, which are counted and not estimated.
        """
        prices, today = prices or known_prices.load(), clock.today()
        alike: dict[tuple[str, str | None], list[PricedRequest]] = defaultdict(list)
        for one in requests:
            alike[one.judge.name, one.model].append(one)
        too_long = round(scale * sum(len(same) for key, same in alike.items() if key[1] is None))
        calls = round(scale * sum(map(len, alike.values()))) - too_long
        read, written, priced = [], [], []
        for (_, model), same in alike.items():
            if model is not None:
                number = round(scale * len(same))
                read.append(scaled(number, [one.read for one in same]))
                written.append(scaled(number, [one.written for one in same]))
                priced.append(price_of(prices, same[0].judge, today, model))
        in_batch = map(cost_band, read, written, map(batched, priced))
        return cls(
            calls=calls,
            tokens_in=known_prices.total(read),
            tokens_out=known_prices.total(written),
            cost=_cost(map(cost_band, read, written, priced)),
            price=price_of(prices, judge, today),
            too_long=too_long,
            batch_cost=_cost(in_batch) if batches else None,
            **known,
        )

    def sentence(self, batch: bool = False) -> str:
        """The number of calls and their cost, live or in a batch.

        `reports.workflow.runs` has the rest.
        """
        if not self.calls:
            return "No requests to send."
        calls, cost = counted(self.calls, "request"), self.batch_cost if batch else self.cost
        if cost is None:
            return f"{calls}, cost unknown. Set “price” in the judge file (0 if it is free)."
        return f"{calls}{' in a batch' if batch else ''}, {price_in_words(cost)}."

    def waiting(self) -> str:
        """Return a sentence on requests in an open batch; '' without one."""
        if not self.in_batch:
            return ""
        return said("{n:,} more are in a pending batch.", n=self.in_batch)

    def is_free(self) -> bool:
        """True where the cost is known to be zero."""
        return not self.calls or (self.cost is not None and not self.cost[1])

    def check_budget(self, budget: float | None) -> None:
        """Raise a Problem if a budget cannot be kept because a price is unknown."""
        if budget is not None and self.calls and self.cost is None:
            raise Problem(
                "The model's price is unknown, so a budget cannot be kept. Set “price” in the "
                "judge file (0 if it is free), or set no budget."
            )

    def as_json(self) -> dict[str, Any]:
        """The estimate for `--json` and for the run's record."""
        found = self._asdict()
        price, cost, batch_cost = (found.pop(key) for key in ("price", "cost", "batch_cost"))
        return found | {
            "tokens_in": list(self.tokens_in),
            "tokens_out": list(self.tokens_out),
            "cost_usd": cost and [*map(float, cost)],
            "batch_cost_usd": batch_cost and [*map(float, batch_cost)],
            "price_date": price and str(price.date),
        }

    def cost_per_call(self) -> float:
        """The upper estimate for one call in USD; 0 where it is free or unknown."""
        return float(self.cost[1]) / self.calls if self.cost and self.calls else 0.0


def price_in_words(cost: tuple[Decimal, Decimal] | None) -> str:
    """A band of USD in words; what is not known is not free."""
    if cost is None:
        return "price unknown"
    low, high = (usd(float(one)) for one in cost)
    if not cost[1]:
        return "free"
    return low if low == high else f"{low} to {high}"


def _cost(costs: Iterable[tuple[Decimal, Decimal] | None]) -> tuple[Decimal, Decimal] | None:
    """Lower and upper USD of all; None where one is unknown."""
    known = [*costs]
    return None if None in known else tuple(sum(side) for side in zip((0, 0), *known, strict=True))
