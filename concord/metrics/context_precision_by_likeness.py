"""Context precision by similarity: rank of the contexts similar to the right passages."""

from concord.messages import said
from concord.metrics.framework.counted_once import DUPLICATES
from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.passage_matching import NEEDS, THRESHOLD, Alike, outcome
from concord.metrics.framework.ranks import context_precision
from concord.metrics.prompts.inputs import Hand
from concord.model import Item

SWITCHES = (THRESHOLD, DUPLICATES)


async def metric(item: Item, by: Hand) -> Outcome:
    """The mean precision over the ranks of contexts that are like some right passage."""
    found = "contexts are like a right passage"
    return outcome(item, by, SWITCHES, Alike.contexts, context_precision, found)


METRIC = Metric(
    name="context_precision_by_likeness",
    title=said("Context precision by likeness"),
    sentence=said("Are contexts similar to the relevant passages ranked before the others?"),
    formula=said(
        "mean over ranks k of contexts like a right passage of: such contexts up to k / k; "
        "alike where 1 - edit distance / longer text reaches the threshold"
    ),
    needs=NEEDS,
    metric=metric,
    source=said(
        "RAGAS's non-LLM context precision; a right passage within a longer chunk is not alike"
    ),
    asks=False,
    switches=SWITCHES,
    when_low=said(
        "See whether chunks are cut as the right passages are; if not, compare ids instead."
    ),
    others="RAGAS accepts a similarity of 0.5 for precision and requires more than 0.5 for "
    "recall; here 0.5 is enough for both, and other thresholds are shown too.",
    example=Example(
        7 / 12,
        "alike at ranks 2 and 3: (1/2 + 2/3) / 2 = 0.583",
        contexts=[
            "Snow is cold and white.",
            "Berlin is the capital of Germany.",
            "Paris is the capital of France!",
        ],
        reference_contexts=["Berlin is the capital of Germany.", "Paris is the capital of France."],
    ),
)
