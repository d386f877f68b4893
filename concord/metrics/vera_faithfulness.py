"""Faithfulness, whole answer: one verdict on whether everything in it comes from the contexts."""

from concord.messages import said
from concord.metrics.framework.metric import Canary, Example, Metric, Outcome
from concord.metrics.prompts.inputs import Hand, Undefined
from concord.model import Item


async def metric(item: Item, by: Hand) -> Outcome:
    """1 where the whole answer comes from the contexts, else 0."""
    (unit,) = await by.units("answer")
    if not unit.text.strip():
        raise Undefined("not_applicable", said("The answer is empty."))
    verdict = (await by.verdicts("answer-in-contexts", [unit]))[unit.id]
    return Outcome(float(verdict.score), reason=verdict.reason, units=1)


METRIC = Metric(
    name="vera_faithfulness",
    title=said("Faithfulness, whole answer"),
    sentence=said("Does everything in the answer come from the contexts?"),
    formula=said("1 if every statement of the answer is in the contexts, else 0"),
    needs=("question", "answer", "contexts"),
    metric=metric,
    source=said("VERA (2024)"),
    rubrics=("answer-in-contexts",),
    when_low=said("Look at faithfulness by claims: it says which statement comes from elsewhere."),
    others="One verdict for the whole answer: where RAGAS finds one claim of three supported and "
    "says 0.333, VERA says 0. Neither is wrong; they are two questions.",
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
            "Where one claim of three is supported, not everything comes from the contexts.",
            right=(0, 0),
            question="어느 회사가 이 다리를 지었나요?",
            answer="이 다리는 한강건설과 바다건설이 1980년에 지었습니다.",
            contexts=("이 다리는 한강건설과 하늘건설이 1976년에 지었습니다.",),
        ),
        Canary(
            "every word from the context",
            "An answer that repeats its context comes from it.",
            right=(1, 1),
            question="How many seats does the small hall have?",
            answer="The small hall has 80 seats.",
            contexts=("The small hall has 80 seats, the large one 420.",),
        ),
    ),
)
