"""Precision at k: how much of the first k places holds right documents."""

from concord.messages import said
from concord.metrics.framework.metric import Example, Metric, Outcome, Switch
from concord.metrics.framework.ranks import precision_at
from concord.metrics.framework.retrieved import NEEDS, by_rank
from concord.metrics.prompts.inputs import Hand
from concord.model import Item

K = Switch(
    "k",
    ("5", "1", "3", "10"),
    said("How many places count; a place that nothing was retrieved for counts as wrong."),
)


async def metric(item: Item, by: Hand) -> Outcome:
    """The share of the first k places that hold right documents."""
    return by_rank(item, by, lambda hits, _, k: precision_at(hits, k), K)


METRIC = Metric(
    name="precision_at_k",
    title=said("Precision at k"),
    sentence=said("How many of the first k places hold right documents?"),
    formula=said("right documents among the first k / k"),
    needs=NEEDS,
    metric=metric,
    source=said(
        "TREC, where k divides however few were retrieved; document_precision divides by what "
        "was retrieved"
    ),
    asks=False,
    switches=(K,),
    when_low=said("With one relevant document it is at most 1/k; read it together with recall."),
    others="Always over k, as in TREC's program, ir_measures and ranx; for a retriever of "
    "changing length see document precision.",
    example=Example(
        0.2,
        "one right document in three retrieved, over five places: 1/5 = 0.2",
        doc_ids=["d5", "d1", "d7"],
        relevant_ids=["d1"],
    ),
)
