"""The exact request body of one call, the judge's identity, and the choice of the model.

Pure. The body built here is the one that is previewed, hashed, stored and sent.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from concord.definitions import Constant, digest, encoded
from concord.judges.definition.model import FUNCTION, Judge, Shot
from concord.judges.definition.prices import Band, token_band
from concord.judges.prompting.prompt import CONFIDENCE
from concord.model import Context, Item
from concord.rubrics.model import Criterion, Rubric


def strict(properties: dict[str, Any]) -> dict[str, Any]:
    """A strict object: every property required, no other allowed."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


# As many candidates for each token as servers list at most.
TOP_LOGPROBS = 20
_READ = ("messages", "input", "state", "questions")

PLACEHOLDER = Item(
    own_id="item",
    question_id="question",
    cluster=None,
    question="(question)",
    contexts=(Context("", "", "(context)", 1),),
    answer="(answer)",
    answer_model=None,
    reference=("(reference)",),
    reference_contexts=(),
    turns=None,
    synthetic=False,
    metadata={},
    row=1,
)


def request(
    judge: Judge, rubric: Rubric, item: Item, part: str = "", shots: Sequence[Shot] = ()
) -> dict[str, Any]:
    """The body of one call as it is sent to the judge's own model; arguments as for `messenger`."""
    return judge.requester(rubric, part, shots)(item)


def body(judge: Judge, chat: Sequence[Mapping[str, str]], form: dict[str, Any]) -> dict[str, Any]:
    """A request with any messages and any JSON schema, under the judge's settings."""
    return {
        "model": judge.model,
        "messages": list(chat),
        **_output(judge.output, form),
        **judge.settings(),
        **judge.extra_body,
    }


def schema(
    criteria: Sequence[Criterion], scale: Sequence[int], confidence: bool = False
) -> dict[str, Any]:
    """The strict JSON schema of the reply: by criterion, `reason` before `score`.

    With `confidence`, how sure the judge is of a score comes after it, in percent.
    """
    return strict({criterion.name: _grade(criterion, scale, confidence) for criterion in criteria})


def route(judge: Judge, sent: Mapping[str, Any]) -> str | None:
    """The model that a request fits: the judge's own, its larger sibling, or None if too long.

    Tokens are estimated from bytes as a band. Where there is a sibling, or the server cuts long
    prompts in silence, the upper estimate must fit; else only the lower, and the server has the
    last word. A model whose context size is not given is taken to fit. Room is kept for the reply:
    `max_tokens`, else 150 tokens for each criterion asked for; a decision model needs none. A
    request longer than the server takes, `max_request_bytes`, fits no model.
    """
    most = judge.endpoint.max_request_bytes
    if most is not None and len(encoded(sent)) > most:
        return None
    if judge.context_tokens is None:
        return judge.model
    low, high = prompt_band(sent)
    room = judge.room(_criteria_asked(sent))
    # A server that refuses long prompts says so and costs nothing; one that cuts them gives a wrong
    # score.
    certain = room + (high if judge.endpoint.cuts_long_prompts else low)
    larger = judge.larger
    if (certain if larger is None else high + room) <= judge.context_tokens:
        return judge.model
    if larger and (larger.context_tokens is None or certain <= larger.context_tokens):
        return larger.model
    return None


def to_larger(judge: Judge, sent: Mapping[str, Any]) -> dict[str, Any] | None:
    """The same request to the larger model; None without one, or if it was sent there."""
    if judge.larger is None or sent["model"] == judge.larger.model:
        return None
    return {**sent, "model": judge.larger.model}


def prompt_band(sent: Mapping[str, Any]) -> Band:
    """Return the range of tokens of a request's prompt, its schema or function included."""
    if "questions" in sent:
        return token_band("\n".join(message["content"] for message in messages(sent)))
    form = [sent[key] for key in ("tools", "response_format") if key in sent]
    texts = [message["content"] for message in sent["messages"]]
    return token_band("\n".join([*texts, *map(json.dumps, form)]))


