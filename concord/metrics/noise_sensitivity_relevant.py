"""Noise sensitivity, relevant: wrong claims that the answer took from relevant contexts."""

from concord.messages import said
from concord.metrics.framework.metric import Canary, Example, Metric, Outcome
from concord.metrics.framework.noise import measured
from concord.metrics.framework.support import SUPPORT
from concord.metrics.prompts.inputs import Hand
from concord.model import Item


async def metric(item: Item, by: Hand) -> Outcome:
    """Return the share of the answer's claims that are wrong and in a relevant context."""
    return await measured(by, "relevant")


METRIC = Metric(
    name="noise_sensitivity_relevant",
    title=said("Noise sensitivity, relevant contexts"),
    sentence=said(
        "How much of the answer is wrong and was taken from a context that also holds what "
        "is right?"
    ),
    formula=said(
        "claims not supported by the reference but by a context that supports any claim of "
        "the reference / claims of the answer; undefined where the reference claims nothing"
    ),
    needs=("question", "answer", "contexts", "reference"),
    metric=metric,
    source=said("RAGChecker (Ru et al. 2024); RAGAS"),
    better="lower",
    switches=(SUPPORT,),
    rubrics=("claims-in-reference", "claims-in-chunk", "reference-claims-in-chunk"),
    when_low=said("Use smaller chunks, so that correct text is retrieved without noise."),
    others="The formula printed in the documentation of RAGAS, wrong claims over all "
    "claims, also counts wrong claims that are in no context; its code does not, "
    "nor do RAGChecker and Concord. All three shares are shown with the value and "
    "add up to the share of wrong claims. Where the reference claims nothing it is "
    "undefined here; RAGAS 0.4.3 ends in an error there.",
    example=Example(
        1 / 3,
        "one claim of three is wrong; context 3 supports it and a claim of the reference: 1/3",
        question="What is the insurer known for?",
        answer="It is the largest, it was founded in 1956, and it is stable.",
        contexts=["Founded in 1956.", "The largest, with a large portfolio.", "Stable.", "India."],
        reference=["It is the largest, founded in 1956, and has a large portfolio."],
        units={
            "claim": ["It is the largest.", "It was founded in 1956.", "It is stable."],
            "reference_claim": ["It is the largest.", "Founded in 1956.", "A large portfolio."],
        },
        verdicts={
            "claims-in-reference": [3, 3, 1],
            "reference-claims-in-chunk": [0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0],
            "claims-in-chunk": [0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0],
        },
    ),
    canaries=(
        Canary(
            "beside what is right",
            "One claim of two is not in the reference, and the context that holds what is right "
            "holds it too.",
            right=(0.5, 0.5),
            question="When was the mill built?",
            answer="The mill was built in 1820. The bakery is owned by Karl Brandt.",
            contexts=("The mill was built in 1820. The bakery is owned by Karl Brandt.",),
            reference=("The mill was built in 1820.",),
            units={
                "claim": ["The mill was built in 1820.", "The bakery is owned by Karl Brandt."],
                "reference_claim": ["The mill was built in 1820."],
            },
        ),
    ),
)
