"""Context recall by likeness: how many of the right passages have a context like them."""

from concord.messages import said
from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.passage_matching import NEEDS, THRESHOLD, Alike, outcome
from concord.metrics.framework.ranks import recall_at
from concord.metrics.prompts.inputs import Hand
from concord.model import Item


async def metric(item: Item, by: Hand) -> Outcome:
    """The share of the right passages that some retrieved context is like."""
    found = "right passages have a context like them"
    return outcome(
        item, by, [THRESHOLD], Alike.passages, lambda hits: recall_at(hits, len(hits)), found
    )


METRIC = Metric(
    name="context_recall_by_likeness",
    title=said("Context recall by likeness"),
    sentence=said("How many of the right passages have a retrieved context like them?"),
    formula=said(
        "right passages that some context is like / right passages; "
        "alike where 1 - edit distance / longer text reaches the threshold"
    ),
    needs=NEEDS,
    metric=metric,
    source=said(
        "RAGAS's non-LLM context recall, which asks for more than 0.5; ours for 0.5 or more"
    ),
    asks=False,
    switches=(THRESHOLD,),
    when_low=said(
        "See whether chunks are cut as the right passages are; if not, compare ids instead."
    ),
    others="RAGAS accepts a similarity of 0.5 for precision and requires more than 0.5 for "
    "recall; here 0.5 is enough for both, and other thresholds are shown too.",
    example=Example(
        0.5,
        "one of the two right passages was retrieved: 1/2",
        contexts=["Paris is the capital of France."],
        reference_contexts=["Paris is the capital of France.", "Snow is cold and white."],
    ),
)
