"""Endpoint faults: what a server's error means for the run or for one answer, and what to change.

`RULES` is the one table: what tells a fault, what becomes of the request, and the remedy with the
line of the judge file. Runs stop or go on by it, and `check` adds the remedy of an answer's fault.
The first rule that applies counts. Pure.
"""

import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from concord.judges.definition.model import OUTPUTS, SETTINGS, Judge
from concord.judges.transport import api_keys
from concord.judges.transport.connections import TLS_FAULTS
from concord.judges.transport.response import PASSING
from concord.messages import Problem, duration, joined, on_command_line, said
from concord.text.display import visible

NO_CREDIT_CODES = ("insufficient_quota", "billing_hard_limit_reached", "insufficient_balance")
NO_MODEL_CODES = ("model_not_found", "DeploymentNotFound")
OUTPUT_KEYS = ("response_format", "tools", "tool_choice", "functions")
LIMIT_KEYS = ("max_tokens", "max_completion_tokens")

_INVALID = r"should be|must be|literal_error|validation error|unsupported|not support"
# What a message about a part of every request says of that part.
_UNSUPPORTED = re.compile(
    r"unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|invalid|deprecated|extra"
    rf"|cannot (both )?be|only one|{_INVALID}",
    re.I,
)
_TOO_HIGH = re.compile(r"too (large|high)|at most|less than|exceeds", re.I)
_CONTEXT = r"context[ _](length|window|size)|maximum context|too many (input )?tokens"


class EndpointProblem(Problem):
    """The endpoint refuses in a way that no further request would survive."""


class Fault(NamedTuple):
    """An error as the server tells it; texts are '' where it says nothing."""

    http_status: int
    code: str = ""
    param: str = ""
    message: str = ""
    location: str = ""


class Rule(NamedTuple):
    """A kind of fault.

    Attributes:
        code: What it is called.
        outcome: 'stop' where every further request would meet it; else the status of the answer.
        text: What is told; a stop says the remedy too.
        remedy: What `check` adds for one answer's fault.
        line: The key of the judge file that is to be changed; '' for none. In `text` and `remedy`
            it is {place}.
        statuses: Of the HTTP replies that may have it; empty for any.
        codes: The server's codes, one of which tells it, or else
        match: a pattern in its message, or else
        keys: the parts of every request that its message is about.
        of: What the judge must be: a `chat` or a `decision` model, or without a key; '' for any.
    """

    code: str
    outcome: str
    text: str
    remedy: str = ""
    line: str = ""
    statuses: range | tuple[int, ...] = ()
    codes: tuple[str, ...] = ()
    match: str = ""
    keys: tuple[str, ...] = ()
    of: str = ""

    def applies(self, judge: Judge, fault: Fault, key: str) -> bool:
        """True for a fault of this kind; `key` is the part of every request that it is about."""
        endpoint = judge.endpoint
        keyless = endpoint.auth_style() == "none" or not api_keys.value(endpoint.api_key_env)
        own = ("", "chat" if judge.chats else "decision", "keyless" if keyless else "")
        if self.of not in own or (self.statuses and fault.http_status not in self.statuses):
            return False
        tells = (
            fault.code in self.codes,
            self.match and re.search(self.match, f"{fault.param} {fault.message}", re.I),
            key in self.keys or (self.keys == ("*",) and key),
        )
        return any(tells) if self.codes or self.match or self.keys else True


_NO_CREDIT = (
    "The account behind {account} has no credit left{quoted} Add credit there, then start again; a "
    "run resumes where it stopped."
)
_NO_MODEL = (
    "{url} has no model “{model}”{quoted} Correct {place}, or use another model or "
    "address{on_command_line}."
)
_REFUSED = "The model refuses `{key}`{quoted} "
_ANSWERED = "The server answered {status}{quoted}"
_BAD = (400, 422)
_GONE = (404, 405, 410)

