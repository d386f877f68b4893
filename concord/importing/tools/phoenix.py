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

from concord.importing.tool_export import (
    Accounted,
    Document,
    Json,
    LeftOut,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    call,
    members,
    objects,
    part,
    text,
)

_CONTENT = re.compile(r"retrieval\.documents\.(\d+)\.document\.content")
_UNDER = ("data", "spans")


def _are_spans(document: Document) -> bool:
    spans = document.rows(*_UNDER)
    is_span = bool(spans) and part(spans[0], "context.span_id") is not None
    return is_span and any("annotations" in one for one in spans)


def _read(document: Document) -> Accounted:
    spans = document.rows(*_UNDER)
    retrieved: dict[Json, list[str]] = defaultdict(list)
    for span in spans:
        if span.get("span_kind") == "RETRIEVER":
            retrieved[text(part(span, "context.trace_id"))] += _documents(span)
    for span in spans:
        annotations, trace = objects(span.get("annotations")), part(span, "context.trace_id")
        output, documents = part(span, "attributes.output.value"), _documents(span)
        if span.get("parent_id") and not annotations:
            if not documents:
                yield LeftOut("spans", "they are within a trace and not annotated")
        elif output is None or span.get("status_code") == "ERROR":
            yield LeftOut("spans", "they have no output")
        else:
            fields = call(
                part(span, "attributes.input.value"),
                output,
                item_id=part(span, "context.span_id"),
                answer_model=part(span, "attributes.llm.model_name", "name"),
                contexts=documents or retrieved[text(trace)],
            )
            more = {"trace_id": trace, "span_name": span.get("name")}
            yield ToolAnswer(fields, map(_grade, annotations), more)


def _documents(span: Mapping) -> list[str]:
    listed = objects(part(span, "attributes.retrieval.documents"))
    if listed:
        return [text(part(one, "document.content")) for one in listed]
    flat = members(span.get("attributes")).items()
    numbered = [(int(m[1]), text(one)) for key, one in flat if (m := _CONTENT.fullmatch(key))]
    return [one for _, one in sorted(numbered)]


def _grade(annotation: Mapping) -> ToolGrade:
    kind, name = annotation.get("annotator_kind"), part(annotation, "annotation_name", "name")
    otherwise = annotation.get("user_id") if kind == "HUMAN" else name
    return ToolGrade(
        kind,
        name,
        part(annotation, "result.score", "result.label"),
        part(annotation, "result.explanation"),
        annotation.get("identifier") or otherwise,
        part(annotation, "metadata.model"),
        part(annotation, "metadata.version"),
    )


def _read_annotations(document: Document) -> Iterator[ToolAnswer]:
    for one in document.rows(*_UNDER):
        yield ToolAnswer({"item_id": one.get("span_id")}, [_grade(one)])


SOURCES = (
    ToolSource("Phoenix spans", ("span_id", "annotations"), _read, fits=_are_spans, whole=True),
    ToolSource(
        "Phoenix annotations",
        ("span_id", "annotator_kind", "annotation_name", "result.score"),
        _read_annotations,
        _UNDER,
        of="grades",
        forms=("json", "jsonl", "csv"),
    ),
)
