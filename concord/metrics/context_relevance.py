"""Context relevance: how much of what was retrieved the question needs."""

from statistics import fmean

from concord.metrics.framework import support
from concord.metrics.framework.metric import Example, Metric, Outcome, by_choice
from concord.metrics.framework.support import DUPLICATES
from concord.metrics.prompts.inputs import Inputs, Undefined
from concord.model import Item


async def metric(item: Item, by: Inputs) -> Outcome:
    """The share of the contexts' sentences that an answer to the question has to rest on."""
    sentences = await by.units("context_sentence")
    if not sentences:
        raise Undefined("missing_input", "The contexts contain no sentences.")
    verdicts = await by.verdicts("context-sentences-for-question", sentences)
    places = support.of_texts(sentence.text for sentence in sentences)
    every = [verdicts[sentence.id].score > 0 for sentence in sentences]
    value, each = by_choice([DUPLICATES], by, lambda chosen: fmean(places.counted(every, chosen)))
    chosen = {DUPLICATES.name: by.switch(DUPLICATES.name)}
    needed = places.counted(every, chosen)
    return Outcome(
        value,
        reason=f"{sum(needed)} of {len(needed)} sentences are needed.",
        parts=each,
        flags=(() if any(needed) else ("no_relevant",)) + places.flags(chosen),
        units=len(needed),
    )


METRIC = Metric(
    name="context_relevance",
    title="Context relevance",
    sentence="How much of the retrieved text is needed to answer the question?",
    formula="sentences of the contexts that are needed / sentences of the contexts",
    needs=("question", "contexts"),
    metric=metric,
    source="RAGAS (Es et al. 2023)",
    switches=(DUPLICATES,),
    rubrics=("context-sentences-for-question",),
    when_low="Use smaller chunks, retrieve fewer, or set a minimum retrieval score.",
    others="RAGAS 0.4.3 has two prompts rate all contexts together as 0, 1 or 2; in earlier "
    "versions the model copied sentences, which are selected by number here.",
    example=Example(
        0.25,
        "one sentence of four is needed: 1/4",
        question="When does the museum open?",
        contexts=["The museum opens at nine. It has a café.", "It was built in 1911. It is red."],
        verdicts={"context-sentences-for-question": [1, 0, 0, 0]},
    ),
)
