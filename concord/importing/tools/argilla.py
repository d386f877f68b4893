"""Argilla: records of a dataset of one's own, as `dataset.records.to_json(path)` or `to_list()`.

- answer: `id`, `metadata` and `fields`, recognised by their names: it needs a question and an
  answer. Other fields are kept;
- grades: `responses.QUESTION[]` with `value`, `user_id` and `status` (a `discarded` one or a draft
  is no grade);
- grades of a model: `suggestions.QUESTION` with `value`, `score` (its confidence) and `agent`.
  Annotators who were shown a suggestion were not blind.

A text of more than three words is a comment and no label: it becomes the reason of the person's
grades. Packages that Concord made are returned with `grades`.
Source: argilla 2, `argilla/records/_resource.py`; no file of a server.
"""

from collections.abc import Iterator, Mapping

from concord.importing.fields import ITEM_FIELDS, folded
from concord.importing.recognition.export import (
    Document,
    Findings,
    Json,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    objects,
    part,
    text,
)
from concord.messages import said

_FIELDS = {folded(name): field for field, names in ITEM_FIELDS.items() for name in names.split()}
_NO_GRADES = {"discarded", "draft"}


def _recognises(document: Document) -> bool:
    first = (objects(document.data) or [{}])[0]
    if not {"fields", "responses", "suggestions"} <= first.keys():
        return False
    is_ours = any("row_code" in text(first.get(key)) for key in ("fields", "metadata"))
    return {"question", "answer"} <= _known(first).keys() and not is_ours


def _known(record: Mapping) -> dict[str, Json]:
    """The fields of an answer among those of a record."""
    given = record.get("fields")
    pairs = given.items() if isinstance(given, dict) else ()
    return {_FIELDS[folded(key)]: value for key, value in pairs if folded(key) in _FIELDS}


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for record in objects(document.data):
        known = _known(record)
        if not {"question", "answer"} <= known.keys():
            findings.leave_out(said("records"), said("they have no question or no answer"))
            continue
        fields, about = record["fields"], record.get("metadata") or {}
        more = {key: value for key, value in fields.items() if folded(key) not in _FIELDS}
        more |= {f"metadata.{key}": value for key, value in about.items()}
        grades = (*_judges(record, findings), *_people(record, findings))
        yield ToolAnswer({"item_id": text(record.get("id")), **known}, grades, more)


def _judges(record: Mapping, findings: Findings) -> Iterator[ToolGrade]:
    for question, one in (record.get("suggestions") or {}).items():
        value = part(one, "value")
        if not _is_grade(value):
            findings.leave_out(said("suggestions"), said("they have no single value"))
            continue
        judge = findings.judge(text(part(one, "agent")) or "suggestion")
        yield ToolGrade("judge", judge, question, value)


def _people(record: Mapping, findings: Findings) -> Iterator[ToolGrade]:
    suggested = record.get("suggestions") or {}
    given = [
        (question, one)
        for question, answers in (record.get("responses") or {}).items()
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


SOURCE = ToolSource(
    title=said("Argilla records"),
    marks=('"fields"', '"responses"', '"suggestions"'),
    recognises=_recognises,
    read=_read,
)
