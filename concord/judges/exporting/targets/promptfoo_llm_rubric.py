"""promptfoo: an `llm-rubric` assertion for each criterion, asked by promptfoo itself.

`llm-rubric` takes one `score` and one `reason` from the top of a reply and renders the texts with
Nunjucks, which has no hashes for a code of their own. Source: promptfoo 0.123.1, `matchesLlmRubric`
and `OpenAiChatCompletionProvider`.
"""

import json
import math
import re
from string import Template
from typing import Any

from concord.judges.exporting import target
from concord.judges.exporting.carried import Carried
from concord.judges.exporting.target import Target
from concord.judges.prompting.prompt import skeleton
from concord.judges.prompting.request import body, schema

_HEAD = """\
# An LLM judge as `llm-rubric` assertions of promptfoo: `defaultTest: file://judge.yaml`.
# The variables `question`, `contexts`, `reference` and `turns` are read where a test has them.
# Exported from Concord. This judge differs from the one measured there; calibrate it before use.
"""
_REPLY = """\
# Reply
Reply with one JSON object of this form and nothing else:

{}

The score is a plain number."""
_LIST = (
    "{{% for text in ([{0}] if {0} is string else {0}) %}}<<<{1} {{{{ loop.index }}}} {2}\n"
    "{{{{ text }}}}\n{1} {{{{ loop.index }}}} {2}>>>"
    "{{% if not loop.last %}}\n\n{{% endif %}}{{% else %}}There is no {3}.{{% endfor %}}"
)
# promptfoo writes each turn of a list as JSON.
_TURNS = (
    "{{% if turns and turns.length %}}<<<TURNS {0}\n"
    "{{% for turn in turns %}}{{% set one = (turn | load) if turn is string else turn %}}"
    "{{{{ one.role }}}}: {{{{ one.content }}}}{{% if not loop.last %}}\n\n{{% endif %}}"
    "{{% endfor %}}\nTURNS {0}>>>{{% else %}}There are no earlier turns.{{% endif %}}"
)


def _write(carried: Carried) -> str:
    """Return what `defaultTest` reads, as YAML whose values are JSON."""
    target.refuse_decisions(carried, "llm-rubric")
    target.refuse_endpoint(carried, "promptfoo", "promptfoo")
    options = {"disableVarExpansion": True}  # else a list is a test for each entry
    made = {
        "metadata": target.tags(carried),
        "options": options,
        "assert": [_assertion(carried, one.name) for one in carried.rubric.criteria],
    }
    return _HEAD + target.as_json(made)


def _assertion(carried: Carried, criterion: str) -> dict[str, Any]:
    of = carried.rubric.criterion(criterion)
    form = skeleton([of], carried.rubric.scale)[criterion]
    reply = _REPLY.format(json.dumps(form, ensure_ascii=False))
    messages = target.asked_alone(carried, criterion, reply)
    return {
        "type": "llm-rubric",
        "metric": criterion,
        "value": _verbatim(f"{criterion}: {of.question.strip()}"),
        "threshold": target.lowest_passing(carried, criterion),
        "weight": _weights(carried)[criterion],
        "provider": _provider(carried, criterion),
        "rubricPrompt": [one | {"content": _filled(one["content"], carried)} for one in messages],
    }


def _weights(carried: Carried) -> dict[str, int]:
    """Return the weights as integers, by which promptfoo's means of scores stay exact."""
    weights = {one.name: one.weight for one in carried.rubric.criteria}
    whole = math.lcm(*(one.denominator for one in weights.values()))
    return {name: int(one * whole) for name, one in weights.items()}


def _provider(carried: Carried, criterion: str) -> dict[str, Any]:
    judge = carried.judge
    form = schema([carried.rubric.criterion(criterion)], carried.rubric.scale)
    asked = judge.changed({"output": "json_schema"}) if judge.output == "tool" else judge
    sent = body(asked, [], form["properties"][criterion])
    config = {
        "apiBaseUrl": judge.url(),
        "apiKeyEnvar": judge.endpoint.api_key_env,
        # Else promptfoo sends OPENAI_API_KEY to any server where that variable is not set.
        "useDefaultApiKey": False,
        # Else promptfoo sends temperature 0 and max_tokens 1024 where the judge sets none.
        "omitDefaults": True,
        "passthrough": {key: one for key, one in sent.items() if key not in ("model", "messages")},
    }
    if judge.is_local():
        config["apiKeyRequired"] = False
    if judge.extra_headers:
        config["headers"] = judge.extra_headers
    return {"id": f"openai:chat:{judge.model}", "config": config}


def _verbatim(text: str) -> str:
    """Return a text that Nunjucks renders as it is."""
    return re.sub(r"\{(?=[{%#])", '{{ "{" }}', text)


def _filled(text: str, carried: Carried) -> str:
    code = carried.fingerprint
    whole = "<<<{0} {1}\n{{{{ {2} }}}}\n{0} {1}>>>"
    slots = {
        "turns": _TURNS.format(code),
        "question": whole.format("QUESTION", code, "question"),
        "contexts": _LIST.format("contexts", "CONTEXT", code, "context"),
        "reference": _LIST.format("reference", "REFERENCE", code, "reference"),
        "answer": whole.format("ANSWER", code, "output")
        + "{% if not output | string | trim %}\nThe answer is empty.{% endif %}",
    }
    return Template(_verbatim(text)).substitute(slots, code=code)


TARGET = Target(
    "promptfoo-llm-rubric",
    "llm-rubric assertions of promptfoo",
    "judge.yaml",
    _write,
    near=True,
    unsent=("logprobs", "confidence"),
)
