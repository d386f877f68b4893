"""Context recall by likeness: how many of the right passages have a context like them."""

from data.model import Item
from metrics.frame.alike import NEEDS, THRESHOLD, alike
from metrics.frame.choices import under_each
from metrics.frame.example import Example
from metrics.frame.hand import Hand
from metrics.frame.measure import Measure, Outcome


async def measure(item: Item, by: Hand) -> Outcome:
    """The share of the right passages that some retrieved context is like."""
    likeness, threshold = alike(item), by.switch("threshold")
    value, each = under_each(
        [THRESHOLD], by, lambda chosen: _share(likeness.passages(chosen["threshold"]))
    )
    found = likeness.passages(threshold)
    return Outcome(
        value,
        reason=f"{sum(found)} of {len(found)} right passages have a context like them.",
        parts=each,
        flags=likeness.flags(threshold),
        units=len(found),
    )


def _share(found: list[bool]) -> float:
    return sum(found) / len(found)


MEASURE = Measure(
    name="context_recall_by_likeness",
    title="Context recall by likeness",
    sentence="How many of the right passages have a retrieved context like them?",
    formula="right passages that some context is like / right passages; "
    "alike where 1 - edit distance / longer text reaches the threshold",
    needs=NEEDS,
    measure=measure,
    source="RAGAS's non-LLM context recall, which asks for more than 0.5; ours for 0.5 or more",
    asks=False,
    switches=(THRESHOLD,),
    when_low="See whether chunks are cut as the right passages are; if not, compare ids instead.",
    example=Example(
        0.5,
        "one of the two right passages was retrieved: 1/2",
        contexts=["Paris is the capital of France."],
        reference_contexts=["Paris is the capital of France.", "Snow is cold and white."],
    ),
)
