"""Document precision: how much of what was retrieved is right."""

from concord.messages import said
from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.retrieved import NEEDS, documents, share
from concord.metrics.prompts.inputs import Hand
from concord.model import Item


async def metric(item: Item, by: Hand) -> Outcome:
    """The share of the retrieved documents that are right, each document once."""
    return share(documents(item))


METRIC = Metric(
    name="document_precision",
    title=said("Document precision"),
    sentence=said("How much of what was retrieved is right?"),
    formula=said("right documents retrieved / documents retrieved, each once"),
    needs=NEEDS,
    metric=metric,
    source=said(
        "Set-based metric; it speaks only of retrievers that return as many as they deem right"
    ),
    asks=False,
    when_low=said("Where as many are retrieved every time it cannot be high; set a least score."),
    others="TREC's precision at k divides by k even where fewer were retrieved; this one divides "
    "by what was retrieved, and means little where a fixed number always is.",
    example=Example(
        1 / 3,
        "one right document in three: 1/3 = 0.333",
        doc_ids=["d5", "d1", "d7"],
        relevant_ids=["d1"],
    ),
)
