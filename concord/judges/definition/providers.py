"""Endpoints: the servers whose quirks are known, and a judge file to begin with for each."""

import datetime
import re
import textwrap
from functools import cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field

from concord.definitions import Frozen, canonical_json
from concord.judges.definition.endpoint import Endpoint
from concord.judges.definition.model import Judge, Output, as_toml
from concord.messages import Problem, joined, said
from concord.rubrics.model import FIRST, read_text, validated

FILE = Path(__file__).parent / "providers.toml"
# Placeholder in an address until the user enters a name.
YOURS = "YOUR-RESOURCE"
_PLACEHOLDER = re.compile(r"YOUR-[A-Z]+|VENDOR/MODEL\Z")


class Provider(Frozen):
    """A known server, the settings it needs, and their source.

    `tried` is the day on which Concord was tested against the server itself; None: untested.
    `leave_out` are settings that it ignores. `price` is 0 where it runs models of the user's own.
    """

    name: str = Field(pattern=r"^[a-z-]+$")
    title: str
    tried: datetime.date | None = None
    model: str
    output: Output
    leave_out: tuple[str, ...] = ()
    price: Literal[0] | None = None
    extra_body: dict[str, Any] = Field(default_factory=dict)
    note: str
    source: str
    endpoint: Endpoint

    def was_tried(self) -> str:
        """Return in words when Concord was tested against it."""
        return said("tested on {day}", day=self.tried) if self.tried else "untested"

    def is_of(self, judge: Judge) -> bool:
        """True where the judge's address has the host and port of this server."""
        own, asked = self.endpoint, judge.endpoint
        if (own.azure_endpoint is None) != (asked.azure_endpoint is None):
            return False
        mine = urlsplit(own.azure_endpoint or own.base_url or "").netloc.replace("localhost", "")
        host = urlsplit(asked.azure_endpoint or judge.url()).netloc
        if YOURS in mine:
            return host.endswith(mine.removeprefix(YOURS))
        return host.replace("localhost", "").replace("127.0.0.1", "") == mine


class _File(Frozen):
    endpoints: tuple[Provider, ...]


@cache
def known() -> dict[str, Provider]:
    """Return every server of the shipped `providers.toml`, by name."""
    found = validated(_File, read_text(FILE), f"{FILE.parent.name}/{FILE.name}").endpoints
    return {one.name: one for one in found}


def named(name: str) -> Provider:
    """Return the server of that name; a Problem that lists them where unknown."""
    if name not in known():
        raise Problem(
            "There is no endpoint “{name}”. Available: {known}.",
            name=name,
            known=joined(", ", known()),
        )
    return known()[name]


def of(judge: Judge) -> Provider | None:
    """The known server that a judge is asked at; None where it is another one.

    None for a decision model: what is known of the servers is about their chat completions.
    """
    if not judge.chats:
        return None
    return next((one for one in known().values() if one.is_of(judge)), None)


def unfilled(judge: Judge) -> str:
    """Return the message for a judge file with unreplaced placeholders; '' for any other."""
    key = "base_url" if judge.endpoint.azure_endpoint is None else "azure_endpoint"
    for name, value in (("model", judge.model), (key, judge.url())):
        found = _PLACEHOLDER.search(value or "")
        if found:
            of = {"text": found.group(), "place": judge.place(name)}
            return said("{text} is a placeholder. Put your own in its place: {place}.", **of)
    return ""


def advice(judge: Judge) -> list[str]:
    """Return what a known server's documentation wants in place of settings of a judge."""
    server = of(judge)
    if server is None:
        return []
    wanted = {key: "remove it" for key in server.leave_out if key in judge.settings()}
    matters = ("max_tokens_field",) if judge.max_tokens is not None else ()
    for key in (*matters, "cuts_long_prompts"):
        given = getattr(server.endpoint, key)
        if getattr(judge.endpoint, key) != given:
            wanted[key] = canonical_json(given)
    if server.output == "tool" != judge.output:
        wanted["output"] = server.output
    return [joined(": ", [judge.place(key), value]) for key, value in wanted.items()]


_KEPT = {"kind", "rubric", "prompt", "examples", "calls"}


def beginning(known: Provider, base: Judge | None = None, rubric: str = FIRST) -> str:
    """Return a starter judge file for a server, as TOML text.

    `base` is the judge whose prompt and rubric it takes; a zero-shot prompt and `rubric` where
    None.
    """
    kept = base.model_dump(include=_KEPT, exclude_defaults=True) if base else {}
    judge = Judge.model_validate(
        {
            "rubric": rubric,
            **kept,
            "name": f"my-{known.name}",
            "about": known.title,
            "model": known.model,
            "output": known.output,
            "price": known.price,
            "extra_body": known.extra_body,
            "endpoint": known.endpoint,
        }
    )
    about = f"{known.title}: {known.was_tried()}, according to {known.source}. {known.note}"
    lines = textwrap.wrap(about, 96, break_long_words=False, break_on_hyphens=False)
    return "".join(f"# {line}\n" for line in lines) + as_toml(judge)
