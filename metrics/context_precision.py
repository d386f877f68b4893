"""Context precision: whether the useful contexts stand before the useless, by the reference."""

from data.model import Item
from metrics.frame.hand import Hand
from metrics.frame.measure import Measure, Outcome
from metrics.frame.usefulness import precision


async def measure(item: Item, by: Hand) -> Outcome:
    """The mean precision over the ranks of contexts that the reference answer needs."""
    return await precision(by, "chunks-for-reference")


MEASURE = Measure(
    name="context_precision",
    title="Context precision",
    sentence="Do the contexts that the reference answer needs stand before the others?",
    formula="mean over useful ranks k of: useful contexts up to k / k; 0 where none is useful",
    needs=("question", "contexts", "reference"),
    measure=measure,
    source="RAGAS; divides by the useful contexts that were retrieved, not by all there are",
    rubrics=("chunks-for-reference",),
    when_low="Rank better: a second stage that orders what was found, such as a cross-encoder.",
)
