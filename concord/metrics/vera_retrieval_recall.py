"""VERA's retrieval recall, which is answer-based: the answer's sentences that contexts support."""

from concord.messages import said
from concord.metrics.framework.counted_once import DUPLICATES
from concord.metrics.framework.metric import Canary, Example, Metric, Outcome
from concord.metrics.framework.support import SUPPORT, supported
from concord.metrics.prompts.inputs import Hand
from concord.model import Item

SWITCHES = (SUPPORT, DUPLICATES)


async def metric(item: Item, by: Hand) -> Outcome:
    """The share of the answer's sentences that the contexts support."""
    nothing = said("The answer has no sentence to look for.")
    return await supported(by, "sentences-in-contexts", "sentence", nothing, SWITCHES)


METRIC = Metric(
    name="vera_retrieval_recall",
    title=said("Retrieval recall, answer-based"),
    sentence=said("How many sentences of the answer do the contexts support, whatever was missed?"),
    formula=said("sentences of the answer supported by the contexts / sentences of the answer"),
    needs=("question", "answer", "contexts"),
    metric=metric,
    source=said(
        "VERA (2024), which calls it retrieval recall; it cannot see what was not retrieved"
    ),
    switches=SWITCHES,
    rubrics=("sentences-in-contexts",),
    when_low=said(
        "It is faithfulness by sentences; for what retrieval missed, see context recall."
    ),
    others="VERA calls this retrieval recall, but a one-sentence answer that is supported scores "
    "1 however much was missed. Recall needs a reference: see context recall.",
    example=Example(
        0.5,
        "one sentence of two is supported: 1/2",
        question="Where is tea grown?",
        answer="Tea is grown in Assam. It is cheap.",
        contexts=["Tea is grown in Assam."],
        verdicts={"sentences-in-contexts": [3, 1]},
    ),
    canaries=(
        Canary(
            "one sentence of two, in Korean",
            "The context supports the first sentence and does not touch the second.",
            right=(0.5, 0.5),
            question="주차장 요금은 얼마인가요?",
            answer="주차장 요금은 한 시간에 이천 원입니다. 주차장은 1990년에 지어졌습니다.",
            contexts=("주차장 이용 요금은 한 시간에 이천 원입니다.",),
        ),
    ),
)
