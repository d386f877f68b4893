"""Estimate: how many calls, tokens and USD a job will take, said before anything is asked."""

from collections import defaultdict
from decimal import Decimal
from typing import NamedTuple

from data import clock, contents, graders, runs
from data.counted import counted
from data.store import Store
from judges import price
from judges.job import Job
from judges.price import Band, Usage
from judges.progress import usd
from judges.prompt import parts
from judges.request import REPLY_TOKENS_PER_CRITERION, request, route
from rubrics.model import canonical_json
from words.said import Said, joined, said

SAMPLED_PROMPTS = 50


class Estimate(NamedTuple):
    """What a job will take; USD are None where the price is unknown.

    Of the pending, `failed` failed before, `retried` came back without a score, and `new` were
    never asked; `too_long` fit neither the model nor its larger sibling, and are not asked.
    `in_batch` more are in an open batch. `cost` is that of asking live, `batch_cost` in a batch.
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
    new: int = 0
    retried: int = 0
    in_batch: int = 0
    batch_cost: tuple[Decimal, Decimal] | None = None

    def sentence(self) -> str:
        """The estimate in words."""
        if not self.calls:
            return joined(" ", [self._nothing(), self._over_long(), self.waiting()])
        told = said(
            "{calls} ({asked}; {known}), {tokens}, {money}.",
            calls=counted(self.calls, "call"),
            asked=self._asked(),
            known=self.known("cached"),
            tokens=tokens(self.tokens_in, self.tokens_out, self.from_usage),
            money=self.money(),
        )
        return joined(" ", [told, self.waiting()])

    def _nothing(self) -> str:
        return said("Nothing to ask: {known}. $0.", known=self.known("in the cache"))

    def known(self, cached: str) -> str:
        """How many need no asking, in words; `cached` says which: `cached` or `in the cache`."""
        return said(
            "{settled:,} done, {cached:,} cached"
            if cached == "cached"
            else "{settled:,} done, {cached:,} in the cache",
            settled=self.settled,
            cached=self.cached,
        )

    def _over_long(self) -> str:
        return said("{n:,} do not fit the model.", n=self.too_long) if self.too_long else ""

    def _asked(self) -> str:
        """What is asked, by what became of it before."""
        parts = [said("{new:,} new, {failed:,} failed before", new=self.new, failed=self.failed)]
        if self.retried:
            parts.append(said("{n:,} without a score before", n=self.retried))
        if self.too_long:
            parts.append(said("of which {n:,} do not fit the model", n=self.too_long))
        return joined(", ", parts)

    def money(self) -> str:
        """What it will cost, in words."""
        if not self.calls:
            return said("nothing to pay")
        if self.cost is None or self.price is None:
            return said("cost unknown: set `price` in the judge file (0 if it is free)")
        if not self.cost[1]:
            return said("free")
        live, day = _band(self.cost), self.price.date
        if not self.batch_cost:
            return said("{live} live, at prices of {day}", live=live, day=day)
        return said(
            "{live} live, {batch} in a batch, at prices of {day}",
            live=live,
            batch=_band(self.batch_cost),
            day=day,
        )

    def waiting(self) -> str:
        """What an open batch asks, in a sentence; '' where there is none."""
        if not self.in_batch:
            return ""
        return said(
            "{n:,} more are in a batch that is pending, and are not asked twice.", n=self.in_batch
        )

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
            "new": self.new,
            "retried": self.retried,
            "in_batch": self.in_batch,
            "batch_cost_usd": [float(c) for c in self.batch_cost] if self.batch_cost else None,
        }

    def cost_per_call(self, batch: bool = False) -> float:
        """The upper estimate for one call in USD; 0 where it is free or unknown."""
        cost = self.batch_cost if batch else self.cost
        return float(cost[1]) / self.calls if cost and self.calls else 0.0


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
    priced = [(e, price.price_of(prices, job.judge, today, m)) for m, e in expected.items()]
    costs = [price.cost_band(one, found) for one, found in priced]
    batch_costs = [price.cost_band(one, price.batched(found)) for one, found in priced]
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
        len(job.pending) - job.failed - job.retried,
        job.retried,
        job.in_batch,
        None if None in batch_costs else _sum(batch_costs),
    )


def tokens(taken: Band, written: Band, from_usage: bool) -> Said:
    """About how many tokens go in and come out, and how that is known, in words."""
    basis = said("from earlier replies" if from_usage else "estimated from the text's length")
    return said(
        "about {low:,}-{high:,} tokens in and {least:,}-{most:,} out ({basis})",
        low=taken.low,
        high=taken.high,
        least=written.low,
        most=written.high,
        basis=basis,
    )


def most_usd(job: Job, body: dict, price_of_it: price.Price | None) -> float:
    """The upper estimate of one request in USD, from its length; 0 where the price is unknown."""
    expected = Usage(price.token_band(canonical_json(body)).high, _output(job).high)
    return float(price.cost(expected, price_of_it) or 0)


def _band(cost: tuple[Decimal, Decimal]) -> str:
    return "-".join(usd(float(amount)) for amount in cost)


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
