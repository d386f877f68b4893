"""Noise sensitivity, irrelevant: wrong claims that the answer took from irrelevant contexts."""

from data.model import Item
from metrics.frame.hand import Hand
from metrics.frame.measure import Measure, Outcome
from metrics.frame.noise import measured
from metrics.frame.support import SUPPORT


async def measure(item: Item, by: Hand) -> Outcome:
    """The share of the answer's claims that are wrong and stand in irrelevant contexts only."""
    return await measured(item, by, "irrelevant")


MEASURE = Measure(
    name="noise_sensitivity_irrelevant",
    title="Noise sensitivity, irrelevant contexts",
    sentence="How much of the answer is wrong and was taken from contexts that hold nothing right?",
    formula="claims not supported by the reference but only by contexts that support no claim of "
    "the reference / claims of the answer",
    needs=("question", "answer", "contexts", "reference"),
    measure=measure,
    source="RAGChecker (Ru et al. 2024); RAGAS",
    better="lower",
    switches=(SUPPORT,),
    rubrics=("claims-in-reference", "claims-in-chunk", "reference-claims-in-chunk"),
    when_low="Retrieve fewer contexts or rank them better; ask the model to pass over the rest.",
)
