"""Declaration of a tool's export, and the answers and grades that its reader yields.

Traces record what an application was called with and what it returned as JSON of no fixed shape: a
text, an object with a question, or messages. Question, turns and answer are found there.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from concord.definitions import canonical_json, digest_of_text
from concord.importing.fields import ITEM_FIELDS, folded
from concord.messages import Problem, joined, said

# Parsed JSON; JSON Lines and CSV are a list of objects.
Json = Any
_DIGEST_LETTERS = 6


class JudgeIdentity(NamedTuple):
    """A judge or metric of an export; '' where the export does not say.

    `name` is the name its grades have: it contains the model, the version, and a digest of the
    prompt, so that two judges that differ in one of them are two graders.
    """

    name: str
    model: str = ""
    prompt: str = ""
    version: str = ""


class LeftOut(NamedTuple):
    """A part of an export that is not imported: what, how many of it, and why."""

    what: str
    count: int
    reason: str


class ToolGrade(NamedTuple):
    """One grade of an export.

    `score` is a number, a word or a boolean as the export has it, and `passed` the verdict of a
    judge that also gives a score. `blind`: False where the tool shows other scores to the
    annotator; None where the export does not say.
    """

    kind: Literal["annotator", "judge", "metric"]
    grader: str
    criterion: str
    score: Json
    reason: str = ""
    repeat: int = 1
    blind: bool | None = None
    passed: bool | None = None


class ToolAnswer(NamedTuple):
    """One answer: values by field of an answer, its grades, and other columns.

    Grades of an answer that is not in the export have no `question` among the fields.
    """

    fields: Mapping[str, Json]
    grades: tuple[ToolGrade, ...] = ()
    more: Mapping[str, Json] = {}


@dataclass
class Findings:
    """What a reader reports besides answers: its judges, and what it leaves out and why."""

    judges: dict[tuple, JudgeIdentity] = field(default_factory=dict)
    _left_out: Counter[tuple[str, str]] = field(default_factory=Counter)

    def judge(self, name: str, model: Json = "", prompt: str = "", version: str = "") -> str:
        """Return the grader name of a judge with this identity; `model` as for `model_names`."""
        given = name, model_names(model), prompt, version
        if given not in self.judges:
            shown = [name or given[1] or "judge"]
            if name and given[1] not in ("", name):
                shown.append(f"({given[1]})")
            if version:
                shown.append(f"v{version}" if version[:1].isdigit() else version)
            if prompt:
                shown.append(f"#{digest_of_text(prompt)[:_DIGEST_LETTERS]}")
            self.judges[given] = JudgeIdentity(" ".join(shown), *given[1:])
        return self.judges[given].name

    def leave_out(self, what: str, reason: str, count: int = 1) -> None:
        """Count things that are not imported: what they are, in the plural, and why."""
        self._left_out[what, reason] += count

    def left_out(self) -> tuple[LeftOut, ...]:
        """What is left out, most first."""
        return tuple(
            LeftOut(what, n, reason) for (what, reason), n in self._left_out.most_common() if n
        )


def nothing_to_import(file: str, tool: str, left_out: Sequence[LeftOut]) -> Problem:
    """Return the error for an export of which everything is left out, with the reasons."""
    every = [said("{what}: {why}", what=one.what, why=one.reason) for one in left_out]
    return Problem(
        "{file} ({tool}) has nothing to import: {reasons}. Correct it there and export again.",
        file=file,
        tool=tool,
        reasons=joined("; ", every) or said("it is empty"),
        fault_code="nothing_to_import",
    )


class Document(NamedTuple):
    """A parsed file.

    `data` is the JSON value, the rows of CSV or JSON Lines as a list of objects, or `header.json`
    of an archive, whose other members `members` reads by the beginning of their names.
    """

    name: str
    data: Json
    form: Literal["json", "jsonl", "csv", "parquet", "zip"]
    members: Callable[[str], Iterator[Json]] = lambda _: iter(())


@dataclass(frozen=True)
class ToolSource:
    """An export of a tool.

    Attributes:
        title: The tool and its file, for a user.
        marks: Words of which all occur in the first record of such a file; a fast first test.
        recognises: True for a document of this shape.
        read: The answers of a document; what is left out goes to the findings.
        of: `grades` where the export has grades of answers that are elsewhere.
        forms: The kinds of file.
        whole: True where one row is read by what is in the others; a file in lines is not read in
            parts then.
    """

    title: str
    marks: tuple[str, ...]
    recognises: Callable[[Document], bool]
    read: Callable[[Document, Findings], Iterator[ToolAnswer]]
    of: Literal["answers", "grades"] = "answers"
    forms: tuple[str, ...] = ("json", "jsonl")
    whole: bool = False


def objects(data: Json) -> list[dict]:
    """The objects of a list; none where it is no list."""
    return [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []


def members(data: Json) -> dict[str, Json]:
    """The members of an object; none where it is no object."""
    return data if isinstance(data, dict) else {}


def part(data: Json, *keys: str) -> Json:
    """The value under keys of nested objects; None where the way breaks off."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def model_names(given: Json) -> str:
    """The names of a model, or of the models of a list: of a configuration nothing but its name.

    A configuration may hold keys.
    """
    named = []
    for one in given if isinstance(given, list) else [given]:
        keys = ("model", "id", "label", "name") if isinstance(one, dict) else ()
        named.append(next((one[k] for k in keys if isinstance(one.get(k), str)), one))
    return ", ".join(one for one in named if isinstance(one, str) and one)


def text(value: Json) -> str:
    """A value as text: '' for none, JSON for a list or an object."""
    if value is None:
        return ""
    return value if isinstance(value, str) else canonical_json(value)


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
    named = ((_FIELDS.get(folded(key)), one) for key, one in members(given).items())
    return {field: one for field, one in named if field}


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
    given = members(inputs)
    contexts = _named(given, _CONTEXTS)
    inner = given.get("messages") or part(given, "input", "messages")
    if messages := _messages(inputs if isinstance(inputs, list) else inner):
        places = [n for n, one in enumerate(messages) if one["role"] in _USER]
        last = places[-1] if places else len(messages) - 1
        return Asked(messages[last]["content"], messages[:last], contexts)
    found = _named(given, _QUESTIONS)
    if found is None and len(given) == 1:
        (found,) = given.values()
    if isinstance(found, list | dict):
        return asked(found)._replace(contexts=contexts)
    return Asked(text(inputs if found is None else found), [], contexts)


def answered(outputs: Json) -> str:
    """The answer in the outputs of a call; all of them as JSON where none is named."""
    outputs = parsed(outputs)
    if messages := _messages(outputs):
        last = [one for one in messages if one["role"] in _ASSISTANT] or messages
        return last[-1]["content"]
    given = members(outputs)
    choices = objects(given.get("choices")) or objects(given.get("generations")) or [None]
    for inner in (part(choices[0], "message"), given.get("messages"), given.get("output")):
        if isinstance(inner, list | dict):
            return answered(inner)
    found = given.get("content") if "role" in given else _named(given, _ANSWERS)
    if found is None and len(given) == 1:
        (found,) = given.values()
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
