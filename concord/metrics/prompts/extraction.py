"""Extraction: the request for the passages that answer a question, copied and not retold. Pure."""

from collections.abc import Iterator, Sequence

from concord.judges.prompting.delimiters import MATERIAL, fence, tag
from concord.metrics.prompts.ask import Ask, list_ask
from concord.text.normal_form import normalised

TASK = f"""\
You are given a question and the passages that were retrieved for it. Extract the sentences that \
directly support an answer to it.

{MATERIAL}

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
    head = [f"The code of this item is {code}.", fence("QUESTION", question, code)]
    return list_ask("extraction", TASK, [*head, *blocks], passages[:1], key="sentences")


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
