"""Canaries: small items with a known verdict, for testing a judge.

No data of a sheet is sent and nothing is stored: verdicts and cost are displayed.
"""

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from concord.definitions import Frozen
from concord.judges.checks import probe
from concord.judges.checks.probe import Lines, Trial, TrialConnection, TrialResult
from concord.judges.definition.model import Judge
from concord.judges.metric_runs.undefined import Undefined
from concord.judges.running.cost_estimate import Estimate
from concord.judges.running.progress import usd
from concord.messages import counted, joined, said, span
from concord.rubrics.model import read_text, validated

FILE = Path(__file__).parent / "canaries.toml"


class _Named(Frozen):
    """Fields of every canary; `about` says in a sentence what a good judge recognises."""

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
    """A claim with a text that supports it, contradicts it or does neither."""

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


class CanaryVerdict(NamedTuple):
    """A judge's verdict on one canary; `said` is '' where the reply was unusable.

    `cost` is in USD, None where unknown; the cost of a shared request is that of its first canary.
    """

    name: str
    about: str
    asked: str
    under: str
    right: tuple[str, ...]
    said: str
    why: str
    cost: float | None
    holds: bool

    def ending(self) -> str:
        """Return the right verdict, and the actual one, as `supported; it said contradicted`."""
        right = joined(" or ", self.right)
        if self.said:
            # A message has no full stop of its own here, and `rstrip` would lose its template.
            verdict = self.said.rstrip(".") if self.said.endswith(".") else self.said
            return said("{right}; it said {verdict}.", right=right, verdict=verdict)
        return said("{right}; there was no verdict. {why}", right=right, why=self.why)


class Outcome(NamedTuple):
    """A judge's results on its canaries; `untried` lists what had no canary, in sentences."""

    judge: str
    found: list[CanaryVerdict]
    cost: float | None
    untried: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """True where all of them passed; a judge without canaries passes."""
        return all(one.holds for one in self.found)

    def head(self) -> str:
        """Return how many passed, and the cost."""
        if not self.found:
            return said("{judge}: no canary applies to its requests.", judge=self.judge)
        return said(
            "{judge}: {n:,} of {canaries} right ({spent}).",
            judge=self.judge,
            n=sum(one.holds for one in self.found),
            canaries=counted(len(self.found), "canary", "canaries"),
            spent=said("cost unknown") if self.cost is None else usd(self.cost),
        )

    def failures(self) -> list[list[str]]:
        """Return the failures as lines, one group per question whatever it was asked under.

        A single line where all its results are the same; else one for the question, and one for
        each result, with the rubrics and metrics it occurred under.
        """
        same: dict[tuple[str, ...], list[CanaryVerdict]] = {}
        for one in self.found:
            if not one.holds:
                same.setdefault((one.name, one.about, one.asked), []).append(one)
        return [_failure_lines(alike) for alike in same.values()]

    def as_json(self) -> dict[str, Any]:
        """The outcome for `--json`."""
        return {
            "judge": self.judge,
            "holds": self.holds,
            "cost_usd": self.cost,
            "canaries": [one._asdict() for one in self.found],
            "untried": list(self.untried),
        }


def _failure_lines(alike: Sequence[CanaryVerdict]) -> list[str]:
    """Return lines on failed canaries with the same question."""
    first, ends = alike[0], {}
    for one in alike:
        ends.setdefault(one.ending(), []).append(one.under)
    told = {"canary": said(first.name), "about": said(first.about)}
    if first.asked:
        asked = said("Asked: {texts}.", texts=first.asked)
        told["about"] = joined(" ", [said(first.about), asked])
    named = [(end, joined("; ", under)) for end, under in ends.items()]
    if len(named) == 1:
        end, under = named[0]
        return [
            said("{canary} ({under}): {about} Expected: {right}", under=under, right=end, **told)
        ]
    return [
        said("{canary}: {about}", **told),
        *(said("{under}: right is {right}", under=under, right=end) for end, under in named),
    ]


@cache
def load() -> Canaries:
    """The canaries that ship."""
    return validated(Canaries, read_text(FILE), f"{FILE.parent.name}/{FILE.name}")


def expected_cost(trials: Sequence[Trial]) -> tuple[Decimal, Decimal] | None:
    """Lower and upper USD of asking all of them; None where a price is unknown."""
    requests = probe.distinct(trials)
    if not requests:
        return Decimal(0), Decimal(0)
    return Estimate.of(requests[0].judge, requests, scale=1.0).cost


def offer(trials: Sequence[Trial]) -> str:
    """Return the number of requests and their approximate cost, in words."""
    calls = counted(len(probe.distinct(trials)), "request")
    band = expected_cost(trials)
    if band is None:
        return joined(", ", [calls, said("price unknown")])
    low, high = map(float, band)
    return joined(", ", [calls, span(usd(low), usd(high)) if high else said("free")])


def is_free(trials: Sequence[Trial]) -> bool:
    """True where the requests certainly cost nothing."""
    band = expected_cost(trials)
    return not trials or (band is not None and not band[1])


def send(
    judge: Judge,
    trials: Sequence[Trial],
    untried: Sequence[str] = (),
) -> Outcome:
    """Send all canaries to the judge, each once; `untried` is passed on to the outcome.

    Raises:
        Problem: There is no key, or the endpoint denies every request.
    """
    found = asyncio.run(_ask(judge, trials)) if trials else []
    costs = [one.cost for one in found]
    return Outcome(judge.name, found, None if None in costs else sum(costs), tuple(untried))


async def _ask(judge: Judge, trials: Sequence[Trial]) -> list[CanaryVerdict]:
    async with Lines(judge) as lines:
        return list(await asyncio.gather(*(_run(one, lines.line()) for one in trials)))


async def _run(one: Trial, line: TrialConnection) -> CanaryVerdict:
    came, why = TrialResult("", False), ""
    try:
        came = await one.ask(line)
    except (Undefined, ValueError) as error:
        why = str(error)
    return CanaryVerdict(*one[:5], came.words, why, line.cost, came.is_right)


class Trials(NamedTuple):
    """The canaries of a judge, and sentences on what has no canary."""

    judge: Judge
    trials: list[Trial]
    untried: tuple[str, ...] = ()
