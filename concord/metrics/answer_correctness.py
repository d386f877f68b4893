"""Answer correctness: the same facts, and alike as a whole, in one weighted number."""

from concord.messages import said
from concord.metrics.framework.claim_overlap import compared
from concord.metrics.framework.cosine import cosine
from concord.metrics.framework.metric import Canary, Example, Metric, Outcome, Switch
from concord.metrics.framework.support import SUPPORT, is_support
from concord.metrics.prompts.inputs import Hand
from concord.model import Item

WEIGHTS = {"3 to 1": 0.75, "facts alone": 1.0, "1 to 1": 0.5}


async def metric(item: Item, by: Hand) -> Outcome:
    """F1 of the claims on both sides, weighed with the cosine of answer and reference."""
    sides, support = await compared(by), by.switch("support")
    both = sum(is_support(one, support) for one in sides.right.values())
    wrong = len(sides.right) - both
    missing = sum(not is_support(one, support) for one in sides.stated.values())
    facts = both / (both + (wrong + missing) / 2) if both else 0.0
    reference = next(text for text in item.reference if text.strip())
    alike = cosine(*await by.embed([item.answer, reference]))
    weight = WEIGHTS[by.switch("facts_to_likeness")]
    return Outcome(
        weight * facts + (1 - weight) * alike,
        reason=said(
            "Claims right: {both}; not right: {wrong}; missing: {missing}.",
            both=both,
            wrong=wrong,
            missing=missing,
        ),
        parts={"facts": facts, "likeness": alike},
        flags=sides.flags,
        units=sides.units,
    )


METRIC = Metric(
    name="answer_correctness",
    title=said("Answer correctness"),
    sentence=said("Does the answer say what the reference says, in facts and as a whole?"),
    formula=said(
        "0.75 F1 + 0.25 cosine(answer, reference); F1 = TP / (TP + (FP + FN) / 2), TP and FP "
        "claims of the answer that the reference supports or not, FN claims of the reference that "
        "the answer lacks"
    ),
    needs=("question", "answer", "reference"),
    metric=metric,
    source=said("RAGAS; undefined where a side claims nothing, which its library scores as 1"),
    low=-0.25,
    low_by={choice: weight - 1 for choice, weight in WEIGHTS.items() if weight != 0.75},
    embeds=True,
    switches=(
        SUPPORT,
        Switch("facts_to_likeness", tuple(WEIGHTS), said("How facts weigh against likeness.")),
    ),
    rubrics=("claims-in-reference", "reference-claims-in-answer"),
    when_low=said("See factual correctness; likeness alone says little about what is true."),
    others="RAGAS gives facts the value 1 as soon as one side claims nothing; that is undefined "
    "here. Its two classes of claims are drawn from one request over both texts; here "
    "each claim has a verdict of its own.",
    example=Example(
        0.65,
        "2 claims right, 1 not, 1 missing: F1 = 2 / (2 + (1 + 1) / 2) = 2/3; cosine 0.6; "
        "0.75 x 2/3 + 0.25 x 0.6 = 0.65",
        question="When was the bridge built?",
        answer="It was built in 1932 by Anna Lind and is red.",
        reference=["Anna Lind built it in 1932, of steel."],
        units={
            "claim": ["It was built in 1932.", "Anna Lind built it.", "It is red."],
            "reference_claim": ["Anna Lind built it in 1932.", "It is of steel."],
        },
        verdicts={"claims-in-reference": [3, 3, 1], "reference-claims-in-answer": [3, 1]},
        vectors={
            "It was built in 1932 by Anna Lind and is red.": [1, 0],
            "Anna Lind built it in 1932, of steel.": [0.6, 0.8],
        },
    ),
    canaries=(
        Canary(
            "the same in other words",
            "Answer and reference claim the same: 0.75 for the facts, and the likeness besides.",
            right=(0.75, 1),
            question="How many seats does the small hall have?",
            answer="There are 80 seats in the small hall.",
            reference=("The small hall has 80 seats.",),
            units={
                "claim": ["There are 80 seats in the small hall."],
                "reference_claim": ["The small hall has 80 seats."],
            },
        ),
        Canary(
            "another number",
            "No claim is right and none is stated: what is left is a quarter of the likeness.",
            right=(-0.25, 0.25),
            question="How many seats does the small hall have?",
            answer="There are 420 seats in the small hall.",
            reference=("The small hall has 80 seats.",),
            units={
                "claim": ["There are 420 seats in the small hall."],
                "reference_claim": ["The small hall has 80 seats."],
            },
        ),
    ),
)
