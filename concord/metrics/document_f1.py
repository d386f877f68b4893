"""Document F1: precision and recall of what was retrieved, in one number."""

from concord.messages import said
from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.ranks import precision_at, recall_at
from concord.metrics.framework.retrieved import NEEDS, documents, outcome
from concord.metrics.prompts.inputs import Hand
from concord.model import Item
from concord.text.overlap import f_beta


async def metric(item: Item, by: Hand) -> Outcome:
    """The harmonic mean of document precision and recall; 0 where nothing was retrieved."""
    found = documents(item)
    recall = recall_at(found.hits, found.relevant)
    precision = precision_at(found.hits, len(found.hits)) if found.hits else None
    parts = {"precision": precision, "recall": recall}
    return outcome(found, f_beta(precision or 0.0, recall), parts)


METRIC = Metric(
    name="document_f1",
    title=said("Document F1"),
    sentence=said("Was what is right retrieved, and nothing besides?"),
    formula=said(
        "2 x precision x recall / (precision + recall) = 2 x right documents retrieved / "
        "(documents retrieved + right documents known)"
    ),
    needs=NEEDS,
    metric=metric,
    source=said("van Rijsbergen 1979; nothing retrieved counts 0"),
    asks=False,
    when_low=said("Look which of precision and recall is low, and follow that one."),
    others="As everywhere the harmonic mean; one source writes geometric mean, which at "
    "precision 0.05 and recall 0.9 would be 0.212 in place of 0.095.",
    example=Example(
        0.5,
        "precision 1/3, recall 1/1: 2 x 1/3 x 1 / (4/3) = 0.5",
        doc_ids=["d5", "d1", "d7"],
        relevant_ids=["d1"],
    ),
)
