"""A conversation given whole: its last answer, the question before it, and the earlier turns."""

from collections.abc import Sequence
from typing import NamedTuple

from concord.importing import list_cells
from concord.importing.readers.cells import BadCell, Cell

USER, ASSISTANT = "user", "assistant"
_ASKERS = {USER, "human"}
_ANSWERERS = {ASSISTANT, "ai", "bot", "model"}


class Talk(NamedTuple):
    """A conversation as the fields of an item; `answer`: None if it ends with the question."""

    turns: tuple[dict, ...]
    question: str
    answer: str | None


def is_conversation(cell: Cell) -> bool:
    """True for a cell with a list of messages, each with a role and its text."""
    if not isinstance(cell, str | list):
        return False
    parts = cell if isinstance(cell, list) else list_cells.spelled(cell)
    return bool(parts) and all(list_cells.is_turn(part) for part in parts)


def item_fields(turns: Sequence[dict]) -> Talk:
    """Return a conversation as the fields of an item.

    Messages between the last question and the answer, such as a tool's reply, stay among the turns
    in order, and then the question is among them too.

    Raises:
        BadCell: It has no user message, or ends neither with an answer nor with a question.
    """
    asked = [place for place, turn in enumerate(turns) if turn["role"].casefold() in _ASKERS]
    if not asked:
        raise BadCell("the conversation has no user message. Add one.", fault_code="no_question")
    last, role = asked[-1], turns[-1]["role"].casefold()
    question = turns[last]["content"]
    if last == len(turns) - 1:
        return Talk(tuple(turns[:-1]), question, None)
    if role not in _ANSWERERS:
        raise BadCell(
            "the conversation ends with a “{role}” message. End it with the answer to be graded, "
            "or with its question.",
            role=turns[-1]["role"],
            fault_code="not_an_answer",
        )
    earlier = turns[:last] if last == len(turns) - 2 else turns[:-1]
    return Talk(tuple(earlier), question, turns[-1]["content"])


def earlier_turns(turns: Sequence[dict], question: str) -> tuple[dict, ...]:
    """The turns before a question, of a conversation that may hold it and its answer too."""
    try:
        found = item_fields(turns)
    except BadCell:
        return tuple(turns)
    return found.turns if found.question.strip() == question.strip() else tuple(turns)


def answer_alone(cell: Sequence[object]) -> str | None:
    """The answer in a list of one message, as the completion of a chat; None for any other."""
    found = list_cells.turns([*cell]) if all(map(list_cells.is_turn, cell)) else None
    is_answer = found and len(found) == 1 and found[0]["role"].casefold() in _ANSWERERS
    return found[0]["content"] if is_answer else None


def messages(turns: Sequence[dict], question: str, answer: str) -> list[dict]:
    """The whole conversation again, so that `talk` gives the same item."""
    asked = [place for place, turn in enumerate(turns) if turn["role"].casefold() in _ASKERS]
    after = len(turns) - 1 - asked[-1] if asked else 0
    among = after > 0 and turns[asked[-1]]["content"] == question
    asking = [] if among else [{"role": USER, "content": question}]
    return [*turns, *asking, {"role": ASSISTANT, "content": answer}]
