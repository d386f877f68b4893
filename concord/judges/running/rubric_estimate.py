"""The estimate of a rubric run, from evenly spaced prompts and earlier replies."""

from collections import defaultdict
from decimal import Decimal

from concord import clock
from concord.definitions import canonical_json
from concord.judges.definition import prices as definition_prices
from concord.judges.definition.judge_price import price_of
from concord.judges.definition.prices import Band, Usage
from concord.judges.prompting.prompt import parts
from concord.judges.prompting.request import REPLY_TOKENS_PER_CRITERION, request, route
from concord.judges.running.estimate import Estimate
from concord.judges.running.job import RubricJob
from concord.store import graders, items, runs
from concord.store.database import Store

SAMPLED_PROMPTS = 50


def estimate(
    store: Store, job: RubricJob, prices: tuple[definition_prices.Price, ...] | None = None
) -> Estimate:
    """Return the estimated calls, tokens and USD; requests to a larger sibling at its price."""
    prices = prices or definition_prices.load()
    grader = graders.find(store, "judge", f"{job.judge.name}@{job.fingerprint}")
    past = (
        [Usage(*row) for row in runs.usages(store, "replies", grader_id=grader.id)]
        if grader
        else []
    )
    bands = _sampled(store, job)
    sampled = sum(map(len, bands.values()))
    calls = {m: round(len(job.pending) * len(own) / sampled) for m, own in bands.items()}
    too_long = calls.pop(None, 0)
    expected = {
        m: definition_prices.expect(n, bands[m], _output(job), past) for m, n in calls.items()
    }
    today = clock.today()
    priced = [(e, price_of(prices, job.judge, today, m)) for m, e in expected.items()]
    costs = [definition_prices.cost_band(one, found) for one, found in priced]
    batch_costs = [
        definition_prices.cost_band(one, definition_prices.batched(found)) for one, found in priced
    ]
    return Estimate(
        len(job.pending) - too_long,
        len(job.cached),
        job.failed,
        job.settled,
        definition_prices.total(one.input for one in expected.values()),
        definition_prices.total(one.output for one in expected.values()),
        all(one.from_usage for one in expected.values()),
        None if None in costs else _sum(costs),
        price_of(prices, job.judge, today),
        too_long,
        len(job.pending) - job.failed - job.retried,
        job.retried,
        job.in_batch,
        None if None in batch_costs else _sum(batch_costs),
    )


def most_usd(job: RubricJob, body: dict, price_of_it: definition_prices.Price | None) -> float:
    """The upper estimate of one request in USD, from its length; 0 where the price is unknown."""
    expected = Usage(definition_prices.token_band(canonical_json(body)).high, _output(job).high)
    return float(definition_prices.cost(expected, price_of_it) or 0)


def _sampled(store: Store, job: RubricJob) -> dict[str | None, list[Band]]:
    """Token bands of evenly spaced pending prompts, by the model that each fits."""
    step = max(1, len(job.pending) // SAMPLED_PROMPTS)
    bands = defaultdict(list)
    for task in job.pending[::step]:
        item = items.item(store, task.item_ids[0]).item
        body = request(job.judge, job.rubric, item, task.part, job.shots)
        bands[route(job.judge, body)].append(definition_prices.token_band(canonical_json(body)))
    return bands


def _output(job: RubricJob) -> Band:
    per_call = max(len(c) for c in parts(job.judge, job.rubric).values())
    return Band(30 * per_call, REPLY_TOKENS_PER_CRITERION * per_call)


def _sum(costs: list[tuple[Decimal, Decimal]]) -> tuple[Decimal, Decimal]:
    return sum((low for low, _ in costs), Decimal(0)), sum((high for _, high in costs), Decimal(0))
