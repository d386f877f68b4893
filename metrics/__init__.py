"""Measures of answers, one per file, each handed an `ask`; `found` lists them."""

import importlib
import pkgutil
from functools import cache
from pathlib import Path

from metrics.frame.measure import Measure
from problems import Problem


@cache
def found() -> dict[str, Measure]:
    """Every measure that lies in this folder, by name, in the order of the file names."""
    names = sorted(module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    measures = {}
    for name in names:
        measure = getattr(importlib.import_module(f"metrics.{name}"), "MEASURE", None)
        if measure is not None:
            measures[measure.name] = measure
    return measures


def named(name: str) -> Measure:
    """The measure of that name; a Problem that lists the names otherwise."""
    measures = found()
    if name not in measures:
        raise Problem(f"There is no measure “{name}”. There are: {', '.join(measures)}.")
    return measures[name]
