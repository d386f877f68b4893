"""Targets: the tools that a judge can be exported for, each a template of the file it reads.

Values of a judge are written to a file as literals only: whatever a prompt or a name holds, it
cannot leave its quotation marks. Files in Python send Concord's requests themselves. Where the tool
writes the prompt or reads the reply, the judge is near this one, and another.
"""

import json
import re
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from concord.judges.definition.model import FUNCTION
from concord.judges.exporting.carried import Carried, slotted_request
from concord.judges.prompting import delimiters, reply
from concord.judges.prompting.prompt import (
    CODE_OF_ITEM,
    MARKERS_REWRITTEN,
    MATERIALS,
    reply_form,
    skeleton,
)
from concord.judges.prompting.request import body, schema
from concord.messages import Problem, joined

_WIDTH = 96
OTHER_JUDGE = "The exported judge differs from the one measured here; calibrate it before use."
# Keys of an endpoint that no file carries.
UNSENT = ("max_request_bytes", "proxy", "requests_per_minute", "tokens_per_minute")


class Target(NamedTuple):
    """A tool and its file.

    Attributes:
        title: What the file is, in a few words.
        file: The file's name, by default; its template is `NAME.jinja`.
        near: True where promptfoo asks in place of the file, which makes another judge.
    """

    name: str
    title: str
    file: str = "judge.py"
    near: bool = False

    def write(self, carried: Carried) -> str:
        """Return the file's text; a Problem where the tool cannot ask such a judge."""
        judge, endpoint = carried.judge, carried.judge.endpoint
        if self.near and not (
            judge.chats and endpoint.azure_endpoint is None and endpoint.auth_style() == "bearer"
        ):
            raise Problem(
                "llm-rubric of promptfoo asks chat models with a bearer token only, and {judge} is "
                "another. Export it for “promptfoo”.",
                judge=judge.name,
            )

        def asked_alone(criterion: str, form: str, slots: dict[str, str]) -> list[dict[str, str]]:
            """Return the messages that ask about one criterion, with another form of the reply.

            All texts have one code.
            """
            alone = judge.changed({"calls": "separate", "output": "text", "confidence": None})
            asked = slotted_request(alone, carried.rubric, criterion, carried.shots)["messages"]
            # Without `$`, since a criterion's name and a scale have none.
            own_form = reply_form(alone, carried.rubric, [carried.rubric.criterion(criterion)])
            changes = {own_form: form}
            for known in MATERIALS:
                changes[known] = known.replace(CODE_OF_ITEM, "").replace(MARKERS_REWRITTEN, "")
            for old, new in changes.items():
                asked = [one | {"content": one["content"].replace(old, new)} for one in asked]
            return [one | {"content": filled(one["content"], slots)} for one in asked]

        keys = carried.calls[0]["body"]
        template = _environment().get_template(f"{self.name}.jinja")
        text = template.render(
            judge=judge,
            rubric=carried.rubric,
            about=carried.about(),
            calls=carried.calls,
            host=urlsplit(judge.url()).hostname,
            key=next(key for key in ("messages", "input", "state") if key in keys),
            asked_alone=asked_alone,
        )
        return text.rstrip() + "\n"

    def differences(self, carried: Carried) -> list[str]:
        """Return what differs from the judge as Concord runs it; docs/judge-files.md has more."""
        judge, unsent = carried.judge, ("logprobs", "confidence") if self.near else ()
        lost = [key for key in ("larger", *unsent) if getattr(judge, key)]
        lost += [key for key in UNSENT if getattr(judge.endpoint, key)]
        told = [f"Not exported: {', '.join(lost)}."] if lost else []
        return ([OTHER_JUDGE] if self.near else []) + told


TARGETS = {
    one.name: one
    for one in (
        Target("inspect", "a scorer of Inspect"),
        Target("mlflow", "a scorer of MLflow"),
        Target("openevals", "an evaluator of openevals and LangSmith"),
        Target("promptfoo", "a Python assertion of promptfoo"),
        Target("promptfoo-llm-rubric", "llm-rubric assertions of promptfoo", "judge.yaml", True),
        Target("pytest", "a test file that reads answers.jsonl", "test_judge.py"),
        Target("python", "a Python module"),
    )
}


def named(name: str) -> Target:
    """Return the target of that name; a Problem that lists them otherwise."""
    if name not in TARGETS:
        raise Problem(
            "There is no export for “{name}”. Name one of: {names}.",
            name=name,
            names=joined(", ", TARGETS),
        )
    return TARGETS[name]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined,
        autoescape=False,  # the files are no HTML; every value is written as a literal
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"literal": literal, "json": as_json, "filled": filled}
    environment.globals |= {
        **{"function": FUNCTION, "body": body, "schema": schema, "skeleton": skeleton},
        "unfinished": sorted(reply.FILTERED | reply.CUT_OFF | reply.BROKEN_OFF),
        "opening": delimiters.OPENING.pattern,
        "closing": delimiters.CLOSING.pattern,
        "token": delimiters.CHAT_TOKEN.pattern,
        "thought": reply.THOUGHT.pattern,
        "thinking": reply.THINKING.pattern,
    }
    return environment


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


def as_json(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON without characters that cannot be seen."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def filled(text: str, slots: dict[str, str]) -> str:
    """Return a request's text with slots filled; its own braces of Nunjucks are escaped."""
    return Template(re.sub(r"\{(?=[{%#])", '{{ "{" }}', text)).substitute(slots)
