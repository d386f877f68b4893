"""A tool that a judge can be exported for, and the text of the file it reads.

Values of a judge are written to a file as
literals only: whatever a prompt or a name holds, it cannot leave its quotation marks.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from concord.judges.definition.model import FUNCTION
from concord.judges.exporting.carried import Carried, patterns, template
from concord.judges.prompting.prompt import CODE_OF_ITEM, MARKERS_REWRITTEN, MATERIALS, reply_form
from concord.judges.prompting.reply import BROKEN_OFF, CUT_OFF, FILTERED
from concord.messages import Problem, joined, said

_WIDTH = 96
OTHER_JUDGE = "The exported judge differs from the one measured here; calibrate it before use."
# Keys of an endpoint that no file carries.
UNSENT = ("max_request_bytes", "proxy", "requests_per_minute", "tokens_per_minute")


class Target(NamedTuple):
    """A tool and its file.

    Attributes:
        title: What the file is, in a few words.
        file: The file's name, by default.
        write: The file's text.
        near: True where the tool writes the prompt or reads the reply, which makes another judge.
        unsent: Keys of the judge file that are not carried, besides those of every file.
    """

    name: str
    title: str
    file: str
    write: Callable[[Carried], str]
    near: bool = False
    unsent: tuple[str, ...] = ()

    def differences(self, carried: Carried) -> list[str]:
        """Return what differs from the judge as Concord runs it; docs/judge-files.md has more."""
        judge = carried.judge
        lost = [key for key in ("larger", *self.unsent) if getattr(judge, key)]
        lost += [key for key in UNSENT if getattr(judge.endpoint, key)]
        told = [said("Not exported: {keys}.", keys=joined(", ", lost))] if lost else []
        return ([OTHER_JUDGE] if self.near else []) + told


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
        "path": carried.judge.address(),
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


def asked_alone(carried: Carried, criterion: str, reply: str) -> list[dict[str, str]]:
    """Return the messages that ask about one criterion, with another form of the reply.

    Their texts are templates, as those of a `Call`.
    """
    alone = carried.judge.changed({"calls": "separate", "output": "text", "confidence": None})
    body = template(alone, carried.rubric, criterion, carried.shots)
    # Without `$`, since a criterion's name and a scale have none.
    form = reply_form(alone, carried.rubric, [carried.rubric.criterion(criterion)])
    changes = {form: reply} | {known: of_one_code(known) for known in MATERIALS}
    return [one | {"content": _replaced(one["content"], changes)} for one in body["messages"]]


def of_one_code(material: str) -> str:
    """Return what a prompt says of the texts where a tool fills them in, with one code for all."""
    return material.replace(CODE_OF_ITEM, "").replace(MARKERS_REWRITTEN, "")


def _replaced(text: str, changes: dict[str, str]) -> str:
    for old, new in changes.items():
        text = text.replace(old, new)
    return text


def lowest_passing(carried: Carried, criterion: str) -> int:
    """Return the lowest score that does not fail; the highest of all where each one fails."""
    scale, failing = carried.rubric.scale, carried.rubric.failing
    passing = {*scale} - failing(carried.rubric.criterion(criterion))
    return min(passing, default=scale[-1])


def tags(carried: Carried) -> dict[str, str]:
    """Return the judge and the digest and expiry of its certificate, as flat texts."""
    certificate = carried.certificate or {}
    return {
        "concord_judge": f"{carried.judge.name}@{carried.fingerprint}",
        "concord_certificate": certificate.get("digest") or "none",
        "concord_certificate_expires": certificate.get("expires_at") or "none",
    }


def refuse_decisions(carried: Carried, tool: str) -> None:
    """Raise a Problem for a decision model, which has no messages."""
    if carried.judge.kind == "decision":
        raise Problem(
            "{judge} is a decision model, which {tool} cannot ask. Export it for “python” or "
            "another tool.",
            judge=carried.judge.name,
            tool=tool,
        )


def refuse_endpoint(carried: Carried, tool: str, instead: str) -> None:
    """Raise a Problem where a tool could not reach the server, or would send it another key."""
    endpoint = carried.judge.endpoint
    if endpoint.azure_endpoint is not None or endpoint.auth_style() != "bearer":
        raise Problem(
            "{tool} sends keys as bearer tokens only, and {judge} has another `auth` or Azure. "
            "Export it for “{instead}”.",
            judge=carried.judge.name,
            tool=tool,
            instead=instead,
        )


def as_json(made: Any) -> str:
    """Return a value as indented JSON without characters that cannot be seen."""
    text = json.dumps(made, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    return "".join(
        one if one.isprintable() or one == "\n" else json.dumps(one)[1:-1] for one in text
    )
