"""Metric: the declaration of one number about an answer, and the one function that finds it.

The same function serves three times: a model's verdicts are asked for, verdicts that are stored
give the number again under another definition at no cost, and annotators' verdicts on the same
units give the number by annotators.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from concord.messages import said
from concord.model import Context, Item

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
# Numbers are reckoned from verdicts, so that a right one may differ in its last digits.
EPSILON = 1e-9


class Example(NamedTuple):
    """What is measured, what is said of its units, and what comes out; a test reckons it again.

    Attributes:
        value: The number the metric gives under its first choices.
        working: The arithmetic in plain text.
        question: The question, where it matters; so with every text of the item.
        answer: The answer.
        contexts: The texts of the contexts, best first.
        doc_ids: The ids of the documents they come from; alone, contexts without text.
        reference: The reference answers.
        reference_contexts: The texts of the right passages.
        relevant_ids: The ids of the right documents; None where nobody said.
        rubric: The item's own meanings by score.
        units: The texts of the item's units by kind.
        verdicts: The scores of units by the name of the unit rubric, in order.
        replies: Reply objects of a model by the name of the request, where it is no verdict.
        vectors: Embeddings by text.
    """

    value: float
    working: str
    question: str = ""
    answer: str = ""
    contexts: Sequence[str] = ()
    doc_ids: Sequence[str] = ()
    reference: Sequence[str] = ()
    reference_contexts: Sequence[str] = ()
    relevant_ids: Sequence[str] | None = None
    rubric: Mapping[str, str] = {}
    units: Mapping[str, Sequence[str]] = {}
    verdicts: Mapping[str, Sequence[int]] = {}
    replies: Mapping[str, Any] = {}
    vectors: Mapping[str, Sequence[float]] = {}

    def item(self) -> Item:
        """The item of the example."""
        places = range(max(len(self.contexts), len(self.doc_ids)))
        texts = [*self.contexts, *[""] * len(places)]
        ids = [*self.doc_ids, *[""] * len(places)]
        named = {} if self.relevant_ids is None else {"relevant_ids": list(self.relevant_ids)}
        named |= {"rubric": dict(self.rubric)} if self.rubric else {}
        return Item(
            own_id="example",
            question_id=None,
            cluster=None,
            question=self.question,
            contexts=tuple(Context("", ids[n], texts[n], n + 1) for n in places),
            answer=self.answer,
            answer_model=None,
            reference=tuple(self.reference),
            reference_contexts=tuple(self.reference_contexts),
            turns=None,
            synthetic=False,
            metadata=named,
            row=1,
        )


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
