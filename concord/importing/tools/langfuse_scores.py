"""Langfuse: scores, as the *Scores* export (CSV, JSON, JSONL) and `GET /api/public/v3/scores`.

A score has `id`, `name`, `dataType` (NUMERIC, CATEGORICAL, BOOLEAN, TEXT, CORRECTION), `comment`,
`source` (ANNOTATION is a person, EVAL a judge of Langfuse, API whatever a program sent) and

- in the export `traceId`, `observationId`, `value`, `stringValue`, `authorUserId`,
  `authorUserName`, `configId`, `queueId`;
- in v3 one `value` of the type that `dataType` says, under `data[]`, and `subject.kind`,
  `subject.id` where it is there, else `traceId` and `observationId`.

The id of the answer is that of the observation, else of the trace. TEXT and CORRECTION are no
grades.
Source: `fern/apis/server/definition/scores-v3.yml` of langfuse/langfuse; no file of a server.
"""

from collections.abc import Iterator, Mapping

from concord.importing.recognition.export import (
    Document,
    Findings,
    Json,
    ToolAnswer,
    ToolSource,
    members,
    objects,
    part,
    text,
)
from concord.importing.recognition.langfuse import grade
from concord.messages import said


def _scores(data: Json) -> list[dict]:
    return objects(part(data, "data")) or objects(data)


def _recognises(document: Document) -> bool:
    first = (_scores(document.data) or [{}])[0]
    is_score = {"name", "source", "dataType", "value"} <= first.keys()
    return is_score and bool({"traceId", "observationId", "subject"} & first.keys())


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for score in _scores(document.data):
        item = _item(score)
        if not item:
            findings.leave_out(said("scores"), said("they belong to no trace or observation"))
        elif given := grade(score, findings):
            yield ToolAnswer({"item_id": item, "trace_id": text(score.get("traceId"))}, (given,))


def _item(score: Mapping) -> str:
    subject = members(score.get("subject"))
    if text(subject.get("kind")).casefold() in (
        "trace", "observation",
    ):  # fmt: skip
        return text(subject.get("id"))
    return text(score.get("observationId")) or text(score.get("traceId"))


SOURCE = ToolSource(
    title=said("Langfuse scores"),
    marks=("dataType", "source", "value"),
    recognises=_recognises,
    read=_read,
    of="grades",
    forms=("json", "jsonl", "csv"),
)
