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

from concord.importing.tool_export import (
    Accounted,
    Document,
    Json,
    LeftOut,
    ToolGrade,
    ToolSource,
    graded_answer,
    is_comment,
    is_graded_answer,
    text,
)

_RESPONSES = (".responses", ".responses.users", ".responses.status")
_SUGGESTION, _AGENT = ".suggestion", ".suggestion.agent"
_PARTS = (*_RESPONSES, _SUGGESTION, _AGENT, ".suggestion.score")
_OWN = {"id", "_server_id", "status", "score"}


def _is_nested(document: Document) -> bool:
    first = document.rows()[:1]
    return all({"fields", "responses", "suggestions"} <= one.keys() for one in first) and any(
        is_graded_answer(one["fields"]) for one in first
    )


def _is_flat(document: Document) -> bool:
    return any(
        any(key.endswith(".responses.users") for key in one) and is_graded_answer(_fields(one))
        for one in document.rows()[:1]
    )


def _fields(record: Mapping) -> dict[str, Json]:
    return {k: one for k, one in record.items() if not k.endswith(_PARTS) and k not in _OWN}


def _read(document: Document) -> Accounted:
    for record in document.rows():
        yield graded_answer("records", _fields(record), record.get("id"), _grades(record))


def _of(record: Mapping, end: str) -> dict[str, Json]:
    """The value of each question under a name."""
    return {
        key.removesuffix(end): one
        for key, one in record.items()
        if key.endswith(end) and one is not None
    }


def _grades(record: Mapping) -> Iterator[ToolGrade | LeftOut]:
    suggested = _of(record, _SUGGESTION)
    for question, value in suggested.items():
        agent = record.get(f"{question}{_AGENT}") or "suggestion"
        yield ToolGrade("judge", question, value, who=agent)
    given = []
    for question in _of(record, _RESPONSES[0]):
        lists = (record.get(f"{question}{end}") for end in _RESPONSES)
        for response in zip_longest(*(x if isinstance(x, list) else [] for x in lists)):
            given.append((question, *response))
    submitted = [one[:3] for one in given if one[3] == "submitted"]
    yield LeftOut("responses", "they were not submitted", len(given) - len(submitted))
    comments = {text(who): value for _, value, who in submitted if is_comment(value)}
    for question, value, who in submitted:
        if not is_comment(value):
            blind = False if question in suggested else None
            yield ToolGrade("annotator", question, value, comments.get(text(who)), who, blind=blind)


SOURCES = (
    ToolSource(
        "Argilla nested records",
        ('"responses"', '"suggestions"', '"fields"'),
        fits=_is_nested,
        refused=(
            "no_status",
            "{file} does not say which responses were submitted, as Argilla writes nested "
            "records. Export them with dataset.records.to_list(flatten=True), and save that as "
            "JSON.",
        ),
    ),
    ToolSource(
        "Argilla records",
        ("responses", "id"),
        _read,
        fits=_is_flat,
        forms=("json", "jsonl", "parquet"),
    ),
)
