"""Context precision: rank of the useful contexts above the useless ones, by the reference."""

from concord.messages import said
from concord.metrics.framework.counted_once import DUPLICATES
from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.usefulness import precision
from concord.metrics.prompts.inputs import Hand
from concord.model import Item


async def metric(item: Item, by: Hand) -> Outcome:
    """The mean precision over the ranks of contexts that the reference answer needs."""
    return await precision(by, "chunks-for-reference")


METRIC = Metric(
    name="context_precision",
    title=said("Context precision"),
    sentence=said("Are the contexts that the reference answer needs ranked before the others?"),
    formula=said(
        "mean over useful ranks k of: useful contexts up to k / k; 0 where none is useful"
    ),
    needs=("question", "contexts", "reference"),
    metric=metric,
    source=said("RAGAS; divides by the useful contexts that were retrieved, not by all there are"),
    switches=(DUPLICATES,),
    rubrics=("chunks-for-reference",),
    when_low=said(
        "Rank better: a second stage that orders what was found, such as a cross-encoder."
    ),
    others="RAGAS adds a tiny number below the line, so that a perfect order prints as "
    "0.9999999999; here it is exactly 1. Its documentation speaks of the mean over all "
    "ranks, and an article of the share of preceding contexts; the formula takes the mean "
    "over useful ranks, rank k included. An example printed as 0.585 was rounded on the "
    "way: it is 0.5833.",
    example=Example(
        7 / 12,
        "contexts 2 and 3 are useful: precision 1/2 and 2/3 there, mean 7/12 = 0.5833",
        question="What is the capital of France?",
        contexts=["France has many rivers.", "Paris is its capital.", "Paris is large."],
        reference=["The capital of France is Paris."],
        verdicts={"chunks-for-reference": [0, 1, 1]},
    ),
)
