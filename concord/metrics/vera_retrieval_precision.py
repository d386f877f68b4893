"""VERA's retrieval precision: the share of context sentences that are copied out as useful.

Extraction: the request for the passages that answer a question, copied and not retold. Pure.
"""

from collections.abc import Iterator, Sequence

from concord.judges.prompting.delimiters import fence, tag
from concord.metrics.framework.metric import Canary, Example, Metric, Outcome
from concord.metrics.framework.support import DUPLICATES, of_hits
from concord.metrics.prompts.ask import Ask, list_ask, user_message
from concord.metrics.prompts.inputs import Inputs, Undefined, Verdict
from concord.model import Item, Unit
from concord.text.normal_form import normalised

RUBRIC = "context-sentences-copied"
LEFT_OUT, COPIED = 0, 1


async def metric(item: Item, by: Inputs) -> Outcome:
    """Return the share of the contexts' sentences that were copied out verbatim.

    The verdicts on sentences follow from the copy without a request; an annotator's labels of the
    same sentences give the share by that annotator.
    """
    sentences = await by.units("context_sentence")
    if not sentences:
        raise Undefined("missing_input", "The contexts contain no sentences.")
    labels = by.labelled(RUBRIC, sentences)
    if labels is not None:
        return _outcome(sentences, [labels[one.id].score == COPIED for one in sentences], by)
    passages = [context.text for context in sorted(item.contexts, key=lambda one: one.rank)]
    copies = await by.ask(request(item.question, passages))
    hits, altered = copied([one.text for one in sentences], passages, copies)
    verdicts = [
        Verdict(COPIED, "Copied verbatim.", one.text)
        if hit
        else Verdict(LEFT_OUT, "Not among the copied sentences.")
        for one, hit in zip(sentences, hits, strict=True)
    ]
    await by.conclude(RUBRIC, sentences, verdicts)
    found = _outcome(sentences, hits, by)
    if not altered:
        return found
    return found._replace(
        reason=f"{found.reason[:-1]}; altered copies: {altered}.",
        parts=found.parts | {"altered": float(altered)},
        flags=("altered", *(one for one in found.flags if one != "insufficient information")),
    )


def _outcome(sentences: Sequence[Unit], hits: Sequence[bool], by: Inputs) -> Outcome:
    texts, what = (one.text for one in sentences), "sentences support an answer"
    found, _ = of_hits(texts, hits, by, what, "insufficient information")
    return found._replace(parts={**found.parts, "altered": 0.0})


METRIC = Metric(
    name="vera_retrieval_precision",
    title="Retrieval precision, by extraction",
    sentence="How much of the retrieved text directly supports an answer to the question?",
    formula="context sentences copied out word for word as useful / context sentences",
    needs=("question", "contexts"),
    metric=metric,
    source="VERA (2024)",
    switches=(DUPLICATES,),
    rubrics=(RUBRIC,),
    by_rule=True,
    when_low="Retrieve fewer contexts or rank them better.",
    others="VERA compares copies by an embedding at a threshold it does not state; here a copy "
    "must be verbatim but for width and white space, and altered ones are counted.",
    example=Example(
        1 / 3,
        "one sentence of three was copied verbatim, one was altered: 1/3",
        question="Where is tea grown?",
        contexts=["Tea is grown in Assam. It rains a lot.", "Rome is old."],
        replies={"extraction": {"sentences": ["Tea is grown in Assam.", "It rains a lot there."]}},
    ),
    canaries=(
        Canary(
            "nothing to copy",
            right=(0, 0),
            question="How many seats does the small hall have?",
            contexts=("Copper roofs turn green with the years. Cats sleep most of the day.",),
        ),
        Canary(
            "one sentence of two, in Korean",
            right=(0.5, 0.5),
            question="주차장 요금은 얼마인가요?",
            contexts=("주차장 요금은 한 시간에 이천 원입니다. 입구에는 큰 나무가 있습니다.",),
        ),
    ),
)


TASK = """\
You are given a question and the passages that were retrieved for it. Extract the sentences that \
directly support an answer to it.

$material

# How to extract
- Whole sentences, copied verbatim, one per entry, in the order of the passages. A sentence that \
is not found word for word in a passage does not count.
- Only sentences on which an answer to the question would be based. If the passages do not \
contain enough to answer any of it, the list is empty."""


def request(question: str, passages: Sequence[str]) -> Ask:
    """The request for the sentences that support an answer; read as the list of their texts."""
    code = tag(question, *passages)
    numbered = enumerate(passages, 1)
    blocks = [fence("CONTEXT", text, code, number) for number, text in numbered]
    shown = user_message(code, fence("QUESTION", question, code), *blocks)
    return list_ask("extraction", TASK, shown, passages[:1], key="sentences")


def copied(
    sentences: Sequence[str], passages: Sequence[str], copies: Sequence[str]
) -> tuple[list[bool], int]:
    """Return which sentences were copied whole, and how many copies occur in no passage.

    Case, width and white space are ignored. A sentence found inside another one, as “No.” is in
    “Casino.”, does not count: it has to be where the copy was taken from. Sentences are in the
    order of the passages.
    """
    whole = _level("\n".join(passages))
    taken = [list(_places(_level(text), whole)) for text in copies]
    hits, end = [], 0
    for sentence in map(_level, sentences):
        start = whole.find(sentence, end)
        end = start + len(sentence) if start >= 0 else end
        within = any(a <= start and end <= b for places in taken for a, b in places)
        hits.append(start >= 0 and within)
    return hits, sum(not places for places in taken)


def _level(text: str) -> str:
    return "".join(normalised(text).split())


def _places(text: str, whole: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of every occurrence of a text in the whole."""
    start = whole.find(text)
    while text and start >= 0:
        yield start, start + len(text)
        start = whole.find(text, start + 1)
