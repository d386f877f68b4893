"""Question, turns and answer in what an application was called with and what it returned.

Traces record both as JSON, of no fixed shape: a text, an object with a question, or messages.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from concord.importing.fields import ITEM_FIELDS, folded
from concord.importing.recognition.export import Json, members, objects, part, text

_QUESTIONS, _ANSWERS, _CONTEXTS = (
    {folded(name) for name in ITEM_FIELDS[field].split()}
    for field in ("question", "answer", "contexts")
)
_FIELDS = {folded(name): field for field, names in ITEM_FIELDS.items() for name in names.split()}
# Roles of messages, as LangChain and OpenAI call them.
_USER, _ASSISTANT = {"user", "human"}, {"assistant", "ai", "model"}
_ROLES = {"human": "user", "ai": "assistant", "model": "assistant"}


class Asked(NamedTuple):
    """The question of a call, the turns before it, and contexts among its inputs."""

    question: str
    turns: list[dict[str, str]]
    contexts: Json = None


def known_fields(given: Json) -> dict[str, Json]:
    """The fields of an answer among the members of an object, recognised by their names."""
    return {_FIELDS[folded(key)]: one for key, one in members(given).items()
            if folded(key) in _FIELDS}  # fmt: skip


def is_graded_answer(given: Json) -> bool:
    """True where an object has a question and an answer, and is of no package of Concord."""
    return {"question", "answer"} <= known_fields(given).keys()


def other_fields(given: Json) -> dict[str, Json]:
    """The members of an object that are no fields of an answer."""
    return {key: one for key, one in members(given).items() if folded(key) not in _FIELDS}


def parsed(value: Json) -> Json:
    """The value that a text spells in JSON; any other value as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def asked(inputs: Json) -> Asked:
    """The question in the inputs of a call; all of them as JSON where none is named."""
    inputs = parsed(inputs)
    if isinstance(inputs, list) and (messages := _messages(inputs)):
        return _last_asked(messages)
    if not isinstance(inputs, dict):
        return Asked(text(inputs), [])
    contexts = _named(inputs, _CONTEXTS)
    messages = _messages(inputs.get("messages") or part(inputs, "input", "messages"))
    if messages:
        return _last_asked(messages)._replace(contexts=contexts)
    found = _named(inputs, _QUESTIONS)
    if found is None and len(inputs) == 1:
        (found,) = inputs.values()
    if found is None:
        return Asked(text(inputs), [], contexts)
    if isinstance(found, list | dict):
        return asked(found)._replace(contexts=contexts)
    return Asked(text(found), [], contexts)


def answered(outputs: Json) -> str:
    """The answer in the outputs of a call; all of them as JSON where none is named."""
    outputs = parsed(outputs)
    if isinstance(outputs, list):
        messages = _messages(outputs)
        last = [one for one in messages if one["role"] in _ASSISTANT] or messages
        return last[-1]["content"] if last else text(outputs)
    if not isinstance(outputs, dict):
        return text(outputs)
    choices = objects(outputs.get("choices")) or objects(outputs.get("generations"))
    for inner in (part(choices[0], "message") if choices else None, outputs.get("messages"),
                  outputs.get("output")):  # fmt: skip
        if isinstance(inner, list | dict):
            return answered(inner)
    found = outputs.get("content") if "role" in outputs else _named(outputs, _ANSWERS)
    if found is None and len(outputs) == 1:
        (found,) = outputs.values()
    return text(outputs) if found is None else _content(found)


def _named(given: dict, names: set[str]) -> Json:
    return next((value for key, value in given.items() if folded(str(key)) in names), None)


def _messages(given: Json) -> list[dict[str, str]]:
    """The messages of a list, with role and content as text; none where it has no roles."""
    found = []
    for one in objects(given):
        role = text(one.get("role") or one.get("type")).casefold()
        if not role or "content" not in one:
            return []
        found.append({"role": _ROLES.get(role, role), "content": _content(one["content"])})
    return found


def _content(value: Json) -> str:
    """Text of a message, whose content may be parts."""
    parts = objects(value)
    if parts and all(isinstance(one.get("text"), str) for one in parts):
        return "\n".join(one["text"] for one in parts)
    return text(value)


def _last_asked(messages: Sequence[dict[str, str]]) -> Asked:
    places = [n for n, one in enumerate(messages) if one["role"] in _USER]
    last = places[-1] if places else len(messages) - 1
    return Asked(messages[last]["content"], list(messages[:last]))
