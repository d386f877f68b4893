"""Context utilization: whether the contexts that the answer used stand before the others."""

from data.model import Item
from metrics.frame.hand import Hand
from metrics.frame.measure import Measure, Outcome
from metrics.frame.usefulness import precision


async def measure(item: Item, by: Hand) -> Outcome:
    """The mean precision over the ranks of contexts that the given answer rests on."""
    return await precision(by, "chunks-for-answer")


MEASURE = Measure(
    name="context_utilization",
    title="Context utilization",
    sentence="Do the contexts that the answer rests on stand before the others?",
    formula="mean over useful ranks k of: useful contexts up to k / k; 0 where none is useful",
    needs=("question", "answer", "contexts"),
    measure=measure,
    source="RAGAS, context precision without a reference",
    rubrics=("chunks-for-answer",),
    when_low="A wrong answer makes useful contexts look useless: see faithfulness first.",
)
