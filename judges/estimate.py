"""Estimate: how many calls, tokens and USD a job will take, said before anything is asked."""

from collections import defaultdict
from decimal import Decimal
from typing import NamedTuple

from data import clock, contents, graders, runs
from data.store import Store
from judges import price
from judges.job import Job
from judges.price import Band, Usage
from judges.progress import usd
from judges.prompt import parts
from judges.request import REPLY_TOKENS_PER_CRITERION, request, route
from rubrics.model import canonical_json

SAMPLED_PROMPTS = 50


class Estimate(NamedTuple):
    """What a job will take; USD are None where the price is unknown.

    `too_long` of the pending fit neither the model nor its larger sibling, and are not asked.
    """

    calls: int
    cached: int
    failed: int
    settled: int
    tokens_in: Band
    tokens_out: Band
    from_usage: bool
    cost: tuple[Decimal, Decimal] | None
    price: price.Price | None
    too_long: int = 0

    def sentence(self) -> str:
        """The estimate in words."""
        if not self.calls:
            long = f" {self.too_long:,} do not fit the model." if self.too_long else ""
            done = f"{self.settled:,} done, {self.cached:,} in the cache"
            return f"Nothing to ask: {done}. $0.{long}"
        basis = "from earlier replies" if self.from_usage else "estimated from the text's length"
        tokens = (
            f"about {self.tokens_in.low:,}-{self.tokens_in.high:,} tokens in and "
            f"{self.tokens_out.low:,}-{self.tokens_out.high:,} out ({basis})"
        )
        done = f"{self.settled:,} done, {self.cached:,} cached, {self.failed:,} failed before"
        long = f"; {self.too_long:,} do not fit the model" if self.too_long else ""
        return f"{self.calls:,} calls ({done}{long}), {tokens}, {self.money()}."

    def money(self) -> str:
        """What it will cost, in words."""
        if not self.calls:
            return "nothing to pay"
        if self.cost is None or self.price is None:
            return "cost unknown: the model has no price in judges/prices.toml"
        low, high = self.cost
        if not high:
            return "free"
        return f"{usd(float(low))}-{usd(float(high))} at prices of {self.price.date}"

    def is_free(self) -> bool:
        """Whether it is known to cost nothing."""
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
        }

    def cost_per_call(self) -> float:
        """The upper estimate for one call in USD; 0 where it is free or unknown."""
        return float(self.cost[1]) / self.calls if self.cost and self.calls else 0.0


def estimate(store: Store, job: Job, prices: tuple[price.Price, ...] | None = None) -> Estimate:
    """How many calls, tokens and USD a job will take; prompts for a larger sibling at its price."""
    prices = prices or price.load()
    grader = graders.find(store, "judge", f"{job.judge.name}@{job.fingerprint}")
    past = [Usage(*row) for row in runs.usages(store, grader.id)] if grader else []
    bands = _sampled(store, job)
    sampled = sum(map(len, bands.values()))
    calls = {m: round(len(job.pending) * len(own) / sampled) for m, own in bands.items()}
    too_long = calls.pop(None, 0)
    expected = {m: price.expect(n, bands[m], _output(job), past) for m, n in calls.items()}
    today = clock.today()
    costs = [
        price.cost_band(one, price.price_of(prices, job.judge, today, model))
        for model, one in expected.items()
    ]
    return Estimate(
        len(job.pending) - too_long,
        len(job.cached),
        job.failed,
        job.settled,
        _total([one.input for one in expected.values()]),
        _total([one.output for one in expected.values()]),
        all(one.from_usage for one in expected.values()),
        None if None in costs else _sum(costs),
        price.price_of(prices, job.judge, today),
        too_long,
    )


def _sampled(store: Store, job: Job) -> dict[str | None, list[Band]]:
    """Token bands of evenly spaced pending prompts, by the model that each fits."""
    step = max(1, len(job.pending) // SAMPLED_PROMPTS)
    bands = defaultdict(list)
    for task in job.pending[::step]:
        item = contents.item(store, task.item_ids[0]).item
        body = request(job.judge, job.rubric, item, task.part, job.shots)
        bands[route(job.judge, body)].append(price.token_band(canonical_json(body)))
    return bands


def _output(job: Job) -> Band:
    per_call = max(len(c) for c in parts(job.judge, job.rubric).values())
    return Band(30 * per_call, REPLY_TOKENS_PER_CRITERION * per_call)


def _total(bands: list[Band]) -> Band:
    return Band(sum(band.low for band in bands), sum(band.high for band in bands))


def _sum(costs: list[tuple[Decimal, Decimal]]) -> tuple[Decimal, Decimal]:
    return sum((low for low, _ in costs), Decimal(0)), sum((high for _, high in costs), Decimal(0))
