"""Meaning of a server's error for the run or for one item, and the line of a file to change.

Pure. An error that every further request would meet is raised as an EndpointProblem; any other
becomes the status of the one item.
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

TOO_LONG_CODES = {"context_length_exceeded", "exceed_context_size_error", "prompt_too_long"}
REFUSED_CODES = {"content_filter", "content_policy_violation", "invalid_prompt"}
NO_CREDIT_CODES = {"insufficient_quota", "billing_hard_limit_reached", "insufficient_balance"}
NO_MODEL_CODES = {"model_not_found", "DeploymentNotFound"}
OUTPUT_KEYS = {"response_format", "tools", "tool_choice", "functions"}
MAX_TOKENS_FIELDS = ("max_tokens", "max_completion_tokens")

_TOO_LONG = re.compile(
    r"context[ _](length|window|size)|maximum context|too many (input )?tokens|too (long|large)",
    re.I,
)
_FILTERED = re.compile(r"content management policy|\bflagged\b|\bmoderation\b", re.I)
_NOT_ONE_TOKEN = re.compile(r"\b(one|single|1)[ -]token|more than one token|multiple tokens", re.I)
_INVALID = re.compile(
    r"should be|must be|literal_error|validation error|unsupported|not support", re.I
)
_UNSUPPORTED = re.compile(
    r"unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|invalid|deprecated|extra"
    rf"|{_INVALID.pattern}",
    re.I,
)


class EndpointProblem(Problem):
    """The endpoint refuses in a way that no further request would survive."""


class Fault(NamedTuple):
    """An error as the server tells it; texts are '' where it says nothing."""

    http_status: int
    code: str = ""
    param: str = ""
    message: str = ""
    location: str = ""


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


def status(judge: Judge, fault: Fault, sent: Mapping[str, Any]) -> tuple[str, str]:
    """The status of the item and why, or an EndpointProblem that says what to change."""
    problem = "" if _is_refusal(fault) else _for_the_run(judge, fault, sent)
    if problem:
        raise EndpointProblem(problem)
    told = said(
        "The server answered {status}{quoted}", status=fault.http_status, quoted=_quoted(fault)
    )
    if _is_too_long(fault):
        fits = "The prompt does not fit the model's context."
        return "too_long", joined(" ", [fits, told])
    return ("refused" if _is_refusal(fault) else "failed"), told


def has_no_credit(body: str) -> bool:
    """True where the body of a 429 says that the account has no credit; waiting is useless."""
    return any(f'"{code}"' in body for code in NO_CREDIT_CODES)


def refuses_form(body: str) -> bool:
    """True for an error about the requested reply format, whatever its status.

    llama-cpp-python answers 500 with a validation error where it does not know an output mode.
    """
    return bool(_INVALID.search(body)) and any(key in body for key in OUTPUT_KEYS)


def is_passing(http_status: int, headers: Mapping[str, str], body: str) -> bool:
    """True for a transient error: the same request may succeed a little later."""
    retry = headers.get("x-should-retry")
    if retry in ("true", "false"):
        return retry == "true"
    if http_status == 429:
        return not has_no_credit(body)
    if http_status == 501:
        return False
    if http_status >= 500 and refuses_form(body):
        return False
    return http_status in PASSING or http_status >= 500


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
    if why in TLS_FAULTS:
        return said(
            "No secure connection to {url} ({why}). Check the TLS of the server, or correct "
            "{place}.",
            url=judge.url(),
            why=why,
            place=_url_place(judge),
            fault_code="no_tls",
        )
    proxies = sorted(key for key in os.environ if key.lower() in ("https_proxy", "http_proxy"))
    here = judge.is_local()
    note = ""
    if proxies and judge.endpoint.proxy is None and not here:
        note = (
            f"{proxies[0]} is set, but Concord goes through a proxy only where the judge "
            "file names one: `proxy` under [endpoint]."
        )
    text = said(
        "No server answers at {url} ({why}). Start the server, or correct {place}."
        if here
        else "No server answers at {url} ({why}). Check the network, or correct {place}.",
        url=judge.url(),
        why=why,
        place=_url_place(judge),
        fault_code="unreachable",
    )
    return joined(" ", [text, note])


def _is_too_long(fault: Fault) -> bool:
    if fault.http_status not in (400, 413, 422):
        return False
    told = fault.code in TOO_LONG_CODES or bool(_TOO_LONG.search(fault.message))
    return told or fault.http_status == 413


def _is_refusal(fault: Fault) -> bool:
    """True where a content filter stopped this one item."""
    if fault.http_status not in (400, 403, 422):
        return False
    return fault.code in REFUSED_CODES or bool(_FILTERED.search(fault.message))


def _for_the_run(judge: Judge, fault: Fault, sent: Mapping[str, Any]) -> str:
    """The sentence for an error that every further request would meet; '' otherwise."""
    if fault.http_status == 402 or fault.code in NO_CREDIT_CODES:
        return said(
            "The account behind {name} has no credit left{quoted} Add credit there, then start "
            "again; a run resumes where it stopped.",
            name=urlsplit(judge.url()).netloc
            if judge.endpoint.auth_style() == "none"
            else judge.endpoint.api_key_env,
            quoted=_quoted(fault),
            fault_code="no_credit",
        )
    if 300 <= fault.http_status < 400:
        return said(
            "{url} redirects to {address}, but Concord contacts only the address given. Correct "
            "{place}.",
            url=judge.url(),
            address=fault.location or "another address",
            place=_url_place(judge),
            fault_code="redirect",
        )
    if fault.http_status in (401, 403):
        return _key_refused(judge, fault)
    if fault.http_status in (404, 405, 410) or fault.code in NO_MODEL_CODES:
        return _not_found(judge, fault, sent)
    if judge.kind == "decision":
        return _decision_refused(judge, fault)
    if fault.http_status in (400, 422) or refuses_form(fault.message):
        return _setting_refused(judge, fault, sent)
    return ""


def _key_refused(judge: Judge, fault: Fault) -> str:
    env = judge.endpoint.api_key_env
    sends_none = judge.endpoint.auth_style() == "none"
    told = {"host": urlsplit(judge.url()).netloc, "status": fault.http_status}
    told |= {"quoted": _quoted(fault), "name": env}
    if sends_none or not api_keys.value(env):
        return said(
            "{host} asks for a key ({status}){quoted} Set the environment variable {name} to it"
            "{otherwise}.",
            otherwise=", and remove auth if the judge file sets it to none"
            if sends_none
            else ", or enter it on the screen under “Key for this session”",
            **told,
            fault_code="no_key",
        )
    typed = api_keys.typed.get().get(env)
    return said(
        "{host} refused the key {which} ({status}){quoted} Give one that may use {model} there.",
        which=f"typed in this session for {env}" if typed else f"in {env}",
        model=judge.model,
        **told,
        fault_code="key_refused",
    )


def _not_found(judge: Judge, fault: Fault, sent: Mapping[str, Any]) -> str:
    url, model = judge.url(), str(sent.get("model"))
    if fault.code in NO_MODEL_CODES or "model" in (fault.param or fault.message.lower()):
        key = "model" if model == judge.model else "larger"
        return joined(" ", [
            said(
                "{url} has no model “{model}”{quoted}", url=url, model=model, quoted=_quoted(fault)
            , fault_code="no_model"),
            judge.retired and "Its maker has retired it; another server may have it.",
            said(
                "Correct {place}, or use another model or address{on_command_line}.",
                place=judge.place(key),
                on_command_line=on_command_line("`--model`, `--base-url`"),
            ),
        ])  # fmt: skip
    if judge.kind == "decision":
        return said(
            "{url} takes no decisions ({status}){quoted} Correct {place} or {dialect}; a server "
            "may have to be newer, or started with a decision model.",
            url=judge.address(),
            status=fault.http_status,
            quoted=_quoted(fault),
            place=_url_place(judge),
            dialect=judge.place("dialect"),
            fault_code="not_an_endpoint",
        )
    return said(
        "{url} is not a chat completions endpoint ({status}){quoted} Correct {place}; addresses of "
        "compatible servers usually end in /v1.",
        url=url,
        status=fault.http_status,
        quoted=_quoted(fault),
        place=_url_place(judge),
        fault_code="not_an_endpoint",
    )


def _decision_refused(judge: Judge, fault: Fault) -> str:
    """Return the line to change where every decision request would be refused; '' otherwise."""
    told = {"model": judge.model, "quoted": _quoted(fault), "place": judge.place("model")}
    if fault.http_status == 501:
        return said(
            "The server cannot read probabilities from {model}{quoted} Name a model that it can: "
            "{place}.",
            **told,
            fault_code="no_probabilities",
        )
    if fault.http_status == 400 and _NOT_ONE_TOKEN.search(fault.message):
        return said(
            "{model} writes a level in more than one token, so the server cannot read its "
            "probability{quoted} Name another model: {place}.",
            **told,
            fault_code="not_one_token",
        )
    about = f"{fault.param} {fault.message}"
    # The questions are the same for every item; a fault in the texts is one of the item.
    if fault.http_status in (400, 422) and re.search(r"\b(questions?|criteria|levels?)\b", about):
        return said(
            "{model} refuses the questions{quoted} Grade by a rubric that the server takes: "
            "{place}.",
            model=judge.model,
            quoted=_quoted(fault),
            place=judge.place("rubric"),
            fault_code="questions_refused",
        )
    return ""


def _setting_refused(judge: Judge, fault: Fault, sent: Mapping[str, Any]) -> str:
    """Return the line to change where the server rejects something that every request contains."""
    key = _refused_key(fault, sent)
    if not key:
        return ""
    if key in OUTPUT_KEYS:
        others = [mode for mode in OUTPUTS if mode != judge.output]
        others = [mode for mode in others if f"'{mode}'" in fault.message] or others
        change = said(
            "Set output to {others}: {place}",
            others=joined(" or ", others),
            place=judge.place("output"),
        )
    elif key in MAX_TOKENS_FIELDS:
        # The limit goes by two names; a server that names the other one wants that.
        other = MAX_TOKENS_FIELDS[1 - MAX_TOKENS_FIELDS.index(key)]
        change = said("Lower or remove {place}", place=judge.place("max_tokens"))
        if other in fault.message:
            change = said(
                "Set max_tokens_field to {other} under [endpoint]: {place}",
                other=other,
                place=judge.place("max_tokens_field"),
            )
    elif key == "messages":
        change = said(
            "Set system_role to user under [endpoint]: {place}", place=judge.place("system_role")
        )
    else:
        change = said("Remove {place}", place=judge.place(key))
    return said(
        "{model} refuses `{key}`{quoted} {change}.",
        model=sent.get("model"),
        key=key,
        quoted=_quoted(fault),
        change=change,
        fault_code="setting_refused",
    )


def _refused_key(fault: Fault, sent: Mapping[str, Any]) -> str:
    """The key of the request that the error is about; '' where it is about the item."""
    named = re.split(r"[.\[]", fault.param)[0]
    if named in sent and named not in ("model", "messages"):
        return named
    if re.search(r"\brole\b", fault.param or fault.message) and _UNSUPPORTED.search(fault.message):
        return "messages"
    if named or not _UNSUPPORTED.search(fault.message):
        return ""
    keys = [*SETTINGS, *MAX_TOKENS_FIELDS, *sorted(OUTPUT_KEYS)]
    keys += [key for key in sent if key not in keys and key not in ("model", "messages")]
    found = (k for k in keys if k in sent and re.search(rf"\b{re.escape(k)}\b", fault.message))
    return next(found, "")


def _url_place(judge: Judge) -> str:
    if judge.endpoint.azure_endpoint is not None:
        return judge.place("azure_endpoint")
    if judge.endpoint.base_url is None and os.environ.get("OPENAI_BASE_URL"):
        return "the environment variable OPENAI_BASE_URL"
    return judge.place("base_url")


def _quoted(fault: Fault) -> str:
    """Return the server's message, ready for the end of a sentence."""
    message = fault.message.rstrip(".")
    return said(": {message}.", message=message) if message else "."


def _detail(told: Any) -> Any:
    """Return the `detail` of an error; a list of faults with their places as one sentence."""
    if not isinstance(told, list) or not all(isinstance(fault, dict) for fault in told):
        return told
    return "; ".join(
        ": ".join(filter(None, [_place(fault.get("loc")), str(fault.get("msg", ""))]))
        for fault in told
    )


def _place(loc: Any) -> str:
    """Return where in the request a fault is, as questions.correctness.criteria."""
    keys = loc if isinstance(loc, list) else []
    return ".".join(map(str, keys[1:] if keys[:1] == ["body"] else keys))


def _short(value: Any) -> str:
    """Return at most 300 characters on one line, without invisible ones."""
    text = "" if value is None else visible(value if isinstance(value, str) else str(value))
    text = " ".join(text.split())
    return text if len(text) <= 300 else text[:299] + "…"