def reply_band(judge: Judge, criteria: int) -> Band:
    """Return about how many tokens the reply on so many criteria takes."""
    return Band(*judge.reply_tokens(criteria))


def messages(sent: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return what a request has to read, for display: its messages, or its texts and questions."""
    if "questions" not in sent:
        return sent["messages"]
    key = next(name for name in ("input", "state") if name in sent)
    asked = sent["questions"]
    named = asked.items() if isinstance(asked, Mapping) else ((one["name"], one) for one in asked)
    found = [{"role": key, "content": sent[key]}]
    return found + [
        {"role": f"question {name}", "content": json.dumps(one, ensure_ascii=False, indent=2)}
        for name, one in named
    ]


def settings(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rest of a request: everything but what `messages` has."""
    return {key: value for key, value in sent.items() if key not in _READ}


def fingerprint(judge: Judge, rubric: Rubric, shots: Sequence[Shot] = ()) -> str:
    """Return the identity of a judge: 16 hex digits.

    The hash of the requests it would send for a placeholder item, the criterion versions, the
    larger sibling, the endpoint's URL without credentials, and the reading rule where there is one.
    """
    # Left out where there is none: the fingerprint is then the digest of the requests.
    reading = {"reading": judge.reading_rule()} if judge.reading_rule() else {}
    return digest(_identity(judge, rubric, shots) | reading)


def requests_digest(judge: Judge, rubric: Rubric, shots: Sequence[Shot] = ()) -> str:
    """Return the identity of a judge's requests, however the scores are read from the replies.

    It is the fingerprint where there is no reading rule.
    """
    return digest(_identity(judge, rubric, shots))


def _identity(judge: Judge, rubric: Rubric, shots: Sequence[Shot]) -> dict[str, Any]:
    """Return everything that decides which requests a judge sends, and where."""
    asked = judge.parts(rubric)
    return {
        "requests": {p: request(judge, rubric, PLACEHOLDER, p, shots) for p in asked},
        "criteria": rubric.versions(),
        "larger": judge.larger and judge.larger.model,
        # It decides which of two models answers; without a larger one it changes no reply.
        "context_tokens": judge.context_tokens if judge.larger else None,
        "headers": judge.extra_headers,
        # Another server may run other weights under the same model name.
        "endpoint": judge.url(),
    }


def _output(mode: str, form: dict[str, Any]) -> dict[str, Any]:
    """The part of the body that asks for an output mode."""
    if mode == "tool":
        about = "Takes the reason and the score of every criterion."
        function = {"name": FUNCTION, "description": about, "parameters": form, "strict": True}
        choice = {"type": "function", "function": {"name": FUNCTION}}
        return {"tools": [Constant(type="function", function=function)], "tool_choice": choice}
    if mode == "json_schema":
        named = {"name": "grading", "strict": True, "schema": form}
        return {"response_format": Constant(type="json_schema", json_schema=named)}
    return {"response_format": {"type": "json_object"}} if mode == "json_object" else {}


def _grade(criterion: Criterion, scale: Sequence[int], confidence: bool) -> dict[str, Any]:
    # The reason comes first: a model writes in this order, so its score follows from the reason.
    reason = {"type": "string", "description": f"What decides the score for {criterion.name}."}
    score = {"type": "integer", "enum": list(scale)}
    sure = {"confidence": {"type": "integer", "description": CONFIDENCE}} if confidence else {}
    return strict({"reason": reason, "score": score, **sure})


def _criteria_asked(sent: Mapping[str, Any]) -> int:
    """Return the number of criteria in a request's schema; 3 where it sends none."""
    if "tools" in sent:
        return len(sent["tools"][0]["function"]["parameters"]["properties"])
    named = sent.get("response_format", {}).get("json_schema")
    return len(named["schema"]["properties"]) if named else 3
