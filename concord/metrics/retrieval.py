"""Retrieval metrics: which of the relevant documents or contexts were retrieved, and how high."""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

from concord.metrics.framework import retrieved
from concord.metrics.framework.metric import Example, Metric, Outcome, Switch, by_choice
from concord.metrics.framework.retrieved import (
    NEEDS,
    average_precision,
    contexts,
    documents,
    ndcg,
    precision_at,
    recall_at,
    reciprocal_rank,
)
from concord.metrics.prompts.inputs import Inputs
from concord.model import Item
from concord.text.overlap import f_beta

K = Switch(
    "k",
    ("all", "1", "3", "5", "10"),
    "How many documents count, from the top; publications use different cutoffs.",
)
FIRST_K = Switch(
    "k",
    ("5", "1", "3", "10"),
    "How many ranks count; a rank without a retrieved document counts as not relevant.",
)

_declared = partial(Metric, needs=NEEDS, asks=False)


def _metric(
    outcome: Callable[[Item, Inputs], Outcome],
) -> Callable[[Item, Inputs], Awaitable[Outcome]]:
    """Return a metric that needs no request as one that may send some."""

    async def metric(item: Item, by: Inputs) -> Outcome:
        return outcome(item, by)

    return metric


def _by_rank(
    number: Callable[[Sequence[bool], int, int | None], float], k: Switch = K
) -> Callable[[Item, Inputs], Awaitable[Outcome]]:
    """Return a metric of ranked documents, with its value at every cut-off.

    `number` takes the relevance by rank, best first, the number of known relevant documents, and
    the cut-off, None for no cut-off. An empty retrieval counts 0, with a note.
    """

    def outcome(item: Item, by: Inputs) -> Outcome:
        found = documents(item)

        def at(chosen: Mapping[str, str]) -> float:
            depth = None if chosen[k.name] == "all" else int(chosen[k.name])
            return number(found.hits, found.relevant, depth)

        return retrieved.outcome(found, *by_choice((k,), by, at))

    return _metric(outcome)


def _document_f1(item: Item, by: Inputs) -> Outcome:
    """The harmonic mean of document precision and recall; 0 where nothing was retrieved."""
    found = documents(item)
    recall = recall_at(found.hits, found.relevant)
    precision = precision_at(found.hits, len(found.hits)) if found.hits else None
    parts = {"precision": precision, "recall": recall}
    return retrieved.outcome(found, f_beta(precision or 0.0, recall), parts)


def _context_recall(item: Item, by: Inputs) -> Outcome:
    """The share of the relevant ids that name a retrieved context or its document."""
    found = contexts(item)
    return retrieved.outcome(found, found.found / found.relevant)


# What most examples retrieve: the only right document is the second of three.
_SECOND = {"doc_ids": ["d5", "d1", "d7"], "relevant_ids": ["d1"]}

AVERAGE_PRECISION = _declared(
    name="average_precision",
    title="Average precision (MAP)",
    sentence="Are all relevant documents ranked before the others?",
    formula="sum over relevant documents retrieved of (relevant documents up to their rank / "
    "rank), over the relevant documents known",
    metric=_by_rank(average_precision),
    source="TREC",
    switches=(K,),
    when_low="If recall is high, improve the ranking; if low, the search.",
    others="RAGAS's context precision divides by the relevant documents retrieved: 0.583 in "
    "the example.",
    example=Example(
        7 / 18,
        "relevant at ranks 2 and 3, three relevant in all: (1/2 + 2/3 + 0) / 3 = 0.389",
        doc_ids=["d9", "d1", "d2"],
        relevant_ids=["d1", "d2", "d3"],
    ),
)

CONTEXT_PRECISION_BY_IDS = _declared(
    name="context_precision_by_ids",
    title="Context precision by ids",
    sentence="How many of the retrieved contexts are relevant?",
    formula="right contexts retrieved / contexts retrieved, each id once; their order is no matter",
    metric=_metric(lambda item, by: retrieved.share(contexts(item))),
    source="RAGAS",
    when_low="Retrieve fewer contexts or rank them better.",
    others="As in RAGAS.",
    example=Example(
        0.5,
        "two of four retrieved contexts are relevant: 2/4",
        doc_ids=["1", "2", "3", "4"],
        relevant_ids=["2", "4", "5"],
    ),
)

CONTEXT_RECALL_BY_IDS = _declared(
    name="context_recall_by_ids",
    title="Context recall by ids",
    sentence="How many of the relevant contexts were retrieved?",
    formula="right ids retrieved / right ids known",
    metric=_metric(_context_recall),
    source="RAGAS",
    when_low="Try hybrid search, other chunking or another embedding model.",
    others="As in RAGAS.",
    example=Example(
        0.25,
        "of the relevant ids 1, 4, 5, 6 only 1 was retrieved: 1/4",
        doc_ids=["1", "2", "3"],
        relevant_ids=["1", "4", "5", "6"],
    ),
)

