"""OpenTelemetry: events `gen_ai.evaluation.result`, as a collector writes OTLP in JSON.

`resourceLogs[].scopeLogs[].logRecords[]` with `eventName`, `traceId`, `spanId` and `attributes[]`
of `key` and `value.{stringValue,doubleValue,intValue,boolValue}`; or
`resourceSpans[].scopeSpans[].spans[].events[]` with `name`, where the span is the one evaluated:

- `gen_ai.evaluation.name`, `gen_ai.evaluation.score.value` and `.score.label`,
  `gen_ai.evaluation.explanation`, `gen_ai.response.id`, `error.type`;
- the id of the answer is `gen_ai.response.id`, else that of the span, else of the trace.

No attribute says whether a person, a judge or a rule gave the result: all are read as of a judge
that is named for the evaluation.
Source: semantic-conventions-genai, `model/gen-ai/events.yaml`; opentelemetry-sdk 1.45.
"""

from collections.abc import Iterator, Mapping

from concord.importing.tool_export import (
    Accounted,
    Document,
    Json,
    LeftOut,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    objects,
    part,
)

_EVENT, _EVALUATION = "gen_ai.evaluation.result", "gen_ai.evaluation."
_RECORDS = (("resourceLogs", "scopeLogs", "logRecords"), ("resourceSpans", "scopeSpans", "spans"))


def _events(document: Document) -> Iterator[tuple[Mapping, Mapping]]:
    """Yield each result of an evaluation, with what its trace and span are read from."""
    for *keys, last in _RECORDS:
        inside = document.rows()
        for key in keys:
            inside = [one for whole in inside for one in objects(whole.get(key))]
        for record in (one for whole in inside for one in objects(whole.get(last))):
            for event in (record, *objects(record.get("events"))):
                if _EVENT in (event.get("eventName"), event.get("name")):
                    yield event, record


def _read(document: Document) -> Accounted:
    for event, place in _events(document):
        given = _attributes(event)
        value = part(given, f"{_EVALUATION}score.value", f"{_EVALUATION}score.label")
        item = part(given, "gen_ai.response.id") or part(place, "spanId", "traceId")
        if given.get("error.type"):
            yield LeftOut("results", "the evaluation returned an error")
        elif not item:
            yield LeftOut("results", "they belong to no response, span or trace")
        else:
            name = given.get(f"{_EVALUATION}name")
            grade = ToolGrade("judge", name, value, given.get(f"{_EVALUATION}explanation"), name)
            yield ToolAnswer({"item_id": item, "trace_id": place.get("traceId")}, [grade])


def _attributes(given: Mapping) -> dict[str, Json]:
    return {
        str(one.get("key")): next(iter(one["value"].values()), None)
        for one in objects(given.get("attributes"))
        if isinstance(one.get("value"), dict)
    }


SOURCES = (
    ToolSource(
        "OpenTelemetry evaluation results",
        (_EVENT,),
        _read,
        fits=lambda document: any(True for _ in _events(document)),
        of="grades",
    ),
)
