"""Statement: a metric's number in words, as a cross-encoder reads it after the answer.

Source: VERA (2024), relevance statements. A cross-encoder takes so many word pieces and cuts what
is too much from the end, which is where the statements stand. So the answer is cut here, never a
statement, and it is said.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from concord.metrics.framework.metric import Metric


class Pieces(Protocol):
    """How a cross-encoder counts and cuts texts.

    Attributes:
        limit: The most word pieces of a question and an answer together.
        special: How many of these are its own marks around the two.
    """

    limit: int
    special: int

    def count(self, text: str) -> int:
        """How many word pieces a text is, without marks."""

    def cut(self, text: str, pieces: int) -> str:
        """As much of the beginning of a text as that many word pieces are."""


class Enriched(NamedTuple):
    """An answer with its statements, and whether the answer had to be cut."""

    text: str
    cut: bool


class DoesNotFit(ValueError):
    """The question and the statements alone are more than the cross-encoder takes."""


def statement(metric: Metric, value: float, least: float | None = None) -> str:
    """What the metric is, when it is high and low, and this answer's score.

    Args:
        metric: A metric with limits.
        value: The number; it stands there as it is, to four digits where it has more.
        least: The least number under the reading; the metric's own unless given.
    """
    worst = metric.low if least is None else least
    high, low = ("good", "bad") if metric.better == "higher" else ("bad", "good")
    return (
        f"{metric.title}: {metric.sentence} It is measured from {worst:g} to "
        f"{metric.high:g}; {metric.high:g} is {high} and {worst:g} is {low}. For this "
        f"question and this answer, the score of {metric.title.lower()} is {value:.4g}."
    )


def enriched(
    pieces: Pieces, question: str, answer: str, statements: Sequence[str] = ()
) -> Enriched:
    """The answer with its statements, so that it fits beside the question.

    Raises:
        DoesNotFit: There is no room left for a single word piece of the answer.
    """
    said = " ".join(statements)
    beside = pieces.limit - pieces.special - pieces.count(question)
    room = beside - pieces.count(said)
    if room < 1:
        need = pieces.limit - room + 1
        raise DoesNotFit(
            f"The question and the statements alone take {need} of {pieces.limit} word pieces."
        )
    body = answer if pieces.count(answer) <= room else pieces.cut(answer, room)
    while pieces.count(text := f"{body} {said}".strip()) > beside:
        room -= (
            1  # some vocabularies take a cut word, or one joined to a statement, for more pieces
        )
        body = pieces.cut(body, room)
    return Enriched(text, body != answer)
