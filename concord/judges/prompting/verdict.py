"""Verdict: what a judge's reply says of one criterion."""

from typing import NamedTuple

from concord.model import Distribution


class Verdict(NamedTuple):
    """A reply's verdict on one criterion.

    `status` is `scored`, `refused`, `unparsable`, `truncated` or `failed`; `score`: None unless
    scored. `reason` is the judge's own; `why` says why the score is missing. `distribution` is its
    probability of each score, where it gave one.
    """

    status: str
    score: int | None = None
    reason: str = ""
    why: str = ""
    distribution: Distribution | None = None


def finished(verdicts: dict[str, Verdict]) -> bool:
    """True where another request is pointless: every criterion is scored or was refused."""
    return all(verdict.status in ("scored", "refused") for verdict in verdicts.values())


def number_scored(verdicts: dict[str, Verdict]) -> int:
    """Return how many criteria have a score."""
    return sum(verdict.status == "scored" for verdict in verdicts.values())
