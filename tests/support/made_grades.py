"""Grades that a made-up judge gives: by a hash of what it is asked, so always the same."""

import hashlib
import json
import re
from typing import Any


def grade_by_hash(body: dict[str, Any]) -> dict[str, tuple[int, str]]:
    """A score for every criterion asked for, from a hash of the last message."""
    item = body["messages"][-1]["content"]
    return {
        name: (scale[int(draw(f"{name} {item}") * len(scale))], f"By the hash for {name}.")
        for name, scale in asked_for(body).items()
    }


def asked_for(body: dict[str, Any]) -> dict[str, list[int]]:
    """Criterion names and scales: from the schema, else from the form shown in the prompt."""
    if "tools" in body:
        return _of_schema(body["tools"][0]["function"]["parameters"])
    if "json_schema" in body.get("response_format", {}):
        return _of_schema(body["response_format"]["json_schema"]["schema"])
    texts = "\n".join(message["content"] for message in body["messages"])
    form = json.loads(re.search(r"^\{.*\"one of .*\}$", texts, re.MULTILINE)[0])
    return {
        name: [int(score) for score in grade["score"].removeprefix("one of ").split(", ")]
        for name, grade in form.items()
    }


def _of_schema(schema: dict[str, Any]) -> dict[str, list[int]]:
    return {
        name: grade["properties"]["score"]["enum"] for name, grade in schema["properties"].items()
    }


def draw(text: str) -> float:
    """A number in [0, 1) from a hash."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48
