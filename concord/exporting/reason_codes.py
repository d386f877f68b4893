"""Reasons in JSON: the code of each next to its sentence, and reading them back by the code.

A sentence is English and may be reworded; a code stays. What is stored and shown again later keeps
code and values, so that it is written and translated as today's reasons are.
"""

from collections.abc import Mapping
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
        return [with_reasons(one) for one in found]
    if not isinstance(found, dict):
        return found
    added = {}
    for key, value in found.items():
        if key not in HOLDERS:
            added[key] = with_reasons(value)
            continue
        added[key] = value
        codes, values = _codes(value)
        if codes:
            added[_beside(key, "code")] = codes
        if values:
            added[_beside(key, "values")] = values
    return added


def read_reasons(stored: Any) -> Any:
    """Return a document that `with_reasons` made with the reasons in place of their sentences.

    Texts without a code, and codes that are unknown here, keep their English.
    """
    if isinstance(stored, list):
        return [read_reasons(one) for one in stored]
    if not isinstance(stored, dict):
        return stored
    return {
        key: _reasons(value, stored.get(_beside(key, "code")), stored.get(_beside(key, "values")))
        if key in HOLDERS
        else read_reasons(value)
        for key, value in stored.items()
        if key not in _ADDED
    }


def _beside(key: str, part: str) -> str:
    return f"{key.removesuffix('_none')}_{part}"


_ADDED = {_beside(key, part) for key in HOLDERS for part in ("code", "values")}


def _codes(value: Any) -> tuple[Any, Any]:
    """Return codes and values in the shape of a text, or of a list or object of texts."""
    if isinstance(value, dict):
        found = {key: one for key, text in value.items() if (one := coded(text))}
        some = {key: values for key, (_, values) in found.items() if values}
        return {key: code for key, (code, _) in found.items()}, some
    if isinstance(value, list):
        every = [coded(text) or (None, {}) for text in value]
        codes, values = ([one[part] for one in every] for part in (0, 1))
        return codes if any(codes) else None, values if any(values) else None
    return coded(value) or (None, None)


def _reasons(value: Any, codes: Any, values: Any) -> Any:
    if isinstance(value, dict) and isinstance(codes, dict):
        of = values or {}
        return {key: _reason(text, codes.get(key), of.get(key)) for key, text in value.items()}
    if isinstance(value, list) and isinstance(codes, list):
        every = zip(value, codes, values or [None] * len(value), strict=True)
        return [_reason(*one) for one in every]
    return _reason(value, codes, values)


def _reason(text: str, code: str | None, values: Mapping[str, Any] | None) -> Reason | str:
    if not code or not has_sentence(code):
        return text
    return Reason(code, tuple((name, _value(one)) for name, one in (values or {}).items()))


def _value(one: Any) -> Any:
    """A value of a reason; an object is a reason itself, with the values next to its code."""
    if not isinstance(one, dict):
        return one
    return _reason("", one["code"], {name: each for name, each in one.items() if name != "code"})
