"""Measures of answers, one per file, each handed an `ask`; `found` lists them."""

import importlib
import pkgutil
from functools import cache
from pathlib import Path

from metrics.frame import own
from metrics.frame.measure import Measure
from problems import Problem

FOLDER = Path(__file__).parent


@cache
def found() -> dict[str, Measure]:
    """Every measure that lies in this folder, a module or a TOML file, by name, in their order."""
    modules = sorted(module.name for module in pkgutil.iter_modules([str(FOLDER)]))
    loaded = [
        getattr(importlib.import_module(f"metrics.{one}"), "MEASURE", None) for one in modules
    ]
    loaded += [own.load(path) for path in sorted(FOLDER.glob("*.toml"))]
    measures: dict[str, Measure] = {}
    for measure in (one for one in loaded if one is not None):
        if measure.name in measures:
            raise Problem(f"Two measures are called {measure.name}. Give one another name.")
        measures[measure.name] = measure
    return measures


def named(name: str) -> Measure:
    """The measure of that name; a Problem that lists the names otherwise."""
    measures = found()
    if name not in measures:
        raise Problem(f"There is no measure “{name}”. There are: {', '.join(measures)}.")
    return measures[name]
