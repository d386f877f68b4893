"""Average precision: precision at each right document, over all right documents there are."""

from concord.messages import said
from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.ranks import average_precision
from concord.metrics.framework.retrieved import NEEDS, K, by_rank
from concord.metrics.prompts.inputs import Hand
from concord.model import Item


async def metric(item: Item, by: Hand) -> Outcome:
    """The mean, over all right documents, of precision at their ranks; 0 for those not found."""
    return by_rank(item, by, average_precision)


METRIC = Metric(
    name="average_precision",
    title=said("Average precision (MAP)"),
    sentence=said("Are all relevant documents ranked before the others?"),
    formula=said(
        "sum over right documents retrieved of (right documents up to their rank / rank), over "
        "the right documents known"
    ),
    needs=NEEDS,
    metric=metric,
    source=said(
        "TREC; RAGAS's context precision divides by the right ones retrieved, so it forgives "
        "what was missed"
    ),
    asks=False,
    switches=(K,),
    when_low=said(
        "Compare with recall: where that is high, rank better; where it is low, find more."
    ),
    others="Context precision of RAGAS divides by what was retrieved and right, this by all that "
    "is right: verdicts 0, 1, 1 with three right documents are 0.583 there and 0.389 "
    "here, as in TREC's own program.",
    example=Example(
        7 / 18,
        "right at ranks 2 and 3, three right in all: (1/2 + 2/3 + 0) / 3 = 0.389",
        doc_ids=["d9", "d1", "d2"],
        relevant_ids=["d1", "d2", "d3"],
    ),
)
