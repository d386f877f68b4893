"""Context recall by sentences: as context recall, with the reference's sentences as its units."""

from concord.messages import said
from concord.metrics.framework.counted_once import DUPLICATES
from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.support import SUPPORT, supported
from concord.metrics.prompts.inputs import Hand
from concord.model import Item

SWITCHES = (SUPPORT, DUPLICATES)


async def metric(item: Item, by: Hand) -> Outcome:
    """The share of the reference's sentences whose content the contexts hold."""
    nothing, of = "The reference answer has no sentence.", "reference_sentence"
    return await supported(by, "reference-sentences-in-contexts", of, nothing, SWITCHES)


METRIC = Metric(
    name="context_recall_by_sentence",
    title=said("Context recall by sentences"),
    sentence=said("How many sentences of the reference answer can be found in what was retrieved?"),
    formula=said("sentences of the reference found in the contexts / sentences of the reference"),
    needs=("question", "contexts", "reference"),
    metric=metric,
    source=said("RAGAS, as its library computes it"),
    switches=SWITCHES,
    rubrics=("reference-sentences-in-contexts",),
    when_low=said(
        "As for context recall; long sentences that are found in part count as not found."
    ),
    others="An example in the documentation of RAGAS prints 1 for a sentence on the Eiffel Tower "
    "and a context that only names Paris as a capital: the model knew it by itself. By "
    "the definition it is 0, and so it is here.",
    example=Example(
        0.0,
        "the context does not say where the tower is, whatever the model knows: 0/1",
        question="Where is the Eiffel Tower?",
        contexts=["Paris is the capital of France."],
        reference=["The Eiffel Tower is located in Paris."],
        verdicts={"reference-sentences-in-contexts": [1]},
    ),
)
