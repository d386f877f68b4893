"""Noise: where an answer's wrong claims come from, a relevant context, another, or nowhere.

From three questions: which claims of the reference each context supports, which claims of the
answer it supports, and which claims of the answer the reference supports (RAGChecker, 2024).
"""

from collections.abc import Sequence
from typing import NamedTuple

from concord.messages import said
from concord.metrics.framework.each_context import grid
from concord.metrics.framework.metric import Outcome
from concord.metrics.framework.support import is_support
from concord.metrics.prompts.inputs import Hand, Undefined


class Noise(NamedTuple):
    """Shares of an answer's claims that are wrong, by origin; together the share of wrong ones."""

    relevant: float
    irrelevant: float
    nowhere: float


def shares(
    reference_in: Sequence[Sequence[bool]],
    answer_in: Sequence[Sequence[bool]],
    right: Sequence[bool],
) -> Noise:
    """The shares of wrong claims by where they come from.

    Args:
        reference_in: (G, K) whether claim g of the reference is supported by context k.
        answer_in: (A, K) whether claim a of the answer is supported by context k; A >= 1.
        right: (A,) whether claim a of the answer is supported by the reference.
    """
    count = [0, 0, 0]
    for found, is_right in zip(answer_in, right, strict=True):
        if not is_right:
            relevant = [any(row[k] for row in reference_in) for k in range(len(found))]
            if any(f and r for f, r in zip(found, relevant, strict=True)):
                count[0] += 1
            else:
                count[1 if any(found) else 2] += 1
    return Noise(*(number / len(right) for number in count))


async def measured(by: Hand, origin: str) -> Outcome:
    """Return one of the shares as the value, the others as parts."""
    claims = await by.units("claim")
    if not claims:
        raise Undefined("not_applicable", said("The answer claims nothing that could be wrong."))
    if not await by.units("reference_claim"):
        why = said("The reference answer claims nothing, so no claim can be compared with it.")
        raise Undefined("not_applicable", why)
    verdicts = await by.verdicts("claims-in-reference", claims)
    right = [is_support(verdicts[claim.id], by.switch("support")) for claim in claims]
    reference_in = await grid(by, "reference_claim", "reference-claims-in-chunk")
    answer_in = await grid(by, "claim", "claims-in-chunk")
    found = shares(reference_in, answer_in, right)
    return Outcome(
        getattr(found, origin),
        reason=said(
            "{wrong} of {n} claims are wrong by the reference; {from_there} of these come from "
            "there.",
            wrong=right.count(False),
            n=len(right),
            from_there=round(getattr(found, origin) * len(right)),
        ),
        parts=found._asdict() | {"wrong": sum(found)},
        flags=by.flags("reference_claim"),
        units=len(claims),
    )
