"""Canary: small items whose right verdict is known, and asking a judge about them.

Nothing of a sheet is sent and nothing is stored: what they say is shown, and what it cost.
"""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from data import clock
from data.counted import counted
from judges import price
from judges.answer import Answer
from judges.model import Judge
from judges.price import Band, Expected
from judges.progress import usd
from judges.request import prompt_band
from rubrics.model import Frozen, read_text, validated

FILE = Path(__file__).parent / "canaries.toml"
AT_ONCE = 4


class _Named(Frozen):
    """What every canary has; `about` says in a sentence what a good judge sees."""

    name: str
    about: str
    question: str


class AnswerCanary(_Named):
    """A whole answer that passes or fails on the heaviest criterion of any rubric."""

    context: str
    reference: str
    answer: str
    right: Literal["passes", "fails"]


class ClaimCanary(_Named):
    """A claim beside a text that supports it, contradicts it or does neither."""

    evidence: str
    claim: str
    right: Literal["supported", "unsupported", "contradicted"]
    everywhere: bool = False


class PassageCanary(_Named):
    """A passage that is of use for an answer or is not."""

    answer: str
    passage: str
    right: Literal["useful", "useless"]


class Canaries(Frozen):
    """The canaries of one file."""

    answer: tuple[AnswerCanary, ...]
    claim: tuple[ClaimCanary, ...]
    passage: tuple[PassageCanary, ...]


class Trial(NamedTuple):
    """One request whose right outcome is known.

    Attributes:
        name: What it is called.
        about: What a good judge sees.
        under: The rubric, and the criterion where there are several.
        body: The request.
        right: The words of the right verdict, any of them.
        read: The verdict in a word, from the raw completion; raises ValueError with the reason.
        reply: About how many tokens a reply takes.
    """

    name: str
    about: str
    under: str
    body: Mapping[str, Any]
    right: tuple[str, ...]
    read: Callable[[Any], str]
    reply: Band


class Found(NamedTuple):
    """What a judge said of one canary; `said` is '' where the reply could not be taken."""

    name: str
    about: str
    under: str
    right: tuple[str, ...]
    said: str
    why: str
    cost: float | None

    @property
    def holds(self) -> bool:
        """Whether it said what is right."""
        return self.said in self.right

    def sentence(self) -> str:
        """What was expected and what came."""
        if self.holds:
            return f"{self.name} ({self.under}): {self.said}."
        came = f"it said {self.said}" if self.said else f"no verdict came: {self.why}"
        right = " or ".join(self.right)
        return f"{self.name} ({self.under}): {self.about} Right is {right}; {came.rstrip('.')}."


class Outcome(NamedTuple):
    """What a judge made of its canaries."""

    judge: str
    found: list[Found]
    cost: float | None

    @property
    def holds(self) -> bool:
        """Whether all of them came out right; a judge without canaries has nothing to hold."""
        return all(one.holds for one in self.found)

    def sentence(self) -> str:
        """How many came out right, which did not, and what it cost."""
        if not self.found:
            return f"{self.judge}: it is asked nothing for which there is a canary."
        wrong = [one for one in self.found if not one.holds]
        spent = "cost unknown" if self.cost is None else usd(self.cost)
        of = counted(len(self.found), "canary", "canaries")
        head = f"{self.judge}: {len(self.found) - len(wrong):,} of {of} right ({spent})."
        return "\n".join([head, *(f"  NO  {one.sentence()}" for one in wrong)])

    def as_json(self) -> dict[str, Any]:
        """The outcome for `--json`."""
        found = [one._asdict() | {"holds": one.holds} for one in self.found]
        return {"judge": self.judge, "holds": self.holds, "cost_usd": self.cost, "canaries": found}


@cache
def load() -> Canaries:
    """The canaries that ship."""
    return validated(Canaries, read_text(FILE), f"{FILE.parent.name}/{FILE.name}")


def expected_cost(
    judge: Judge, trials: Sequence[Trial], prices: Sequence[price.Price], today: date
) -> tuple[Decimal, Decimal] | None:
    """Lower and upper USD of asking all of them; None where the price is unknown."""
    read, written = (
        Band(sum(band.low for band in bands), sum(band.high for band in bands))
        for bands in ([prompt_band(one.body) for one in trials], [one.reply for one in trials])
    )
    found = price.price_of(prices, judge, today)
    return price.cost_band(Expected(read, written, False), found)


def offer(judge: Judge, trials: Sequence[Trial]) -> str:
    """How many requests it takes, and for about how much, in words."""
    calls = counted(len(trials), "request")
    band = expected_cost(judge, trials, price.load(), clock.today())
    if band is None:
        return f"{calls}, price unknown"
    low, high = map(float, band)
    return f"{calls}, free" if not high else f"{calls}, {usd(low)}-{usd(high)}"


def is_free(judge: Judge, trials: Sequence[Trial]) -> bool:
    """Whether asking surely costs nothing."""
    band = expected_cost(judge, trials, price.load(), clock.today())
    return not trials or (band is not None and not band[1])


def send(judge: Judge, trials: Sequence[Trial], environ: Mapping[str, str] = os.environ) -> Outcome:
    """Ask the judge about all canaries, each once.

    Raises:
        Problem: There is no key, or the endpoint refuses for good.
    """
    answers = asyncio.run(_ask(judge, trials, environ)) if trials else []
    found_price = price.price_of(price.load(), judge, clock.today())
    found = [_found(t, a, found_price) for t, a in zip(trials, answers, strict=True)]
    costs = [one.cost for one in found]
    return Outcome(judge.name, found, None if None in costs else sum(costs))


async def _ask(judge: Judge, trials: Sequence[Trial], environ: Mapping[str, str]) -> list[Answer]:
    from judges.client import Client  # the openai package takes half a second to import

    gate = asyncio.Semaphore(AT_ONCE)
    async with Client(judge, environ, max_retries=2) as client:

        async def one(trial: Trial) -> Answer:
            async with gate:
                return await client.ask(trial.body)

        return list(await asyncio.gather(*map(one, trials)))


def _found(trial: Trial, answer: Answer, found: price.Price | None) -> Found:
    spent = price.cost(answer.usage, found) if answer.usage else None
    said, why = "", answer.why
    if not answer.status:
        try:
            said = trial.read(answer.completion)
        except ValueError as error:
            why = str(error)
    cost = None if spent is None else float(spent)
    return Found(trial.name, trial.about, trial.under, trial.right, said, why, cost)
