"""Preview of the exact request a run would send for one item, and of each setting."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from concord.judges.definition.model import Judge, Shot
from concord.judges.definition.prices import Band
from concord.judges.metric_runs import metric_request
from concord.judges.metric_runs.chosen_metrics import ChosenMetric
from concord.judges.metric_runs.rehearsal import Rehearsal, rehearsed
from concord.judges.prompting.request import messages, prompt_band, request, route
from concord.judges.prompting.request import settings as request_settings
from concord.messages import said
from concord.model import Item
from concord.rubrics.model import Rubric


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
        """Return the address of the request and its length, in words."""
        low, high = self.tokens
        if self.model is None:
            return said(
                "About {low:,} to {high:,} tokens: the prompt fits no model of this judge, so it "
                "is not sent.",
                low=low,
                high=high,
            )
        return said(
            "About {low:,} to {high:,} tokens, sent to {model}.",
            low=low,
            high=high,
            model=self.model,
        )


class Setting(NamedTuple):
    """One setting of a judge in words."""

    key: str
    value: str
    about: str


def preview(
    judge: Judge, rubric: Rubric, item: Item, part: str = "", shots: Sequence[Shot] = ()
) -> Preview:
    """The request for one item and part, as the runner makes it."""
    body = request(judge, rubric, item, part, shots)
    model = route(judge, body)
    rest = request_settings(body) | {"model": model}
    text = json.dumps(rest, ensure_ascii=False, indent=2)
    return Preview(messages(body), text, model, prompt_band(body))


def settings(judge: Judge) -> list[Setting]:
    """Return the settings of the judge file by key; an omitted request setting is not sent."""
    given = judge.model_dump(mode="json", exclude_none=True)
    if judge.kind == "metric":
        given = {key: value for key, value in given.items() if key not in ("prompt", "calls")}
    if judge.kind == "decision":
        left_out = ("prompt", "output")
        given = {key: value for key, value in given.items() if key not in left_out}
        given |= {"reading": judge.reading_rule()}
    endpoint = given.pop("endpoint", {})
    given |= {f"endpoint.{key}": value for key, value in endpoint.items()}
    given |= {"endpoint.url": _url(judge) if judge.model else said("none")}
    return [
        Setting(key.removeprefix("endpoint."), spoken(given[key]), about)
        for key, about in ABOUT.items()
        if key in given and given[key] not in ({}, False)
    ]


def _url(judge: Judge) -> str:
    """The endpoint's address; that of a decision model with its path, which the dialect decides."""
    return judge.address() if judge.kind == "decision" else judge.url()


def spoken(value: Any) -> str:
    """A value as it is shown: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


ABOUT = {
    "model": said("The model to call."),
    "retired": said("The day its maker retired it; other servers may still have it."),
    "dialect": said("The wire format of the server: OpenAI's Decisions, or System One."),
    "rubric": said("The rubric it grades under."),
    "reading": said("How the score is read from the probabilities."),
    "prompt": said(
        "zero_shot shows the rubric, few_shot adds examples; else the judge's own text."
    ),
    "examples": said("The source of the few-shot examples."),
    "calls": said("joint: all criteria in one request; separate: one request per criterion."),
    "output": said("Output mode: JSON schema, function call, JSON or text."),
    "logprobs": said("Asks for the probabilities of the score's tokens."),
    "confidence": said("Asks how sure the judge is of each score, in percent."),
    "metrics": said("The metrics it computes; default: all that use a model."),
    "switches": said("The variant of a metric, if not the default."),
    "embedding": said("The embedding model, at a separate address."),
    "temperature": said("Sampling temperature: higher makes replies more random."),
    "top_p": said("The probability mass of tokens it samples from."),
    "frequency_penalty": said("Frequency penalty: discourages repeated words."),
    "presence_penalty": said("Presence penalty: discourages words already used."),
    "seed": said("Seed: requests the same reply to the same request."),
    "max_tokens": said("The longest reply; a longer one is cut off and counts as truncated."),
    "reasoning_effort": said("How much a reasoning model reasons before it replies."),
    "verbosity": said("How verbose the model is."),
    "context_tokens": said("The longest prompt and reply that the model accepts, in tokens."),
    "larger": said("The model used if the prompt does not fit."),
    "extra_headers": said("Additional headers for this server."),
    "extra_body": said("Additional request keys for this server."),
    "endpoint.url": said("The address of the endpoint."),
    "endpoint.api_key_env": said("The environment variable that holds the key."),
    "endpoint.auth": said("How the key is sent."),
    "endpoint.max_tokens_field": said("The request key of the maximum reply length."),
    "endpoint.system_role": said("The role of the message with the fixed part of the prompt."),
    "endpoint.proxy": said("The proxy the requests go through."),
    "endpoint.cuts_long_prompts": said(
        "This server silently truncates long prompts, so they are not sent."
    ),
    "endpoint.max_request_bytes": said("The longest request the server takes, in bytes."),
    "endpoint.timeout_s": said("Timeout of an attempt, in seconds."),
}


class PreviewedRequest(NamedTuple):
    """One request: what it is for, and its messages. Parts that a model finds are made up."""

    name: str
    messages: list[dict[str, str]]


def requests(judge: Judge, metrics: Iterable[ChosenMetric], item: Item) -> list[PreviewedRequest]:
    """Return the requests for an item without any stored replies."""
    able = [metric for metric in metrics if not metric.lacks(item)]
    found = asyncio.run(rehearsed(able, item, Rehearsal()))
    return [
        PreviewedRequest(ask.name, metric_request.body(judge, ask)["messages"])
        for ask in found.asks
    ]
