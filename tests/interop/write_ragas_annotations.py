"""Write annotations of RAGAS with the models that read them; the app that exported them is retired.

Usage: write_ragas_annotations.py FOLDER
"""

import json
import sys
from pathlib import Path

from ragas.dataset_schema import MetricAnnotation, SampleAnnotation, SingleTurnSample

CONTEXTS = ["The pump starts at 40 °C."]


def annotation(question, response, value, prompts, is_accepted, target=None):
    sample = SingleTurnSample(user_input=question, response=response, retrieved_contexts=CONTEXTS)
    return SampleAnnotation(
        metric_input=sample.model_dump(exclude_none=True), metric_output=value, prompts=prompts,
        is_accepted=is_accepted, target=target,
    )  # fmt: skip


def prompt(edited):
    return {"nli": {"prompt_input": {}, "prompt_output": {}, "edited_output": edited}}


START, STOP = "When does the pump start?", "When does it stop?"
GIVEN = {
    "faithfulness": [
        annotation(START, "At 40 °C.", 1, prompt({"x": 1}), True, 1),
        annotation(STOP, "Never.", 0, prompt(None), False),
    ],
    "exact_match": [annotation(START, "At 40 °C.", 0, {}, True)],
}


def main(folder):
    written = {name: [one.model_dump() for one in samples] for name, samples in GIVEN.items()}
    path = Path(folder) / "ragas_annotations.json"
    path.write_text(json.dumps(written, indent=1, ensure_ascii=False))
    assert len(MetricAnnotation.from_json(str(path), None)) == 3


if __name__ == "__main__":
    main(sys.argv[1])
