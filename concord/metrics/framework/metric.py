"""Metric: the declaration of one number about an answer, and the one function that finds it.

The same function serves three times: a model's verdicts are asked for, verdicts that are stored
give the number again under another definition at no cost, and annotators' verdicts on the same
units give the number by annotators.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from concord.messages import said
from concord.metrics.framework.canary import Canary
from concord.metrics.framework.example import Example
from concord.model import Item

# What an item must have before anything is asked, with the words for an item that lacks it.
NEEDS = {
    "question": said("no question"),
    "answer": said("no answer"),
    "contexts": said("no contexts"),
    "reference": said("no reference answer"),
    "reference_contexts": said("no reference contexts"),
    "retrieved": said("no retrieved contexts but the whole document"),
    "context_ids": said("contexts without ids"),
    "relevant_ids": said("no ids of the relevant documents"),
    "turns": said("no earlier turns"),
    "rubric": said("no rubric given in the sheet"),
}


class Switch(NamedTuple):
    """A choice in a metric's definition on which the sources disagree; the first is ours."""

    name: str
    choices: tuple[str, ...]
    sentence: str


class Outcome(NamedTuple):
    """What a metric says of one item; never a bare number.

    Attributes:
        value: The number; None unless scored.
        status: `scored`, or why there is no number (a status of grades).
        reason: One sentence: how the number came about, or why there is none.
        parts: Other numbers that came with it, such as rates of every verdict or the value under
            each other choice of a switch; None where undefined.
        flags: What a reader must know beside the number, such as `no_relevant`; short words.
        units: How many units the number rests on.
    """

    value: float | None
    status: str = "scored"
    reason: str = ""
    parts: Mapping[str, float | None] = {}
    flags: tuple[str, ...] = ()
    units: int = 0


class Metric(NamedTuple):
    """A metric as it is listed, run and documented.

    Attributes:
        name: As in the store and on the command line.
        title: As annotators read it.
        sentence: The question it answers, in one sentence.
        formula: In plain text.
        needs: Keys of `NEEDS`.
        metric: The one function: the item and a hand in, the outcome out.
        source: Where the definition comes from.
        low: The least value under the first choices; None for no limit.
        high: The greatest value; None for no limit.
        low_by: The least value under other choices, by choice, where it is another.
        better: Whether more of it is better.
        asks: Whether a model is asked; without, the metric is computed.
        embeds: Whether an embedding model is asked.
        switches: Choices in its definition.
        rubrics: The unit rubrics by whose verdicts it is found, which annotators can label too.
        by_rule: Whether a rule draws these verdicts from lists or replies, so that no model is
            asked for them.
        when_low: What to look at when it is bad, in one sentence.
        others: Where other tools or the sources differ or err, in a sentence or two.
        example: An item with its number, reckoned by hand.
        canaries: Small items whose number nobody doubts, asked by `check --canaries`.
        code: The hash of the file where it is a function of the user's own; '' where it ships.
    """

    name: str
    title: str
    sentence: str
    formula: str
    needs: tuple[str, ...]
    metric: Callable[[Item, Any], Awaitable[Outcome]]
    source: str
    low: float | None = 0.0
    high: float | None = 1.0
    low_by: Mapping[str, float] = {}
    better: Literal["higher", "lower"] = "higher"
    asks: bool = True
    embeds: bool = False
    switches: tuple[Switch, ...] = ()
    rubrics: tuple[str, ...] = ()
    by_rule: bool = False
    when_low: str = ""
    others: str = ""
    example: Example | None = None
    canaries: tuple[Canary, ...] = ()
    code: str = ""

    def lacks(self, item: Item) -> tuple[str, ...]:
        """What the metric needs and the item does not have, as keys of `NEEDS`."""
        return tuple(need for need in self.needs if not _has(item, need))

    def chosen(self, switches: Mapping[str, str]) -> dict[str, str]:
        """Every switch with what is chosen; the first choice where nothing is said."""
        return {one.name: switches.get(one.name, one.choices[0]) for one in self.switches}

    def least(self, switches: Mapping[str, str]) -> float | None:
        """The least value under the choices made; None for no limit."""
        made = self.chosen(switches).values()
        return next((self.low_by[choice] for choice in made if choice in self.low_by), self.low)


def _has(item: Item, need: str) -> bool:
    if need == "contexts":
        return any(context.text.strip() for context in item.contexts)
    if need == "retrieved":
        return not item.given_whole
    if need == "context_ids":  # nothing retrieved is a finding, not a gap
        return all(one.doc_id or one.id for one in item.contexts)
    if need == "relevant_ids" and (item.given_whole or item.metadata.get(need) == []):
        return True  # the document it was given is the right one; or it is said that none is
    if need == "rubric":
        return bool(item.metadata.get(need))
    found = getattr(item, need)
    texts = (found,) if isinstance(found, str) else found or ()
    return any(str(text).strip() for text in texts)


def lacking(metric: Metric, item: Item) -> tuple[str, ...]:
    """What an item lacks for a metric, in words."""
    return tuple(NEEDS[need] for need in metric.lacks(item))


def under_each(
    switches: Sequence[Switch], by: Any, number: Callable[[Mapping[str, str]], Any]
) -> tuple[Any, dict[str, Any]]:
    """What `number` gives for the choices made, and what each single other choice would give.

    `number` takes the choice of every switch by its name. The second result is by choice, with
    those that were made among them; no two switches of a metric share the name of a choice.
    """
    chosen = {one.name: by.switch(one.name) for one in switches}
    each = {
        choice: number({**chosen, one.name: choice}) for one in switches for choice in one.choices
    }
    return number(chosen), each
