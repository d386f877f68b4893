"""Support: what share of units a text supports, strictly or leniently, from the same verdicts.

Pure. Verdicts have the scores of a unit rubric: 0 contradicted, 1 not enough information,
2 strongly implied, 3 supported.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from concord.messages import Said, said
from concord.metrics.framework import counted_once
from concord.metrics.framework.each_context import ALONE, CONTEXTS, supported_by_any
from concord.metrics.framework.metric import Outcome, Switch, by_choice
from concord.metrics.prompts.inputs import Inputs, Undefined, Verdict
from concord.model import Item

LEAST = {"strict": 3, "lenient": 2}
_SUPPORTED = {
    "claim": (
        said("{right} of {n} claim is supported."),
        said("{right} of {n} claims are supported."),
    ),
    "fact": (
        said("{right} of {n} fact is supported."),
        said("{right} of {n} facts are supported."),
    ),
    "sentence": (
        said("{right} of {n} sentence is supported."),
        said("{right} of {n} sentences are supported."),
    ),
}
SUPPORT = Switch(
    "support",
    tuple(LEAST),
    "Whether what is only strongly implied counts as supported.",
)


def share(verdicts: Mapping[int, Verdict], support: str) -> float:
    """The share of verdicts of support; at least one verdict."""
    return sum(is_support(one, support) for one in verdicts.values()) / len(verdicts)


def is_support(verdict: Verdict, support: str) -> bool:
    """True for a verdict of supported, or of strongly implied where that is enough."""
    return verdict.score >= LEAST[support]


def contradicted(verdicts: Mapping[int, Verdict]) -> float:
    """The share of verdicts that say contradicted; at least one verdict."""
    return sum(one.score == 0 for one in verdicts.values()) / len(verdicts)


async def supported(
    by: Inputs, rubric: str, kind: str, nothing: str, switches: Sequence[Switch] = (SUPPORT,)
) -> Outcome:
    """The share of an item's units of a kind that a unit rubric finds supported.

    Units of the same text count once, unless the metric has the switch `duplicates` and it says
    otherwise. `nothing` is the reason where there is no such unit; `switches` are those of the
    metric that count here: `SUPPORT`, with or without `DUPLICATES`.
    """
    units = await by.units(kind)
    if not units:
        raise Undefined("not_applicable", nothing)
    given = await by.verdicts(rubric, units)
    places = counted_once.of_texts(unit.text for unit in units)

    def counted(chosen: Mapping[str, str]) -> dict[int, Verdict]:
        return {unit.id: given[unit.id] for unit in places.counted(units, chosen)}

    value, each = by_choice(
        switches, by, lambda chosen: share(counted(chosen), chosen[SUPPORT.name])
    )
    chosen = {one.name: by.switch(one.name) for one in switches}
    verdicts = counted(chosen)
    number = sum(is_support(one, chosen[SUPPORT.name]) for one in verdicts.values())
    return Outcome(
        value,
        reason=_reason(kind, number, len(verdicts)),
        parts={**each, "contradicted": contradicted(verdicts)},
        flags=places.flags(chosen) + by.flags(kind),
        units=len(verdicts),
    )


def share_supported(
    rubric: str,
    kind: str,
    nothing: str,
    switches: Sequence[Switch] = (SUPPORT,),
    in_each_context: str = "",
) -> Callable[[Item, Inputs], Awaitable[Outcome]]:
    """Return the metric that is `supported` and no more.

    `in_each_context` is the rubric of pairs with a context, for a metric with the switch
    `CONTEXTS`.
    """

    async def metric(item: Item, by: Inputs) -> Outcome:
        if in_each_context and by.switch(CONTEXTS.name) == ALONE:
            return await supported_by_any(by, kind, in_each_context, nothing)
        return await supported(by, rubric, kind, nothing, switches)

    return metric


def _reason(kind: str, right: int, n: int) -> Said:
    noun = kind.replace("reference_", "")
    one, several = _SUPPORTED[noun]
    return said(one if n == 1 else several, right=right, n=n)
