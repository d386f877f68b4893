"""Rate limit of a run, adapted to the endpoint's replies.

One per connection. All workers may send at first; each rate-limit reply halves the number in
flight, and every round of good replies adds one while they are as fast as before (additive
increase, multiplicative decrease). A wait that the server requests delays every request of the run.
"""

import asyncio
import math
import random
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

MINUTE_S = 60.0
# The longest wait that a run sits out; where the server asks for more, the run ends.
PATIENCE_S = 120.0
BACKOFF_S, LONGEST_BACKOFF_S = 0.5, 8.0
# Latency counts as unchanged while its mean is below this multiple of the best mean.
SLOWER = 2.0
# The weight of the newest reply in the mean time of replies.
NEWEST = 0.1
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class RateLimiter:
    """Rate limiter of all requests of a run.

    Requests, and tokens of prompt and reply together, are spaced evenly below the limits per
    minute; None for no limit.
    """

    def __init__(
        self, requests_per_minute: float | None = None, tokens_per_minute: float | None = None
    ):
        # No limit until the server complains: a limit set beforehand would slow servers that have
        # none.
        self._allowed = math.inf
        self._request_s = MINUTE_S / requests_per_minute if requests_per_minute else 0.0
        self._token_s = MINUTE_S / tokens_per_minute if tokens_per_minute else 0.0
        self._opens = self._tokens_open = self._slowed = -math.inf
        self._mean = self._best = math.inf
        self._in_flight = 0
        self._freed = asyncio.Event()

    async def enter(self, tokens: int) -> float:
        """Wait until a request of about so many tokens may be sent; returns when that is."""
        while True:
            now = _now()
            opens = max(self._opens, self._tokens_open)
            if opens > now:
                await asyncio.sleep(opens - now)
            elif self._in_flight + 1 > self._allowed:
                # Cleared before waiting and tested again in the loop: another waiter may have taken
                # the slot.
                self._freed.clear()
                await self._freed.wait()
            else:
                break
        self._in_flight += 1
        # Charged on entry and corrected by `used`: charged afterwards, a burst could start at once.
        self._spend(now, tokens)
        return now

    def leave(self) -> None:
        """Record that a request is no longer in flight."""
        self._in_flight -= 1
        self._freed.set()

    def used(self, guessed: int, tokens: int) -> None:
        """Put right what was guessed at `enter`, from the usage that the server reports."""
        if self._token_s:
            self._tokens_open += (tokens - guessed) * self._token_s

    def note_latency(self, seconds: float) -> None:
        """Learn from a good reply that took so long."""
        # The mean starts at the first reply; averaged with infinity it would never become finite.
        first = math.isinf(self._mean)
        self._mean = seconds if first else self._mean + NEWEST * (seconds - self._mean)
        self._best = min(self._best, self._mean)
        if self._mean <= SLOWER * self._best:
            # One more per round of replies, not per reply (additive increase, as in TCP).
            self._allowed += 1 / self._allowed

    def slow_down(self, sent: float) -> None:
        """Learn that a request sent at that time was one too many; once for each such crowd."""
        # Requests sent before the last halving say nothing about the new limit.
        if sent > self._slowed:
            # The limit was not reached by more than were in flight, whatever was allowed.
            crowd = min(self._allowed, self._in_flight + 1)
            self._allowed, self._slowed = max(1.0, crowd / 2), _now()

    def hold(self, seconds: float) -> None:
        """Hold back the requests of the run for so many seconds."""
        self._opens = max(self._opens, _now() + seconds)

    def _spend(self, now: float, tokens: int) -> None:
        """Delay the next request under a cap per minute."""
        if self._request_s:
            self._opens = max(self._opens, now) + self._request_s
        if self._token_s:
            self._tokens_open = max(self._tokens_open, now) + tokens * self._token_s


def _now() -> float:
    """Seconds by the clock that `asyncio.sleep` waits by."""
    return asyncio.get_running_loop().time()


def backoff(retries: int, jitter: random.Random) -> float:
    """Seconds before the next try: doubles up to LONGEST_BACKOFF_S, less up to a quarter."""
    # The jitter only shortens the wait, as in the openai client, so that the longest wait stays
    # known.
    return min(BACKOFF_S * 2**retries, LONGEST_BACKOFF_S) * (1 - 0.25 * jitter.random())


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that a server asks to wait, by `retry-after-ms` or `Retry-After`; None for none.

    A date is compared with the server's own clock, which its `Date` tells, else with `now`, seconds
    since 1970 by ours.
    """
    in_ms = _number(headers.get("retry-after-ms"))
    if in_ms is not None:
        return in_ms / 1000
    said = headers.get("retry-after")
    seconds = _number(said)
    if seconds is not None or not said:
        return seconds
    until, sent = _date(said), _date(headers.get("date", ""))
    return None if until is None else max(0.0, until - (now if sent is None else sent))


def used_up(headers: Mapping[str, str]) -> float:
    """Seconds until a rate limit whose rest is 0 is filled again; 0 where something is left.

    Read from `x-ratelimit-remaining-requests` or `-tokens` and the `-reset-` of the same name,
    which is a number of seconds or a length such as `6m0s` or `120ms`.
    """
    waits = [0.0]
    for kind in ("requests", "tokens"):
        # Only an exhausted limit counts: servers announce a reset with every reply.
        if _number(headers.get(f"x-ratelimit-remaining-{kind}")) == 0:
            waits.append(_length(headers.get(f"x-ratelimit-reset-{kind}", "")))
    return max(waits)


def _date(said: str) -> float | None:
    """A date of HTTP in seconds since 1970; None for anything else."""
    try:
        return parsedate_to_datetime(said).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None


def _length(said: str) -> float:
    """Seconds in `1h2m3.5s`, `20ms` or `17`; 0 where it is neither."""
    plain = _number(said)
    if plain is not None:
        return plain
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)", said)
    whole = "".join(number + unit for number, unit in parts) == said.strip()
    return sum(float(number) * _UNITS[unit] for number, unit in parts) if whole else 0.0


def _number(said: str | None) -> float | None:
    """A number that is not negative; None for anything else."""
    if not said:
        return None
    try:
        found = float(said)
    except ValueError:
        return None
    # `float` also reads “nan” and “inf”, on which a run would wait for ever.
    return found if math.isfinite(found) and found >= 0 else None
