"""Faithfulness: how much of what the answer says the retrieved contexts support."""

from data.model import Item
from metrics.frame.hand import Hand, Unmeasured
from metrics.frame.measure import Measure, Outcome, Switch

SUPPORTED = {"strict": 3, "lenient": 2}


async def measure(item: Item, by: Hand) -> Outcome:
    """The share of the claims with support, and the share of every verdict beside it."""
    claims = await by.units("claim")
    if not claims:
        raise Unmeasured("not_applicable", "The answer claims nothing that could be checked.")
    verdicts = await by.verdicts("claims-in-contexts", claims)
    scores = [verdict.score for verdict in verdicts.values()]
    shares = {choice: share(scores, least) for choice, least in SUPPORTED.items()}
    least = SUPPORTED[by.switch("support")]
    return Outcome(
        shares[by.switch("support")],
        reason=f"{sum(score >= least for score in scores)} of {len(scores)} claims are supported.",
        parts=shares | {"contradicted": sum(score == 0 for score in scores) / len(scores)},
        units=len(scores),
    )


def share(scores: list[int], least: int) -> float:
    """The share of scores that are at least so high."""
    return sum(score >= least for score in scores) / len(scores)


MEASURE = Measure(
    name="faithfulness",
    title="Faithfulness",
    sentence="How much of what the answer says do the retrieved contexts support?",
    formula="supported claims of the answer / claims of the answer",
    needs=("question", "answer", "contexts"),
    measure=measure,
    source="RAGAS (Es et al. 2023)",
    switches=(
        Switch(
            "support",
            ("strict", "lenient"),
            "Whether a claim that is only strongly implied counts as supported.",
        ),
    ),
    rubrics=("claims-in-contexts",),
    when_low="Ask the answering model to stay with its contexts and cite them, or take another.",
)
