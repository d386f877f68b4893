"""Context utilization: rank of the contexts that the answer used above the others."""

from concord.messages import said
from concord.metrics.framework.counted_once import DUPLICATES
from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.usefulness import precision
from concord.metrics.prompts.inputs import Hand
from concord.model import Item


async def metric(item: Item, by: Hand) -> Outcome:
    """The mean precision over the ranks of contexts that the given answer rests on."""
    return await precision(by, "chunks-for-answer")


METRIC = Metric(
    name="context_utilization",
    title=said("Context utilization"),
    sentence=said("Are the contexts that the answer uses ranked before the others?"),
    formula=said(
        "mean over useful ranks k of: useful contexts up to k / k; 0 where none is useful"
    ),
    needs=("question", "answer", "contexts"),
    metric=metric,
    source=said("RAGAS, context precision without a reference"),
    switches=(DUPLICATES,),
    rubrics=("chunks-for-answer",),
    when_low=said("A wrong answer makes useful contexts look useless: see faithfulness first."),
    others="RAGAS calls it context precision without a reference. As there, a wrong answer "
    "decides what is useful.",
    example=Example(
        0.5,
        "only the second of two contexts is of use: precision 1/2 at its rank",
        question="What is the capital of France?",
        answer="Paris.",
        contexts=["France has many rivers.", "Paris is the capital of France."],
        verdicts={"chunks-for-answer": [0, 1]},
    ),
)
