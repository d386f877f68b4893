"""Write MLflow traces with assessments of people and of judges, by SQLite alone.

Usage: write_mlflow.py FOLDER
"""

import json
import os
import sys
import tempfile
from functools import partial
from pathlib import Path

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
os.environ["MLFLOW_ENABLE_ASYNC_TRACE_LOGGING"] = "false"

import mlflow
from mlflow.entities import AssessmentError, AssessmentSource, Document, SpanType

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


def by(kind, who):
    return AssessmentSource(source_type=kind, source_id=who)


def assess(trace, verdict, people):
    judge, low = by("LLM_JUDGE", "openai:/gpt-4.1-mini"), min(people.values())
    log = partial(mlflow.log_feedback, trace_id=trace)
    judged = log(
        name="correctness", value=verdict, source=judge, rationale="As the manual says.",
        metadata={"mlflow.assessment.scorerVersion": "2"},
    )  # fmt: skip
    for who, value in people.items():
        why = f"{who} looked."
        log(name="correctness", value=value, source=by("HUMAN", who), rationale=why)
    if verdict != low:
        mlflow.override_feedback(
            trace_id=trace, assessment_id=judged.assessment_id, value=low,
            source=by("HUMAN", "cem"), rationale="Corrected.",
        )  # fmt: skip
    expected = {"expected_response": "By the manual.", "expected_facts": ["blue", "40 °C"]}
    for name, value in expected.items():
        mlflow.log_expectation(trace_id=trace, name=name, value=value, source=by("HUMAN", "ana"))
    log(name="length", value=0.75, source=by("CODE", "length.py"))
    log(name="safety", error=AssessmentError("TIMEOUT", "no reply"), source=judge)
    # The root span is the answer, and the span within it is not.
    for span in mlflow.get_trace(trace).data.spans:
        tone = 4 if span.parent_id else 2
        log(span_id=span.span_id, name="tone", value=tone, source=by("CODE", "tone.py"))


if __name__ == "__main__":
    main(sys.argv[1])
