"""Factual correctness: how far answer and reference claim the same, in both directions."""

from concord.messages import said
from concord.metrics.framework.claim_overlap import compared
from concord.metrics.framework.metric import Canary, Example, Metric, Outcome, Switch
from concord.metrics.framework.support import SUPPORT, share
from concord.metrics.prompts.inputs import Hand
from concord.model import Item
from concord.text.overlap import f_beta

BETA = {"balanced": 1.0, "precision counts double": 0.5, "recall counts double": 2.0}


async def metric(item: Item, by: Hand) -> Outcome:
    """F of precision over the answer's claims and recall over the reference's own claims."""
    sides, support = await compared(by), by.switch("support")
    precision, recall = share(sides.right, support), share(sides.stated, support)
    balanced = {f"F, {name}": f_beta(precision, recall, beta) for name, beta in BETA.items()}
    parts = {"precision": precision, "recall": recall, **balanced}
    return Outcome(
        balanced[f"F, {by.switch('balance')}"],
        reason=said(
            "{precision:.0%} of {n} claims are right by the reference; {recall:.0%} of its {m} "
            "claims are in the answer.",
            precision=precision,
            n=len(sides.right),
            recall=recall,
            m=len(sides.stated),
        ),
        parts=parts,
        flags=sides.flags,
        units=sides.units,
    )


METRIC = Metric(
    name="factual_correctness",
    title=said("Factual correctness"),
    sentence=said("How far do the answer and the reference answer claim the same?"),
    formula=said(
        "F of precision (claims of the answer supported by the reference / claims of the answer) "
        "and recall (claims of the reference stated by the answer / claims of the reference)"
    ),
    needs=("question", "answer", "reference"),
    metric=metric,
    source=said(
        "RAGAS; recall over the reference's own claims, which its library mixes with the answer's"
    ),
    switches=(
        SUPPORT,
        Switch("balance", tuple(BETA), said("Whether wrong claims or missing ones weigh more.")),
    ),
    rubrics=("claims-in-reference", "reference-claims-in-answer"),
    when_low=said(
        "Low precision: see faithfulness. Low recall: see context recall, then the prompt."
    ),
    others="RAGAS computes recall as TP / (TP + FN) with TP from the answer's claims and "
    "FN from the reference's: 2 of 4 and 1 of 2 give it 0.667 in place of 0.5. It "
    "rounds to two decimals. An answer without claims scores 0 there, and with a "
    "reference without claims recall is 1; both are undefined here.",
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
            "half on either side",
            said(
                "One of two claims is right and one of two is stated: precision, recall and F are "
                "0.5."
            ),
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
            "the same in other words, in Chinese",
            said("Answer and reference claim the same, so that both directions are 1."),
            right=(1, 1),
            question="图书馆星期一开放吗？",
            answer="不开放，图书馆星期一闭馆。",
            reference=("图书馆星期一闭馆。",),
            units={"claim": ["图书馆星期一闭馆。"], "reference_claim": ["图书馆星期一不开放。"]},
        ),
    ),
)
