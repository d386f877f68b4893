"""Metric statements: a metric's value in words, as a cross-encoder reads it after the answer.

Source: VERA (2024), relevance statements. A cross-encoder truncates its input at the end, where the
statements are. So the answer is truncated here, never a statement, and the outcome says so.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from concord.metrics.framework.metric import Metric


class Pieces(Protocol):
    """A cross-encoder's tokenizer and input limit.

    `limit` is the maximum of word pieces of question and answer together, of which `special` are
    special tokens.
    """

    limit: int
    special: int

    def count(self, text: str) -> int:
        """Return the number of word pieces of a text, without special tokens."""

    def cut(self, text: str, pieces: int) -> str:
        """Return the beginning of a text with that many word pieces."""


class Enriched(NamedTuple):
    """An answer with its statements, and whether the answer had to be cut."""

    text: str
    cut: bool


class DoesNotFit(ValueError):
    """The question and the statements alone are more than the cross-encoder takes."""


_STATEMENT = (
    "{title}: {sentence} It is measured from {worst:g} to {high:g}; {high:g} is {good} and "
    "{worst:g} is {bad}. For this question and this answer, the score of {called} is {value:.4g}."
)


def statement(metric: Metric, value: float, least: float | None = None) -> str:
    """Return a statement of a metric with limits, its scale and this answer's score.

    At most four digits are printed; `least` is the lowest value under the reading, the metric's own
    by default.
    """
    worst = metric.low if least is None else least
    high, low = ("good", "bad") if metric.better == "higher" else ("bad", "good")
    return _STATEMENT.format(
        **metric._asdict(),
        worst=worst,
        good=high,
        bad=low,
        called=metric.title.lower(),
        value=value,
    )


def enriched(
    pieces: Pieces, question: str, answer: str, statements: Sequence[str] = ()
) -> Enriched:
    """Return the answer with its statements, truncated to fit with the question.

    Raises:
        DoesNotFit: No word piece of the answer fits.
    """
    said = " ".join(statements)
    available = pieces.limit - pieces.special - pieces.count(question)
    room = available - pieces.count(said)
    if room < 1:
        raise DoesNotFit("Without the answer the text is too long already.")
    body = answer if pieces.count(answer) <= room else pieces.cut(answer, room)
    while pieces.count(text := f"{body} {said}".strip()) > available:
        room -= (
            1  # some vocabularies take a cut word, or one joined to a statement, for more pieces
        )
        body = pieces.cut(body, room)
    return Enriched(text, body != answer)