DOCUMENT_F1 = _declared(
    name="document_f1",
    title="Document F1",
    sentence="Were the relevant documents retrieved, and no others?",
    formula="2 x precision x recall / (precision + recall) = 2 x relevant documents retrieved / "
    "(documents retrieved + relevant documents known)",
    metric=_metric(_document_f1),
    source="van Rijsbergen 1979",
    when_low="Try hybrid search, other chunking or another embedding model.",
    others="One source says geometric mean: 0.212 instead of 0.095 at precision 0.05 and "
    "recall 0.9.",
    example=Example(
        0.5,
        "precision 1/3, recall 1/1: 2 x 1/3 x 1 / (4/3) = 0.5",
        **_SECOND,
    ),
)

DOCUMENT_PRECISION = _declared(
    name="document_precision",
    title="Document precision",
    sentence="How many of the retrieved documents are relevant?",
    formula="relevant documents retrieved / documents retrieved, each once",
    metric=_metric(lambda item, by: retrieved.share(documents(item))),
    source="Set-based",
    when_low="Retrieve fewer contexts or rank them better.",
    others="TREC's precision at k divides by k even if fewer were retrieved.",
    example=Example(
        1 / 3,
        "one of three documents is relevant: 1/3 = 0.333",
        **_SECOND,
    ),
)

DOCUMENT_RECALL = _declared(
    name="document_recall",
    title="Document recall",
    sentence="How many of the relevant documents were retrieved?",
    formula="relevant documents retrieved / relevant documents known",
    metric=_by_rank(recall_at),
    source="Set-based",
    switches=(K,),
    when_low="Try hybrid search, other chunking or another embedding model.",
    others="Nothing retrieved is 0 here and counts in the mean; pytrec_eval leaves such a question "
    "out, ranx rejects it.",
    example=Example(
        0.5,
        "one of the two relevant documents was retrieved: 1/2",
        doc_ids=["d5", "d1", "d7"],
        relevant_ids=["d1", "d2"],
    ),
)

HIT_AT_K = _declared(
    name="hit_at_k",
    title="Hit at k",
    sentence="Is any relevant document among the first k?",
    formula="1 where a right document is among the first k, else 0",
    metric=_by_rank(lambda hits, _, k: float(any(hits[:k]))),
    source="Set-based",
    switches=(K,),
    when_low="Try hybrid search, other chunking or another embedding model.",
    others="A question with nothing retrieved counts as 0 here and is flagged.",
    example=Example(
        1.0,
        "the relevant document is the second: 1 (at k = 1 it is 0)",
        **_SECOND,
    ),
)

MRR = _declared(
    name="mrr",
    title="Reciprocal rank (MRR)",
    sentence="How high is the first relevant document ranked?",
    formula="1 / rank of the first right document; 0 where none was retrieved",
    metric=_by_rank(lambda hits, _, k: reciprocal_rank(hits, k)),
    source="Voorhees 1999",
    switches=(K,),
    when_low="Improve the ranking, for example with a reranker.",
    others="TREC's program sorts again by score and id; here the order of the sheet is kept.",
    example=Example(
        0.5,
        "the first relevant document is the second: 1/2",
        **_SECOND,
    ),
)

NDCG_AT_K = _declared(
    name="ndcg_at_k",
    title="NDCG at k",
    sentence="Are the relevant documents ranked high among those retrieved?",
    formula="sum over relevant documents of 1 / log2(rank + 1), over the same sum with all "
    "relevant documents on top, at most k of them",
    metric=_by_rank(ndcg),
    source="Järvelin & Kekäläinen 2002",
    switches=(K,),
    when_low="Improve the ranking, for example with a reranker.",
    others="continuous-eval divides by 0 if no document is relevant; that is undefined here. A "
    "document retrieved twice counts once.",
    example=Example(
        1 / math.log2(3),
        "the only relevant document is at rank 2: (1 / log2 3) / (1 / log2 2) = 0.631",
        **_SECOND,
    ),
)

PRECISION_AT_K = _declared(
    name="precision_at_k",
    title="Precision at k",
    sentence="How many of the first k documents are relevant?",
    formula="relevant documents among the first k / k",
    metric=_by_rank(lambda hits, _, k: precision_at(hits, k), FIRST_K),
    source="TREC",
    switches=(FIRST_K,),
    when_low="With one relevant document it is at most 1/k: read it with recall.",
    others="Always divided by k, as in TREC's program, ir_measures and ranx.",
    example=Example(
        0.2,
        "one relevant document among three retrieved, k = 5: 1/5 = 0.2",
        **_SECOND,
    ),
)
