"""Both sides: the answer's claims by the reference, and the reference's claims by the answer."""

from collections.abc import Mapping
from typing import NamedTuple

from concord.messages import said
from concord.metrics.prompts.inputs import Hand, Undefined, Verdict


class Sides(NamedTuple):
    """Verdicts by unit id: whether the answer's claims are right, and the reference's stated.

    `flags` is what a reader must know of the claims.
    """

    right: Mapping[int, Verdict]
    stated: Mapping[int, Verdict]
    flags: tuple[str, ...]

    @property
    def units(self) -> int:
        """Number of claims on both sides."""
        return len(self.right) + len(self.stated)


async def compared(by: Hand) -> Sides:
    """The verdicts on both sides' claims; Undefined where a side claims nothing."""
    claims, reference = await by.units("claim"), await by.units("reference_claim")
    if not claims or not reference:
        raise Undefined(
            "not_applicable",
            said("The answer claims nothing that could be compared.")
            if not claims
            else said("The reference answer claims nothing that could be compared."),
        )
    return Sides(
        await by.verdicts("claims-in-reference", claims),
        await by.verdicts("reference-claims-in-answer", reference),
        by.flags("reference_claim"),
    )
