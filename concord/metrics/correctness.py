"""Correctness: what answer and reference claim, each compared with the other."""

from collections.abc import Mapping

from concord.metrics.framework.metric import Canary, Example, Metric, Outcome, Switch
from concord.metrics.framework.support import SUPPORT, is_support, share
from concord.metrics.prompts.inputs import Inputs, Undefined, Verdict, cosine
from concord.model import Item
from concord.text.overlap import f_beta

BETA = {"balanced": 1.0, "precision counts double": 0.5, "recall counts double": 2.0}
WEIGHTS = {"3 to 1": 0.75, "facts alone": 1.0, "1 to 1": 0.5}


async def _compared(by: Inputs) -> tuple[Mapping[int, Verdict], Mapping[int, Verdict]]:
    """Whether the answer's claims are right and the reference's stated, by unit id.

    Undefined where a side claims nothing.
    """
    claims, reference = await by.units("claim"), await by.units("reference_claim")
    for side, units in (("answer", claims), ("reference answer", reference)):
        if not units:
            why = "The {side} contains no claims to compare."
            raise Undefined("not_applicable", why, side=side)
    right = await by.verdicts("claims-in-reference", claims)
    return right, await by.verdicts("reference-claims-in-answer", reference)


async def _factual(item: Item, by: Inputs) -> Outcome:
    """F of precision over the answer's claims and recall over the reference's own claims."""
    (right, stated), support = await _compared(by), by.switch("support")
    precision, recall = share(right, support), share(stated, support)
    balanced = {f"F, {name}": f_beta(precision, recall, beta) for name, beta in BETA.items()}
    parts = {"precision": precision, "recall": recall, **balanced}
    return Outcome(
        balanced[f"F, {by.switch('balance')}"],
        parts=parts,
        flags=by.flags("reference_claim"),
        units=len(right) + len(stated),
    )


FACTUAL_CORRECTNESS = Metric(
    name="factual_correctness",
    title="Factual correctness",
    sentence="How well do the claims of the answer match those of the reference answer?",
    formula="F of precision (claims of the answer supported by the reference / claims of the "
    "answer) and recall (claims of the reference stated by the answer / claims of the reference)",
    needs=("question", "answer", "reference"),
    metric=_factual,
    source="RAGAS",
    switches=(
        SUPPORT,
        Switch("balance", tuple(BETA), "Whether wrong or missing claims weigh more."),
    ),
    rubrics=("claims-in-reference", "reference-claims-in-answer"),
    when_low="Low precision: see faithfulness. Low recall: see context recall, then the prompt.",
    others="RAGAS takes TP of recall from the answer's claims and FN from the reference's: 2 "
    "of 4 and 1 of 2 give 0.667 instead of 0.5.",
    example=Example(
        2 / 3,
        "precision 1/1, recall 1/2: F1 = 2 x 1 x 0.5 / 1.5 = 0.667",
        question="What is in Paris?",
        answer="The Eiffel Tower is in Paris.",
        reference=["The Eiffel Tower is in Paris. It is 330 metres high."],
        units={
            "claim": ["The Eiffel Tower is in Paris."],
            "reference_claim": [
                "The Eiffel Tower is in Paris.",
                "The Eiffel Tower is 330 metres high.",
            ],
        },
        verdicts={"claims-in-reference": [3], "reference-claims-in-answer": [3, 1]},
    ),
    canaries=(
        Canary(
            "half of the claims on both sides",
            right=(0.5, 0.5),
            question="When was the mill built, and of what?",
            answer="The mill was built in 1820. It is made of brick.",
            reference=("The mill was built in 1820. It is made of oak and has no brick in it.",),
            units={
                "claim": ["The mill was built in 1820.", "The mill is made of brick."],
                "reference_claim": ["The mill was built in 1820.", "The mill is made of oak."],
            },
        ),
        Canary(
            "a paraphrase, in Chinese",
            right=(1, 1),
            question="图书馆星期一开放吗？",
            answer="不开放，图书馆星期一闭馆。",
            reference=("图书馆星期一闭馆。",),
            units={"claim": ["图书馆星期一闭馆。"], "reference_claim": ["图书馆星期一不开放。"]},
        ),
    ),
)


async def _whole(item: Item, by: Inputs) -> Outcome:
    """F1 of the claims on both sides, weighed with the cosine of answer and reference."""
    (right, stated), support = await _compared(by), by.switch("support")
    both = sum(is_support(one, support) for one in right.values())
    wrong = len(right) - both
    missing = sum(not is_support(one, support) for one in stated.values())
    facts = both / (both + (wrong + missing) / 2) if both else 0.0
    reference = next(text for text in item.reference if text.strip())
    alike = cosine(*await by.embed([item.answer, reference]))
    weight = WEIGHTS[by.switch("facts_to_likeness")]
    return Outcome(
        weight * facts + (1 - weight) * alike,
        reason=f"Claims correct: {both}; wrong: {wrong}; missing: {missing}.",
        parts={"facts": facts, "likeness": alike},
        flags=by.flags("reference_claim"),
        units=len(right) + len(stated),
    )


ANSWER_CORRECTNESS = Metric(
    name="answer_correctness",
    title="Answer correctness",
    sentence="Does the answer agree with the reference in its facts and in its meaning as a whole?",
    formula="0.75 F1 + 0.25 cosine(answer, reference); F1 = TP / (TP + (FP + FN) / 2), TP and FP "
    "claims of the answer that the reference supports or not, FN claims of the reference that "
    "the answer lacks",
    needs=("question", "answer", "reference"),
    metric=_whole,
    source="RAGAS",
    low=-0.25,
    low_by={choice: weight - 1 for choice, weight in WEIGHTS.items() if weight != 0.75},
    embeds=True,
    switches=(
        SUPPORT,
        Switch(
            "facts_to_likeness",
            tuple(WEIGHTS),
            "The weights of the facts and of the similarity.",
        ),
    ),
    rubrics=("claims-in-reference", "reference-claims-in-answer"),
    when_low="Low precision: see faithfulness. Low recall: see context recall, then the prompt.",
    others="RAGAS sets the factual part to 1 if either text has no claims; undefined here.",
    example=Example(
        0.65,
        "2 claims correct, 1 wrong, 1 missing: F1 = 2 / (2 + (1 + 1) / 2) = 2/3; cosine 0.6; 0.75 "
        "x 2/3 + 0.25 x 0.6 = 0.65",
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
            "a paraphrase",
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
            "a wrong number",
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
