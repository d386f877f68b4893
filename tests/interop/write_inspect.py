"""Write Inspect logs as .json and .eval with the mock model, and edit a score by hand.

Usage: write_inspect.py FOLDER
"""

import shutil
import sys
from pathlib import Path

from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import ProvenanceData, edit_score, read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, ScoreEdit, includes, mean, model_graded_qa, scorer
from inspect_ai.solver import generate

ANSWERS = ("40 °C.", "Blue.", "It stops at 90 °C.", "I don't know.")
VERDICTS = ("It fits.\nGRADE: C", "It is wrong.\nGRADE: I", "In part.\nGRADE: P", "No verdict.")
SAMPLES = [
    Sample(
        input="When does the pump start?", target="40 °C", id="start", metadata={"topic": "pump"}
    ),
    Sample(input="Which colour is the pump?", target="Green", id="colour"),
    Sample(input="When does the pump stop?", target="90 °C", id="stop"),
    Sample(input="Who built the pump?", target="The manual does not say", id="builder"),
]


def model(name, texts):
    """A mock model that gives these texts; with its usage, which it would count online."""
    usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    outputs = [ModelOutput.from_content(name, text) for text in texts]
    for output in outputs:
        output.usage = usage
    return get_model(name, custom_outputs=outputs, memoize=False)


@scorer(metrics={"*": [mean()]})
def style():
    """A rule that scores two criteria; NaN where it cannot."""

    async def score(state, target):
        length = float("nan") if "know" in state.output.completion else 2
        return Score(value={"tone": 4, "length": length}, explanation="by rule")

    return score


def main(folder):
    folder = Path(folder)
    for form in ("json", "eval"):
        grader = model("mockllm/grader", VERDICTS)
        task = Task(
            dataset=SAMPLES,
            solver=generate(),
            scorer=[model_graded_qa(partial_credit=True, model=grader), style(), includes()],
            epochs=Epochs(1),
            name="pump",
        )
        (log,) = eval(
            task,
            model=model("mockllm/model", ANSWERS),
            log_format=form,
            log_dir=str(folder / "logs"),
            display="none",
            max_samples=1,
        )
        assert log.status == "success", log.error and log.error.message
        log = read_eval_log(log.location)
        made = ProvenanceData(author="ana", reason="checked the manual")
        why = "Blue is right, the target is old."
        edit = ScoreEdit(value="C", explanation=why, provenance=made)
        edit_score(log, "colour", "model_graded_qa", edit)
        # What the mock models were told to answer, and the state of this checkout.
        log.eval.model_args, log.eval.revision = {}, None
        for scorer_ in log.eval.scorers:
            if "model" in (scorer_.options or {}):
                scorer_.options["model"]["model_args"] = {}
        for sample in log.samples:
            sample.events, sample.attachments = [], {}
        write_eval_log(log, str(folder / f"inspect.{form}"), format=form)
    shutil.rmtree(folder / "logs")


if __name__ == "__main__":
    main(sys.argv[1])
