"""Write MLflow traces with assessments of people and of judges, by SQLite alone.

Usage: write_mlflow.py FOLDER
"""

import json
import os
import sys
import tempfile
from pathlib import Path

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
os.environ["MLFLOW_ENABLE_ASYNC_TRACE_LOGGING"] = "false"

import mlflow
from mlflow.entities import AssessmentError, AssessmentSource, Document, SpanType

JUDGE = AssessmentSource(source_type="LLM_JUDGE", source_id="openai:/gpt-4.1-mini")
ASKED = {
    "When does the pump start?": ("At 40 °C.", "yes", {"ana": "yes", "bo": "no"}),
    "Which colour is the pump?": ("Blue.", "no", {"ana": "no"}),
    # Longer than what MLflow keeps of it in the metadata and in the preview.
    "When does the pump stop?": ("It never stops. " * 80 + "The end.", "yes", {"bo": "no"}),
}


@mlflow.trace
def answer(question):
    look_up(question)
    return ASKED[question][0]


@mlflow.trace(span_type=SpanType.RETRIEVER)
def look_up(question):
    return [Document("The manual.", {"doc_uri": "manual.pdf"}, "d1"), Document("Page 3.")]


def main(folder):
    with tempfile.TemporaryDirectory() as place:
        mlflow.set_tracking_uri(f"sqlite:///{place}/mlflow.db")
        mlflow.set_experiment(experiment_id=mlflow.create_experiment("pump", f"file://{place}/a"))
        for question, (_, verdict, people) in ASKED.items():
            answer(question)
            assess(mlflow.get_last_active_trace_id(), verdict, people)
            assess_spans(mlflow.get_last_active_trace_id())
        traces = mlflow.search_traces(return_type="list")
        frame = mlflow.search_traces(max_results=1)
    written = [without_place(trace.to_dict()) for trace in traces]
    text = json.dumps(written, indent=1, ensure_ascii=False)
    frame["trace"] = [json.dumps(without_place(json.loads(one))) for one in frame["trace"]]
    frame = frame.drop(columns=["spans", "tags"])
    frame["trace_metadata"] = [{}] * len(frame)
    assert place not in text + frame.to_csv()
    (Path(folder) / "mlflow.json").write_text(text)
    frame.to_csv(Path(folder) / "mlflow_frame.csv", index=False)


def without_place(trace):
    """A trace without paths and names of this machine."""
    for key in ("mlflow.source.name", "mlflow.user", "mlflow.source.git.commit",
                "mlflow.source.git.repoURL", "mlflow.source.git.branch"):  # fmt: skip
        trace["info"]["trace_metadata"].pop(key, None)
    trace["info"].get("tags", {}).pop("mlflow.artifactLocation", None)
    return trace


def assess(trace, verdict, people):
    judged = mlflow.log_feedback(
        trace_id=trace, name="correctness", value=verdict, source=JUDGE,
        rationale="As the manual says.", metadata={"mlflow.assessment.scorerVersion": "2"},
    )  # fmt: skip
    for name, value in people.items():
        person = AssessmentSource(source_type="HUMAN", source_id=name)
        mlflow.log_feedback(
            trace_id=trace,
            name="correctness",
            value=value,
            source=person,
            rationale=f"{name} looked.",
        )
    if verdict != min(people.values()):
        mlflow.override_feedback(
            trace_id=trace, assessment_id=judged.assessment_id, value=min(people.values()),
            source=AssessmentSource(source_type="HUMAN", source_id="cem"), rationale="Corrected.",
        )  # fmt: skip
    mlflow.log_expectation(
        trace_id=trace, name="expected_response", value="By the manual.",
        source=AssessmentSource(source_type="HUMAN", source_id="ana"),
    )  # fmt: skip
    mlflow.log_expectation(
        trace_id=trace, name="expected_facts", value=["blue", "40 °C"],
        source=AssessmentSource(source_type="HUMAN", source_id="ana"),
    )  # fmt: skip
    mlflow.log_feedback(
        trace_id=trace, name="length", value=0.75,
        source=AssessmentSource(source_type="CODE", source_id="length.py"),
    )  # fmt: skip
    mlflow.log_feedback(
        trace_id=trace, name="safety", error=AssessmentError("TIMEOUT", "no reply"), source=JUDGE
    )


def assess_spans(trace):
    """Grade the root span, which is the answer, and the span within it, which is not."""
    for span in mlflow.get_trace(trace).data.spans:
        mlflow.log_feedback(
            trace_id=trace, span_id=span.span_id, name="tone", value=4 if span.parent_id else 2,
            source=AssessmentSource(source_type="CODE", source_id="tone.py"),
        )  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1])
