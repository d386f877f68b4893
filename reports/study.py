"""Study: one question about judges, answered in a sentence on the user's own sheets."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from reports.text import table
from words.said import joined, said, small


class Study(NamedTuple):
    """The outcome of one study.

    Attributes:
        name: What it is called.
        question: What it asks.
        answer: The answer in one sentence; where it cannot be run, that and why.
        can_run: Whether there was enough to answer it.
        rests_on: What the answer rests on and how far it holds.
        published: What the published study of this question found, to read the answer against.
        missing: What to do, or what would tell more, and how to get it, a sentence each.
        heads: The columns of `rows`; empty where there are none.
        rows: The figures in words.
        figures: The same as numbers.
    """

    name: str
    question: str
    answer: str
    can_run: bool
    rests_on: str = ""
    published: str = ""
    missing: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    figures: tuple[dict[str, Any], ...] = ()

    def as_json(self) -> dict:
        """All fields by name; `rows` as lists."""
        return self._asdict() | {"rows": [list(row) for row in self.rows]}

    def wanting(self) -> str:
        """What stands before each sentence of `missing`."""
        return said("Would tell more" if self.can_run else "What to do")

    def text(self) -> str:
        """The study for a terminal."""
        parts = [
            self.question,
            self.answer,
            table(self.heads, self.rows) if self.rows else "",
            self.rests_on,
            *(f"{self.wanting()}: {sentence}" for sentence in self.missing),
            self.published,
        ]
        return "\n\n".join(part for part in parts if part)


def cannot_run(name: str, question: str, published: str, missing: Sequence[str]) -> Study:
    """A study that lacks what it needs."""
    answer = said("This cannot be answered yet: {why}", why=small(missing[0]))
    return Study(name, question, answer, False, published=published, missing=tuple(missing[1:]))


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them: `a`, `a and b`, `a, b and c`."""
    if len(names) < 2:
        return names[0] if names else ""
    return said("{names} and {last}", names=joined(", ", names[:-1]), last=names[-1])
