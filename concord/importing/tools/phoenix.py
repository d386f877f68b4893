"""Phoenix: spans with annotations, as `px span list FILE.json --include-annotations`.

- answer: a span with `context.trace_id`, `context.span_id`, `parent_id`, `name`, and in
  `attributes` (flat or nested) `input.value`, `output.value`, `llm.model_name`. Read are root spans
  and spans with annotations;
- contexts: `retrieval.documents` of the span, else of the RETRIEVER spans of its trace; a list, or
  flattened as `retrieval.documents.0.document.content`;
- grades: `annotations[]` with `name`, `annotator_kind` (HUMAN, LLM, CODE),
  `result.{label,score,explanation}`, `identifier`, `user_id`, `metadata`. The score is the grade;
  without one, the label.

Phoenix keeps one annotation per name and identifier, so that several people are distinguished only
where their identifiers differ.

Annotations alone, as `client.spans.get_span_annotations_dataframe` returns them, in CSV or JSON:
`span_id`, `annotation_name` and the above, `result.label` and so on as columns of their own.
Source: `schemas/openapi.json` of Arize-ai/phoenix; arize-phoenix-client 3.5.
"""

import re
from collections import defaultdict
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
    part,
    text,
)
from concord.messages import said

_KINDS = {"HUMAN": "annotator", "LLM": "judge", "CODE": "metric"}
_RESULT = ("label", "score", "explanation")
_CONTENT = re.compile(r"retrieval\.documents\.(\d+)\.document\.content")


def _spans(data: Json) -> list[dict]:
    return objects(part(data, "data")) or objects(part(data, "spans")) or objects(data)


def _recognises(document: Document) -> bool:
    spans = _spans(document.data)
    is_span = bool(spans) and part(spans[0], "context", "span_id") is not None
    return is_span and any("annotations" in one for one in spans)


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    spans = _spans(document.data)
    retrieved: dict[Json, list[str]] = defaultdict(list)
    for span in spans:
        if span.get("span_kind") == "RETRIEVER":
            retrieved[part(span, "context", "trace_id")] += _documents(span)
    for span in spans:
        given = objects(span.get("annotations"))
        output = _attribute(span, "output.value")
        if span.get("parent_id") and not given:
            if not _documents(span):
                findings.leave_out(said("spans"), said("they are within a trace and not annotated"))
        elif output is None or span.get("status_code") == "ERROR":
            findings.leave_out(said("spans"), said("they have no output"))
        else:
            contexts = _documents(span) or retrieved[part(span, "context", "trace_id")]
            yield _answer(span, output, contexts, tuple(_grades(given, findings)))


def _documents(span: Mapping) -> list[str]:
    listed = objects(_attribute(span, "retrieval.documents"))
    if listed:
        return [text(_inside(one, "document.content")) for one in listed]
    flat = members(span.get("attributes")).items()
    numbered = [(int(m[1]), text(one)) for key, one in flat if (m := _CONTENT.fullmatch(key))]
    return [one for _, one in sorted(numbered)]


def _answer(
    span: Mapping, output: Json, contexts: list[str], grades: tuple[ToolGrade, ...]
) -> ToolAnswer:
    call = asked(_attribute(span, "input.value"))
    return ToolAnswer(
        {
            "item_id": text(part(span, "context", "span_id")),
            "question": call.question,
            "turns": call.turns,
            "contexts": contexts or call.contexts,
            "answer": answered(output),
            "answer_model": text(_attribute(span, "llm.model_name") or span.get("name")),
        },
        grades,
        {"trace_id": part(span, "context", "trace_id"), "span_name": span.get("name")},
    )


def _grades(given: list[dict], findings: Findings) -> Iterator[ToolGrade]:
    for one in given:
        kind = _KINDS.get(text(one.get("annotator_kind")).upper())
        label, score, why = (_inside(one, f"result.{key}") for key in _RESULT)
        value = label if score in (None, "") else score
        name = text(one.get("annotation_name", one.get("name")))
        if kind is None or value in (None, ""):
            findings.leave_out(
                said("annotations"), said("they have no known kind, or neither score nor label")
            )
        elif kind == "annotator":
            who = text(one.get("identifier")) or text(one.get("user_id")) or kind
            yield ToolGrade(kind, who, name, value, text(why), blind=False)
        else:
            about = one.get("metadata") or {}
            judge = findings.judge(
                text(one.get("identifier")) or name, part(about, "model"),
                version=text(part(about, "version")),
            )  # fmt: skip
            yield ToolGrade(kind, judge, name, value, text(why))


def _are_annotations(document: Document) -> bool:
    first = (_spans(document.data) or [{}])[0]
    return {"span_id", "annotator_kind", "annotation_name", "result.score"} <= first.keys()


def _read_annotations(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for one in _spans(document.data):
        for grade in _grades([one], findings):
            yield ToolAnswer({"item_id": text(one.get("span_id"))}, (grade,))


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
        whole=True,
    ),
    ToolSource(
        title=said("Phoenix annotations"),
        marks=("annotator_kind", "annotation_name"),
        recognises=_are_annotations,
        read=_read_annotations,
        of="grades",
        forms=("json", "jsonl", "csv"),
    ),
)
