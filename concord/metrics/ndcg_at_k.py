"""NDCG at k: discounted gain of the ranking relative to the ideal order."""

import math

from concord.messages import said
from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.ranks import ndcg
from concord.metrics.framework.retrieved import NEEDS, K, by_rank
from concord.metrics.prompts.inputs import Hand
from concord.model import Item


async def metric(item: Item, by: Hand) -> Outcome:
    """Return the discounted cumulative gain of the documents over that of the ideal order."""
    return by_rank(item, by, ndcg)


METRIC = Metric(
    name="ndcg_at_k",
    title=said("NDCG at k"),
    sentence=said("Are the relevant documents ranked high among those retrieved?"),
    formula=said(
        "sum over right documents of 1 / log2(rank + 1), over the same sum with all right "
        "documents on top, at most k of them"
    ),
    needs=NEEDS,
    metric=metric,
    source=said("Järvelin and Kekäläinen 2002; nothing retrieved counts 0"),
    asks=False,
    switches=(K,),
    when_low=said(
        "Rank better: a second stage that orders what was found, such as a cross-encoder."
    ),
    others="continuous-eval divides by 0 if no document is relevant; that is undefined "
    "here. A document that was retrieved twice counts once, at its first rank.",
    example=Example(
        1 / math.log2(3),
        "the only right document at rank 2: (1 / log2 3) / (1 / log2 2) = 0.631",
        doc_ids=["d5", "d1", "d7"],
        relevant_ids=["d1"],
    ),
)
