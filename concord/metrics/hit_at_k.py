"""Hit at k: whether any right document was retrieved."""

from concord.messages import said
from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.retrieved import NEEDS, K, by_rank
from concord.metrics.prompts.inputs import Hand
from concord.model import Item


async def metric(item: Item, by: Hand) -> Outcome:
    """Return 1 where a relevant document was retrieved, down to k, else 0."""
    return by_rank(item, by, lambda hits, _, k: float(any(hits[:k])))


METRIC = Metric(
    name="hit_at_k",
    title=said("Hit at k"),
    sentence=said("Was any right document retrieved?"),
    formula=said("1 where a right document is among the first k, else 0"),
    needs=NEEDS,
    metric=metric,
    source=said("Also called success at k; nothing retrieved counts 0"),
    asks=False,
    switches=(K,),
    when_low=said(
        "The retriever misses the question: look at search terms, chunks and the embedding."
    ),
    others="No disagreement over the formula; a question with nothing retrieved counts as 0 here "
    "and is said.",
    example=Example(
        1.0,
        "the right document is the second: 1 (at k = 1 it is 0)",
        doc_ids=["d5", "d1", "d7"],
        relevant_ids=["d1"],
    ),
)
