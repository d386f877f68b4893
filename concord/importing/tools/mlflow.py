"""MLflow: traces with assessments, as `[trace.to_dict() for trace in mlflow.search_traces(...)]`.

Also the frame that `mlflow.search_traces()` returns, as CSV, JSON, JSON Lines or Parquet: its
column `trace` has each as JSON. A trace has `info` and `data`:

- answer, unless `info.state` or the status of the root is an error: `info.trace_id` (`request_id`
  before MLflow 3); `data.spans[]`, of which the root has
  `attributes["mlflow.spanInputs"]` and `["mlflow.spanOutputs"]`; without one,
  `info.trace_metadata` with `mlflow.traceInputs` and `mlflow.traceOutputs`, which MLflow cuts at
  250 characters, or `info.request_preview` and `info.response_preview`, cut at 1,000 (10,000 on
  Databricks): what was cut is left out; `mlflow.modelId`; `info.tags["mlflow.traceName"]`. Contexts
  are the `page_content` that spans of `mlflow.spanType` RETRIEVER return;
- grades: `info.assessments[]` with `assessment_name`, `feedback.value`, `feedback.error`,
  `rationale`, `valid`, `overrides`, `span_id` and `source.source_type` HUMAN, LLM_JUDGE (AI_JUDGE
  before) or CODE with `source.source_id`, a person or a model; `metadata` with
  `mlflow.assessment.scorerName` and `scorerVersion`. A `span_id` is in hexadecimal here and in
  Base64 in `data.spans[]`.

`override_feedback` makes the verdict of a judge `valid: false`. It was the judge's verdict all the
same and is imported. An `expectation` is the truth and no grade: `expected_response` becomes the
reference. Lists and objects are JSON in its `serialized_value.value`.
Source: MLflow 3.17, `mlflow/entities/assessment.py`.
"""

import base64
import binascii
from collections import Counter
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

_KINDS = {
    "HUMAN": "annotator", "LLM_JUDGE": "judge", "AI_JUDGE": "judge", "CODE": "metric",
}  # fmt: skip
_REFERENCE = {"expected_response", "ground_truth"}
_ABOUT = "mlflow.assessment."
# Field of the metadata -> of the data before MLflow 3, and of the preview.
_SHORT = {"traceInputs": "request", "traceOutputs": "response"}
# The lengths that MLflow cuts metadata and previews to.
_METADATA, _PREVIEWS, _CUT = 250, (1_000, 10_000), "..."
_IS_CUT = object()


def _traces(data: Json) -> list[dict]:
    """The traces of a list or of a frame, or the only one."""
    column = part(data, "trace")  # of a frame that is written by columns
    given = [*column.values()] if isinstance(column, dict) else part(data, "traces") or data
    given = map(parsed, given if isinstance(given, list) else [given])
    return objects([parsed(part(one, "trace") or one) for one in given])


def _recognises(document: Document) -> bool:
    first = _traces(document.data)[:1]
    info = part(first[0], "info") if first else None
    return isinstance(info, dict) and ("trace_id" in info or "request_id" in info)


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for trace in _traces(document.data):
        info = members(trace.get("info"))
        about = members(info.get("trace_metadata") or info.get("request_metadata"))
        inputs, outputs = (
            _payload(trace, about, "traceInputs"),
            _payload(trace, about, "traceOutputs"),
        )
        if outputs is None or _failed(trace):
            findings.leave_out(said("traces"), said("they failed or have no output"))
            continue
        if inputs is _IS_CUT or outputs is _IS_CUT:
            findings.leave_out(
                said("traces"),
                said(
                    "only the beginning of their input or output is in the file: export them with "
                    "their spans, as mlflow.search_traces does"
                ),
            )
            continue
        call = asked(inputs)
        references, expected = _expectations(info, findings)
        name = part(info, "tags", "mlflow.traceName")
        yield ToolAnswer(
            {
                "item_id": text(info.get("trace_id") or info.get("request_id")),
                "question": call.question,
                "turns": call.turns,
                "contexts": _retrieved(trace) or call.contexts,
                "answer": answered(outputs),
                "answer_model": text(about.get("mlflow.modelId") or part(inputs, "model") or name),
                "reference": references,
            },
            tuple(_grades(trace, info, findings)),
            {**expected, "trace_name": name, "request_time": info.get("request_time")},
        )


def _payload(trace: Mapping, about: Mapping, key: str) -> Json:
    """The inputs or outputs of a trace; `_IS_CUT` where only their beginning is there."""
    data = part(trace, "data")
    whole = part(_root(trace), "attributes", f"mlflow.span{key.removeprefix('trace')}")
    if whole is None:
        whole = part(data, _SHORT[key])
    if whole is not None:
        return whole
    metadata, preview = about.get(f"mlflow.{key}"), part(trace, "info", f"{_SHORT[key]}_preview")
    if metadata is not None and len(text(metadata)) < _METADATA:
        return metadata
    is_cut = preview is None or (len(text(preview)) in _PREVIEWS and text(preview).endswith(_CUT))
    return _IS_CUT if is_cut and (metadata, preview) != (None, None) else preview


