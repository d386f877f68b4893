"""Cells that hold several things: contexts, reference answers, turns, a whole conversation.

A list comes from JSON or Parquet as it is; in text it is a JSON list, or a list as Python or NumPy
print it. Text that only looks like a list stays one text. A conversation given whole is its last
answer, the question before it, and the earlier turns.
"""

import ast
import io
import json
import re
import tokenize
import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell, Damaged
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
_PARTS = {str, dict, type(None)}
_DECODED = json.JSONDecoder().decode
_LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER}


def contexts(cells: Iterable[Cell]) -> tuple[Context, ...]:
    """The contexts of one item, from one or more columns, blank ones among them.

    Each is a text, or an object with a text and, if it has them, an id, a document id and a rank;
    the text may be missing where an id is there. A rank that is not given is the place in the list,
    counted from 1.
    """
    found = [part for cell in cells for part in _correct(elements(cell))]
    return tuple(_context(part, place) for place, part in enumerate(found, 1))


def _correct(parts: list) -> list:
    """The correct ones of the references that HELM has, `{"output": {...}, "tags": [...]}`."""
    if not parts or not all(isinstance(p, dict) and {"output", "tags"} <= p.keys() for p in parts):
        return parts
    return [p["output"] for p in parts if isinstance(p["tags"], list) and "correct" in p["tags"]]


def texts(cells: Iterable[Cell]) -> tuple[str, ...]:
    """The texts of one item, from one or more columns; blank ones are left out."""
    return tuple(context.text for context in contexts(cells) if context.text.strip())


def turns_in(cell: Cell) -> tuple[dict, ...] | None:
    """Earlier turns, each with `role` and `content`; None where the cell is blank."""
    found = tuple(_turn(part) for part in elements(cell))
    return found or None


def elements(cell: Cell) -> list:
    """The parts of a cell: of its list, or the whole cell as the only part."""
    if isinstance(cell, Damaged):
        raise BadCell(cell.problem)
    if of_cell.is_blank(cell):
        return []
    if isinstance(cell, list):
        return cell
    if isinstance(cell, dict):
        return [cell]
    parsed = spelled(cell)
    if parsed is None and (why := _torn(cell.strip())):
        raise BadCell(why)
    return [of_cell.text(cell)] if parsed is None else parsed


def spelled(cell: str) -> list | None:
    """The list or object that a text spells, in JSON or as Python prints it; None for no such."""
    return _parsed(cell.strip())


def is_one_text(text: str) -> bool:
    """True for plain text, as opposed to a list or a truncated list."""
    return spelled(text) is None and not _torn(text.strip())


def is_turn(part: object) -> bool:
    """True where a part of a cell is a message: an object with a role and its text."""
    message = part if isinstance(part, dict) else {}
    return isinstance(_first(message, _ROLE), str) and isinstance(_first(message, _CONTENT), str)


def looks_like_list(cell: Cell) -> bool:
    """True for text in square brackets that does not parse as a list."""
    if not isinstance(cell, str):
        return False
    stripped = cell.strip()
    return stripped[:1] == "[" and stripped[-1:] == "]" and _parsed(stripped) is None


def _torn(text):
    """Return what is wrong with a text that must have been a list, or nothing; '' for a text."""
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


def _context(part, place):
    if isinstance(part, dict):
        text = _first(part, _TEXT)
        if text is None and _first(part, (*_ID, *_DOC_ID)) is not None:
            text = ""
        if text is None:
            raise BadCell(
                "context {place} has no text. Add it under the key “text”.",
                place=place,
                fault_code="no_text",
            )
        more = part.get("metadata")
        doc_id = _first(part, _DOC_ID) or _first(more if isinstance(more, dict) else {}, _DOC_ID)
        rank = part.get("rank")
        rank = rank if isinstance(rank, int) and not isinstance(rank, bool) else place
        return Context(_word(_first(part, _ID)), _word(doc_id), _part_text(text), rank)
    if part is None:
        raise BadCell(
            "entry {place} of the list is missing (null or NaN). Add it, or remove it.",
            place=place,
            fault_code="missing_entry",
        )
    if not isinstance(part, str):
        return Context("", "", _part_text(part), place)
    source = _WITH_SOURCE.fullmatch(part)
    doc_id, text = source.groups() if source else ("", part)
    return Context("", doc_id.strip(), of_cell.text(text), place)


