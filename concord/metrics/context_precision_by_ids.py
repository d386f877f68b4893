"""Context precision by ids: how many of the retrieved contexts come from right documents."""

from concord.messages import said
from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.retrieved import NEEDS, contexts, share
from concord.metrics.prompts.inputs import Hand
from concord.model import Item


async def metric(item: Item, by: Hand) -> Outcome:
    """The share of the retrieved contexts whose own id, or whose document's, is a right one."""
    return share(contexts(item))


METRIC = Metric(
    name="context_precision_by_ids",
    title=said("Context precision by ids"),
    sentence=said("How many of the retrieved contexts are among the right ones?"),
    formula=said(
        "right contexts retrieved / contexts retrieved, each id once; their order is no matter"
    ),
    needs=NEEDS,
    metric=metric,
    source=said("RAGAS; it counts chunks, where document_precision counts documents"),
    asks=False,
    when_low=said("Where as many are retrieved every time it cannot be high; set a least score."),
    others="RAGAS's version by ids is this share too, without ranks, whatever its name suggests.",
    example=Example(
        0.5,
        "two of four retrieved contexts are right: 2/4",
        doc_ids=["1", "2", "3", "4"],
        relevant_ids=["2", "4", "5"],
    ),
)
