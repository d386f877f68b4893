"""Read exported grades in MLflow: `trace` makes a trace, `read` adds grades.jsonl to it.

Needs `mlflow-skinny`, `sqlalchemy` and `alembic`. What MLflow then has is in found.json.
"""

import json
import sys
from pathlib import Path

import mlflow
from mlflow.entities import Assessment

if __name__ == "__main__":
    mlflow.set_tracking_uri("sqlite:///mlflow.db")
    if sys.argv[1] == "trace":
        with mlflow.start_span("answer") as span:
            span.set_inputs({"question": "?"})
        Path("trace.txt").write_text(span.trace_id, encoding="utf-8")
    else:
        trace = Path("trace.txt").read_text(encoding="utf-8")
        for line in Path("grades.jsonl").read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record["trace_id"] == trace:
                mlflow.log_assessment(trace, Assessment.from_dictionary(record))
        found = [
            [one.name, one.source.source_type, one.source.source_id, one.value, one.rationale]
            for one in mlflow.get_trace(trace).info.assessments
        ]
        Path("found.json").write_text(json.dumps(sorted(found)), encoding="utf-8")
