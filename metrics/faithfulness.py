"""Faithfulness: how much of what the answer says the retrieved contexts support."""

from data.model import Item
from metrics.frame.hand import Hand
from metrics.frame.measure import Measure, Outcome
from metrics.frame.support import SUPPORT, supported


async def measure(item: Item, by: Hand) -> Outcome:
    """The share of the answer's claims that the contexts support."""
    nothing = "The answer claims nothing that could be checked."
    return await supported(by, "claims-in-contexts", "claim", nothing)


MEASURE = Measure(
    name="faithfulness",
    title="Faithfulness",
    sentence="How much of what the answer says do the retrieved contexts support?",
    formula="supported claims of the answer / claims of the answer",
    needs=("question", "answer", "contexts"),
    measure=measure,
    source="RAGAS (Es et al. 2023)",
    switches=(SUPPORT,),
    rubrics=("claims-in-contexts",),
    when_low="Ask the answering model to stay with its contexts and cite them, or take another.",
)
