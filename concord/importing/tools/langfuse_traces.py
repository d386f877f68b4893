"""Langfuse: traces, as the *Traces* export (JSON, JSONL) and `GET /api/public/traces`.

- answer: `id`, `input`, `output`, `name`, `metadata`, `userId`, `sessionId`, `environment`,
  `bookmarked`; under `data[]` in the API;
- grades: `scores[]` of the API, each as in `langfuse_scores`, where a whole score is given.

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
    objects,
    part,
    text,
)
from concord.importing.recognition.langfuse import grade
from concord.importing.recognition.payloads import answered, asked, parsed
from concord.messages import said

_OWN = {
    *("id", "input", "output", "name", "timestamp", "metadata", "userId", "sessionId", "release"),
    *("version", "environment", "bookmarked", "public", "tags", "projectId", "createdAt"),
    *("updatedAt", "htmlPath", "latency", "totalCost", "observations", "scores", "externalId"),
}


def _traces(data: Json) -> list[dict]:
    return objects(part(data, "data")) or objects(data) or objects([data])


def _recognises(document: Document) -> bool:
    first = (_traces(document.data) or [{}])[0]
    return {"id", "input", "output", "bookmarked", "environment"} <= first.keys()


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
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
            tuple(_grades(trace, findings)),
            {name: trace.get(name) for name in ("sessionId", "userId", "environment", "tags")},
        )


def _grades(trace: Mapping, findings: Findings) -> Iterator[ToolGrade]:
    given = trace.get("scores")
    whole = [one for one in objects(given) if "source" in one]
    averaged = bool(given) and not whole
    # Scores of the export of traces may also be columns of their own.
    if averaged or any(isinstance(trace[key], int | float) for key in {*trace} - _OWN):
        findings.leave_out(
            said("traces' scores"),
            said(
                "the export of traces averages them and drops their authors: export the scores "
                "too, and import them with “grades”"
            ),
        )
    yield from filter(None, (grade(one, findings) for one in whole))


SOURCE = ToolSource(
    title=said("Langfuse traces"),
    marks=('"bookmarked"', '"environment"'),
    recognises=_recognises,
    read=_read,
)
