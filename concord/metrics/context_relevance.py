"""Context relevance: how much of what was retrieved the question needs."""

from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.support import DUPLICATES, of_hits
from concord.metrics.prompts.inputs import Inputs, Undefined
from concord.model import Item


async def metric(item: Item, by: Inputs) -> Outcome:
    """The share of the contexts' sentences that an answer to the question has to rest on."""
    sentences = await by.units("context_sentence")
    if not sentences:
        raise Undefined("missing_input", "The contexts contain no sentences.")
    verdicts = await by.verdicts("context-sentences-for-question", sentences)
    hits = [verdicts[sentence.id].score > 0 for sentence in sentences]
    return of_hits((one.text for one in sentences), hits, by, "sentences are needed")[0]


METRIC = Metric(
    name="context_relevance",
    title="Context relevance",
    sentence="How much of the retrieved text is needed to answer the question?",
    formula="sentences of the contexts that are needed / sentences of the contexts",
    needs=("question", "contexts"),
    metric=metric,
    source="RAGAS 2023",
    switches=(DUPLICATES,),
    rubrics=("context-sentences-for-question",),
    when_low="Retrieve fewer contexts or rank them better.",
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
