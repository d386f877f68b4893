"""Texts of an item shown with its units or after a prompt, delimited and numbered. Pure."""

from collections.abc import Sequence

from concord.judges.prompting.delimiters import fence
from concord.model import Item

Texts = list[tuple[str, str]]


def of(name: str, item: Item, chunk: int | None = None) -> Texts:
    """Return the texts of one key of `shown`, each with the name of its part.

    `chunk` is the index of the single context for the key `chunk`, from 0 in rank order.
    """
    ranked = sorted(item.contexts, key=lambda one: one.rank)
    if name == "chunk":
        return [("CONTEXT", ranked[chunk].text)]
    if name == "turns":
        return [("TURNS", item.conversation)] if item.turns else []
    texts = {
        "question": [("QUESTION", item.question)],
        "answer": [("ANSWER", item.answer)],
        "contexts": [("CONTEXT", one.text) for one in ranked],
        "reference": [("REFERENCE", text) for text in item.reference],
        "reference_contexts": [("DOCUMENT", text) for text in item.reference_contexts],
    }
    return texts[name]


def fenced(texts: Texts, code: str) -> list[str]:
    """Return each text between its markers, numbered where its part has several."""
    parts = [part for part, _ in texts]
    return [
        fence(part, text, code, parts[: place + 1].count(part) if parts.count(part) > 1 else None)
        for place, (part, text) in enumerate(texts)
    ]


def all_of(names: Sequence[str], item: Item, chunk: int | None = None) -> Texts:
    """The texts of several keys of `shown`, in their order."""
    return [pair for name in names for pair in of(name, item, chunk)]
