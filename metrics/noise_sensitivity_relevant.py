"""Noise sensitivity, relevant: wrong claims that the answer took from relevant contexts."""

from data.model import Item
from metrics.frame.hand import Hand
from metrics.frame.measure import Measure, Outcome
from metrics.frame.noise import measured
from metrics.frame.support import SUPPORT


async def measure(item: Item, by: Hand) -> Outcome:
    """The share of the answer's claims that are wrong and stand in a relevant context."""
    return await measured(item, by, "relevant")


MEASURE = Measure(
    name="noise_sensitivity_relevant",
    title="Noise sensitivity, relevant contexts",
    sentence="How much of the answer is wrong and was taken from a context that also holds what "
    "is right?",
    formula="claims not supported by the reference but by a context that supports any claim of "
    "the reference / claims of the answer",
    needs=("question", "answer", "contexts", "reference"),
    measure=measure,
    source="RAGChecker (Ru et al. 2024); RAGAS",
    better="lower",
    switches=(SUPPORT,),
    rubrics=("claims-in-reference", "claims-in-chunk", "reference-claims-in-chunk"),
    when_low="Cut contexts smaller, so that what is right stands without its noise.",
)
