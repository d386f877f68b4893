"""Read grades.jsonl in a tool, which is installed here: `read_grades.py TOOL`.

What the tool then has, or its client sent to a local server, is written into found.json. `trace`
makes the trace of MLflow that grades are read for.
"""

import json
import sys
from pathlib import Path

GRADES, TRACE = Path("grades.jsonl"), Path("trace.txt")


def lines():
    return [json.loads(line) for line in GRADES.read_text(encoding="utf-8").splitlines()]


def huggingface():
    from datasets import load_dataset

    # It is a Parquet file here.
    return list(load_dataset("parquet", data_files=str(GRADES), split="train", cache_dir="cache"))


def inspect():
    from inspect_ai import Epochs, Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import mean, precomputed_scores
    from inspect_ai.solver import solver

    @solver
    def silent():
        """Ask no model."""

        async def solve(state, generate):
            return state

        return solve

    task = Task(
        dataset=MemoryDataset([Sample(id=one, input="?") for one in ("s 1", "002-atlas")]),
        solver=silent(),
        scorer=precomputed_scores(str(GRADES), metrics={"correctness": [mean()]}),
        epochs=Epochs(2),
    )
    (log,) = eval(task, model="mockllm/model", log_dir="logs", display="none")
    assert log.status == "success", log.error.message
    return sorted(
        [one.id, one.epoch, score.value["correctness"], score.explanation]
        for one in log.samples
        for score in (one.scores or {}).values()
        if isinstance(score.value, dict)
    )


def langfuse():
    from langfuse.api import LangfuseAPI
    from langfuse.api.core.pydantic_utilities import parse_obj_as
    from langfuse.api.scores.types.create_scores_request import CreateScoresRequest
    from recording_server import recording

    scores = parse_obj_as(CreateScoresRequest, lines())
    with recording({"accepted": len(scores)}) as (url, seen):
        client = LangfuseAPI(base_url=url, username="public", password="secret")
        client.scores.create(request=scores)
    return seen


def phoenix():
    from phoenix.client import Client
    from recording_server import recording

    with recording({"data": []}) as (url, seen):
        Client(base_url=url).spans.log_span_annotations(span_annotations=lines()[0]["data"])
    return seen


def trace():
    import mlflow

    mlflow.set_tracking_uri("sqlite:///mlflow.db")
    with mlflow.start_span("answer") as span:
        span.set_inputs({"question": "?"})
    TRACE.write_text(span.trace_id, encoding="utf-8")


def mlflow():
    import mlflow
    from mlflow.entities import Assessment

    mlflow.set_tracking_uri("sqlite:///mlflow.db")
    known = TRACE.read_text(encoding="utf-8")
    for record in lines():
        if record["trace_id"] == known:
            mlflow.log_assessment(known, Assessment.from_dictionary(record))
    return sorted(
        [one.name, one.source.source_type, one.source.source_id, one.value, one.rationale]
        for one in mlflow.get_trace(known).info.assessments
    )


if __name__ == "__main__":
    found = globals()[sys.argv[1]]()
    Path("found.json").write_text(json.dumps(found), encoding="utf-8")
