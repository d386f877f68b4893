"""inspect_ai: `eval` of a task whose outputs are already there, with `model_graded_qa`."""

import math

REPLY = "The answer names the valve and when it is closed.\n\nGRADE: P"
SCORE = 0.5


def judge(asked) -> list[float | None]:
    """The grade of every answer as a number; one failed answer does not end the run."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.scorer import model_graded_qa, value_to_float
    from inspect_ai.solver import solver

    @solver
    def given():
        async def solve(state, generate):
            state.output = ModelOutput.from_content("given", state.metadata["answer"])
            return state

        return solve

    samples = [
        Sample(input=a["question"], target=asked.criterion, metadata={"answer": a["answer"]})
        for a in asked.answers
    ]
    grader = get_model("openai/m", base_url=asked.url, api_key="none", responses_api=False)
    task = Task(
        MemoryDataset(samples),
        solver=given(),
        scorer=model_graded_qa(model=grader, partial_credit=True),
    )
    log = eval(
        task,
        model="mockllm/model",
        max_connections=asked.in_flight,
        max_samples=asked.in_flight,
        fail_on_error=False,
        display="none",
        log_dir="logs",
    )[0]
    number = value_to_float()
    graded = [(sample.scores or {}).get("model_graded_qa") for sample in log.samples]
    # A reply without a grade has nan.
    values = [score.value if score else math.nan for score in graded]
    return [None if value != value else number(value) for value in values]
