"""Declaration of a metric: one value of an answer, and the one function that computes it.

The same function serves three times: with a model's verdicts, with stored verdicts under another
definition at no cost, and with annotators' verdicts on the same units.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from concord.messages import spoken
from concord.model import Context, Item

# Inputs that an item must have before any request, with the words for an item that lacks one.
NEEDS = {
    "question": "no question",
    "answer": "no answer",
    "contexts": "no contexts",
    "reference": "no reference answer",
    "reference_contexts": "no reference contexts",
    "retrieved": "the whole document, no retrieved contexts",
    "context_ids": "contexts without ids",
    "relevant_ids": "no ids of the relevant documents",
    "turns": "no earlier turns",
    "rubric": "no rubric in the sheet",
}
# Values are computed from verdicts, so that a correct one may differ in its last digits.
EPSILON = 1e-9


class Example(NamedTuple):
    """A worked example with inputs, verdicts and expected value; a test recomputes it.

    Attributes:
        value: The value under the default choices.
        working: The arithmetic in plain text.
        question: The question, where needed; likewise every text of the item.
        answer: The answer.
        contexts: The texts of the contexts, best first.
        doc_ids: The ids of the documents they come from; alone, contexts without text.
        reference: The reference answers.
        reference_contexts: The texts of the relevant passages.
        relevant_ids: The ids of the relevant documents; None where unknown.
        rubric: The item's own meanings by score.
        units: The texts of the item's units by kind.
        verdicts: The scores of units by the name of the unit rubric, in order.
        replies: Reply objects of a model by the name of the request, other than verdicts.
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
    """A test item with a known result.

    Exactly one of `right`, `none` and `worse` says what that is. The texts are those of the item.

    Attributes:
        name: Its name.
        right: The lowest and highest right value.
        none: The right status of an undefined value.
        worse: Another answer to the same, which must get a worse value.
        least_units: Minimum number of units behind the value.
        units: Given units by kind, so that the judge does not decompose the text.
        turns: Earlier turns of a conversation.
    """

    name: str
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
        texts = ("question", "answer", "contexts", "reference", "reference_contexts", "rubric")
        made = Example(0.0, "", **{key: getattr(self, key) for key in texts}).item()
        made = made._replace(turns=tuple(self.turns) or None)
        return [made, made._replace(answer=self.worse)] if self.worse else [made]

    def expected(self) -> str:
        """Return the right result, in words."""
        if self.none:
            return f"undefined ({spoken(self.none)})"
        if self.worse:
            return "better than for the worse answer"
        low, high = self.right
        value = f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
        return value + (f" from at least {self.least_units} units" if self.least_units else "")

    def holds(self, values: Sequence[float], units: int, better: str) -> bool:
        """True where the values of `items` are right; `units` is the number behind the first one.

        `better` is `higher` or `lower`.
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
    """Result of a metric on one item.

    `value`: None unless `status` is `scored`; `reason` says in one sentence how it was computed,
    or why it is undefined. `parts` are secondary values, such as the rate of every verdict or the
    value under each other choice of a switch; None where undefined. `flags` are codes of caveats,
    such as `no_relevant`; `units` is the number of units behind the value.
    """

    value: float | None
    status: str = "scored"
    reason: str = ""
    parts: Mapping[str, float | None] = {}
    flags: tuple[str, ...] = ()
    units: int = 0


class Metric(NamedTuple):
    """Declaration of a metric.

    Attributes:
        name: As in the store and on the command line.
        title: Displayed name.
        sentence: The question it answers, in one sentence.
        formula: In plain text.
        needs: Keys of `NEEDS`.
        metric: The function from an item and its inputs to the outcome.
        source: Source of the definition.
        low: Lowest value under the default choices; None for no limit.
        high: Highest value; None for no limit.
        low_by: Lowest value under other choices, by choice, where different.
        better: `higher` or `lower`.
        asks: True where it sends requests to a model; else it is computed.
        embeds: True where it needs an embedding model.
        switches: Choices in its definition.
        rubrics: The unit rubrics whose verdicts it uses, which annotators can label too.
        by_rule: True where a rule derives these verdicts from lists or replies, without a request.
        when_low: What to examine when it is low, in one sentence.
        others: Differences from other tools or the sources, in a sentence or two.
        example: An item with its value, computed by hand.
        canaries: Small items with an obvious value, used by `check --canaries`.
        code: The hash of the user's own file; '' for shipped metrics.
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
        """Return the inputs the metric needs and the item lacks, as keys of `NEEDS`."""
        return tuple(need for need in self.needs if not _has(item, need))

    def chosen(self, switches: Mapping[str, str]) -> dict[str, str]:
        """Return the choice of every switch; the first one by default."""
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


def missing_inputs(metric: Metric, item: Item) -> tuple[str, ...]:
    """Return the inputs an item lacks for a metric, in words."""
    return tuple(NEEDS[need] for need in metric.lacks(item))


def by_choice(
    switches: Sequence[Switch], by: Any, number: Callable[[Mapping[str, str]], Any]
) -> tuple[Any, dict[str, Any]]:
    """Return `number` under the choices made, and under each single other choice.

    `number` takes the choice of every switch by its name. The second result is by choice, with
    those that were made among them; no two switches of a metric share the name of a choice.
    """
    each = {
        choice: number({**by.switches, one.name: choice})
        for one in switches
        for choice in one.choices
    }
    return number(by.switches), each
