"""Grade items with an exported judge as MLflow runs its scorer; needs `mlflow-skinny` and `pandas`.

In a folder with judge.py, which has one scorer or those of `make_judge`, and items.json; the scores
are written into scores.json.
"""

import json
from pathlib import Path

import judge
import mlflow

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
    scorers = judge.judges if hasattr(judge, "judges") else [judge.judge]
    mlflow.genai.evaluate(data=data, scorers=scorers)
    found = {}
    for trace in mlflow.search_traces(return_type="list"):
        # The inputs in the trace's metadata are cut off.
        found[trace.data.spans[0].inputs["number"]] = {
            one.name: one.feedback.value
            for one in trace.info.assessments
            if one.source.source_type == "LLM_JUDGE"
        }
    Path("scores.json").write_text(json.dumps([found[n] for n in sorted(found)]), encoding="utf-8")
