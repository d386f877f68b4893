"""Deep comparison of values of any type, also where `==` sees no difference or gives an array."""

import math
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd


def differ(one: Any, other: Any, at: str = "") -> list[str]:
    """Return where two values differ: in type, text, message, number or field."""
    if isinstance(one, np.generic):
        one, other = one.item(), other.item() if isinstance(other, np.generic) else other
    if type(one) is not type(other):
        return [f"{at}: {type(one).__name__}, {type(other).__name__}"]
    if isinstance(one, pd.DataFrame):
        pairs = [("dtypes", list(one.dtypes), list(other.dtypes))]
        pairs += [("index", one.index.to_numpy(), other.index.to_numpy())]
        pairs += [(f"{c}", one[c].to_numpy(), other[c].to_numpy()) for c in one.columns]
        return _in_parts([("columns", [*one.columns], [*other.columns]), *pairs], at)
    if isinstance(one, np.ndarray):
        if one.dtype == object:
            return differ(one.tolist(), other.tolist(), at)
        same = one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype == float)
        return [] if same else [f"{at}: arrays"]
    if isinstance(one, dict):
        return differ([*one.items()], [*other.items()], at)
    if isinstance(one, list | tuple):
        lengths = [] if len(one) == len(other) else [f"{at}: {len(one)}, {len(other)}"]
        pairs = zip(one, other, strict=False)
        return lengths + _in_parts([(str(n), a, b) for n, (a, b) in enumerate(pairs)], at)
    if is_dataclass(one):
        names = [field.name for field in fields(one) if field.compare]
        return _in_parts([(name, getattr(one, name), getattr(other, name)) for name in names], at)
    if isinstance(one, float) and math.isnan(one):
        return [] if math.isnan(other) else [f"{at}: nan, {other}"]
    message = []
    if hasattr(one, "template"):
        parts = ("template", "values", "between", "plural")
        message = _in_parts([(p, getattr(one, p), getattr(other, p)) for p in parts], at)
    return message + ([] if one == other else [f"{at}: {one!r}, {other!r}"])


def _in_parts(parts: list[tuple[str, Any, Any]], at: str) -> list[str]:
    return [place for name, one, other in parts for place in differ(one, other, f"{at}.{name}")]
