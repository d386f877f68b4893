"""Definitions: immutable records written by users, the digest that identifies one, and JSON."""

import hashlib
import json
from collections.abc import Iterable
from functools import cached_property
from json.encoder import encode_basestring

from pydantic import BaseModel, ConfigDict

# A BCP 47 code, such as `ko`: the language of a translated rubric.
LANGUAGE_CODE = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def canonical_json(value) -> str:
    """Serialize for hashing: keys sorted, no white space, non-ASCII left as it is.

    This form is part of the stored contract: changing it changes every hash.
    """
    return _CANONICAL.encode(value)


# The canonical JSON of a text, in a tenth of the time of `canonical_json`.
json_text = encode_basestring


def json_texts(texts: Iterable[str], between: str = ",") -> str:
    """The canonical JSON of a list of texts; `between` them may be more than a comma."""
    return f"[{between.join(map(json_text, texts))}]"


def digest(value) -> str:
    """The first 16 hex digits of the SHA-256 of the canonical JSON of `value`."""
    return digest_of_text(canonical_json(value))


def digest_of_text(text: str) -> str:
    """The first 16 hex digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Constant(dict):
    """A part of many requests, encoded once; it is not to be changed."""

    @cached_property
    def encoded(self) -> bytes:
        """Its JSON as it is sent."""
        return _compact(self)


def encoded(value) -> bytes:
    """Serialize for sending: keys in their order, no white space, a lone surrogate as `?`."""
    if isinstance(value, str):
        return json_text(value).encode(errors="replace")
    if isinstance(value, Constant):
        return value.encoded
    if isinstance(value, dict):
        return b"{%b}" % b",".join(b"%b:%b" % (encoded(k), encoded(v)) for k, v in value.items())
    if isinstance(value, list):
        return b"[%b]" % b",".join(map(encoded, value))
    return _compact(value)


def _compact(value) -> bytes:
    return _COMPACT.encode(value).encode(errors="replace")


class Frozen(BaseModel):
    """A definition written by users: immutable; unknown keys are rejected by name."""

    model_config = ConfigDict(extra="forbid", frozen=True)
