"""Supported by the source: how much of what the answer says is so by the true document."""

from data.model import Item
from metrics.frame.hand import Hand
from metrics.frame.measure import Measure, Outcome
from metrics.frame.support import SUPPORT, supported


async def measure(item: Item, by: Hand) -> Outcome:
    """The share of the answer's claims that the true document supports."""
    nothing = "The answer claims nothing that could be checked."
    return await supported(by, "claims-in-document", "claim", nothing)


MEASURE = Measure(
    name="supported_by_source",
    title="Supported by the source",
    sentence="How much of what the answer says is so by the document it should have come from?",
    formula="claims supported by the true document / claims of the answer",
    needs=("question", "answer", "reference_contexts"),
    measure=measure,
    source="faithfulness as in RAGAS, held against the true document",
    switches=(SUPPORT,),
    rubrics=("claims-in-document",),
    when_low="See first whether the right document was retrieved; if it was, look at faithfulness.",
)
