"""Phoenix: spans with annotations, as `px span list FILE.json --include-annotations`.

- answer: a span with `context.trace_id`, `context.span_id`, `parent_id`, `name`, and in
  `attributes` (flat or nested) `input.value`, `output.value`, `llm.model_name`,
  `retrieval.documents`. Read are root spans and spans with annotations;
- grades: `annotations[]` with `name`, `annotator_kind` (HUMAN, LLM, CODE),
  `result.{label,score,explanation}`, `identifier`, `user_id`, `metadata`. The score is the grade;
  without one, the label.

Phoenix keeps one annotation per name and identifier, so that several people are distinguished only
where their identifiers differ.
Source: `schemas/openapi.json` of Arize-ai/phoenix; no file of a server.
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
    objects,
    part,
    text,
)
from concord.messages import said

_KINDS = {"HUMAN": "annotator", "LLM": "judge", "CODE": "metric"}


def _spans(data: Json) -> list[dict]:
    return objects(part(data, "data")) or objects(part(data, "spans")) or objects(data)


def _recognises(document: Document) -> bool:
    spans = _spans(document.data)
    is_span = bool(spans) and part(spans[0], "context", "span_id") is not None
    return is_span and any("annotations" in one for one in spans)


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for span in _spans(document.data):
        given = objects(span.get("annotations"))
        output = _attribute(span, "output.value")
        if span.get("parent_id") and not given:
            findings.leave_out(said("spans"), said("they are within a trace and not annotated"))
        elif output is None or span.get("status_code") == "ERROR":
            findings.leave_out(said("spans"), said("they have no output"))
        else:
            yield _answer(span, output, tuple(_grades(given, findings)))


def _answer(span: Mapping, output: Json, grades: tuple[ToolGrade, ...]) -> ToolAnswer:
    call = asked(_attribute(span, "input.value"))
    documents = objects(_attribute(span, "retrieval.documents"))
    found = [text(_inside(one, "document.content")) for one in documents]
    return ToolAnswer(
        {
            "item_id": text(part(span, "context", "span_id")),
            "question": call.question,
            "turns": call.turns,
            "contexts": found or call.contexts,
            "answer": answered(output),
            "answer_model": text(_attribute(span, "llm.model_name") or span.get("name")),
        },
        grades,
        {"trace_id": part(span, "context", "trace_id"), "span_name": span.get("name")},
    )


def _grades(given: list[dict], findings: Findings) -> Iterator[ToolGrade]:
    for one in given:
        kind = _KINDS.get(text(one.get("annotator_kind")).upper())
        label, score = part(one, "result", "label"), part(one, "result", "score")
        value = label if score is None else score
        name, why = text(one.get("name")), text(part(one, "result", "explanation"))
        if kind is None or value is None:
            findings.leave_out(
                said("annotations"), said("they have no known kind, or neither score nor label")
            )
        elif kind == "annotator":
            who = text(one.get("identifier")) or text(one.get("user_id")) or kind
            yield ToolGrade(kind, who, name, value, why, blind=False)
        else:
            about = one.get("metadata") or {}
            judge = findings.judge(
                text(one.get("identifier")) or name, part(about, "model"),
                version=text(part(about, "version")),
            )  # fmt: skip
            yield ToolGrade(kind, judge, name, value, why)


def _attribute(span: Mapping, name: str) -> Json:
    return _inside(span.get("attributes"), name)


def _inside(given: Json, name: str) -> Json:
    """A value under a dotted name, which may be one key or a way through objects."""
    if isinstance(given, dict) and name in given:
        return given[name]
    return part(given, *name.split("."))


SOURCES = (
    ToolSource(
        title=said("Phoenix spans"),
        marks=('"span_id"', '"annotations"'),
        recognises=_recognises,
        read=_read,
    ),
)
