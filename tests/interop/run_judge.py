"""Grade items with an exported judge in a tool, which is installed here: `run_judge.py TOOL`.

In a folder with items.json and judge.py; the scores are written into
scores.json.
"""

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

# Of promptfoo: it answers with the answer of the item.
PROVIDER = """\
def call_api(prompt, options, context):
    return {"output": context["vars"]["answer"]}
"""
# What a tool gets apart from the answer; a reference is told as each tool has it.
TEXTS = ("question", "contexts", "turns")


def deepeval(items):
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
    from deepeval.test_case import LLMTestCase
    from judge import Judge

    scores = {}  # DeepEval copies the metric for each case, and keeps the weighted mean alone

    class Kept(Judge):
        """The metric, which keeps the scores of every criterion."""

        def measure(self, test_case, *args, **kwargs):
            super().measure(test_case)
            scores[int(test_case.name)] = self.score_breakdown
            return self.score

    cases = [
        LLMTestCase(
            name=str(number),
            input=one["question"],
            actual_output=one["answer"],
            retrieval_context=one["contexts"],
            metadata={"reference": one["reference"], "turns": one["turns"]},
        )
        for number, one in enumerate(items)
    ]
    evaluate(
        cases,
        metrics=[Kept()],
        async_config=AsyncConfig(run_async=True),
        cache_config=CacheConfig(write_cache=False),
        display_config=DisplayConfig(print_results=False, show_indicator=False),
    )
    return scores


def inspect(items):
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

    samples = [
        Sample(id=n, input=one["question"], target=one["reference"], metadata=one)
        for n, one in enumerate(items, 1)
    ]
    task = Task(dataset=MemoryDataset(samples), solver=answered(), scorer=judge())
    (log,) = eval(task, model="mockllm/model", log_dir="logs", display="none")
    assert log.status == "success", log.error.message
    return {sample.id: sample.scores["judge"].value for sample in log.samples}


def mlflow(items):
    import judge
    import mlflow

    mlflow.set_tracking_uri("sqlite:///mlflow.db")
    data = [
        {
            "inputs": {"number": number, **{key: one[key] for key in TEXTS}},
            "outputs": one["answer"],
            "expectations": {"reference": one["reference"]},
        }
        for number, one in enumerate(items)
    ]
    mlflow.genai.evaluate(data=data, scorers=[judge.judge])
    return {
        # The inputs in the trace's metadata are cut off.
        trace.data.spans[0].inputs["number"]: {
            one.name: one.feedback.value
            for one in trace.info.assessments
            if one.source.source_type == "LLM_JUDGE"
        }
        for trace in mlflow.search_traces(return_type="list")
    }


def openevals(items):
    from judge import judge
    from langsmith import Client, evaluate
    from langsmith.schemas import Example

    examples = [
        Example(
            id=uuid.UUID(int=number + 1),
            dataset_id=uuid.UUID(int=0),
            inputs={key: one[key] for key in TEXTS},
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
    return {
        row["example"].id.int: {one.key: one.score for one in row["evaluation_results"]["results"]}
        for row in done
    }


def promptfoo(items):
    """Templates are switched off: promptfoo would render what stands in braces in an item."""
    Path("answers.py").write_text(PROVIDER, encoding="utf-8")
    of_python = {
        "options": {"disableVarExpansion": True},  # else a list is a test for each entry
        "assert": [{"type": "python", "value": "file://judge.py"}],
    }
    config = {
        "prompts": ["{{answer}}"],
        "providers": ["file://answers.py"],
        "defaultTest": of_python,
        "tests": [{"vars": one} for one in items],
    }
    Path("promptfooconfig.json").write_text(json.dumps(config), encoding="utf-8")
    command = ["promptfoo", "eval", "-c", "promptfooconfig.json", "-o", "out.json"]
    settings = {
        "PROMPTFOO_CONFIG_DIR": str(Path("promptfoo").absolute()),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_TEMPLATING": "true",
        "PROMPTFOO_PYTHON": sys.executable,
    }
    done = subprocess.run(
        [*command, "--no-cache", "--no-table", "-j", "1"],
        env=os.environ | settings,
        capture_output=True,
        text=True,
    )
    if not Path("out.json").exists():
        sys.exit(done.stdout + done.stderr)
    results = json.loads(Path("out.json").read_text(encoding="utf-8"))["results"]["results"]
    return {one["testIdx"]: one["gradingResult"]["namedScores"] for one in results}


if __name__ == "__main__":
    given = json.loads(Path("items.json").read_text(encoding="utf-8"))
    scores = globals()[sys.argv[1]](given)
    ordered = [scores[key] for key in sorted(scores)]
    Path("scores.json").write_text(json.dumps(ordered), encoding="utf-8")
