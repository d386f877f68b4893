"""Kinds of units an item is decomposed into, by a rule or by a model, once for all graders."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from concord.metrics.prompts import claims, entities, facts
from concord.metrics.prompts.ask import Ask
from concord.model import Item
from concord.text.sentences import sentences


class Kind(NamedTuple):
    """One kind of unit: its noun, its source text, and how it is made.

    Exactly one of `rule` and `ask` is given; a reply to `ask` is read as the list of texts. `of` is
    `answer`, `reference`, `contexts` or `question`: the text that an annotator sees next to the
    units when checking them.
    """

    name: str
    plural: str
    of: str
    rule: Callable[[Item], Sequence[str]] | None = None
    ask: Callable[[Item], Ask] | None = None


def _chunks(item: Item) -> list[str]:
    return [context.text for context in sorted(item.contexts, key=lambda one: one.rank)]


def _reference(item: Item) -> str:
    """The first reference answer that is not empty: the one that claims are taken from."""
    return next(iter(_references(item)), "")


def _references(item: Item) -> list[str]:
    return [text for text in item.reference if text.strip()]


def flags(item: Item, kind: str) -> tuple[str, ...]:
    """Return the caveat that only the first of several reference answers was decomposed."""
    several = KINDS[kind].of == "reference" and len(_references(item)) > 1
    return ("first_reference_only",) if several else ()


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "claim",
            "claims",
            "answer",
            ask=lambda item: claims.of_answer(item.question, item.answer),
        ),
        Kind(
            "reference_claim",
            "claims of the reference",
            "reference",
            ask=lambda item: claims.of_reference(item.question, _reference(item)),
        ),
        Kind(
            "fact",
            "facts",
            "answer",
            ask=lambda item: facts.request(item.question, item.answer, item.judge_date),
        ),
        Kind("answer", "answers", "answer", rule=lambda item: [item.answer]),
        Kind("chunk", "contexts", "contexts", rule=_chunks),
        Kind("sentence", "sentences", "answer", rule=lambda item: sentences(item.answer)),
        Kind(
            "reference_sentence",
            "sentences of the reference",
            "reference",
            rule=lambda item: sentences(_reference(item)),
        ),
        Kind(
            "context_sentence",
            "sentences of the contexts",
            "contexts",
            rule=lambda item: [one for text in _chunks(item) for one in sentences(text)],
        ),
        Kind(
            "reference_entity",
            "entities of the reference",
            "reference",
            ask=lambda item: entities.request("REFERENCE", [_reference(item)]),
        ),
        Kind(
            "context_entity",
            "entities of the contexts",
            "contexts",
            ask=lambda item: entities.request("CONTEXT", _chunks(item)),
        ),
    )
}
