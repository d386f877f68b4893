"""Faithfulness: how much of what the answer says the retrieved contexts support."""

from concord.messages import said
from concord.metrics.framework.each_context import ALONE, CONTEXTS, supported_by_any
from concord.metrics.framework.metric import Canary, Example, Metric, Outcome
from concord.metrics.framework.support import SUPPORT, supported
from concord.metrics.prompts.inputs import Hand
from concord.model import Item


async def metric(item: Item, by: Hand) -> Outcome:
    """The share of the answer's claims that the contexts support."""
    nothing = said("The answer claims nothing that could be checked.")
    if by.switch(CONTEXTS.name) == ALONE:
        return await supported_by_any(by, "claim", "claims-in-chunk", nothing)
    return await supported(by, "claims-in-contexts", "claim", nothing)


METRIC = Metric(
    name="faithfulness",
    title=said("Faithfulness"),
    sentence=said("How much of what the answer says do the retrieved contexts support?"),
    formula=said("supported claims of the answer / claims of the answer"),
    needs=("question", "answer", "contexts"),
    metric=metric,
    source=said("RAGAS (Es et al. 2023)"),
    switches=(SUPPORT, CONTEXTS),
    rubrics=("claims-in-contexts",),
    when_low=said(
        "Ask the answering model to stay with its contexts and cite them, or take another."
    ),
    others="RAGAS has two verdicts and counts what is only implied as unsupported; "
    "deepeval counts an unmentioned claim as faithful by default. An answer that "
    "claims nothing scores 1 in deepeval, 0 in RAGChecker and trulens, and is "
    "undefined in RAGAS and here. trulens gives every sentence 0 to 3, VERA the "
    "whole answer yes or no: the same answer can be 0, 0.33, 0.67 or 1, so each "
    "definition is a metric or a switch of its own.",
    example=Example(
        1 / 3,
        "the contexts support one claim of three, refute one and do not tell the third: 1/3",
        question="What is Apple?",
        answer="Apple was founded in 1976 by Bill Gates in Texas.",
        contexts=["Steve Jobs and Steve Wozniak founded Apple in 1976."],
        units={
            "claim": [
                "Apple was founded in 1976.",
                "Bill Gates founded Apple.",
                "Apple was founded in Texas.",
            ]
        },
        verdicts={"claims-in-contexts": [3, 0, 1]},
    ),
    canaries=(
        Canary(
            "one claim of three, in Chinese",
            "One claim is in the context; another founder and another year are not.",
            right=(1 / 3, 1 / 3),
            question="谁创立了这家书店？",
            answer="这家书店由王芳和李强创立于1980年。",
            contexts=("这家书店于1976年由王芳、赵明和孙丽三人创立，没有其他创始人。",),
            units={
                "claim": [
                    "这家书店由王芳创立。",
                    "这家书店由李强创立。",
                    "这家书店创立于1980年。",
                ]
            },
        ),
        Canary(
            "one sentence with several claims, in Chinese",
            "A sentence on two founders, a year and a place is three claims or four, all of them "
            "in the context.",
            right=(1, 1),
            least_units=3,
            question="请介绍这家书店。",
            answer="这家书店由王芳和赵明在1976年创立，位于杭州。",
            contexts=("这家书店由王芳和赵明在1976年创立，位于杭州。",),
        ),
    ),
)
