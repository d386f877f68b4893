"""Targets: the tools that a judge can be exported for, each a template of the file it reads.

Values of a judge are written to a file as literals only: whatever a prompt or a name holds, it
cannot leave its quotation marks. Files in Python send Concord's requests themselves. Where the tool
writes the prompt or reads the reply, the judge is near this one, and another.
"""

import json
import math
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
from concord.messages import Problem, joined, said

_WIDTH = 96
OTHER_JUDGE = "The exported judge differs from the one measured here; calibrate it before use."
# Keys of an endpoint that no file carries.
UNSENT = ("max_request_bytes", "proxy", "requests_per_minute", "tokens_per_minute")


class Target(NamedTuple):
    """A tool and its file.

    Attributes:
        title: What the file is, in a few words.
        file: The file's name, by default; its template is `NAME.jinja`.
        near: What asks in place of the file, which makes another judge; '' where the file asks.
        instead: The target for a key that is no bearer token, which what is near cannot send.
        unsent: Keys of the judge file that are not carried, besides those of every file.
    """

    name: str
    title: str
    file: str = "judge.py"
    near: str = ""
    instead: str = ""
    unsent: tuple[str, ...] = ()

    def write(self, carried: Carried) -> str:
        """Return the file's text; a Problem where the tool cannot ask such a judge."""
        judge, endpoint = carried.judge, carried.judge.endpoint
        if self.near and not judge.chats:
            raise Problem(
                "{judge} is a decision model, which {tool} cannot ask. Export it for “python” or "
                "another tool.",
                judge=judge.name,
                tool=self.near,
            )
        if self.instead and (endpoint.azure_endpoint or endpoint.auth_style() != "bearer"):
            raise Problem(
                "{tool} sends keys as bearer tokens only, and {judge} has another `auth` or Azure. "
                "Export it for “{instead}”.",
                judge=judge.name,
                tool=self.near,
                instead=self.instead,
            )

        def asked_alone(
            criterion: str,
            form: str,
            slots: dict[str, str],
            brace: str,
            before: str = "{",
            material: str = "",
        ) -> list[dict[str, str]]:
            """Return the messages that ask about one criterion, with another form of the reply.

            `slots`, `brace` and `before` are those of `filled`. `material` stands for what a prompt
            says of the texts; else they have one code.
            """
            alone = judge.changed({"calls": "separate", "output": "text", "confidence": None})
            asked = slotted_request(alone, carried.rubric, criterion, carried.shots)["messages"]
            # Without `$`, since a criterion's name and a scale have none.
            own_form = reply_form(alone, carried.rubric, [carried.rubric.criterion(criterion)])
            changes = {own_form: form}
            for known in MATERIALS:
                one_code = known.replace(CODE_OF_ITEM, "").replace(MARKERS_REWRITTEN, "")
                changes[known] = material or one_code
            for old, new in changes.items():
                asked = [one | {"content": one["content"].replace(old, new)} for one in asked]
            texts = (filled(one["content"], slots, brace, before) for one in asked)
            return [one | {"content": text} for one, text in zip(asked, texts, strict=True)]

        keys, about = carried.calls[0]["body"], carried.about()
        certificate = carried.certificate or {}
        scale = set(carried.rubric.scale)
        weights = [one.weight.denominator for one in carried.rubric.criteria]
        text = (
            _environment()
            .get_template(f"{self.name}.jinja")
            .render(
                judge=judge,
                rubric=carried.rubric,
                about=about,
                calls=carried.calls,
                host=urlsplit(judge.url()).hostname,
                key=next(key for key in ("messages", "input", "state") if key in keys),
                asked_alone=asked_alone,
                weights=math.lcm(*weights),
                tags={
                    "concord_judge": f"{judge.name}@{carried.fingerprint}",
                    "concord_certificate": certificate.get("digest", "none"),
                    "concord_certificate_expires": certificate.get("expires_at", "none"),
                },
                # The lowest score that passes, by criterion.
                lowest={
                    name: min(scale - {*one["failing"]} or {max(scale)})
                    for name, one in about["criteria"].items()
                },
            )
        )
        return text.rstrip() + "\n"

    def differences(self, carried: Carried) -> list[str]:
        """Return what differs from the judge as Concord runs it; docs/judge-files.md has more."""
        judge = carried.judge
        lost = [key for key in ("larger", *self.unsent) if getattr(judge, key)]
        lost += [key for key in UNSENT if getattr(judge.endpoint, key)]
        told = [said("Not exported: {keys}.", keys=joined(", ", lost))] if lost else []
        return ([OTHER_JUDGE] if self.near else []) + told


_UNREAD = ("logprobs", "confidence")
TARGETS = {
    one.name: one
    for one in (
        Target("deepeval", "a metric of DeepEval"),
        Target("inspect", "a scorer of Inspect"),
        Target("mlflow", "a scorer of MLflow"),
        Target(
            "mlflow-make-judge",
            "judges of MLflow's make_judge",
            near="make_judge of MLflow",
            instead="mlflow",
            unsent=_UNREAD,
        ),
        Target(
            "openai-grader",
            "graders of OpenAI",
            "graders.json",
            near="a grader of OpenAI",
            unsent=(
                *("frequency_penalty", "presence_penalty", "verbosity"),
                *("extra_body", "extra_headers", *_UNREAD),
            ),
        ),
        Target("openevals", "an evaluator of openevals and LangSmith"),
        Target("promptfoo", "a Python assertion of promptfoo"),
        Target(
            "promptfoo-llm-rubric",
            "llm-rubric assertions of promptfoo",
            "judge.yaml",
            near="llm-rubric of promptfoo",
            instead="promptfoo",
            unsent=_UNREAD,
        ),
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


def filled(text: str, slots: dict[str, str], brace: str, before: str = "{") -> str:
    """Return a request's text with slots filled; its own braces `before` others become `brace`."""
    return Template(re.sub(rf"\{{(?=[{before}])", brace, text)).substitute(slots)
