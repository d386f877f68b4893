"""Grade items with an exported judge as LangSmith runs an evaluator; needs `openevals`.

In a folder with judge.py and items.json; the scores are written into scores.json. Nothing is
uploaded.
"""

import json
import uuid
from pathlib import Path

from judge import judge
from langsmith import Client, evaluate
from langsmith.schemas import Example

if __name__ == "__main__":
    items = json.loads(Path("items.json").read_text(encoding="utf-8"))
    examples = [
        Example(
            id=uuid.UUID(int=number + 1),
            dataset_id=uuid.UUID(int=0),
            inputs={key: one[key] for key in ("question", "contexts", "turns")},
            outputs={"reference": one["reference"], "answer": one["answer"]},
        )
        for number, one in enumerate(items)
    ]
    answers = {json.dumps(one.inputs): one.outputs["answer"] for one in examples}
    done = evaluate(
        lambda inputs: {"answer": answers[json.dumps(inputs)]},
        data=examples,
        evaluators=[judge],
        upload_results=False,
        client=Client(api_url="http://127.0.0.1:9", api_key="none"),
    )
    found = {
        row["example"].id.int - 1: {
            one.key: one.score for one in row["evaluation_results"]["results"]
        }
        for row in done
    }
    Path("scores.json").write_text(json.dumps([found[n] for n in sorted(found)]), encoding="utf-8")
