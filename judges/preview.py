"""Preview: the request for one item exactly as a run would send it, and what each setting is."""

import json
from typing import Any, NamedTuple

from data.model import Item
from judges.job import Job
from judges.model import Judge
from judges.price import Band
from judges.request import prompt_band, request, route


class Preview(NamedTuple):
    """One request, taken apart for reading.

    `rest` is the request without its messages, as JSON. `model` is the one that the prompt fits;
    None where it fits none and is not sent. `tokens` is the prompt's length, estimated.
    """

    messages: list[dict[str, str]]
    rest: str
    model: str | None
    tokens: Band

    def sentence(self) -> str:
        """Where the request goes and how long it is."""
        length = f"About {self.tokens.low:,} to {self.tokens.high:,} tokens"
        if self.model is None:
            return f"{length}: it fits no model of this judge, so it is not sent (too_long)."
        return f"{length}, sent to {self.model}."


class Setting(NamedTuple):
    """One setting of a judge in words."""

    key: str
    value: str
    about: str


def preview(job: Job, item: Item, part: str = "") -> Preview:
    """The request for one item and part, as the runner makes it."""
    body = request(job.judge, job.rubric, item, part, job.shots)
    model = route(job.judge, body)
    rest = {key: value for key, value in body.items() if key != "messages"} | {"model": model}
    said = json.dumps(rest, ensure_ascii=False, indent=2)
    return Preview(body["messages"], said, model, prompt_band(body))


def settings(judge: Judge) -> list[Setting]:
    """What the judge file says, key by key; a request setting that is left out is not sent."""
    given = judge.model_dump(mode="json", exclude_none=True)
    if judge.kind == "metric":
        given = {key: value for key, value in given.items() if key not in ("prompt", "calls")}
    endpoint = given.pop("endpoint", {})
    given |= {f"endpoint.{key}": value for key, value in endpoint.items()}
    given |= {"endpoint.url": judge.url() if judge.model else "none"}
    return [
        Setting(key.removeprefix("endpoint."), _spoken(given[key]), about)
        for key, about in ABOUT.items()
        if key in given and given[key] not in ({}, False)
    ]


def _spoken(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


ABOUT = {
    "model": "The model that is asked.",
    "retired": "The day its maker retired it; other servers may still have it.",
    "rubric": "What it grades by.",
    "prompt": "zero_shot shows the rubric, few_shot adds examples; else the judge's own text.",
    "examples": "Where the examples come from.",
    "calls": "joint: all criteria in one call; separate: one call per criterion.",
    "output": "How the reply is asked for: JSON schema, function call, JSON or text.",
    "measures": "The measures it finds; without, all that ask a model.",
    "switches": "The reading of a measure, where it is not the usual one.",
    "embedding": "The embedding model, at an address of its own.",
    "temperature": "How much chance there is in the reply.",
    "top_p": "The share of likely words it draws from.",
    "frequency_penalty": "How much it avoids repeating words.",
    "presence_penalty": "How much it avoids words it has used.",
    "seed": "Asks the server for the same reply to the same request.",
    "max_tokens": "The longest reply; a longer one is cut off and counts as truncated.",
    "reasoning_effort": "How long a reasoning model thinks.",
    "verbosity": "How much a model writes.",
    "context_tokens": "The longest prompt and reply the model takes.",
    "larger": "Who is asked where the prompt does not fit the model.",
    "extra_headers": "More headers for this server.",
    "extra_body": "More keys of the request for this server.",
    "endpoint.url": "Where the requests go.",
    "endpoint.api_key_env": "The environment variable that holds the key.",
    "endpoint.auth": "How the key is sent.",
    "endpoint.max_tokens_field": "What this server calls the longest reply.",
    "endpoint.system_role": "Who speaks the unchanging part of the prompt.",
    "endpoint.proxy": "The proxy the requests go through.",
    "endpoint.cuts_long_prompts": "This server cuts long prompts in silence, so they are not sent.",
    "endpoint.timeout_s": "Seconds after which an attempt is given up.",
}
