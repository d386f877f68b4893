"""Grade items with an exported judge as Inspect runs its scorer; needs `inspect-ai`.

In a folder with judge.py and items.json; the scores are written into scores.json.
"""

import json
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.solver import solver
from judge import judge


@solver
def answered():
    """Take the answer of the sample as the model's output."""

    async def solve(state, generate):
        state.output = ModelOutput.from_content("mock", state.metadata["answer"])
        return state

    return solve


if __name__ == "__main__":
    items = json.loads(Path("items.json").read_text(encoding="utf-8"))
    samples = [
        Sample(
            id=number,
            input=one["question"],
            target=one["reference"],
            metadata={key: one[key] for key in ("answer", "contexts", "turns")},
        )
        for number, one in enumerate(items, 1)
    ]
    task = Task(dataset=MemoryDataset(samples), solver=answered(), scorer=judge())
    (log,) = eval(task, model="mockllm/model", log_dir="logs", display="none")
    assert log.status == "success", log.error.message
    found = {sample.id: sample.scores["judge"].value for sample in log.samples}
    Path("scores.json").write_text(json.dumps([found[n] for n in sorted(found)]), encoding="utf-8")
