"""Findings: what one reply shows of a judge, its endpoint and its settings. Pure."""

import json
import os
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from judges import price
from judges.answer import Answer
from judges.measuring import question
from judges.measuring.unmeasured import Unmeasured
from judges.model import Judge
from judges.prompt import FUNCTION, parts
from judges.reply import Verdict, parse
from judges.request import REPLY_TOKENS_PER_CRITERION, prompt_band
from rubrics.model import Rubric, canonical_json


class Finding(NamedTuple):
    """One thing that was looked at; `holds` is None where there is nothing to hold or to tell."""

    what: str
    holds: bool | None
    sentence: str


class Sent(NamedTuple):
    """A request on its way: the judge, what it grades by, the body and its part.

    `ask` is that of a measure, where the request is one; its form takes the criteria's place.
    """

    judge: Judge
    rubric: Rubric
    part: str
    body: dict[str, Any]
    calls: int
    ask: Any = None


def of_answer(
    sent: Sent,
    answer: Answer,
    prices: Sequence[price.Price],
    today: date,
    environ: Mapping[str, str] = os.environ,
) -> list[Finding]:
    """What an answer shows, in the order in which a user would put things right."""
    if answer.http_status is None or answer.status == "failed":
        why = answer.why or "No reply came."
        return [Finding("reached", False, f"{why} Check the server's own log, then check again.")]
    found = [_reached(answer), _key(sent.judge, environ)]
    if answer.status:
        return [*found, Finding("reply", False, _unanswered(sent, answer))]
    names = _names(sent)
    return [
        *found,
        _reply(sent, _verdicts(sent, answer.completion, names)),
        _output(sent, answer.completion, names),
        _settings(sent, answer),
        _model(sent, answer),
        _usage(answer),
        _cost(sent, answer, prices, today),
    ]


def retired(judge: Judge, today: date) -> list[Finding]:
    """The warning about a model that is or will be retired, where there is one."""
    warning = judge.retirement(today)
    return [Finding("retirement", None, warning)] if warning else []


def _reached(answer: Answer) -> Finding:
    again = f" after {answer.retries} tries that failed" if answer.retries else ""
    seconds = f" in {answer.latency:.2f} s" if answer.latency is not None else ""
    return Finding("reached", True, f"The server answered{seconds}{again}.")


def _key(judge: Judge, environ: Mapping[str, str]) -> Finding:
    env = judge.endpoint.api_key_env
    if judge.endpoint.auth_style() == "none" or not environ.get(env, "").strip():
        return Finding("key", True, "The server asks for none, and none was sent.")
    return Finding("key", True, f"The key in {env} was accepted.")


def _unanswered(sent: Sent, answer: Answer) -> str:
    """Why the reply is no chat completion, and what to do."""
    remedy = {
        "too_long": f"Name a model with a larger context: {sent.judge.place('model')}.",
        "refused": "A harmless item was refused: look at the content filter of the server.",
    }.get(answer.status, "The address may be no chat completions server; correct base_url.")
    return f"{answer.why} {remedy}"


def _names(sent: Sent) -> list[str]:
    """The keys that the reply must hold."""
    if sent.ask is not None:
        return [*sent.ask.form]
    return [criterion.name for criterion in parts(sent.judge, sent.rubric)[sent.part]]


def _verdicts(sent: Sent, completion: Any, names: Sequence[str]) -> dict[str, Verdict]:
    """What came under each key; of a measure's ask one verdict on the whole reply."""
    if sent.ask is None:
        return parse(completion, names, sent.rubric.scale)
    try:
        question.read(completion, sent.ask)
    except Unmeasured as error:
        return {sent.ask.name: Verdict(error.status, why=error.reason)}
    return {}


def _reply(sent: Sent, verdicts: dict[str, Verdict]) -> Finding:
    """Whether every criterion got a score."""
    faults = {name: verdict for name, verdict in verdicts.items() if verdict.status != "scored"}
    if not faults:
        given = ", ".join(f"{name} {verdict.score}" for name, verdict in verdicts.items())
        if sent.ask is not None:
            return Finding("reply", True, f"A verdict in the form that {sent.ask.name} asks for.")
        return Finding("reply", True, f"A score for every criterion: {given}.")
    why = "; ".join(f"{name}: {verdict.status}. {verdict.why}" for name, verdict in faults.items())
    return Finding("reply", False, f"{why} {_reply_remedy(sent, faults)}")