RULES = (
    Rule(
        "content_filter",
        "refused",
        _ANSWERED,
        "A harmless answer was refused: look at the content filter of the server.",
        statuses=(400, 403, 422),
        codes=("content_filter", "content_policy_violation", "invalid_prompt"),
        match=r"content management policy|\bflagged\b|\bmoderation\b",
    ),
    Rule("no_credit", "stop", _NO_CREDIT, statuses=(402,)),
    Rule("no_credit", "stop", _NO_CREDIT, codes=NO_CREDIT_CODES),
    Rule(
        "redirect",
        "stop",
        "{url} redirects to {address}, but Concord contacts only the address given. Correct "
        "{place}.",
        line="base_url",
        statuses=range(300, 400),
    ),
    Rule(
        "no_key",
        "stop",
        "{host} asks for a key ({status}){quoted} Set the environment variable {name} to it, or "
        "enter it on the screen under “Key for this session”; remove `auth` where the judge file "
        "sets it to none.",
        statuses=(401, 403),
        of="keyless",
    ),
    Rule(
        "key_refused",
        "stop",
        "{host} refused the key in {name} ({status}){quoted} Give one that may use {model} there.",
        statuses=(401, 403),
    ),
    Rule("no_model", "stop", _NO_MODEL, line="model", codes=NO_MODEL_CODES),
    Rule("no_model", "stop", _NO_MODEL, line="model", statuses=_GONE, match="model"),
    Rule(
        "not_an_endpoint",
        "stop",
        "{url} takes no decisions ({status}){quoted} Correct {place} or `dialect`; a server may "
        "have to be newer, or started with a decision model.",
        line="base_url",
        statuses=_GONE,
        of="decision",
    ),
    Rule(
        "not_an_endpoint",
        "stop",
        "{url} is not a chat completions endpoint ({status}){quoted} Correct {place}; addresses "
        "of compatible servers usually end in /v1.",
        line="base_url",
        statuses=_GONE,
    ),
    Rule(
        "no_probabilities",
        "stop",
        "The server cannot read probabilities from {model}{quoted} Name a model that it can: "
        "{place}.",
        line="model",
        statuses=(501,),
        of="decision",
    ),
    Rule(
        "not_one_token",
        "stop",
        "{model} writes a level in more than one token, so the server cannot read its "
        "probability{quoted} Name another model: {place}.",
        line="model",
        statuses=(400,),
        of="decision",
        match=r"\b(one|single|1)[ -]token|more than one token|multiple tokens",
    ),
    # The questions are the same for every answer; a fault in the texts is one of the answer.
    Rule(
        "questions_refused",
        "stop",
        "{model} refuses the questions{quoted} Grade by a rubric that the server takes: {place}.",
        line="rubric",
        statuses=_BAD,
        match=r"\b(questions?|criteria|levels?)\b",
        of="decision",
    ),
    Rule(
        "setting_refused",
        "stop",
        _REFUSED + "Set output to {others}: {place}.",
        line="output",
        keys=OUTPUT_KEYS,
        of="chat",
    ),
    Rule(
        "setting_refused",
        "stop",
        _REFUSED + "Set max_tokens_field to {other} under [endpoint]: {place}.",
        line="max_tokens_field",
        keys=("max_tokens_field",),
        of="chat",
    ),
    Rule(
        "setting_refused",
        "stop",
        _REFUSED + "Lower or remove {place}.",
        line="max_tokens",
        keys=LIMIT_KEYS,
        of="chat",
    ),
    Rule(
        "setting_refused",
        "stop",
        _REFUSED + "Set system_role to user under [endpoint]: {place}.",
        line="system_role",
        keys=("messages",),
        of="chat",
    ),
    Rule("setting_refused", "stop", _REFUSED + "Remove {place}.", keys=("*",), of="chat"),
    Rule(
        "too_long",
        "too_long",
        "The prompt and the longest reply together do not fit the model's context. " + _ANSWERED,
        "Name a model with a longer context: {place}.",
        line="model",
        statuses=(400, 413, 422),
        codes=("context_length_exceeded", "exceed_context_size_error", "prompt_too_long"),
        match=rf"{_CONTEXT}|too (long|large)",
    ),
    Rule(
        "too_long",
        "too_long",
        "The request is too large. " + _ANSWERED,
        "Name a model with a longer context: {place}.",
        line="model",
        statuses=(413,),
    ),
    Rule(
        "rate_limited",
        "failed",
        _ANSWERED,
        "Wait, then try again; or set requests_per_minute under [endpoint]: {place}.",
        line="requests_per_minute",
        statuses=(429,),
    ),
    Rule(
        "rejected",
        "failed",
        _ANSWERED,
        "The server rejects the request itself.",
        statuses=tuple(n for n in range(400, 500) if n not in PASSING),
    ),
    Rule("server_fault", "failed", _ANSWERED, "Check the server's own log."),
)