def _turn(part):
    if not is_turn(part):
        raise BadCell(
            "it is not a list of turns. Write a JSON list of objects with “role” and “content”.",
            fault_code="not_turns",
        )
    more = part.get("metadata")
    own = more.get("role") if isinstance(more, dict) else None
    role = own if isinstance(own, str) else _first(part, _ROLE)
    role = of_cell.text(_ROLES.get(role, role))
    called = _calls(part.get("tool_calls"))
    turn = {"role": role, "content": of_cell.text(_first(part, _CONTENT))}
    return {**turn, "tool_calls": called} if called else turn


def _calls(given):
    """Return the tool calls of a message, each with name and arguments."""
    given = given if isinstance(given, list) else ()
    calls = [one.get("function", one) for one in given if isinstance(one, dict)]
    calls = [one for one in calls if isinstance(one, dict) and isinstance(one.get("name"), str)]
    found = [{"name": one["name"], "args": of_cell.nested(_args(one))} for one in calls]
    of_cell.text(json.dumps(found, ensure_ascii=False))
    return found


def _args(call):
    args = call.get("args", call.get("arguments", call.get("input_parameters")))
    args = _json(args) if isinstance(args, str) else args
    return args if isinstance(args, dict) else {}


def _first(part, keys):
    return next((part[key] for key in keys if part.get(key) is not None), None)


def _word(value):
    return "" if value is None else of_cell.text(str(value)).strip()


def _part_text(value):
    if isinstance(value, list | dict):
        raise BadCell(
            "the list contains another list. Write a flat list of strings.",
            fault_code="nested_list",
        )
    return of_cell.text(value if value is None or isinstance(value, str) else str(value))


def _parsed(text):
    """The list or object a text spells, or None where it spells none."""
    return _read(text) if text[:1] + text[-1:] in ("[]", "{}") else None


@lru_cache(maxsize=2)  # one cell is asked what it is, and then read
def _read(text):
    found = _json(text)
    if text[0] == "{":
        return [found] if isinstance(found, dict) and _first(found, _TEXT) is not None else None
    found = _python(text) if found is None else found
    return found if found is not None and {*map(type, found)} <= _PARTS else None


def _json(text):
    try:
        return _DECODED(text)
    except (ValueError, RecursionError):
        return None


def _python(text):
    """A list as Python prints it; only literals are read, nothing is run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = of_cell.nested(ast.literal_eval(text))
            if not isinstance(found, list):
                return None
            # Python would join the neighbours in NumPy's ['a' 'b'] into one text.
            return found if repr(found) == text else _unjoined(text, found)
    except (ValueError, SyntaxError, MemoryError, RecursionError, tokenize.TokenError):
        return None


def _unjoined(text, found):
    """Return each string of a flat list separately, where a comma between two is missing.

    Python joins adjacent string literals, so `['a' 'b']` would read as one string.
    """
    tokens = [t for t in tokenize.generate_tokens(io.StringIO(text).readline)]
    tokens = [t for t in tokens if t.type not in _LAYOUT]
    pairs = pairwise(tokens)
    if not any(a.type == b.type == tokenize.STRING for a, b in pairs):
        return found
    strings = [t.string for t in tokens if t.type == tokenize.STRING]
    if any(t.string == "," for t in tokens) or len(strings) != len(tokens) - 2:
        return None
    return [ast.literal_eval(string) for string in strings]


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
    parts = cell if isinstance(cell, list) else spelled(cell)
    return bool(parts) and all(is_turn(part) for part in parts)


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
    found = turns_in([*cell]) if all(map(is_turn, cell)) else None
    is_answer = found and len(found) == 1 and found[0]["role"].casefold() in _ANSWERERS
    return found[0]["content"] if is_answer else None


def messages(turns: Sequence[dict], question: str, answer: str) -> list[dict]:
    """The whole conversation again, so that `talk` gives the same item."""
    asked = [place for place, turn in enumerate(turns) if turn["role"].casefold() in _ASKERS]
    after = len(turns) - 1 - asked[-1] if asked else 0
    among = after > 0 and turns[asked[-1]]["content"] == question
    asking = [] if among else [{"role": USER, "content": question}]
    return [*turns, *asking, {"role": ASSISTANT, "content": answer}]
