"""Verdict: what a judge's reply says of one criterion."""

from typing import NamedTuple

from concord.model import Distribution


class Verdict(NamedTuple):
    """A reply's verdict on one criterion.

    `status` is `scored`, `refused`, `unparsable`, `truncated` or `failed`; `score`: None unless
    scored. `reason` is the judge's own; `why` says why the score is missing. `distribution` is its
    probability of each score, where it gave one. `lacks_probabilities` is True where the reply is
    good but for the probability that was asked for; a reading rule then has no score.
    """

    status: str
    score: int | None = None
    reason: str = ""
    why: str = ""
    distribution: Distribution | None = None
    lacks_probabilities: bool = False

    @property
    def reply_status(self) -> str:
        """The status of the reply, which is of use to judges with another reading rule."""
        return "scored" if self.lacks_probabilities else self.status


def finished(verdicts: dict[str, Verdict]) -> bool:
    """True where another request is pointless: every criterion is scored or was refused."""
    return all(verdict.reply_status in ("scored", "refused") for verdict in verdicts.values())


def number_scored(verdicts: dict[str, Verdict]) -> int:
    """Return how many criteria the reply scores."""
    return sum(verdict.reply_status == "scored" for verdict in verdicts.values())
