"""Langfuse: scores, as the *Scores* export (CSV, JSON, JSONL) and `GET /api/public/v3/scores`.

A score has `id`, `name`, `dataType` (NUMERIC, CATEGORICAL, BOOLEAN, TEXT, CORRECTION), `comment`,
`source` (ANNOTATION is a person, EVAL a judge of Langfuse, API whatever a program sent) and

- in the export `traceId`, `observationId`, `value`, `stringValue`, `authorUserName`;
- in v3 one `value` of the type that `dataType` says, under `data[]`, `authorUserId`, and
  `subject.kind`, `subject.id` where it is there, else `traceId` and `observationId`.

The id of the answer is that of the observation, else of the trace. TEXT and CORRECTION are no
grades.
Source: `fern/apis/server/definition/scores-v3.yml` and, for the export,
`worker/src/features/database-read-stream/` of langfuse/langfuse; no file of a server.
"""

from collections.abc import Mapping

from concord.importing.tool_export import (
    Accounted,
    Document,
    LeftOut,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    part,
    text,
)

_BOOLEAN = {"1": "true", "1.0": "true", "0": "false", "0.0": "false"}


def _read_scores(document: Document) -> Accounted:
    for score in document.rows("data"):
        item = part(score, "observationId", "traceId")
        if text(part(score, "subject.kind")).casefold() in ("trace", "observation"):
            item = part(score, "subject.id")
        if item:
            fields = {"item_id": item, "trace_id": score.get("traceId")}
            yield ToolAnswer(fields, [_grade(score)])
        else:
            yield LeftOut("scores", "they belong to no trace or observation")


def _grade(score: Mapping) -> ToolGrade | LeftOut:
    source, form = text(score.get("source")).upper(), text(score.get("dataType")).upper()
    if form in ("TEXT", "CORRECTION"):
        return LeftOut("scores", "they are texts or corrections, not grades")
    value = part(score, "stringValue", "value")
    if form == "BOOLEAN":
        value = _BOOLEAN.get(text(value), value)
    who = "Langfuse" if source == "EVAL" else source
    if source == "ANNOTATION":
        who = part(score, "authorUserName", "authorUserId")
    about = (part(score, f"metadata.{name}") for name in ("model", "version"))
    return ToolGrade(source, score.get("name"), value, score.get("comment"), who, *about)


SOURCES = (
    ToolSource(
        "Langfuse scores",
        ("name", "source", "dataType", "value"),
        _read_scores,
        ("data",),
        of="grades",
        forms=("json", "jsonl", "csv"),
    ),
)
