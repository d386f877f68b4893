"""Argilla: flattened records of a dataset of one's own, as `to_list(flatten=True)` has them.

Also as Parquet of `to_datasets()`. A record has

- its fields and metadata by their own names: it needs a question and an answer, others are kept;
- grades: `QUESTION.responses` with `.responses.users` and `.responses.status`, lists of one length
  (only a `submitted` response is a grade);
- grades of a model: `QUESTION.suggestion` with `.suggestion.score` (its confidence) and
  `.suggestion.agent`. Annotators who were shown a suggestion were not blind.

A text of more than three words is a comment and no label: it becomes the reason of the person's
grades. Nested records, as `to_json(path)` writes them, lack the status of responses and are
refused. Packages that Concord made are returned with `grades`.
Source: argilla 2.8, `argilla/records/_io/_generic.py`.
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
    is_graded_answer,
    known_fields,
    objects,
    other_fields,
    text,
)
from concord.messages import Problem, said

_RESPONSES, _USERS, _STATUS = ".responses", ".responses.users", ".responses.status"
_SUGGESTION, _AGENT, _SURENESS = ".suggestion", ".suggestion.agent", ".suggestion.score"
_PARTS = (_RESPONSES, _USERS, _STATUS, _SUGGESTION, _AGENT, _SURENESS)
_OWN = {"id", "_server_id", "status", "score"}


def _recognises(document: Document) -> bool:
    first = (objects(document.data) or [{}])[0]
    fields = first.get("fields") if _is_nested(first) else _fields(first)
    has_responses = _is_nested(first) or any(key.endswith(_USERS) for key in first)
    return has_responses and is_graded_answer(fields)


def _is_nested(record: Mapping) -> bool:
    return {"fields", "responses", "suggestions"} <= record.keys()


def _fields(record: Mapping) -> dict[str, Json]:
    return {k: one for k, one in record.items() if not k.endswith(_PARTS) and k not in _OWN}


def _of(record: Mapping, part: str) -> Iterator[tuple[str, Json]]:
    """Each question with what the record has of it under a part."""
    for key, value in record.items():
        if key.endswith(part) and value is not None:
            yield key.removesuffix(part), value


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for record in objects(document.data):
        if _is_nested(record):
            raise Problem(
                "{file} does not say which responses were submitted, as Argilla writes nested "
                "records. Export them with dataset.records.to_list(flatten=True), and save that "
                "as JSON.",
                file=document.name,
                fault_code="no_status",
            )
        fields = _fields(record)
        known = known_fields(fields)
        if not known.get("question") or known.get("answer") is None:
            findings.leave_out(said("records"), said("they have no question or no answer"))
            continue
        grades = (*_judges(record, findings), *_people(record, findings))
        item = {"item_id": text(record.get("id")), **known}
        yield ToolAnswer(item, grades, other_fields(fields))


def _judges(record: Mapping, findings: Findings) -> Iterator[ToolGrade]:
    for question, value in _of(record, _SUGGESTION):
        if not _is_grade(value):
            findings.leave_out(said("suggestions"), said("they have no single value"))
            continue
        judge = findings.judge(text(record.get(f"{question}{_AGENT}")) or "suggestion")
        yield ToolGrade("judge", judge, question, value)


def _people(record: Mapping, findings: Findings) -> Iterator[ToolGrade]:
    suggested = {question for question, _ in _of(record, _SUGGESTION)}
    given = []
    for question, _ in _of(record, _RESPONSES):
        lists = (record.get(f"{question}{part}") for part in (_RESPONSES, _USERS, _STATUS))
        for value, who, status in zip_longest(*(x if isinstance(x, list) else [] for x in lists)):
            given.append((question, value, text(who), text(status)))
    submitted = [one for one in given if one[3] == "submitted"]
    findings.leave_out(
        said("responses"), said("they were not submitted"), len(given) - len(submitted)
    )
    comments = {who: value for _, value, who, _ in submitted if _is_comment(value)}
    for question, value, who, _ in submitted:
        if _is_comment(value):
            continue
        elif not _is_grade(value):
            findings.leave_out(said("responses"), said("they have no single value"))
        else:
            blind = False if question in suggested else None
            reason = comments.get(who, "")
            yield ToolGrade("annotator", who, question, value, reason, blind=blind)


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
