"""Reasons in JSON: the code of each next to its sentence, and reading them back by the code.

A sentence is English and may be reworded; a code stays. What is stored and shown again later keeps
code and values, so that it is written and translated as today's reasons are.
"""

from typing import Any

from concord.messages import coded, has_sentence
from concord.stats.core.estimate import Reason

# Keys whose value is a reason, a list of reasons, or an object of reasons by name.
HOLDERS = ("why", "why_none", "more_labels_why_none", "left_out", "uncounted")


def with_reasons(found: Any) -> Any:
    """Add to the `HOLDERS` of reasons in a document the codes and values, in the same shape.

    They are under the same key with `_code` and `_values`, of `why_none` as `why_code` and
    `why_values`; values only where a reason has some.
    """
    if isinstance(found, list):
        return [*map(with_reasons, found)]
    if not isinstance(found, dict):
        return found
    added = {}
    for key, value in found.items():
        added[key] = value if key in HOLDERS else with_reasons(value)
        if key in HOLDERS:
            for part, name in enumerate(_beside(key)):
                if coded_part := _coded(value, part):
                    added[name] = coded_part
    return added


def read_reasons(stored: Any) -> Any:
    """Return a document that `with_reasons` made with the reasons in place of their sentences.

    Texts without a code, and codes that are unknown here, keep their English.
    """
    if isinstance(stored, list):
        return [*map(read_reasons, stored)]
    if not isinstance(stored, dict):
        return stored
    added = {name for key in HOLDERS for name in _beside(key)}
    return {
        key: _reasons(value, *map(stored.get, _beside(key)))
        if key in HOLDERS
        else read_reasons(value)
        for key, value in stored.items()
        if key not in added
    }


def _beside(key: str) -> tuple[str, str]:
    """The keys of the codes and of the values beside a key."""
    stem = key.removesuffix("_none")
    return f"{stem}_code", f"{stem}_values"


def _coded(value: Any, part: int) -> Any:
    """Return codes (0) or values (1) in the shape of a text, or of a list or object of texts."""
    if isinstance(value, dict):
        return {key: each for key, text in value.items() if (each := _coded(text, part))}
    if isinstance(value, list):
        every = [_coded(text, part) for text in value]
        return every if any(every) else None
    return (coded(value) or (None, {}))[part]


def _reasons(value: Any, codes: Any, values: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _reasons(text, (codes or {}).get(key), (values or {}).get(key))
            for key, text in value.items()
        }
    if isinstance(value, list):
        none = [None] * len(value)
        return [*map(_reasons, value, codes or none, values or none)]
    if not codes or not has_sentence(codes):
        return value
    # A value that is an object is a reason itself, with its own values next to its code.
    read = {
        name: _reasons("", each["code"], {k: v for k, v in each.items() if k != "code"})
        if isinstance(each, dict)
        else each
        for name, each in (values or {}).items()
    }
    return Reason(codes, tuple(read.items()))
