"""NDCG at k: whether right documents stand high, beside the best order there could be."""

import math

from data.model import Item
from metrics.frame.example import Example
from metrics.frame.hand import Hand
from metrics.frame.measure import Measure, Outcome
from metrics.frame.ranks import ndcg
from metrics.frame.retrieved import NEEDS, K, by_rank
from words.said import said


async def measure(item: Item, by: Hand) -> Outcome:
    """The discounted gain of the documents as they stand over that of the ideal order."""
    return by_rank(item, by, ndcg)


MEASURE = Measure(
    name="ndcg_at_k",
    title=said("NDCG at k"),
    sentence=said("Do the right documents stand high among those retrieved?"),
    formula=said(
        "sum over right documents of 1 / log2(rank + 1), over the same sum with all right "
        "documents on top, at most k of them"
    ),
    needs=NEEDS,
    measure=measure,
    source=said("Järvelin and Kekäläinen 2002; nothing retrieved counts 0"),
    asks=False,
    switches=(K,),
    when_low=said(
        "Rank better: a second stage that orders what was found, such as a cross-encoder."
    ),
    others="continuous-eval divides by 0 where no document is right; that is undefined here. A "
    "document that was retrieved twice counts once, where it first stands.",
    example=Example(
        1 / math.log2(3),
        "the only right document at rank 2: (1 / log2 3) / (1 / log2 2) = 0.631",
        doc_ids=["d5", "d1", "d7"],
        relevant_ids=["d1"],
    ),
)
