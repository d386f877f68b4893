"""Requests for questions that a text would answer, and for a noncommittal verdict.

Pure. One request asks for all questions: repeating a request at low temperature returns the same
question several times.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from concord.judges.prompting.delimiters import MATERIAL, fence, tag
from concord.judges.prompting.json_schema import strict
from concord.metrics.prompts.ask import Ask, Unreadable, reply_form
from concord.text.display import visible

TASK = f"""\
You are given an answer without its question. Write the $count questions that it answers best.

{MATERIAL}

# What to write
- Each question is one that a user might ask and that this answer answers. Each is about a \
different part or aspect of the answer, if it has several.
- In the language of the answer.
- clear: whether the question can be understood on its own and asks for one thing.
- noncommittal, for each question separately: whether the answer avoids answering it, says that it \
does not know, or stays too vague to be of use."""


class Guess(NamedTuple):
    """One question that an answer may have been given to."""

    question: str
    clear: bool
    noncommittal: bool


def request(answer: str, count: int) -> Ask:
    """The request for so many questions; read as a list of guesses, blank questions left out."""
    code = tag(answer)
    skeleton = {"question": "...", "clear": "true or false", "noncommittal": "true or false"}
    guess = {"question": "(question)", "clear": True, "noncommittal": False}
    kinds = {"question": "string", "clear": "boolean", "noncommittal": "boolean"}
    items = strict({key: {"type": kind} for key, kind in kinds.items()})
    return Ask(
        name="questions",
        system=f"{TASK.replace('$count', str(count))}\n\n{reply_form({'questions': [skeleton]})}",
        user=f"The code of this item is {code}.\n\n{fence('ANSWER', answer, code)}",
        form={"questions": {"type": "array", "items": items}},
        sample={"questions": [guess] * count},
        read=_guesses,
    )


def _guesses(reply: Mapping[str, Any]) -> list[Guess]:
    given = reply.get("questions")
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise Unreadable("The reply contains no list of questions.")
    guesses = [_guess(one) for one in given]
    found = [guess for guess in guesses if guess.question]
    if not found:
        raise Unreadable("The reply contains no question.")
    return found


def _guess(given: Mapping[str, Any]) -> Guess:
    question, clear, avoids = (given.get(key) for key in ("question", "clear", "noncommittal"))
    if not (isinstance(question, str) and isinstance(clear, bool) and isinstance(avoids, bool)):
        raise Unreadable("A question lacks its text, clear or noncommittal.")
    return Guess(visible(question).strip(), clear, avoids)
