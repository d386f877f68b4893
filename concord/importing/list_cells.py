"""Cells that hold several things: contexts, reference answers, turns, a whole conversation.

A list comes from JSON or Parquet as it is; in text it is a JSON list, or a list as Python or NumPy
print it. Text that only looks like a list stays one text. A conversation given whole is its last
answer, the question before it, and the earlier turns.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell
from concord.messages import said
from concord.model import Context

_TEXT = ("text", "content", "page_content", "passage", "context", "chunk", "body")
_ID = ("id", "chunk_id", "context_id", "passage_id")
_DOC_ID = ("doc_id", "document_id", "doc", "document", "source")
_CONTENT = ("content", "text")
_ROLE = ("role", "type", "speaker")
_ROLES = {"human": "user", "ai": "assistant"}
# How deepeval writes a context with its source into one text.
_WITH_SOURCE = re.compile(r"deepeval_source=(.*?),deepeval_context=(.*)", re.S)
_STRING = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.S)
USER, ASSISTANT = "user", "assistant"
_ASKERS = {USER, "human"}
_ANSWERERS = {ASSISTANT, "ai", "bot", "model"}


def contexts(cells: Iterable[Cell]) -> tuple[Context, ...]:
    """The contexts of one item, from one or more columns, blank ones among them.

    Each is a text, or an object with a text and, if it has them, an id, a document id and a rank;
    the text may be missing where an id is there. A rank that is not given is the place in the list,
    counted from 1.
    """
    parts = chain.from_iterable(map(_elements, cells))
    return tuple(_context(part, place) for place, part in enumerate(parts, 1))


def texts(cells: Iterable[Cell]) -> tuple[str, ...]:
    """The texts of one item, from one or more columns; blank ones are left out."""
    return tuple(context.text for context in contexts(cells) if context.text.strip())


def turns_in(cell: Cell) -> tuple[dict, ...] | None:
    """Earlier turns, each with `role` and `content`; None where the cell is blank."""
    return tuple(map(_turn, _elements(cell))) or None


def _elements(cell: Cell) -> list:
    """The parts of a cell: of its list, or the whole cell as the only part."""
    if isinstance(cell, list | dict):
        return cell if isinstance(cell, list) else [cell]
    text = of_cell.text(cell)
    parts = spelled(text)
    if parts is None and (why := _torn(text.strip())):
        raise BadCell(why)
    return parts if parts is not None else [text] if text.strip() else []


def is_one_text(text: str) -> bool:
    """True for plain text, as opposed to a list or a truncated list."""
    return spelled(text) is None and not _torn(text.strip())


def is_turn(part: object) -> bool:
    """True where a part of a cell is a message: an object with a role and its text."""
    return isinstance(part, dict) and all(
        isinstance(_first(part, keys), str) for keys in (_ROLE, _CONTENT)
    )


def _torn(text: str) -> str:
    """What is wrong with a text that must have been a list, or nothing; '' for a text."""
    if text == "nan":
        return said(
            "it is the text “nan”, a printed missing value. Leave it empty.", fault_code="nan"
        )
    if re.match(r"\[\s*(['\"]|\{\s*['\"])", text):
        return said(
            "it starts like a list but is not a valid one. Write a JSON list of strings.",
            fault_code="not_a_list",
        )
    return ""


def _context(part: object, place: int) -> Context:
    if isinstance(part, str):
        source = _WITH_SOURCE.fullmatch(part)
        doc_id, text = source.groups() if source else ("", part)
        return Context("", doc_id.strip(), of_cell.text(text), place)
    if part is None:
        raise BadCell(
            "entry {place} of the list is missing (null or NaN). Add it, or remove it.",
            place=place,
            fault_code="missing_entry",
        )
    known = part if isinstance(part, dict) else {"text": part}
    own_id, text, more = _first(known, _ID), _first(known, _TEXT), known.get("metadata")
    doc_id = _first(known, _DOC_ID)
    if text is None and own_id is None and doc_id is None:
        raise BadCell(
            "context {place} has no text. Add it under the key “text”.",
            place=place,
            fault_code="no_text",
        )
    if isinstance(text, list | dict):
        raise BadCell(
            "the list contains another list. Write a flat list of strings.",
            fault_code="nested_list",
        )
    doc_id = doc_id or _first(more if isinstance(more, dict) else {}, _DOC_ID)
    rank = known["rank"] if type(known.get("rank")) is int else place
    own_id, doc_id, text = (
        of_cell.text("" if one is None else str(one)) for one in (own_id, doc_id, text)
    )
    return Context(own_id.strip(), doc_id.strip(), text, rank)


def _turn(part: object) -> dict:
    if not is_turn(part):
        raise BadCell(
            "it is not a list of turns. Write a JSON list of objects with “role” and “content”.",
            fault_code="not_turns",
        )
    more, given = part.get("metadata"), part.get("tool_calls")
    own = more.get("role") if isinstance(more, dict) else None
    role = own if isinstance(own, str) else _first(part, _ROLE)
    calls = []
    for call in given if isinstance(given, list) else ():
        call = call.get("function", call) if isinstance(call, dict) else call
        if isinstance(call, dict) and isinstance(call.get("name"), str):
            args = call.get("args", call.get("arguments", call.get("input_parameters")))
            args = _json(args) if isinstance(args, str) else args
            args = of_cell.nested(args) if isinstance(args, dict) else {}
            calls.append({"name": call["name"], "args": args})
    of_cell.text(json.dumps(calls, ensure_ascii=False))
    turn = {
        "role": of_cell.text(_ROLES.get(role, role)),
        "content": of_cell.text(_first(part, _CONTENT)),
    }
    return turn | ({"tool_calls": calls} if calls else {})


def _first(part: Mapping, keys: Iterable[str]) -> Any:
    return next((part[key] for key in keys if part.get(key) is not None), None)


def spelled(cell: str) -> list | None:
    """The list of texts and objects, or the object with a text, that a text spells; else None."""
    text = cell.strip()
    if text[:1] + text[-1:] not in ("[]", "{}"):
        return None
    if text[0] == "{":
        found = _json(text)
        return [found] if isinstance(found, dict) and _first(found, _TEXT) is not None else None
    found = parsed(text)
    fits = isinstance(found, list) and {*map(type, found)} <= {str, dict, type(None)}
    return found if fits else None


@lru_cache(maxsize=2)  # one cell is asked what it is, and then read
def parsed(text: str) -> list | dict | None:
    """The list or object that a text spells in JSON, or as Python or NumPy print it, or None."""
    if (found := _json(text)) is not None:
        return found if isinstance(found, list | dict) else None
    try:
        with warnings.catch_warnings():  # only literals are read, nothing is run
            warnings.simplefilter("ignore")
            found = of_cell.nested(ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    marks = _STRING.sub("\0", text)
    if isinstance(found, list) and re.search(r"\0\s*\0", marks):
        # Python joins the neighbours in NumPy's ['a' 'b'] into one text.
        strings = map(ast.literal_eval, _STRING.findall(text))
        return [*strings] if re.fullmatch(r"\[[\0\s]+\]", marks) else None
    return found if isinstance(found, list | dict) else None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class Talk(NamedTuple):
    """A conversation as the fields of an item; `answer`: None if it ends with the question."""

    turns: tuple[dict, ...]
    question: str
    answer: str | None


def is_conversation(cell: Cell) -> bool:
    """True for a cell with a list of messages, each with a role and its text."""
    parts = spelled(cell) if isinstance(cell, str) else cell
    return isinstance(parts, list) and bool(parts) and all(map(is_turn, parts))


def _last_asked(turns: Sequence[dict]) -> int:
    """The place of the last user message; -1 without any."""
    asked = (n for n, turn in enumerate(turns) if turn["role"].casefold() in _ASKERS)
    return max(asked, default=-1)


def item_fields(turns: Sequence[dict]) -> Talk:
    """Return a conversation as the fields of an item.

    Messages between the last question and the answer, such as a tool's reply, stay among the turns
    in order, and then the question is among them too.

    Raises:
        BadCell: It has no user message, or ends neither with an answer nor with a question.
    """
    last = _last_asked(turns)
    if last < 0:
        raise BadCell("the conversation has no user message. Add one.", fault_code="no_question")
    question, earlier, end = turns[last]["content"], tuple(turns[:-1]), turns[-1]
    if last == len(turns) - 1:
        return Talk(earlier, question, None)
    if end["role"].casefold() not in _ANSWERERS:
        raise BadCell(
            "the conversation ends with a “{role}” message. End it with the answer to be graded, "
            "or with its question.",
            role=end["role"],
            fault_code="not_an_answer",
        )
    return Talk(earlier[:-1] if last == len(earlier) - 1 else earlier, question, end["content"])


def earlier_turns(turns: Sequence[dict], question: str) -> tuple[dict, ...]:
    """The turns before a question, of a conversation that may hold it and its answer too."""
    try:
        found = item_fields(turns)
    except BadCell:
        return tuple(turns)
    return found.turns if found.question.strip() == question.strip() else tuple(turns)


def messages(turns: Sequence[dict], question: str, answer: str) -> list[dict]:
    """The whole conversation again, so that `item_fields` gives the same item."""
    last = _last_asked(turns)
    among = 0 <= last < len(turns) - 1 and turns[last]["content"] == question
    asking = [] if among else [{"role": USER, "content": question}]
    return [*turns, *asking, {"role": ASSISTANT, "content": answer}]