def _reply_remedy(sent: Sent, faults: dict[str, Verdict]) -> str:
    if any(verdict.status == "truncated" for verdict in faults.values()):
        limit = sent.judge.max_tokens
        change = f"Raise {_line(sent.judge, 'max_tokens')}" if limit else "Set max_tokens higher"
        return f"{change}, or allow the server longer replies."
    if any(verdict.status == "refused" for verdict in faults.values()):
        return f"Name another model: {_line(sent.judge, 'model')}."
    return f"Try another output mode, or a stronger model: {_line(sent.judge, 'output')}."


def _output(sent: Sent, completion: dict[str, Any], names: Sequence[str]) -> Finding:
    """Whether the reply came in the form asked for, or could only be found in other text."""
    mode = sent.judge.output
    if mode == "text":
        return Finding("output", None, "Plain text was asked for, so no form can be ignored.")
    if _honoured(mode, completion, names):
        return Finding("output", True, f"The server keeps to {mode}.")
    return Finding(
        "output",
        False,
        f"The server ignored {mode}: the reply is not in that form alone. Set output to "
        f"{_other_modes(mode)}: {_line(sent.judge, 'output')}.",
    )


def _honoured(mode: str, completion: dict[str, Any], names: Sequence[str]) -> bool:
    try:
        message = completion["choices"][0]["message"]
        if mode == "tool":
            (call,) = message["tool_calls"]
            return call["function"]["name"] == FUNCTION
        value = json.loads(message["content"])
    except (LookupError, TypeError, ValueError, RecursionError):
        return False
    return isinstance(value, dict) and (mode == "json_object" or value.keys() == {*names})


def _other_modes(mode: str) -> str:
    return " or ".join(m for m in ("json_schema", "tool", "json_object", "text") if m != mode)


def _settings(sent: Sent, answer: Answer) -> Finding:
    """Settings the server took; that it acts on them one call shows only for the reply's length."""
    given = {**sent.judge.settings(), **sent.judge.extra_body}
    if not given:
        return Finding("settings", True, "The judge file sets none, so none was sent.")
    limit = sent.judge.max_tokens
    if limit and answer.usage and answer.usage.output > limit:
        return Finding(
            "settings",
            False,
            f"The server ignored the limit of {limit} tokens and wrote {answer.usage.output}. Set "
            "max_tokens_field under [endpoint] to the other name of it, or remove "
            f"{_line(sent.judge, 'max_tokens')}.",
        )
    named = ", ".join(f"{key} = {canonical_json(value)}" for key, value in given.items())
    return Finding(
        "settings", True, f"Accepted: {named}. Whether the server acts on them it does not say."
    )


def _model(sent: Sent, answer: Answer) -> Finding:
    if not answer.model:
        return Finding("model", None, "The server does not say which model answered.")
    return Finding("model", True, f"{answer.model} answered; {sent.judge.model} was asked for.")


def _usage(answer: Answer) -> Finding:
    if answer.usage is None:
        return Finding(
            "usage", None, "The server reports no tokens, so costs are estimated from text."
        )
    said = f"{answer.usage.input:,} tokens in, {answer.usage.output:,} out"
    return Finding("usage", True, f"The server reports it: {said}.")


def _cost(sent: Sent, answer: Answer, prices: Sequence[price.Price], today: date) -> Finding:
    """About what 1,000 answers like the built-in one cost; real ones are mostly longer."""
    found = price.price_of(prices, sent.judge, today)
    if found is None:
        return Finding(
            "cost",
            None,
            f"Unknown: judges/prices.toml has no price for {sent.judge.model}. Add it there.",
        )
    band = _cost_band(sent, answer, found)
    if not band[1]:
        return Finding("cost", True, "Free: the server is on this machine.")
    low, high = (1000 * sent.calls * usd for usd in band)
    usd = f"${low:.2f}" if low == high else f"${low:.2f}-${high:.2f}"
    many = "requests" if sent.judge.kind == "metric" else "answers"
    said = f"About {usd} for 1,000 {many} as short as this one, at prices of {found.date}."
    return Finding("cost", True, said)


def _cost_band(sent: Sent, answer: Answer, found: price.Price) -> tuple[Decimal, Decimal]:
    """USD of one call: as reported, else a lower and an upper estimate from the text."""
    if answer.usage is not None:
        exact = price.cost(answer.usage, found)
        return exact, exact
    per_call = len(_names(sent))
    output = price.Band(30 * per_call, REPLY_TOKENS_PER_CRITERION * per_call)
    return price.cost_band(price.Expected(prompt_band(sent.body), output, False), found)


def _line(judge: Judge, key: str) -> str:
    """Where to change a key; a file that ships is to be copied first."""
    copy = " (it ships with Concord: change a copy, and give its path)" * judge.is_preset()
    return f"{judge.place(key)}{copy}"
