"""VERA's retrieval precision: the share of context sentences that are copied out as useful."""

from data.model import Item, normalised
from metrics.frame import extraction
from metrics.frame.canary import Canary
from metrics.frame.example import Example
from metrics.frame.hand import Hand, Unmeasured
from metrics.frame.measure import Measure, Outcome


async def measure(item: Item, by: Hand) -> Outcome:
    """The share of the contexts' sentences that were copied out word for word."""
    sentences = [unit.text for unit in await by.units("context_sentence")]
    if not sentences:
        raise Unmeasured("missing_input", "The contexts hold no sentence.")
    passages = [context.text for context in sorted(item.contexts, key=lambda one: one.rank)]
    copied = [
        normalised(text) for text in await by.ask(extraction.request(item.question, passages))
    ]
    whole = normalised("\n".join(passages))
    verbatim = [text for text in copied if text in whole]
    useful = sum(any(normalised(one) in text for text in verbatim) for one in sentences)
    altered = len(copied) - len(verbatim)
    return Outcome(
        useful / len(sentences),
        reason=f"{useful} of {len(sentences)} sentences were copied out"
        + (f"; {altered} more were altered and do not count." if altered else "."),
        parts={"altered": float(altered)},
        flags=("altered",) if altered else () if useful else ("insufficient information",),
        units=len(sentences),
    )


MEASURE = Measure(
    name="vera_retrieval_precision",
    title="Retrieval precision, by extraction",
    sentence="How much of what was retrieved directly supports answering the question?",
    formula="context sentences copied out word for word as useful / context sentences",
    needs=("question", "contexts"),
    measure=measure,
    source="VERA (2024); copies must be word for word, where VERA takes what is alike",
    when_low="Retrieve fewer contexts or smaller ones, or rank them better.",
    others="VERA compares what was copied with the contexts by an embedding and does not say "
    "from which likeness on; here a copy must be word for word, and altered ones are "
    "counted apart.",
    example=Example(
        1 / 3,
        "one sentence of three was copied out word for word, one was altered: 1/3",
        question="Where is tea grown?",
        contexts=["Tea is grown in Assam. It rains a lot.", "Rome is old."],
        replies={"extraction": {"sentences": ["Tea is grown in Assam.", "It rains a lot there."]}},
    ),
    canaries=(
        Canary(
            "one sentence of two",
            "One sentence holds the answer, and is copied as it stands; the other does not.",
            right=(0.5, 0.5),
            question="How many seats does the small hall have?",
            contexts=("The small hall has 80 seats. The walls were painted blue last year.",),
        ),
        Canary(
            "nothing to copy",
            "Passages about something else hold nothing that an answer could rest on.",
            right=(0, 0),
            question="How many seats does the small hall have?",
            contexts=("Copper roofs turn green with the years. Cats sleep most of the day.",),
        ),
        Canary(
            "one sentence of two, in Korean",
            "One sentence holds the answer, and is copied as it stands; the other does not.",
            right=(0.5, 0.5),
            question="주차장 요금은 얼마인가요?",
            contexts=("주차장 요금은 한 시간에 이천 원입니다. 입구에는 큰 나무가 있습니다.",),
        ),
    ),
)
