"""Requests left to ask of a model, and the estimate of asking them."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from concord import clock
from concord.judges.definition import prices
from concord.judges.definition.judge_price import price_of
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Band, Usage
from concord.judges.prompting.request import prompt_band
from concord.judges.running.estimate import Estimate
from concord.messages import said
from concord.store.request_log import Standing

SAMPLED_PROMPTS = 50


class Request(NamedTuple):
    """One request: the caller's key, and the hash that tells if it was asked before."""

    key: Hashable
    digest: str


class Left(NamedTuple):
    """Requests still to be sent: `good` maps a key to the id of its usable reply.

    `settled` are those without a usable reply that are not repeated, `failed` counts those of
    `pending` that failed before.
    """

    pending: list[Request]
    good: dict[Any, int]
    settled: list[tuple[Any, Standing]]
    failed: int


class RequestEstimate(Estimate):
    """Estimate for requests that grade nothing; those with a usable reply are done."""

    def known(self, cached: str) -> str:
        """Return how many need no request, in words."""
        return said("{n:,} done", n=self.settled + self.cached)


def estimate(
    judge: Judge,
    left: Left,
    body: Callable[[Any], dict[str, Any]],
    output: Band,
    past: Sequence[Usage],
) -> RequestEstimate:
    """Return how many calls, tokens and USD the pending requests take.

    `body` makes the request for a key, `output` is about what a reply takes, and `past` the usage
    of earlier replies to the same judge.
    """
    calls = len(left.pending)
    sampled = left.pending[:: max(1, calls // SAMPLED_PROMPTS)]
    bands = [prompt_band(body(request.key)) for request in sampled]
    expected = prices.expect(calls, bands, output, past)
    price = price_of(prices.load(), judge, clock.today())
    return RequestEstimate(
        calls=calls,
        cached=len(left.good),
        failed=left.failed,
        settled=len(left.settled),
        tokens_in=expected.input,
        tokens_out=expected.output,
        from_usage=expected.from_usage,
        cost=prices.cost_band(expected, price),
        price=price,
        new=calls - left.failed,
    )
