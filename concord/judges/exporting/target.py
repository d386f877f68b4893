"""A tool that a judge can be exported for, and the text of the file it reads.

Values of a judge are written to a file as
literals only: whatever a prompt or a name holds, it cannot leave its quotation marks.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from concord.judges.definition.model import FUNCTION
from concord.judges.exporting.carried import Carried, patterns
from concord.judges.prompting.reply import BROKEN_OFF, CUT_OFF, FILTERED
from concord.messages import said

_WIDTH = 96


class Target(NamedTuple):
    """A tool and its file.

    Attributes:
        title: What the file is, in a few words.
        file: The file's name, by default.
        write: The file's text.
        differences: What differs from the judge as Concord runs it, in sentences.
    """

    name: str
    title: str
    file: str
    write: Callable[[Carried], str]
    differences: Callable[[Carried], list[str]]


def literal(value: Any, indent: int = 0) -> str:
    """Return a value as a Python literal: one line, or one for each part and each line of text."""
    flat, inner = repr(value), " " * (indent + 4)
    several = isinstance(value, str) and "\n" in value.rstrip("\n")
    if not several and (indent + len(flat) <= _WIDTH or not isinstance(value, dict | list)):
        return flat
    if isinstance(value, dict):
        parts = [f"{key!r}: {literal(one, indent + 4)}," for key, one in value.items()]
    elif isinstance(value, list):
        parts = [f"{literal(one, indent + 4)}," for one in value]
    else:
        parts = [repr(line) for line in value.splitlines(keepends=True)]
    opening, closing = {dict: "{}", list: "[]", str: "()"}[type(value)]
    return "\n".join([opening, *(inner + part for part in parts), " " * indent + closing])


def python(template: str) -> Callable[[Carried], str]:
    """Return the writer of a Python file from a template of the folder `templates`."""

    def write(carried: Carried) -> str:
        return rendered(template, _values(carried))

    return write


def rendered(template: str, values: Mapping[str, Any]) -> str:
    """Return the file of a template of the folder `templates`."""
    return _environment().get_template(template).render(values).rstrip() + "\n"


def of_requests(carried: Carried) -> list[str]:
    """Return what differs where the tool sends the requests of Concord itself."""
    judge, found = carried.judge, []
    if judge.larger is not None:
        found.append(
            said(
                "A prompt too long for {model} is not sent to {larger}; the server refuses it.",
                model=judge.model,
                larger=judge.larger.model,
            )
        )
    elif judge.context_tokens or judge.endpoint.max_request_bytes:
        found.append(said("The length of a prompt is not checked before it is sent."))
    if judge.endpoint.proxy:
        found.append(said("The proxy of the judge file is not used."))
    if judge.endpoint.requests_per_minute or judge.endpoint.tokens_per_minute:
        found.append(said("Rate limits of the judge file are not kept."))
    if judge.kind == "decision" or judge.logprobs or judge.confidence:
        found.append(said("Only the score is returned, without the probability of each score."))
    if "turns" in carried.shown:
        found.append(said("Tool calls in earlier turns are not written into the prompt."))
    found.append(
        said("Look-alikes of the delimiters in a text (other brackets, &lt;) are sent as they are.")
    )
    if judge.kind != "decision":
        found.append(said("A reply with more than one JSON object gets no score."))
    return found


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined,
        autoescape=False,  # the files are no HTML; every value goes through `literal`
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["literal"] = literal
    return environment


def _values(carried: Carried) -> Mapping[str, Any]:
    """Return the values of a template, all of them data."""
    judge, endpoint = carried.judge, carried.judge.endpoint
    azure, auth = endpoint.azure_endpoint is not None, endpoint.auth_style()
    address = (
        {"azure_endpoint": endpoint.azure_endpoint, "api_version": endpoint.api_version}
        if azure
        else {"base_url": judge.url()}
    )
    reached = address | {
        "path": carried.path(),
        "key": endpoint.api_key_env,
        "headers": judge.extra_headers,
        "timeout_s": endpoint.timeout_s,
    }
    body = carried.calls[0].body
    return {
        "about": carried.about(),
        "calls": [{"criteria": list(one.criteria), "body": one.body} for one in carried.calls],
        "endpoint": reached,
        "patterns": patterns(),
        "unfinished": sorted(FILTERED | CUT_OFF | BROKEN_OFF),
        "function": FUNCTION,
        "fields": ["score", "reason", *(["confidence"] if judge.confidence else [])],
        "azure": azure,
        "auth": auth,
        "local": judge.is_local(),
        "openai": urlsplit(judge.url()).hostname == "api.openai.com",
        "own_header": auth in ("api-key", "x-api-key") and not azure,
        "dialect": judge.dialect,
        "key": next(name for name in ("messages", "input", "state") if name in body),
    }
