"""Document recall: how much of what is right was retrieved."""

from concord.messages import said
from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.ranks import recall_at
from concord.metrics.framework.retrieved import NEEDS, K, by_rank
from concord.metrics.prompts.inputs import Hand
from concord.model import Item


async def metric(item: Item, by: Hand) -> Outcome:
    """Return the share of the relevant documents among those retrieved, down to k."""
    return by_rank(item, by, recall_at)


METRIC = Metric(
    name="document_recall",
    title=said("Document recall"),
    sentence=said("How many of the right documents were retrieved?"),
    formula=said("right documents retrieved / right documents known"),
    needs=NEEDS,
    metric=metric,
    source=said("Set-based metric; nothing retrieved counts 0"),
    asks=False,
    switches=(K,),
    when_low=said("Search by words too, cut chunks otherwise, or take another embedding."),
    others="Nothing retrieved is 0 here, and counts: pytrec_eval leaves such a question out of "
    "the mean, ranx refuses it.",
    example=Example(
        0.5,
        "one of the two right documents was retrieved: 1/2",
        doc_ids=["d5", "d1", "d7"],
        relevant_ids=["d1", "d2"],
    ),
)
