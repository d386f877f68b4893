"""Support by each context: the units each context supports alone, and the share any one does."""

from concord.messages import counted, said
from concord.metrics.framework import counted_once
from concord.metrics.framework.metric import Outcome, Switch
from concord.metrics.prompts.inputs import Inputs, Undefined

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
    places = counted_once.of_texts(unit.text for unit in units)
    rows = places.counted(await grid(by, kind, rubric), {})
    found = sum(map(any, rows))
    return Outcome(
        found / len(rows),
        reason=said(
            "Supported by a single context: {found} of {claims}.",
            found=found,
            claims=counted(len(rows), "claim"),
        ),
        flags=places.flags({}) + by.flags(kind),
        units=len(rows),
    )
