"""OpenTelemetry: events `gen_ai.evaluation.result`, as a collector writes OTLP in JSON.

`resourceLogs[].scopeLogs[].logRecords[]` with `eventName`, `traceId`, `spanId` and `attributes[]`
of `key` and `value.{stringValue,doubleValue,intValue,boolValue}`; or
`resourceSpans[].scopeSpans[].spans[].events[]` with `name`, where the span is the one evaluated:

- `gen_ai.evaluation.name`, `gen_ai.evaluation.score.value` and `.score.label`,
  `gen_ai.evaluation.explanation`, `gen_ai.response.id`, `error.type`;
- the id of the answer is `gen_ai.response.id`, else that of the span, else of the trace.

No attribute says whether a person, a judge or a rule gave the result: all are read as of a judge
that is named for the evaluation.
Source: semantic-conventions-genai, `model/gen-ai/events.yaml`; no file of a collector.
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
    text,
)
from concord.messages import said

_EVENT, _PREFIX = "gen_ai.evaluation.result", "gen_ai.evaluation."


def _batches(data: Json) -> list[dict]:
    """The objects of a file: one, or one per line."""
    return objects(data) or objects([data])


def _recognises(document: Document) -> bool:
    return next(_events(document.data), None) is not None


def _events(data: Json) -> Iterator[tuple[Mapping, Mapping]]:
    """Yield each result of an evaluation, with what its trace and span are read from."""
    for batch in _batches(data):
        for resource in objects(batch.get("resourceLogs")):
            for scope in objects(resource.get("scopeLogs")):
                for record in objects(scope.get("logRecords")):
                    if _EVENT in (record.get("eventName"), _attributes(record).get("event.name")):
                        yield record, record
        for resource in objects(batch.get("resourceSpans")):
            for scope in objects(resource.get("scopeSpans")):
                for span in objects(scope.get("spans")):
                    for event in objects(span.get("events")):
                        if event.get("name") == _EVENT:
                            yield event, span


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for event, place in _events(document.data):
        given = _attributes(event)
        label, score = given.get(f"{_PREFIX}score.label"), given.get(f"{_PREFIX}score.value")
        value = label if score is None else score
        name = text(given.get(f"{_PREFIX}name"))
        ids = (given.get("gen_ai.response.id"), place.get("spanId"), place.get("traceId"))
        item = next((text(one) for one in ids if one), "")
        if given.get("error.type") or value is None:
            findings.leave_out(said("results"), said("the evaluation returned an error"))
        elif not item:
            findings.leave_out(said("results"), said("they belong to no response, span or trace"))
        else:
            reason = text(given.get(f"{_PREFIX}explanation"))
            grade = ToolGrade("judge", findings.judge(name), name, value, reason)
            fields = {"item_id": item, "trace_id": text(place.get("traceId"))}
            yield ToolAnswer(fields, (grade,))


def _attributes(given: Mapping) -> dict[str, Json]:
    return {
        text(one.get("key")): next(iter(one["value"].values()), None)
        for one in objects(given.get("attributes"))
        if isinstance(one.get("value"), dict)
    }


SOURCES = (
    ToolSource(
        title=said("OpenTelemetry evaluation results"),
        marks=(_EVENT,),
        recognises=_recognises,
        read=_read,
        of="grades",
    ),
)