def _root(trace: Mapping) -> Mapping:
    return next((o for o in objects(part(trace, "data", "spans")) if not _parent(o)), {})


def _failed(trace: Mapping) -> bool:
    """True where a trace ended in an error: its output is then an empty text."""
    info = members(trace.get("info"))
    states = (info.get("state"), info.get("status"), part(_root(trace), "status", "code"))
    return any(text(state).endswith("ERROR") for state in states)


def _parent(span: Mapping) -> str:
    return text(span.get("parent_span_id") or span.get("parent_id"))


def _hexadecimal(span_id: str) -> str:
    """The id of a span in hexadecimal, which is Base64 among the spans of a dictionary."""
    try:
        return base64.b64decode(span_id, validate=True).hex() if span_id[-1:] == "=" else span_id
    except binascii.Error:
        return span_id


def _retrieved(trace: Mapping) -> list[str]:
    """The passages that the retrievers of a trace returned, each once."""
    spans = objects(part(trace, "data", "spans"))
    kept = {
        text(one.get("page_content")): None
        for span in spans
        if parsed(part(span, "attributes", "mlflow.spanType")) == "RETRIEVER"
        for one in objects(parsed(part(span, "attributes", "mlflow.spanOutputs")))
    }
    return [one for one in kept if one]


def _expectations(info: Mapping, findings: Findings) -> tuple[str, dict[str, Json]]:
    """The expected response, and other expectations as columns."""
    expected = {}
    for one in objects(info.get("assessments")):
        given = members(one.get("expectation"))
        if one.get("valid") is False and "feedback" not in one:
            findings.leave_out(said("assessments"), said("they were replaced"))
        elif given:
            value = parsed(part(given, "serialized_value", "value"))
            expected[text(one.get("assessment_name"))] = given.get("value", value)
        elif "feedback" not in one:
            findings.leave_out(said("assessments"), said("they are of a kind that is not read"))
    reference = next((text(expected.pop(name)) for name in [*expected] if name in _REFERENCE), "")
    return reference, {f"expectation.{name}": value for name, value in expected.items()}


def _grades(trace: Mapping, info: Mapping, findings: Findings) -> Iterator[ToolGrade]:
    given = [one for one in objects(info.get("assessments")) if "feedback" in one]
    given.sort(key=lambda one: text(one.get("create_time")))
    spans = objects(part(trace, "data", "spans"))
    roots = {_hexadecimal(text(one.get("span_id"))) for one in spans if not _parent(one)}
    standing = {_slot(one) for one in given if one.get("valid") is not False}
    repeats = Counter()
    for one in given:
        source = part(one, "source", "source_type")
        kind = _KINDS.get(text(source))
        if one.get("span_id") and _hexadecimal(text(one["span_id"])) not in roots:
            findings.leave_out(said("assessments"), said("they belong to a span within the trace"))
        elif kind is None:
            findings.leave_out(said("assessments"), said("their source has no known type"))
        elif part(one, "feedback", "error") or part(one, "feedback", "value") is None:
            findings.leave_out(said("assessments"), said("the grader returned an error"))
        elif isinstance(part(one, "feedback", "value"), dict | list):
            findings.leave_out(said("assessments"), said("they have no single value"))
        elif kind == "annotator" and one.get("valid") is False and _slot(one) in standing:
            findings.leave_out(said("assessments"), said("the same annotator replaced them"))
        else:
            repeats[_slot(one)] += 1
            yield _grade(one, kind, repeats[_slot(one)], findings)


def _slot(one: Mapping) -> tuple[str, ...]:
    source = members(one.get("source"))
    scorer = (part(one, "metadata", f"{_ABOUT}scorer{of}") for of in ("Name", "Version"))
    parts = (source.get("source_type"), source.get("source_id"), one.get("assessment_name"))
    return tuple(map(text, (*parts, *scorer)))


def _grade(one: Mapping, kind: str, repeat: int, findings: Findings) -> ToolGrade:
    name, who = text(one.get("assessment_name")), text(part(one, "source", "source_id"))
    about = members(one.get("metadata"))
    scorer, version = (text(about.get(f"{_ABOUT}scorer{of}")) for of in ("Name", "Version"))
    if kind == "judge":
        who = findings.judge(scorer, who, version=version)
    elif kind == "metric":  # a rule, whose source is no model
        who = findings.judge(scorer or who, version=version)
    score, reason = part(one, "feedback", "value"), text(one.get("rationale"))
    blind = False if kind == "annotator" else None
    return ToolGrade(kind, who or kind, name, score, reason, repeat, blind)


SOURCES = (
    ToolSource(
        title=said("MLflow traces"),
        marks=('"info"', '"assessments"'),
        recognises=_recognises,
        read=_read,
    ),
    ToolSource(
        title=said("MLflow traces"),
        marks=("trace_metadata", "assessments", "execution_duration"),
        recognises=_recognises,
        read=_read,
        forms=("json", "jsonl", "csv", "parquet"),
    ),
)
