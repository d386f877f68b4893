"""Canary: an item small enough that nobody doubts what a metric must say of it.

It is asked of a judge before its run, under the first choices of the metric.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from concord.metrics.framework.example import Example
from concord.model import Item

# Numbers are reckoned from verdicts, so that a right one may differ in its last digits.
EPSILON = 1e-9


class Canary(NamedTuple):
    """What is measured, and what must come out.

    Exactly one of `right`, `none` and `worse` says what that is. The texts are those of the item.

    Attributes:
        name: What it is called.
        about: In a sentence, what a good judge sees.
        right: The least and the greatest number that is right.
        none: The status that is right where there must be no number.
        worse: Another answer to the same, which must come out worse.
        least_units: On how many units the number must rest at the least.
        units: Units that are given by kind, so that the judge does not take the text apart.
        turns: Earlier turns of a conversation.
    """

    name: str
    about: str
    right: tuple[float, float] | None = None
    none: str = ""
    worse: str = ""
    least_units: int = 0
    question: str = ""
    answer: str = ""
    contexts: Sequence[str] = ()
    reference: Sequence[str] = ()
    reference_contexts: Sequence[str] = ()
    rubric: Mapping[str, str] = {}
    turns: Sequence[Mapping[str, str]] = ()
    units: Mapping[str, Sequence[str]] = {}

    def items(self) -> list[Item]:
        """The item, and after it the one with the worse answer where there is one."""
        made = Example(
            0.0,
            "",
            question=self.question,
            answer=self.answer,
            contexts=self.contexts,
            reference=self.reference,
            reference_contexts=self.reference_contexts,
            rubric=self.rubric,
        ).item()
        made = made._replace(turns=tuple(self.turns) or None)
        return [made, made._replace(answer=self.worse)] if self.worse else [made]

    def expected(self) -> str:
        """What is right, in words."""
        if self.none:
            return f"no number ({self.none.replace('_', ' ')})"
        if self.worse:
            return "better than for the worse answer"
        low, high = self.right
        said = f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
        return f"{said} from {self.least_units} parts or more" if self.least_units else said

    def holds(self, values: Sequence[float], units: int, better: str) -> bool:
        """Whether numbers are right.

        Args:
            values: The number of each of `items`.
            units: On how many units the first one rests.
            better: Whether `higher` or `lower` is better.
        """
        if self.none:
            return False
        if self.worse:
            good, bad = values if better == "higher" else reversed(values)
            return good - bad > EPSILON
        low, high = self.right
        is_right = low - EPSILON <= values[0] <= high + EPSILON
        return is_right and units >= self.least_units
