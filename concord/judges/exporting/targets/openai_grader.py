"""OpenAI: graders of the type `score_model`, one for each criterion.

OpenAI's server adds the form of the reply itself and fills in the texts, so a grader is near the
judge and not the judge. Source: `openai.types.graders.ScoreModelGrader` of openai 3.57.
"""

import re
from string import Template
from typing import Any

from concord.judges.exporting import target
from concord.judges.exporting.carried import Carried
from concord.judges.exporting.target import Target

_SAMPLING = ("temperature", "top_p", "seed", "reasoning_effort")
_FIELDS = {
    "turns": "item.turns",
    "question": "item.question",
    "contexts": "item.contexts",
    "reference": "item.reference",
    "answer": "sample.output_text",
}
_PARTS = {"contexts": "CONTEXT"}
_REPLY = "# Reply\nThe score of {}, as a number."


def _write(carried: Carried) -> str:
    """Return the arguments `testing_criteria` and `metadata` of `evals.create`, as JSON."""
    target.refuse_decisions(carried, "a grader of OpenAI")
    graders = [_grader(carried, one.name) for one in carried.rubric.criteria]
    return target.as_json({"testing_criteria": graders, "metadata": target.tags(carried)})


def _grader(carried: Carried, criterion: str) -> dict[str, Any]:
    judge, rubric = carried.judge, carried.rubric
    sampling = {key: getattr(judge, key) for key in _SAMPLING}
    # The key is spelt so in OpenAI's API.
    sampling["max_completions_tokens"] = judge.max_tokens
    sampling = {key: value for key, value in sampling.items() if value is not None}
    return {
        "type": "score_model",
        "name": criterion,
        "model": judge.model,
        "input": [
            {"role": one["role"], "content": _filled(one["content"], carried)}
            for one in target.asked_alone(carried, criterion, _REPLY.format(criterion))
        ],
        "range": [rubric.scale[0], rubric.scale[-1]],
        "pass_threshold": target.lowest_passing(carried, criterion),
        **({"sampling_params": sampling} if sampling else {}),
    }


def _filled(text: str, carried: Carried) -> str:
    """Return a message with OpenAI's placeholders, and none that a text of the judge could hold."""
    text = re.sub(r"\{(?=\{)", "{ ", text)
    code = carried.fingerprint
    slots = {
        name: "<<<{0} {1}\n{{{{ {2} }}}}\n{0} {1}>>>".format(
            _PARTS.get(name, name.upper()), code, field
        )
        for name, field in _FIELDS.items()
    }
    return Template(text).substitute(slots, code=code)


TARGET = Target(
    "openai-grader",
    "graders of OpenAI",
    "graders.json",
    _write,
    near=True,
    unsent=(
        *("frequency_penalty", "presence_penalty", "verbosity", "extra_body", "extra_headers"),
        *("logprobs", "confidence"),
    ),
)
