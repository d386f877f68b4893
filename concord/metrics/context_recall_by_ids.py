"""Context recall by ids: how many of the right ids were retrieved."""

from concord.messages import said
from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.retrieved import NEEDS, contexts, outcome
from concord.metrics.prompts.inputs import Hand
from concord.model import Item


async def metric(item: Item, by: Hand) -> Outcome:
    """The share of the right ids that name a retrieved context or its document."""
    found = contexts(item)
    return outcome(found, found.found / found.relevant)


METRIC = Metric(
    name="context_recall_by_ids",
    title=said("Context recall by ids"),
    sentence=said("How many of the right contexts were retrieved?"),
    formula=said("right ids retrieved / right ids known"),
    needs=NEEDS,
    metric=metric,
    source=said("RAGAS; nothing retrieved counts 0"),
    asks=False,
    when_low=said("Search by words too, cut chunks otherwise, or take another embedding."),
    others="As in RAGAS. An answer to a question for which no id is right has no recall; RAGAS "
    "gives it no number either, and does not say so in the mean.",
    example=Example(
        0.25,
        "of the right 1, 4, 5, 6 only 1 was retrieved: 1/4",
        doc_ids=["1", "2", "3"],
        relevant_ids=["1", "4", "5", "6"],
    ),
)
