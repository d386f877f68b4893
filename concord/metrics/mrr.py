"""Reciprocal rank of the first relevant document; its mean is MRR."""

from concord.messages import said
from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.ranks import reciprocal_rank
from concord.metrics.framework.retrieved import NEEDS, K, by_rank
from concord.metrics.prompts.inputs import Hand
from concord.model import Item


async def metric(item: Item, by: Hand) -> Outcome:
    """One over the rank of the first right document."""
    return by_rank(item, by, lambda hits, _, k: reciprocal_rank(hits, k))


METRIC = Metric(
    name="mrr",
    title=said("Reciprocal rank (MRR)"),
    sentence=said("How high is the first relevant document ranked?"),
    formula=said("1 / rank of the first right document; 0 where none was retrieved"),
    needs=NEEDS,
    metric=metric,
    source=said("TREC question answering (Voorhees 1999); the mean over questions is MRR"),
    asks=False,
    switches=(K,),
    when_low=said(
        "Rank better: a second stage that orders what was found, such as a cross-encoder."
    ),
    others="Ties: TREC's program sorts again by score and id, so the right document may change "
    "its rank; here the order of the sheet stays.",
    example=Example(
        0.5,
        "the first right document is the second: 1/2",
        doc_ids=["d5", "d1", "d7"],
        relevant_ids=["d1"],
    ),
)
