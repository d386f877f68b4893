"""Declaration of a tool's export, and the answers and grades that its reader yields.

Traces record what an application was called with and what it returned as JSON of no fixed shape: a
text, an object with a question, or messages. Question, turns and answer are found there.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from concord.definitions import canonical_json, digest_of_text
from concord.importing.column_paths import follow
from concord.importing.fields import ITEM_FIELDS, folded
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell
from concord.importing.scores import kind_of
from concord.messages import Problem

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
    """A part of an export that is not imported: what, in the plural, why, and how many of it."""

    what: str
    reason: str
    count: int = 1


class ToolGrade(NamedTuple):
    """One grade of an export, as the export has it.

    `kind` is what the tool calls the grader's kind (`scores.kind_of`); `who` names a person, or a
    judge or metric beside its model, version and prompt. `score` is a number, a word or a boolean,
    and `passed` the verdict of a judge that also gives a score.
    `blind` of a person: False where the tool shows other scores; None where the export does not
    say.
    """

    kind: Json
    criterion: Json
    score: Json
    reason: Json = ""
    who: Json = ""
    model: Json = ""
    version: Json = ""
    prompt: Json = ""
    repeat: int = 1
    blind: bool | None = False
    passed: Json = None


class ToolAnswer(NamedTuple):
    """One answer: values by field of an answer, its grades, and other columns.

    Grades of an answer that is not in the export have no `question` among the fields.
    """

    fields: Mapping[str, Json]
    grades: Iterable[ToolGrade | LeftOut] = ()
    more: Mapping[str, Json] = {}


# What a reader yields: everything in the export is either an answer or counted.
Accounted = Iterator[ToolAnswer | LeftOut]


@dataclass
class Findings:
    """What is found in an export besides its answers: the judges, and what is left out and why."""

    judges: dict[tuple, JudgeIdentity] = field(default_factory=dict)
    _left_out: Counter[tuple[str, str]] = field(default_factory=Counter)

    def answers(self, accounted: Accounted) -> Iterator[tuple[ToolAnswer, list[dict[str, Json]]]]:
        """Yield each answer with its grades as they are kept; the rest is counted."""
        for one in accounted:
            if isinstance(one, LeftOut):
                self._left_out[one.what, one.reason] += one.count
            else:
                yield one, [*filter(None, map(self._grade, one.grades))]

    def _grade(self, given: ToolGrade | LeftOut) -> dict[str, Json] | None:
        """A grade with one score; None for what is left out."""
        if isinstance(given, LeftOut):
            self._left_out[given.what, given.reason] += given.count
            return None
        kind, criterion, grader = kind_of(text(given.kind)), text(given.criterion), text(given.who)
        is_person = kind == "person"
        if is_person:
            grader = grader or "annotator"
        elif kind:
            grader = self._judge(grader, given)
        reason = "" if kind else "who gave them is not known"
        if given.score in (None, "") or isinstance(given.score, list | dict):
            reason = reason or "they have no single score"
        try:
            of_cell.text(grader), of_cell.text(criterion)
        except BadCell:
            reason = reason or "the grader or the criterion is no text"
        if reason:
            self._left_out["grades", reason] += 1
            return None
        grade = {
            "grader_kind": "annotator" if is_person else kind,
            "grader": grader,
            "criterion": criterion,
            "score": given.score,
            "reason": text(given.reason),
            "repeat": given.repeat if given.repeat > 1 else None,
            "blind": given.blind if is_person else None,
            "passed": given.passed,
        }
        return {name: one for name, one in grade.items() if one not in (None, "")}

    def _judge(self, name: str, grade: ToolGrade) -> str:
        """Return the grader name of a judge with this identity."""
        prompt, version = text(grade.prompt), text(grade.version)
        given = name, model_names(grade.model), prompt, version
        if given not in self.judges:
            model = given[1]
            shown = (
                name or model or "judge",
                f"({model})" if name and model not in ("", name) else "",
                f"v{version}" if version[:1].isdigit() else version,
                f"#{digest_of_text(prompt)[:_DIGEST_LETTERS]}" if prompt else "",
            )
            self.judges[given] = JudgeIdentity(" ".join(filter(None, shown)), *given[1:])
        return self.judges[given].name

    def left_out(self) -> tuple[LeftOut, ...]:
        """What is left out, most first."""
        return tuple(LeftOut(*key, n) for key, n in self._left_out.most_common() if n)


def nothing_to_import(file: str, tool: str, left_out: Sequence[LeftOut]) -> Problem:
    """Return the error for an export of which everything is left out, with the reasons."""
    return Problem(
        "{file} ({tool}) has nothing to import: {reasons}. Correct it there and export again.",
        file=file,
        tool=tool,
        reasons="; ".join(f"{one.what}: {one.reason}" for one in left_out) or "it is empty",
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

    def rows(self, *paths: str) -> list[dict]:
        """The records: those under one of the paths, else of the list, else the only one."""
        under = (objects(part(self.data, path)) for path in paths)
        return next(filter(None, under), objects(self.data) or objects([self.data]))


@dataclass(frozen=True)
class ToolSource:
    """An export of a tool.

    Attributes:
        title: The tool and its file, for a user.
        marks: Words of which all occur in the first record of such a file; a fast first test.
        read: The answers of a document, and what is left out of it.
        under: Paths of which one may hold the records.
        fits: True for a document of this shape; without it the marks are keys of its first record.
        of: `grades` where the export has grades of answers that are elsewhere.
        forms: The kinds of file.
        whole: True where one row is read by what is in the others; a file in lines is not read in
            parts then.
        refused: The code and the sentence of an export that lacks something, and of a better one.
    """

    title: str
    marks: tuple[str, ...]
    read: Callable[[Document], Accounted] = lambda _: iter(())
    under: tuple[str, ...] = ()
    fits: Callable[[Document], bool] | None = None
    of: Literal["answers", "grades"] = "answers"
    forms: tuple[str, ...] = ("json", "jsonl")
    whole: bool = False
    refused: tuple[str, str] | None = None

    def recognises(self, document: Document) -> bool:
        """Return whether a document has this shape."""
        if self.fits:
            return self.fits(document)
        return {*self.marks} <= (document.rows(*self.under) or [{}])[0].keys()


def objects(data: Json) -> list[dict]:
    """The objects of a list; none where it is no list."""
    return [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []


def members(data: Json) -> dict[str, Json]:
    """The members of an object; none where it is no object."""
    return data if isinstance(data, dict) else {}


def part(data: Json, *paths: str) -> Json:
    """The value at the first of the dotted paths that has one: neither null nor ''.

    A key may have dots too, as `input.value`. None where the last path breaks off.
    """
    value = None
    for path in paths:
        value = follow(data, path)
        if value not in (None, ""):
            break
    return value


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


_FIELDS = {folded(name): field for field, names in ITEM_FIELDS.items() for name in names.split()}
# Roles of messages, as LangChain and Google call them.
_ROLES = {"human": "user", "ai": "assistant", "model": "assistant"}


def known_fields(given: Json) -> dict[str, Json]:
    """The fields of an answer among the members of an object, each by the first of its names."""
    named = [(_FIELDS.get(folded(key)), one) for key, one in members(given).items()]
    return {field: one for field, one in reversed(named) if field}


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


def is_comment(value: Json) -> bool:
    """True for a text of several words, which is no label."""
    return isinstance(value, str) and len(value.split()) > 3


def graded_answer(
    what: str, given: Json, item_id: Json, grades: Iterable[ToolGrade | LeftOut]
) -> ToolAnswer | LeftOut:
    """The answer whose fields an object names, with its other members; left out without one."""
    known = known_fields(given)
    if not known.get("question") or known.get("answer") is None:
        return LeftOut(what, "they have no question or no answer")
    return ToolAnswer({"item_id": item_id, **known}, grades, other_fields(given))


def call(inputs: Json, outputs: Json, **more: Json) -> dict[str, Json]:
    """The fields of the answer that a call gave; of `more` those that are not empty."""
    filled = {name: one for name, one in more.items() if one}
    return {**asked(inputs), "answer": answered(outputs), **filled}


def asked(inputs: Json) -> dict[str, Json]:
    """The question in the inputs of a call, the turns before it, and contexts among them.

    All of the inputs as JSON where no question is named.
    """
    inputs = parsed(inputs)
    given, known = members(inputs), known_fields(inputs)
    contexts = known.get("contexts")
    inner = given.get("messages") or part(given, "input.messages")
    if messages := _messages(inputs if isinstance(inputs, list) else inner):
        users = [n for n, one in enumerate(messages) if one["role"] == "user"]
        last = users[-1] if users else len(messages) - 1
        question, turns = messages[last]["content"], messages[:last]
        return {"question": question, "turns": turns, "contexts": contexts}
    found = known.get("question")
    if found is None and len(given) == 1:
        (found,) = given.values()
    if isinstance(found, list | dict):
        return {**asked(found), "contexts": contexts}
    return {"question": text(inputs if found is None else found), "contexts": contexts}


def answered(outputs: Json) -> str:
    """The answer in the outputs of a call; all of them as JSON where none is named."""
    outputs = parsed(outputs)
    if messages := _messages(outputs):
        last = [one for one in messages if one["role"] == "assistant"] or messages
        return last[-1]["content"]
    given = members(outputs)
    choices = objects(given.get("choices")) or objects(given.get("generations")) or [None]
    for inner in (part(choices[0], "message"), given.get("messages"), given.get("output")):
        if isinstance(inner, list | dict):
            return answered(inner)
    found = given.get("content") if "role" in given else known_fields(given).get("answer")
    if found is None and len(given) == 1:
        (found,) = given.values()
    return text(outputs) if found is None else _content(found)


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
