"""Faithfulness: the share of an answer that the contexts, or the reference document, support."""

from concord.metrics.framework.metric import Canary, Example, Metric, Outcome
from concord.metrics.framework.support import CONTEXTS, DUPLICATES, SUPPORT, share_supported
from concord.metrics.prompts.inputs import Inputs, Undefined
from concord.model import Item

NO_CLAIMS = "The answer contains no claims to check."

METRIC = Metric(
    name="faithfulness",
    title="Faithfulness",
    sentence="How much of the answer do the retrieved contexts support?",
    formula="supported claims of the answer / claims of the answer",
    needs=("question", "answer", "contexts"),
    metric=share_supported(
        "claims-in-contexts", "claim", NO_CLAIMS, in_each_context="claims-in-chunk"
    ),
    source="RAGAS 2023",
    switches=(SUPPORT, CONTEXTS),
    rubrics=("claims-in-contexts",),
    when_low="Instruct the answering model to use only its contexts and cite them.",
    others="deepeval counts an unmentioned claim as faithful. An answer without claims scores "
    "1 in deepeval, 0 in RAGChecker and trulens, and is undefined in RAGAS and here. "
    "trulens rates every sentence from 0 to 3.",
    example=Example(
        1 / 3,
        "the contexts support one claim of three, refute one and do not mention the third: 1/3",
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
            right=(1, 1),
            least_units=3,
            question="请介绍这家书店。",
            answer="这家书店由王芳和赵明在1976年创立，位于杭州。",
            contexts=("这家书店由王芳和赵明在1976年创立，位于杭州。",),
        ),
    ),
)


async def _whole_answer(item: Item, by: Inputs) -> Outcome:
    """1 where the whole answer comes from the contexts, else 0."""
    (unit,) = await by.units("answer")
    if not unit.text.strip():
        raise Undefined("not_applicable", "The answer is empty.")
    verdict = (await by.verdicts("answer-in-contexts", [unit]))[unit.id]
    return Outcome(float(verdict.score), reason=verdict.reason, units=1)


VERA_FAITHFULNESS = Metric(
    name="vera_faithfulness",
    title="Faithfulness, whole answer",
    sentence="Does everything in the answer come from the contexts?",
    formula="1 if every statement of the answer is in the contexts, else 0",
    needs=("question", "answer", "contexts"),
    metric=_whole_answer,
    source="VERA (2024)",
    rubrics=("answer-in-contexts",),
    when_low="Instruct the answering model to use only its contexts and cite them.",
    others="One verdict for the whole answer: RAGAS gives the example 0.333.",
    example=Example(
        0.0,
        "one claim of three comes from the contexts, so not the whole answer: 0",
        question="What is Apple?",
        answer="Apple was founded in 1976 by Bill Gates in Texas.",
        contexts=["Steve Jobs and Steve Wozniak founded Apple in 1976."],
        verdicts={"answer-in-contexts": [0]},
    ),
    canaries=(
        Canary(
            "one claim of three",
            right=(0, 0),
            question="어느 회사가 이 다리를 지었나요?",
            answer="이 다리는 한강건설과 바다건설이 1980년에 지었습니다.",
            contexts=("이 다리는 한강건설과 하늘건설이 1976년에 지었습니다.",),
        ),
        Canary(
            "every word from the context",
            right=(1, 1),
            question="How many seats does the small hall have?",
            answer="The small hall has 80 seats.",
            contexts=("The small hall has 80 seats, the large one 420.",),
        ),
    ),
)

SUPPORTED_BY_SOURCE = Metric(
    name="supported_by_source",
    title="Supported by the source",
    sentence="How much of the answer is supported by the document it should be based on?",
    formula="claims supported by the reference document / claims of the answer",
    needs=("question", "answer", "reference_contexts"),
    metric=share_supported("claims-in-document", "claim", NO_CLAIMS),
    source="RAGAS",
    switches=(SUPPORT,),
    rubrics=("claims-in-document",),
    when_low="Instruct the answering model to use only its contexts and cite them.",
    others="Faithfulness against the reference document mixes retrieval with faithfulness.",
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

VERA_RETRIEVAL_RECALL = Metric(
    name="vera_retrieval_recall",
    title="Retrieval recall, answer-based",
    sentence="How many sentences of the answer do the contexts support?",
    formula="sentences of the answer supported by the contexts / sentences of the answer",
    needs=("question", "answer", "contexts"),
    metric=share_supported(
        "sentences-in-contexts",
        "sentence",
        "The answer has no sentences to look for.",
        (SUPPORT, DUPLICATES),
    ),
    source="VERA (2024)",
    switches=(SUPPORT, DUPLICATES),
    rubrics=("sentences-in-contexts",),
    when_low="Instruct the answering model to use only its contexts and cite them.",
    others="VERA calls this retrieval recall, but a supported one-sentence answer scores 1 "
    "however much was missed.",
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
            right=(0.5, 0.5),
            question="주차장 요금은 얼마인가요?",
            answer="주차장 요금은 한 시간에 이천 원입니다. 주차장은 1990년에 지어졌습니다.",
            contexts=("주차장 이용 요금은 한 시간에 이천 원입니다.",),
        ),
    ),
)
