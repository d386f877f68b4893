"""Definitions: immutable records written by users, and the digest that identifies one."""

import hashlib
import json

from pydantic import BaseModel, ConfigDict

_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def canonical_json(value) -> str:
    """Serialize for hashing: keys sorted, no white space, non-ASCII left as it is.

    This form is part of the stored contract: changing it changes every hash.
    """
    return _CANONICAL.encode(value)


def digest(value) -> str:
    """The first 16 hex digits of the SHA-256 of the canonical JSON of `value`."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:16]


class Frozen(BaseModel):
    """A definition written by users: immutable; unknown keys are rejected by name."""

    model_config = ConfigDict(extra="forbid", frozen=True)
