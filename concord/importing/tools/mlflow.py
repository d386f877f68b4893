"""MLflow: traces with assessments, as `[trace.to_dict() for trace in mlflow.search_traces(...)]`.

Also the frame that `mlflow.search_traces()` returns, as CSV, JSON, JSON Lines or Parquet: its
column `trace` has each as JSON. A trace has `info` and `data`:

- answer, unless `info.state` or the status of the root is an error: `info.trace_id`;
  `data.spans[]`, of which the root has `attributes["mlflow.spanInputs"]` and
  `["mlflow.spanOutputs"]`; the previews of `info` may be cut, and are not read;
  `info.trace_metadata["mlflow.modelId"]`; `info.tags["mlflow.traceName"]`. Contexts are the
  `page_content` that spans of `mlflow.spanType` RETRIEVER return;
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
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress

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
    parsed,
    part,
    text,
)

_REFERENCES = ("expected_response", "ground_truth")


def _traces(document: Document) -> list[dict]:
    """The traces of a list or of a frame, or the only one."""
    column = part(document.data, "trace")  # of a frame that is written by columns
    given = [*column.values()] if isinstance(column, dict) else document.rows("traces")
    return objects([parsed(part(parsed(one), "trace") or parsed(one)) for one in given])


def _are_traces(document: Document) -> bool:
    return any(part(one, "info.trace_id") is not None for one in _traces(document)[:1])


def _read(document: Document) -> Accounted:
    for trace in _traces(document):
        spans = objects(part(trace, "data.spans"))
        root = next((one for one in spans if not one.get("parent_span_id")), {})
        inputs, outputs = (part(root, f"attributes.mlflow.span{of}puts") for of in ("In", "Out"))
        states = (part(trace, "info.state"), part(trace, "info.status"), part(root, "status.code"))
        if any(text(state).endswith("ERROR") for state in states):
            yield LeftOut("traces", "they failed")
            continue
        if outputs is None:
            yield LeftOut(
                "traces",
                "they have no output, or come without their spans: export them as "
                "mlflow.search_traces does",
            )
            continue
        assessments = objects(part(trace, "info.assessments"))
        expected = _expectations(assessments)
        reference = next((one for one in _REFERENCES if one in expected), "")
        name, model = part(trace, "info.tags.mlflow.traceName"), part(parsed(inputs), "model")
        fields = call(
            inputs,
            outputs,
            item_id=part(trace, "info.trace_id"),
            answer_model=part(trace, "info.trace_metadata.mlflow.modelId") or model or name,
            contexts=_retrieved(spans),
            reference=text(expected.pop(reference, None)),
        )
        more = {f"expectation.{key}": value for key, value in expected.items()}
        more |= {"trace_name": name, "request_time": part(trace, "info.request_time")}
        yield ToolAnswer(fields, _grades(assessments, root), more)


def _retrieved(spans: list[dict]) -> list[str]:
    """The passages that the retrievers of a trace returned, each once."""
    kept = {
        text(one.get("page_content")): None
        for span in spans
        if parsed(part(span, "attributes.mlflow.spanType")) == "RETRIEVER"
        for one in objects(parsed(part(span, "attributes.mlflow.spanOutputs")))
    }
    return [one for one in kept if one]


def _expectations(assessments: list[dict]) -> dict[str, Json]:
    """What was expected, by its name."""
    expected = {}
    for one in assessments:
        if one.get("expectation") and one.get("valid") is not False:
            value = part(one, "expectation.value")
            serialized = parsed(part(one, "expectation.serialized_value.value"))
            expected[text(one.get("assessment_name"))] = serialized if value is None else value
    return expected


def _grades(assessments: list[dict], root: Mapping) -> Iterator[ToolGrade | LeftOut]:
    repeats, spans = Counter(), {text(root.get("span_id"))}
    with suppress(ValueError):  # in Base64 among the spans, and in hexadecimal elsewhere
        spans.add(base64.b64decode(text(root.get("span_id"))).hex())
    standing = {_slot(one) for one in assessments if one.get("valid") is not False}
    for one in sorted(assessments, key=lambda one: text(one.get("create_time"))):
        kind, who, name, scorer, version = slot = _slot(one)
        is_replaced = one.get("valid") is False
        if "feedback" not in one:
            if is_replaced:
                yield LeftOut("assessments", "they were replaced")
            elif not one.get("expectation"):
                yield LeftOut("assessments", "they are of a kind that is not read")
        elif one.get("span_id") and text(one["span_id"]) not in spans:
            yield LeftOut("assessments", "they belong to a span within the trace")
        elif part(one, "feedback.error"):
            yield LeftOut("assessments", "the grader returned an error")
        elif kind == "HUMAN" and is_replaced and slot in standing:
            yield LeftOut("assessments", "the same annotator replaced them")
        else:
            repeats[slot] += 1
            model = ""
            if kind == "CODE":  # a rule, whose source is no model
                who = scorer or who
            elif kind != "HUMAN":
                who, model = scorer, who
            value, reason = part(one, "feedback.value"), one.get("rationale")
            yield ToolGrade(kind, name, value, reason, who, model, version, repeat=repeats[slot])


def _slot(one: Mapping) -> tuple[str, ...]:
    """Who gave an assessment, and of what."""
    about, source = members(one.get("metadata")), members(one.get("source"))
    scorer = (about.get(f"mlflow.assessment.scorer{of}") for of in ("Name", "Version"))
    given = source.get("source_type"), source.get("source_id"), one.get("assessment_name")
    return tuple(map(text, (*given, *scorer)))


SOURCES = (
    ToolSource("MLflow traces", ('"info"', '"assessments"'), _read, fits=_are_traces),
    ToolSource(
        "MLflow traces",
        ("trace_metadata", "assessments", "execution_duration"),
        _read,
        fits=_are_traces,
        forms=("json", "jsonl", "csv", "parquet"),
    ),
)
