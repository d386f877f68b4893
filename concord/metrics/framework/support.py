"""Support: what share of units a text supports, strictly or leniently, from the same verdicts.

Pure. Verdicts have the scores of a unit rubric: 0 contradicted, 1 not enough information,
2 strongly implied, 3 supported.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from concord.messages import counted
from concord.metrics.framework.metric import Outcome, Switch, by_choice
from concord.metrics.prompts.inputs import Inputs, Undefined, Verdict
from concord.model import Item
from concord.text.normal_form import normalised

DUPLICATES = Switch(
    "duplicates",
    ("once", "each"),
    "Whether a duplicate text counts once or twice.",
)


class Parts(NamedTuple):
    """First occurrences among parts; case, width and white space are ignored."""

    first: tuple[bool, ...]

    def counted(self, parts: Sequence, chosen: Mapping[str, str]) -> list:
        """Return the parts, or what is said of them, that count under the choice made.

        Each text counts once where nothing is chosen.
        """
        every = chosen.get(DUPLICATES.name) == "each"
        return [one for one, first in zip(parts, self.first, strict=True) if first or every]

    def flags(self, chosen: Mapping[str, str]) -> tuple[str, ...]:
        """Return the flag for duplicate texts."""
        every = chosen.get(DUPLICATES.name) == "each"
        return () if all(self.first) else ("duplicates" if every else "duplicates_folded",)


def of_texts(texts: Iterable[str]) -> Parts:
    """Return the first occurrences among texts; blank ones never count as duplicates."""
    seen: set[str] = set()
    first = []
    for text in map(normalised, texts):
        first.append(not text or text not in seen)
        seen.add(text)
    return Parts(tuple(first))


def of_hits(
    texts: Iterable[str],
    hits: Sequence[bool],
    by: Inputs,
    what: str,
    none: str = "no_relevant",
    number: Callable[[Sequence[bool]], float] = fmean,
) -> tuple[Outcome, list[bool]]:
    """Return the outcome of a metric of texts, each a hit or not, and the hits that count.

    The metric has the switch `DUPLICATES`; `what` says of the hits what they are, `none` is the
    flag where there is none, and `number` makes the value.
    """
    places = of_texts(texts)
    kept = places.counted(hits, by.switches)
    value, each = by_choice([DUPLICATES], by, lambda made: number(places.counted(hits, made)))
    flags = (() if any(kept) else (none,)) + places.flags(by.switches)
    reason = f"{sum(kept)} of {len(kept)} {what}."
    return Outcome(value, reason=reason, parts=each, flags=flags, units=len(kept)), kept


TOGETHER, ALONE = "together", "one by one"
CONTEXTS = Switch(
    "contexts",
    (TOGETHER, ALONE),
    "Whether a claim is compared with all contexts together, or must be supported by a single "
    "one; the latter uses the verdicts of noise sensitivity.",
)


async def grid(by: Inputs, kind: str, rubric: str) -> list[list[bool]]:
    """(units, contexts) whether each context by itself supports each unit of a kind."""
    pairs = await by.in_chunks(kind)
    verdicts = await by.verdicts(rubric, pairs)
    rows: dict[int | None, list[bool]] = {}
    for pair in sorted(pairs, key=lambda pair: pair.position):
        rows.setdefault(pair.parent, []).append(verdicts[pair.id].score > 0)
    return [rows[unit.id] for unit in await by.units(kind)]


async def supported_by_any(by: Inputs, kind: str, rubric: str, nothing: str) -> Outcome:
    """The share of an item's units of a kind that some context supports by itself.

    What takes two contexts together is not supported so. Units of the same text count once. The
    `rubric` is of pairs of such a unit with a context; `nothing` is the reason where there is no
    such unit.
    """
    units = await by.units(kind)
    if not units:
        raise Undefined("not_applicable", nothing)
    places = of_texts(unit.text for unit in units)
    rows = places.counted(await grid(by, kind, rubric), {})
    found = sum(map(any, rows))
    return Outcome(
        found / len(rows),
        reason=f"{found} of {counted(len(rows), 'claim')} supported.",
        flags=places.flags({}) + by.flags(kind),
        units=len(rows),
    )


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
    """True for a verdict of supported, or of strongly implied where that is enough."""
    return verdict.score >= LEAST[support]


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
    places = of_texts(unit.text for unit in units)

    def read(chosen: Mapping[str, str]) -> dict[int, Verdict]:
        return {unit.id: given[unit.id] for unit in places.counted(units, chosen)}

    value, each = by_choice(switches, by, lambda chosen: share(read(chosen), chosen[SUPPORT.name]))
    chosen = {one.name: by.switch(one.name) for one in switches}
    verdicts = read(chosen)
    number = sum(is_support(one, chosen[SUPPORT.name]) for one in verdicts.values())
    refuted = sum(one.score == 0 for one in verdicts.values())
    noun = counted(len(verdicts), kind.replace("reference_", ""))
    return Outcome(
        value,
        reason=f"{number} of {noun} supported.",
        parts={**each, "contradicted": refuted / len(verdicts)},
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
