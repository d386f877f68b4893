"""Read exported grades in Inspect by `precomputed_scores`; needs `inspect-ai`.

In a folder with grades.jsonl; what Inspect then has is in found.json.
"""

import json
from pathlib import Path

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


if __name__ == "__main__":
    samples = [Sample(id="s 1", input="?"), Sample(id="002-atlas", input="?")]
    task = Task(
        dataset=MemoryDataset(samples),
        solver=silent(),
        scorer=precomputed_scores("grades.jsonl", metrics={"correctness": [mean()]}),
        epochs=Epochs(2),
    )
    (log,) = eval(task, model="mockllm/model", log_dir="logs", display="none")
    assert log.status == "success", log.error.message
    found = [
        [one.id, one.epoch, score.value["correctness"], score.explanation]
        for one in log.samples
        for score in (one.scores or {}).values()
        if isinstance(score.value, dict)
    ]
    Path("found.json").write_text(json.dumps(sorted(found)), encoding="utf-8")