def status(judge: Judge, fault: Fault, sent: Mapping[str, Any]) -> tuple[str, str]:
    """The status of the answer and why, or an EndpointProblem that says what to change."""
    key = _refused_key(fault, sent)
    rule = next(one for one in RULES if one.applies(judge, fault, key))
    message = fault.message.rstrip(".")
    env, typed = judge.endpoint.api_key_env, api_keys.typed.get()
    host = urlsplit(judge.url()).netloc
    # A server that does not know an output mode names those it does.
    modes = [mode for mode in OUTPUTS if mode != judge.output]
    model = str(sent.get("model", judge.model))
    line = "larger" if rule.code == "no_model" and model != judge.model else rule.line or key
    values = {
        "account": host if judge.endpoint.auth_style() == "none" else env,
        "address": fault.location or "another address",
        "host": host,
        "key": LIMIT_KEYS[0] if key == "max_tokens_field" else key,
        "model": model,
        "name": f"{env} typed in this session" if typed.get(env) else env,
        "on_command_line": on_command_line("`--model`, `--base-url`"),
        "other": next((one for one in LIMIT_KEYS if one not in sent), ""),
        "others": joined(" or ", [m for m in modes if f"'{m}'" in fault.message] or modes),
        "place": _place(judge, line) if "{place}" in rule.text else "",
        "quoted": said(": {message}.", message=message) if message else ".",
        "status": fault.http_status,
        "url": judge.url() if judge.chats else judge.address(),
    }
    named = {name: value for name, value in values.items() if f"{{{name}}}" in rule.text}
    text = said(rule.text, fault_code=rule.code, **named)
    if rule.outcome == "stop":
        raise EndpointProblem(text)
    return rule.outcome, text


def has_no_credit(body: str) -> bool:
    """True where the body of a 429 says that the account has no credit; waiting is useless."""
    return any(f'"{code}"' in body for code in NO_CREDIT_CODES)


def refuses_form(body: str) -> bool:
    """True for an error about the requested reply format, whatever its status.

    llama-cpp-python answers 500 with a validation error where it does not know an output mode.
    """
    return bool(re.search(_INVALID, body, re.I)) and any(key in body for key in OUTPUT_KEYS)


def is_passing(http_status: int, headers: Mapping[str, str], body: str) -> bool:
    """True for a transient error: the same request may succeed a little later."""
    retry = headers.get("x-should-retry")
    if retry in ("true", "false"):
        return retry == "true"
    if http_status == 429:
        return not has_no_credit(body)
    if http_status == 501 or (http_status >= 500 and refuses_form(body)):
        return False
    return http_status in PASSING or http_status >= 500


def remedy(judge: Judge, code: str | None) -> str | str:
    """What `check` says to do about the fault of an answer; '' where the table says nothing."""
    rule = next((one for one in RULES if one.code == code and one.remedy), None)
    return said(rule.remedy, place=judge.place(rule.line)) if rule else ""


