"""Usefulness: which retrieved contexts are of use, each asked about by itself."""

from concord.messages import joined, said
from concord.metrics.framework import counted_once
from concord.metrics.framework.counted_once import DUPLICATES
from concord.metrics.framework.metric import Outcome, under_each
from concord.metrics.framework.ranks import context_precision
from concord.metrics.prompts.inputs import Hand


async def precision(by: Hand, rubric: str) -> Outcome:
    """Return context precision from verdicts on chunks; `no_relevant` where none is useful.

    A duplicate chunk counts at its first rank, unless chosen otherwise.
    """
    chunks = await by.units("chunk")
    verdicts = await by.verdicts(rubric, chunks)
    places = counted_once.of_texts(chunk.text for chunk in chunks)
    every = [verdicts[chunk.id].score > 0 for chunk in chunks]
    value, each = under_each(
        [DUPLICATES], by, lambda made: context_precision(places.counted(every, made))
    )
    chosen = {DUPLICATES.name: by.switch(DUPLICATES.name)}
    useful = places.counted(every, chosen)
    return Outcome(
        value,
        reason=said(
            "{useful} of {n} contexts are useful, best rank first: {each}.",
            useful=sum(useful),
            n=len(useful),
            each=joined(", ", (said("yes" if one else "no") for one in useful)),
        ),
        parts={**each, "share useful": sum(useful) / len(useful)},
        flags=(() if any(useful) else ("no_relevant",)) + places.flags(chosen),
        units=len(useful),
    )
