"""Usefulness: which retrieved contexts are of use, each asked about by itself."""

from metrics.frame.hand import Hand
from metrics.frame.measure import Outcome
from metrics.frame.ranks import context_precision


async def precision(by: Hand, rubric: str) -> Outcome:
    """Context precision from a verdict on each chunk; `no_relevant` where none is of use."""
    chunks = await by.units("chunk")
    verdicts = await by.verdicts(rubric, chunks)
    useful = [verdicts[chunk.id].score > 0 for chunk in chunks]
    return Outcome(
        context_precision(useful),
        reason=f"{sum(useful)} of {len(useful)} contexts are useful, best rank first: "
        f"{', '.join('yes' if one else 'no' for one in useful)}.",
        parts={"share useful": sum(useful) / len(useful)},
        flags=() if any(useful) else ("no_relevant",),
        units=len(useful),
    )
