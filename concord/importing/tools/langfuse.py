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

Traces, as the *Traces* export (JSON, JSONL) and `GET /api/public/traces`.

- answer: `id`, `input`, `output`, `name`, `metadata`, `userId`, `sessionId`, `environment`,
  `bookmarked`; under `data[]` in the API;
- grades: `scores[]` of the API, each as above, where a whole score is given.

The export of the web page averages the scores of a name and drops their authors and sources. Such
scores are refused: which of them are of people cannot be known.
Source: langfuse/langfuse, `worker/src/features/database-read-stream/trace-stream.ts`; no file of a
server.
"""

from collections.abc import Iterator, Mapping

from concord.importing.recognition.export import (
    Accounted,
    Document,
    LeftOut,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    call,
    objects,
    parsed,
    part,
    text,
)

_OF_TRACES = {
    *("id", "input", "output", "name", "timestamp", "metadata", "userId", "sessionId", "release"),
    *("version", "environment", "bookmarked", "public", "tags", "projectId", "createdAt"),
    *("updatedAt", "htmlPath", "latency", "totalCost", "observations", "scores", "externalId"),
    "comments",
}
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


def _read_traces(document: Document) -> Accounted:
    for trace in document.rows("data"):
        if trace.get("output") in (None, ""):
            yield LeftOut("traces", "they have no output")
            continue
        fields = call(
            trace.get("input"),
            trace["output"],
            item_id=trace.get("id"),
            answer_model=part(parsed(trace.get("input")), "model") or trace.get("name"),
        )
        more = {name: trace.get(name) for name in ("sessionId", "userId", "environment", "tags")}
        yield ToolAnswer(fields, _grades(trace), more)


def _grades(trace: Mapping) -> Iterator[ToolGrade | LeftOut]:
    whole = [one for one in objects(trace.get("scores")) if "source" in one]
    # In the export of the page each score is a column of its own.
    columns = {key: one for key, one in trace.items() if key not in _OF_TRACES}
    if any(isinstance(one, int | float | list) for one in columns.values()) or (
        trace.get("scores") and not whole
    ):
        yield LeftOut(
            "traces' scores",
            "the export of traces averages them and drops their authors: export the scores too, "
            "and import them with “grades”",
        )
    yield from map(_grade, whole)


SOURCES = (
    ToolSource(
        "Langfuse scores",
        ("name", "source", "dataType", "value"),
        _read_scores,
        ("data",),
        of="grades",
        forms=("json", "jsonl", "csv"),
    ),
    ToolSource(
        "Langfuse traces",
        ("id", "input", "output", "bookmarked", "environment"),
        _read_traces,
        ("data",),
    ),
)
