"""The texts that a judge saw of a claim it calls contradicted, with its quote marked."""

from concord.messages import said
from concord.metrics.prompts.texts import all_of
from concord.reports.units.evidence import Part
from concord.rubrics.model import Rubric
from concord.store import items
from concord.store.database import Store
from concord.store.units.unit_verdicts import Refutation
from concord.text import quotations

_TITLES = {
    "QUESTION": said("Question {n}"),
    "ANSWER": said("Answer {n}"),
    "CONTEXT": said("Context {n}"),
    "REFERENCE": said("Reference {n}"),
    "DOCUMENT": said("Document {n}"),
}


def passages(store: Store, one: Refutation, rubric: Rubric) -> list[Part]:
    """Return the texts the judge saw with its quote marked; first the quote if it is in none."""
    item = items.item(store, one.item_id).item
    shown = [part for part in rubric.shown if part != "question"]
    chunk = one.position if "chunk" in rubric.shown else None
    texts = all_of(shown, item, chunk)
    names = [name for name, _ in texts]
    found = [
        _part(said(_TITLES[name], n=names[: place + 1].count(name)), text, one)
        for place, (name, text) in enumerate(texts)
    ]
    if not one.quote or any(part.spans for part in found):
        return found
    return [Part(said("Quote not found in any text"), one.quote, ()), *found]


def _part(name: str, text: str, one: Refutation) -> Part:
    span = quotations.find(one.quote, text) if one.quote else None
    return Part(name, text, ((*span, one.unit_id),) if span else ())
