"""Passages that an annotator marked as evidence: their words, and which place of a text they are.

Pure. A place is the text and the number of the occurrence of the words in it. Offsets would differ
between formatted and raw Markdown, so that words are searched without white space and Markdown's
signs. `passages.js` of the grading pane counts the same way.
"""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from concord.messages import N_, said

# The texts of an answer; '' for a passage of which only the words are known.
PARTS = ("", "question", "turns", "answer", "reference", "context", "document", "unit")
MOST_PASSAGES = 20
BETWEEN = " […] "
_NAMES = {
    "question": N_("Question"),
    "turns": N_("Earlier turns"),
    "answer": N_("Answer"),
    "reference": N_("Reference {n}"),
    "context": N_("Context {n}"),
    "document": N_("Document {n}"),
}
_MOST_NUMBER = 1_000_000
_COUNTED = re.compile(r"[^\s*_`~#>|\\+\-•]")


class Passage(NamedTuple):
    """A marked passage.

    Attributes:
        part: The kind of text, one of PARTS.
        number: Which text of that kind, as the annotator saw them, from 1.
        occurrence: Which of the places in that text with these words, from 1.
        words: The passage itself, verbatim.
    """

    part: str
    number: int
    occurrence: int
    words: str


def read(given: Any) -> tuple[Passage, ...] | None:
    """Return the passages in arbitrary input, a list of objects; None where it is not one."""
    if not isinstance(given, list) or len(given) > MOST_PASSAGES:
        return None
    found = tuple(_passage(one) for one in given)
    return None if None in found else found


def _passage(given: Any) -> Passage | None:
    if not isinstance(given, dict) or given.keys() != set(Passage._fields):
        return None
    one = Passage(**given)
    is_one = (
        isinstance(one.part, str)
        and one.part in PARTS
        and all(_is_number(value) for value in (one.number, one.occurrence))
        and isinstance(one.words, str)
        and one.words.strip()
    )
    return one if is_one else None


def _is_number(value: Any) -> bool:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return is_whole and 1 <= value <= _MOST_NUMBER


def stored(passages: Iterable[Passage]) -> str:
    """Return passages as they are stored and exported: a JSON list of objects; '' for none."""
    objects = [passage._asdict() for passage in passages]
    return json.dumps(objects, ensure_ascii=False) if objects else ""


def of_grade(quote: str, marked: str) -> tuple[Passage, ...]:
    """Return the passages of a stored grade; an imported one, or a judge's, has the words alone."""
    if marked:
        return tuple(Passage(**one) for one in json.loads(marked))
    return (Passage("", 1, 1, quote),) if quote else ()


def quoted(passages: Sequence[Passage]) -> str:
    """Return the words of all passages as one text."""
    return BETWEEN.join(passage.words for passage in passages)


def text_name(passage: Passage) -> str:
    """Return what the text of a passage is called; '' where it is not known."""
    called = _NAMES.get(passage.part)
    return said(called, n=passage.number) if called else ""


def span(passage: Passage, text: str) -> tuple[int, int] | None:
    """Return start and end of a passage in its text; None where it does not occur there."""
    wanted = "".join(_COUNTED.findall(passage.words))
    counted = list(_COUNTED.finditer(text))
    letters = "".join(one.group() for one in counted)
    at = -1
    for _ in range(passage.occurrence if wanted else 0):
        at = letters.find(wanted, at + 1)
        if at < 0:
            break
    if at < 0:
        return None
    return _widened(passage.words, text, counted[at].start(), counted[at + len(wanted) - 1].end())


def _widened(words: str, text: str, begin: int, end: int) -> tuple[int, int]:
    """Return a span with the signs at the ends of the words, which are not counted."""
    signs = [one.start() for one in _COUNTED.finditer(words)]
    before, after = words[: signs[0]], words[signs[-1] + 1 :]
    begin -= len(before) if text[:begin].endswith(before) else 0
    return begin, end + (len(after) if text.startswith(after, end) else 0)
