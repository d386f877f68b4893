"""Ask: one request of a metric to a model, with the form of the reply and how it is read."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from concord.judges.prompting.delimiters import MATERIAL, fence
from concord.judges.prompting.metric_request import Unreadable
from concord.judges.prompting.request import strict
from concord.model import Item
from concord.text.display import visible
from concord.text.normal_form import folded, normalised

# Entries that small models write into a list that should be empty.
_NOTHING = re.compile(
    r"none|null|nil|n/?a|nothing|empty|なし|無し|該当なし|无|無|没有|沒有|없음|해당 없음"
    r"|(there (is|are) )?(no|none)( checkable| factual| verifiable)?"
    r" (claims?|facts?|entit(y|ies)|sentences?)( found| to check| to look up)?"
)
_AROUND = "[](){}<>\"'“”‘’.。!-—–*• "


class Ask(NamedTuple):
    """One request, apart from the model and its settings.

    Attributes:
        name: What it is for, as it is stored; the same request is asked once per judge and content.
        system: The unchanging message: the task, the rules and the form of the reply.
        user: The texts of the item, fenced.
        form: JSON schema properties of the reply object.
        sample: A reply as it should be for this very request; it fills previews and rehearsals.
        read: Takes the reply object to what the metric wants; raises Unreadable.
        vote: Tells separate replies to the very same request apart.
    """

    name: str
    system: str
    user: str
    form: Mapping[str, Any]
    sample: Mapping[str, Any]
    read: Callable[[Mapping[str, Any]], Any]
    vote: int = 1

    def schema(self) -> dict[str, Any]:
        """The strict JSON schema of the reply."""
        return strict(dict(self.form))


REPLY = """\
# Reply
Reply with one JSON object of this form and nothing else:

$form"""


def system_message(task: str, skeleton: Any) -> str:
    """Return a system message: the task and the reply format, for servers without schema too.

    Placeholders of values are not valid replies, so that an echo counts for nothing.
    """
    form = REPLY.replace("$form", json.dumps(skeleton, ensure_ascii=False))
    return f"{task.replace('$material', MATERIAL)}\n\n{form}"


def user_message(code: str, *blocks: str) -> str:
    """Return a user message: the code of the markers, and the texts between them."""
    return "\n\n".join([f"The code of this item is {code}.", *blocks])


def list_ask(name: str, task: str, user: str, sample: Sequence[str], key: str = "") -> Ask:
    """The request for a list of texts, read as that list; `key` is its key in the reply."""
    key = key or name
    return Ask(
        name=name,
        system=system_message(task, {key: ["..."]}),
        user=user,
        form={key: {"type": "array", "items": {"type": "string"}}},
        sample={key: list(sample)},
        read=lambda reply: texts(reply, key),
    )


def texts(reply: Mapping[str, Any], name: str) -> list[str]:
    """The texts of a list in a reply, blanks and exact repetitions folded, in their order.

    Small models write a word for an empty list (`["None"]`): a list of nothing else is empty.
    """
    given = reply.get(name)
    if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
        raise Unreadable(f"The reply contains no list of texts under {name}.")
    if "..." in given:
        raise Unreadable("The reply repeats the form instead of filling it.")
    found = folded([visible(text).strip() for text in given if text.strip()])
    empty = all(_NOTHING.fullmatch(normalised(text).strip(_AROUND)) for text in found)
    return [] if empty else found


Texts = list[tuple[str, str]]


def _item_texts(name: str, item: Item, chunk: int | None = None) -> Texts:
    """Return the texts of one key of `shown`, each with the name of its part.

    `chunk` is the index of the single context for the key `chunk`, from 0 in rank order.
    """
    ranked = sorted(item.contexts, key=lambda one: one.rank)
    if name == "chunk":
        return [("CONTEXT", ranked[chunk].text)]
    if name == "turns":
        return [("TURNS", item.conversation)] if item.turns else []
    texts = {
        "question": [("QUESTION", item.question)],
        "answer": [("ANSWER", item.answer)],
        "contexts": [("CONTEXT", one.text) for one in ranked],
        "reference": [("REFERENCE", text) for text in item.reference],
        "reference_contexts": [("DOCUMENT", text) for text in item.reference_contexts],
    }
    return texts[name]


def fenced(texts: Texts, code: str) -> list[str]:
    """Return each text between its markers, numbered where its part has several."""
    parts = [part for part, _ in texts]
    return [
        fence(part, text, code, parts[: place + 1].count(part) if parts.count(part) > 1 else None)
        for place, (part, text) in enumerate(texts)
    ]


def all_of(names: Sequence[str], item: Item, chunk: int | None = None) -> Texts:
    """The texts of several keys of `shown`, in their order."""
    return [pair for name in names for pair in _item_texts(name, item, chunk)]
