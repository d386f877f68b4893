"""Support: what share of units a text supports, strictly or leniently, from the same verdicts.

Pure. Verdicts have the scores of a unit rubric: 0 contradicted, 1 not enough information,
2 strongly implied, 3 supported.
"""

from collections.abc import Mapping, Sequence

from data.model import Unit
from metrics.frame.hand import Hand, Unmeasured, Verdict
from metrics.frame.measure import Outcome, Switch

LEAST = {"strict": 3, "lenient": 2}
SUPPORT = Switch(
    "support",
    tuple(LEAST),
    "Whether what is only strongly implied counts as supported.",
)


def share(verdicts: Mapping[int, Verdict], support: str) -> float:
    """The share of verdicts of support; at least one verdict."""
    return sum(is_support(one, support) for one in verdicts.values()) / len(verdicts)


def is_support(verdict: Verdict, support: str) -> bool:
    """Whether a verdict says supported, or strongly implied where that is enough."""
    return verdict.score >= LEAST[support]


def contradicted(verdicts: Mapping[int, Verdict]) -> float:
    """The share of verdicts that say contradicted; at least one verdict."""
    return sum(one.score == 0 for one in verdicts.values()) / len(verdicts)


async def supported(by: Hand, rubric: str, kind: str, nothing: str) -> Outcome:
    """The share of an item's units of a kind that a unit rubric finds supported.

    Args:
        by: The hand.
        rubric: The unit rubric.
        kind: The kind of units.
        nothing: The sentence for an item without such units, which has no number.
    """
    units = await by.units(kind)
    if not units:
        raise Unmeasured("not_applicable", nothing)
    return outcome(await by.verdicts(rubric, units), by.switch("support"), units)


def outcome(verdicts: Mapping[int, Verdict], support: str, units: Sequence[Unit]) -> Outcome:
    """The share of support, with both readings and the contradicted share beside it."""
    number = sum(is_support(one, support) for one in verdicts.values())
    return Outcome(
        share(verdicts, support),
        reason=f"{number} of {len(units)} {_plural(units)} supported.",
        parts={choice: share(verdicts, choice) for choice in LEAST}
        | {"contradicted": contradicted(verdicts)},
        units=len(units),
    )


def _plural(units: Sequence[Unit]) -> str:
    noun = units[0].kind.replace("reference_", "").replace("_", " ")
    return f"{noun} is" if len(units) == 1 else f"{noun}s are"
