"""Argilla: records of a dataset of one's own, as `dataset.records.to_json(path)` or `to_list()`.

Also flattened, as `to_list(flatten=True)` and, in Parquet, `to_datasets()` have them.

- answer: `id`, `metadata` and `fields`, recognised by their names: it needs a question and an
  answer. Other fields are kept;
- grades: `responses.QUESTION[]` with `value`, `user_id` and `status` (a `discarded` one or a draft
  is no grade);
- grades of a model: `suggestions.QUESTION` with `value`, `score` (its confidence) and `agent`.
  Annotators who were shown a suggestion were not blind;
- flattened, all of these are columns of a record: its fields and metadata by their own names,
  `QUESTION.responses` with `.responses.users` and `.responses.status` as lists of one length, and
  `QUESTION.suggestion` with `.suggestion.agent` and `.suggestion.score`.

A text of more than three words is a comment and no label: it becomes the reason of the person's
grades. Packages that Concord made are returned with `grades`.
Source: argilla 2, `argilla/records/_resource.py`; no file of a server.
"""

from collections.abc import Iterator, Mapping
from itertools import zip_longest

from concord.importing.recognition.export import (
    Document,
    Findings,
    Json,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    members,
    objects,
    part,
    text,
)
from concord.importing.recognition.payloads import is_graded_answer, known_fields, other_fields
from concord.messages import said

_NO_GRADES = {"discarded", "draft"}
_USERS, _STATUS, _RESPONSES = ".responses.users", ".responses.status", ".responses"
_AGENT, _SURENESS, _SUGGESTION = ".suggestion.agent", ".suggestion.score", ".suggestion"
_OWN = {"id", "_server_id", "status", "score"}


def _recognises(document: Document) -> bool:
    first = _nested((objects(document.data) or [{}])[0])
    if not {"fields", "responses", "suggestions"} <= first.keys():
        return False
    is_ours = any("row_code" in text(first.get(key)) for key in ("fields", "metadata"))
    return is_graded_answer(first["fields"]) and not is_ours


def _nested(record: Mapping) -> Mapping[str, Json]:
    """A record with its parts as objects, also where it is flattened into dotted columns."""
    if not any(key.endswith(_USERS) for key in record):
        return record
    fields, responses, suggestions = {}, {}, {}
    for key, value in record.items():
        if key.endswith(_RESPONSES):
            users, status = (record.get(f"{key}{of}") or [] for of in (".users", ".status"))
            responses[key.removesuffix(_RESPONSES)] = [
                {"value": one, "user_id": user, "status": state}
                for one, user, state in zip_longest(value or [], users, status)
            ]
        elif key.endswith(_SUGGESTION):
            if value is not None:
                agent = record.get(f"{key}.agent")
                suggestions[key.removesuffix(_SUGGESTION)] = {"value": value, "agent": agent}
        elif not key.endswith((_USERS, _STATUS, _AGENT, _SURENESS)) and key not in _OWN:
            fields[key] = value
    return {"id": record.get("id"), "fields": fields, "responses": responses,
            "suggestions": suggestions}  # fmt: skip


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for record in map(_nested, objects(document.data)):
        fields = members(record.get("fields"))
        known = known_fields(fields)
        if not {"question", "answer"} <= known.keys():
            findings.leave_out(said("records"), said("they have no question or no answer"))
            continue
        more = other_fields(fields)
        more |= {f"metadata.{key}": one for key, one in members(record.get("metadata")).items()}
        grades = (*_judges(record, findings), *_people(record, findings))
        yield ToolAnswer({"item_id": text(record.get("id")), **known}, grades, more)


def _judges(record: Mapping, findings: Findings) -> Iterator[ToolGrade]:
    for question, one in members(record.get("suggestions")).items():
        value = part(one, "value")
        if not _is_grade(value):
            findings.leave_out(said("suggestions"), said("they have no single value"))
            continue
        judge = findings.judge(text(part(one, "agent")) or "suggestion")
        yield ToolGrade("judge", judge, question, value)


def _people(record: Mapping, findings: Findings) -> Iterator[ToolGrade]:
    suggested = members(record.get("suggestions"))
    given = [
        (question, one)
        for question, answers in members(record.get("responses")).items()
        for one in objects(answers)
    ]
    comments = {
        text(one.get("user_id")): one["value"] for _, one in given if _is_comment(one.get("value"))
    }
    for question, one in given:
        value, who = one.get("value"), text(one.get("user_id"))
        if text(one.get("status")) in _NO_GRADES:
            findings.leave_out(said("responses"), said("they are discarded or drafts"))
        elif _is_comment(value):
            continue
        elif not _is_grade(value):
            findings.leave_out(said("responses"), said("they have no single value"))
        else:
            blind = False if question in suggested else None
            yield ToolGrade(
                "annotator", who or "annotator", question, value, comments.get(who, ""), blind=blind
            )


def _is_grade(value: Json) -> bool:
    return value is not None and not isinstance(value, list | dict)


def _is_comment(value: Json) -> bool:
    """True for a text of several words, which is no label."""
    return isinstance(value, str) and len(value.split()) > 3


SOURCES = (
    ToolSource(
        title=said("Argilla records"),
        marks=("responses", "id"),
        recognises=_recognises,
        read=_read,
        forms=("json", "jsonl", "parquet"),
    ),
)
