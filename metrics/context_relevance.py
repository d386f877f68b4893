"""Context relevance: how much of what was retrieved the question needs."""

from data.model import Item
from metrics.frame.example import Example
from metrics.frame.hand import Hand, Unmeasured
from metrics.frame.measure import Measure, Outcome


async def measure(item: Item, by: Hand) -> Outcome:
    """The share of the contexts' sentences that an answer to the question has to rest on."""
    sentences = await by.units("context_sentence")
    if not sentences:
        raise Unmeasured("missing_input", "The contexts hold no sentence.")
    verdicts = await by.verdicts("context-sentences-for-question", sentences)
    needed = sum(verdict.score > 0 for verdict in verdicts.values())
    return Outcome(
        needed / len(sentences),
        reason=f"{needed} of {len(sentences)} sentences are needed.",
        flags=() if needed else ("no_relevant",),
        units=len(sentences),
    )


MEASURE = Measure(
    name="context_relevance",
    title="Context relevance",
    sentence="How much of what was retrieved is needed to answer the question?",
    formula="sentences of the contexts that are needed / sentences of the contexts",
    needs=("question", "contexts"),
    measure=measure,
    source="RAGAS (Es et al. 2023); sentences are chosen by number, so none can be altered",
    rubrics=("context-sentences-for-question",),
    when_low="Cut documents smaller, retrieve fewer of them, or drop what scores below a limit.",
    others="RAGAS has sentences copied out and divides by their number, cut off at 1 where more "
    "came back than there are; here sentences are chosen by number. Its first version "
    "multiplied by how well two samples agree.",
    example=Example(
        0.25,
        "one sentence of four is needed: 1/4",
        question="When does the museum open?",
        contexts=["The museum opens at nine. It has a café.", "It was built in 1911. It is red."],
        verdicts={"context-sentences-for-question": [1, 0, 0, 0]},
    ),
)
