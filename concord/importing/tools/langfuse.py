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
    Document,
    Findings,
    Json,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    answered,
    asked,
    members,
    objects,
    parsed,
    part,
    text,
)
from concord.messages import said

_OWN_OF_TRACES = {
    *("id", "input", "output", "name", "timestamp", "metadata", "userId", "sessionId", "release"),
    *("version", "environment", "bookmarked", "public", "tags", "projectId", "createdAt"),
    *("updatedAt", "htmlPath", "latency", "totalCost", "observations", "scores", "externalId"),
}
_KINDS = {"ANNOTATION": "annotator", "EVAL": "judge", "API": "judge"}
_NO_GRADES = {"TEXT", "CORRECTION"}
_BOOLEAN = {"1": "true", "1.0": "true", "0": "false", "0.0": "false"}


def _scores(data: Json) -> list[dict]:
    return objects(part(data, "data")) or objects(data)


def _are_scores(document: Document) -> bool:
    first = (_scores(document.data) or [{}])[0]
    is_score = {"name", "source", "dataType", "value"} <= first.keys()
    return is_score and bool({"traceId", "observationId", "subject"} & first.keys())


def _read_scores(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for score in _scores(document.data):
        item = _item(score)
        if not item:
            findings.leave_out(said("scores"), said("they belong to no trace or observation"))
        elif given := score_grade(score, findings):
            yield ToolAnswer({"item_id": item, "trace_id": text(score.get("traceId"))}, (given,))


def _item(score: Mapping) -> str:
    subject = members(score.get("subject"))
    if text(subject.get("kind")).casefold() in (
        "trace", "observation",
    ):  # fmt: skip
        return text(subject.get("id"))
    return text(score.get("observationId")) or text(score.get("traceId"))


_SCORES = ToolSource(
    title=said("Langfuse scores"),
    marks=("dataType", "source", "value"),
    recognises=_are_scores,
    read=_read_scores,
    of="grades",
    forms=("json", "jsonl", "csv"),
)


def _traces(data: Json) -> list[dict]:
    return objects(part(data, "data")) or objects(data) or objects([data])


def _are_traces(document: Document) -> bool:
    first = (_traces(document.data) or [{}])[0]
    return {"id", "input", "output", "bookmarked", "environment"} <= first.keys()


def _read_traces(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for trace in _traces(document.data):
        if trace.get("output") in (None, ""):
            findings.leave_out(said("traces"), said("they have no output"))
            continue
        call, inputs = asked(trace.get("input")), parsed(trace.get("input"))
        yield ToolAnswer(
            {
                "item_id": text(trace.get("id")),
                "question": call.question,
                "turns": call.turns,
                "contexts": call.contexts,
                "answer": answered(trace["output"]),
                "answer_model": text(part(inputs, "model") or trace.get("name")),
            },
            tuple(_trace_grades(trace, findings)),
            {name: trace.get(name) for name in ("sessionId", "userId", "environment", "tags")},
        )


def _trace_grades(trace: Mapping, findings: Findings) -> Iterator[ToolGrade]:
    given = trace.get("scores")
    whole = [one for one in objects(given) if "source" in one]
    averaged = bool(given) and not whole
    # Scores of the export of traces may also be columns of their own.
    if averaged or any(isinstance(trace[key], int | float) for key in {*trace} - _OWN_OF_TRACES):
        findings.leave_out(
            said("traces' scores"),
            said(
                "the export of traces averages them and drops their authors: export the scores "
                "too, and import them with “grades”"
            ),
        )
    yield from filter(None, (score_grade(one, findings) for one in whole))


_TRACES = ToolSource(
    title=said("Langfuse traces"),
    marks=('"bookmarked"', '"environment"'),
    recognises=_are_traces,
    read=_read_traces,
)


def score_grade(score: Mapping, findings: Findings) -> ToolGrade | None:
    """The grade that a score is; None for one that is left out."""
    kind = _KINDS.get(text(score.get("source")).upper())
    value = _score_value(score)
    if text(score.get("dataType")).upper() in _NO_GRADES:
        findings.leave_out(said("scores"), said("they are texts or corrections, not grades"))
        return None
    if kind is None or value is None:
        findings.leave_out(said("scores"), said("they have no known source or no value"))
        return None
    name, comment = text(score.get("name")), text(score.get("comment"))
    if kind == "annotator":
        who = text(score.get("authorUserName")) or text(score.get("authorUserId"))
        return ToolGrade(kind, who or kind, name, value, comment, blind=False)
    about = score.get("metadata") if isinstance(score.get("metadata"), dict) else {}
    sort = "Langfuse" if text(score.get("source")).upper() == "EVAL" else "API"
    judge = findings.judge(sort, about.get("model"), version=text(about.get("version")))
    return ToolGrade(kind, judge, name, value, comment)


def _score_value(score: Mapping) -> Json:
    """The category, the truth, or the number; None for none."""
    value = score.get("stringValue")
    if value in (None, ""):
        value = score.get("value")
    if text(score.get("dataType")).upper() == "BOOLEAN" and text(value) in _BOOLEAN:
        return _BOOLEAN[text(value)]
    return None if value == "" else value


SOURCES = (_SCORES, _TRACES)
