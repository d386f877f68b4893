"""JSON schema: the form of a reply object that leaves a model no choice of keys."""

from typing import Any


def strict(properties: dict[str, Any]) -> dict[str, Any]:
    """A strict object: every property required, no other allowed."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