def read(http_status: int, body: Any, location: str = "") -> Fault:
    """The fault in an error's body, whatever shape it has."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return Fault(http_status, message=_short(error), location=location)
    message = error.get("message") or _detail(error.get("detail")) or error.get("error") or ""
    code = error.get("code") if isinstance(error.get("code"), str) else error.get("type")
    return Fault(http_status, _short(code), _short(error.get("param")), _short(message), location)


def error_status(http_status: int, body: Any, of_success: set[str]) -> int:
    """Return the HTTP status of a reply; of an error that a server wraps in a success, its own.

    A reply of success has a key of `of_success`; an error without a code counts as 502.
    """
    wraps = isinstance(body, dict) and "error" in body and not of_success & body.keys()
    if not wraps or not 200 <= http_status < 300:
        return http_status
    code = body["error"].get("code") if isinstance(body["error"], dict) else None
    return code if type(code) is int and 400 <= code < 600 else 502


def long_wait(judge: Judge, seconds: float) -> str:
    """The sentence for a server that asks to be left alone for longer than a run waits."""
    return said(
        "{server} asks to wait {time} before the next request. Start again then; a run resumes "
        "where it stopped.",
        server=urlsplit(judge.url()).netloc,
        time=duration(seconds),
        fault_code="long_wait",
    )


def unreachable(judge: Judge, why: str) -> str:
    """The sentence for an address where no server answers, or none that speaks TLS as it should."""
    text = said(
        "No secure connection to {url} ({why}). Check the TLS of the server, or correct {place}."
        if why in TLS_FAULTS
        else "No server answers at {url} ({why}). Check the network and that the server runs, or "
        "correct {place}.",
        url=judge.url(),
        why=why,
        place=_place(judge, "base_url"),
        fault_code="no_tls" if why in TLS_FAULTS else "unreachable",
    )
    named = {"https_proxy", "http_proxy"} & {key.lower() for key in os.environ}
    if not named or judge.endpoint.proxy is not None or judge.is_local():
        return text
    return joined(" ", [text, "A proxy is used only where [endpoint] of the judge file names it."])


def _refused_key(fault: Fault, sent: Mapping[str, Any]) -> str:
    """The part of every request that an error is about; '' where it is about the answer.

    'max_tokens_field' where the server wants the limit of a reply under its other name.
    """
    about = fault.message
    if not (fault.http_status in _BAD or refuses_form(about)):
        return ""
    named = re.split(r"[.\[]", fault.param)[0]
    unsupported = _UNSUPPORTED.search(about)
    too_high = _TOO_HIGH.search(about)
    if named in sent and named not in ("model", "messages"):
        key = named
    elif unsupported and re.search(r"\brole\b", fault.param or about):
        return "messages"
    elif named:
        return ""
    else:
        keys = [*LIMIT_KEYS] if too_high and not re.search(_CONTEXT, about, re.I) else []
        if unsupported:
            rest = [key for key in sent if key not in ("model", "messages")]
            keys = [*SETTINGS, *LIMIT_KEYS, *sorted(OUTPUT_KEYS), *rest]
        # A server may call the limit by either of its names, whichever was sent.
        said_as = {k: "|".join(LIMIT_KEYS) if k in LIMIT_KEYS else re.escape(k) for k in keys}
        named_keys = (k for k in keys if k in sent and re.search(rf"\b({said_as[k]})\b", about))
        key = next(named_keys, "")
    if key in LIMIT_KEYS and not too_high and any(k in about for k in LIMIT_KEYS if k != key):
        return "max_tokens_field"
    return key


def _place(judge: Judge, key: str) -> str:
    """Return where to change a key of the judge file, or the address that is used without one."""
    if key == "base_url" and judge.endpoint.azure_endpoint is not None:
        key = "azure_endpoint"
    elif key == "base_url" and not judge.endpoint.base_url and os.environ.get("OPENAI_BASE_URL"):
        return "the environment variable OPENAI_BASE_URL"
    return judge.place(key)


def _detail(told: Any) -> Any:
    """Return the `detail` of an error; a list of faults with their places as one sentence."""
    if not isinstance(told, list) or not all(isinstance(fault, dict) for fault in told):
        return told
    parts = []
    for fault in told:
        keys = fault["loc"] if isinstance(fault.get("loc"), list) else []
        place = ".".join(map(str, keys)).removeprefix("body").removeprefix(".")
        parts.append(": ".join(filter(None, (place, str(fault.get("msg", ""))))))
    return "; ".join(parts)


def _short(value: Any) -> str:
    """Return at most 300 characters on one line, without invisible ones."""
    text = "" if value is None else visible(value if isinstance(value, str) else str(value))
    text = " ".join(text.split())
    return text if len(text) <= 300 else text[:299] + "…"
