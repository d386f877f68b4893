"""Supported by the source: how much of what the answer says is so by the true document."""

from concord.messages import said
from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.support import SUPPORT, supported
from concord.metrics.prompts.inputs import Hand
from concord.model import Item


async def metric(item: Item, by: Hand) -> Outcome:
    """The share of the answer's claims that the true document supports."""
    nothing = said("The answer claims nothing that could be checked.")
    return await supported(by, "claims-in-document", "claim", nothing)


METRIC = Metric(
    name="supported_by_source",
    title=said("Supported by the source"),
    sentence=said(
        "How much of what the answer says is so by the document it should have come from?"
    ),
    formula=said("claims supported by the true document / claims of the answer"),
    needs=("question", "answer", "reference_contexts"),
    metric=metric,
    source=said("faithfulness as in RAGAS, compared with the true document"),
    switches=(SUPPORT,),
    rubrics=("claims-in-document",),
    when_low=said(
        "See first whether the right document was retrieved; if it was, look at faithfulness."
    ),
    others="A practitioner held faithfulness against the true document, which mixes whether the "
    "right document was found with whether the answer kept to it. Both are metrics of "
    "their own here.",
    example=Example(
        0.5,
        "the document supports one claim of two: 1/2",
        question="When was the first Super Bowl?",
        answer="It was played on January 15, 1967, in New York.",
        reference_contexts=["The first Super Bowl was played on January 15, 1967, in Los Angeles."],
        units={
            "claim": [
                "The first Super Bowl was played on January 15, 1967.",
                "The first Super Bowl was played in New York.",
            ]
        },
        verdicts={"claims-in-document": [3, 0]},
    ),
)
