"""Noise sensitivity: wrong claims of an answer by origin, a relevant context, another, or nowhere.

From three questions: which claims of the reference each context supports, which claims of the
answer it supports, and which claims of the answer the reference supports (RAGChecker, 2024).
"""

from collections.abc import Sequence
from functools import partial
from operator import and_
from typing import NamedTuple

from concord.metrics.framework.metric import Canary, Example, Metric, Outcome
from concord.metrics.framework.support import SUPPORT, grid, is_support
from concord.metrics.prompts.inputs import Inputs, Undefined
from concord.model import Item


class NoiseShares(NamedTuple):
    """Shares of an answer's claims that are wrong, by origin; together the share of wrong ones."""

    relevant: float
    irrelevant: float
    nowhere: float


def shares(
    reference_in: Sequence[Sequence[bool]],
    answer_in: Sequence[Sequence[bool]],
    right: Sequence[bool],
) -> NoiseShares:
    """The shares of wrong claims by where they come from.

    `reference_in` is (G, K) and `answer_in` (A, K), whether context k supports a claim; `right` is
    (A,), whether the reference supports it; A >= 1.
    """
    count, relevant = [0, 0, 0], [any(column) for column in zip(*reference_in, strict=True)]
    for found, is_right in zip(answer_in, right, strict=True):
        if not is_right:
            count[0 if any(map(and_, found, relevant)) else 1 if any(found) else 2] += 1
    return NoiseShares(*(number / len(right) for number in count))


async def _measured(origin: str, item: Item, by: Inputs) -> Outcome:
    """Return one of the shares as the value, the others as parts."""
    claims = await by.units("claim")
    if not claims:
        raise Undefined("not_applicable", "The answer contains no claims that could be wrong.")
    if not await by.units("reference_claim"):
        why = "The reference answer contains no claims, so none can be compared with it."
        raise Undefined("not_applicable", why)
    verdicts = await by.verdicts("claims-in-reference", claims)
    right = [is_support(verdicts[claim.id], by.switch("support")) for claim in claims]
    reference_in = await grid(by, "reference_claim", "reference-claims-in-chunk")
    answer_in = await grid(by, "claim", "claims-in-chunk")
    found = shares(reference_in, answer_in, right)
    return Outcome(
        getattr(found, origin),
        parts=found._asdict() | {"wrong": sum(found)},
        flags=by.flags("reference_claim"),
        units=len(claims),
    )


_declared = partial(
    Metric,
    needs=("question", "answer", "contexts", "reference"),
    source="RAGChecker 2024",
    better="lower",
    switches=(SUPPORT,),
    rubrics=("claims-in-reference", "claims-in-chunk", "reference-claims-in-chunk"),
    others="RAGAS's documentation also counts wrong claims in no context, its code does not. A "
    "reference without claims is an error there.",
)
_example = partial(
    Example,
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
)
_canary = partial(
    Canary,
    right=(0.5, 0.5),
    question="When was the mill built?",
    answer="The mill was built in 1820. The bakery is owned by Karl Brandt.",
    reference=("The mill was built in 1820.",),
    units={
        "claim": ["The mill was built in 1820.", "The bakery is owned by Karl Brandt."],
        "reference_claim": ["The mill was built in 1820."],
    },
)

NOISE_SENSITIVITY_IRRELEVANT = _declared(
    name="noise_sensitivity_irrelevant",
    title="Noise sensitivity, irrelevant contexts",
    sentence="How much of the answer is wrong and comes from irrelevant contexts?",
    formula="claims not supported by the reference but only by contexts that support no claim of "
    "the reference / claims of the answer; undefined where the reference claims nothing",
    metric=partial(_measured, "irrelevant"),
    when_low="Retrieve fewer contexts or rank them better.",
    example=_example(0.0, "the one wrong claim of three is in a relevant context: 0/3"),
    canaries=(
        _canary(
            "from an irrelevant context",
            contexts=("The mill was built in 1820.", "The bakery is owned by Karl Brandt."),
        ),
    ),
)

NOISE_SENSITIVITY_RELEVANT = _declared(
    name="noise_sensitivity_relevant",
    title="Noise sensitivity, relevant contexts",
    sentence="How much of the answer is wrong and comes from relevant contexts?",
    formula="claims not supported by the reference but by a context that supports any claim of "
    "the reference / claims of the answer; undefined where the reference claims nothing",
    metric=partial(_measured, "relevant"),
    when_low="Retrieve fewer contexts or rank them better.",
    example=_example(
        1 / 3,
        "one claim of three is wrong; context 3 supports it and a claim of the reference: 1/3",
    ),
    canaries=(
        _canary(
            "from a relevant context",
            contexts=("The mill was built in 1820. The bakery is owned by Karl Brandt.",),
        ),
    ),
)
