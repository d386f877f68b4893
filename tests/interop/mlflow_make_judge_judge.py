"""Grade items with exported judges of `make_judge` as MLflow runs them; needs `mlflow-skinny`.

In a folder with judge.py and items.json; the scores are written into scores.json.
"""

import json
from pathlib import Path

import mlflow
from judge import judges

if __name__ == "__main__":
    mlflow.set_tracking_uri("sqlite:///mlflow.db")
    items = json.loads(Path("items.json").read_text(encoding="utf-8"))
    data = [
        {
            "inputs": {
                "number": number,
                **{key: one[key] for key in ("question", "contexts", "turns")},
            },
            "outputs": one["answer"],
            "expectations": {"reference": one["reference"]},
        }
        for number, one in enumerate(items)
    ]
    mlflow.genai.evaluate(data=data, scorers=judges)
    found = {}
    for trace in mlflow.search_traces(return_type="list"):
        found[trace.data.spans[0].inputs["number"]] = {
            one.name: one.feedback.value
            for one in trace.info.assessments
            if one.source.source_type == "LLM_JUDGE"
        }
    Path("scores.json").write_text(json.dumps([found[n] for n in sorted(found)]), encoding="utf-8")
