"""Measures of answers, one per file, each handed an `ask`; `found` lists them.

Those of the user lie in a folder of theirs, which the environment names, or are named by path.
"""

import importlib
import importlib.util
import os
import pkgutil
from functools import cache
from pathlib import Path

from concord.messages import said
from concord.metrics.framework import own_metrics
from concord.metrics.framework.metric import Measure
from concord.problems import Problem
from concord.rubrics.model import digest

FOLDER = Path(__file__).parent
OWN_FOLDER = "CONCORD_MEASURES"
_FILES = (".toml", ".py")
# What goes wrong where a file is mistyped; any other fault is the file's own, and is shown whole.
_FAULTS = (OSError, SyntaxError, ImportError, NameError, AttributeError, TypeError, ValueError)


def found() -> dict[str, Measure]:
    """Every measure by name: those in this folder, then those in the folder the user names.

    Read once for each folder and process.
    """
    return _found(os.environ.get(OWN_FOLDER, ""))


def named(name: str) -> Measure:
    """The measure of that name or of that file; a Problem that lists the names otherwise."""
    measures = found()
    if name not in measures and name.endswith(_FILES):
        return _unless_taken(_of_file(Path(name)), measures)
    if name not in measures:
        raise Problem(
            f"There is no measure “{name}”. There are: {', '.join(measures)}. One of your own is "
            f"named by the path of its file, or found in the folder that {OWN_FOLDER} names."
        )
    return measures[name]


@cache
def _found(folder: str) -> dict[str, Measure]:
    modules = sorted(module.name for module in pkgutil.iter_modules([str(FOLDER)]))
    loaded = [
        getattr(importlib.import_module(f"{__name__}.{one}"), "MEASURE", None) for one in modules
    ]
    loaded += [_spoken(own_metrics.load(path)) for path in sorted(FOLDER.glob("*.toml"))]
    measures: dict[str, Measure] = {}
    for measure in (one for one in loaded if one is not None):
        measures[measure.name] = _unless_taken(measure, measures)
    for path in _in(folder):
        measure = _of_file(path)
        measures[measure.name] = _unless_taken(measure, measures)
    return measures


def _spoken(measure: Measure) -> Measure:
    """A measure whose words, of a file that ships, can be said in other languages."""
    words = ("title", "sentence", "when_low")
    return measure._replace(**{word: said(getattr(measure, word)) for word in words})


def _in(folder: str) -> list[Path]:
    """The files of the user's own measures."""
    if not folder:
        return []
    if not Path(folder).is_dir():
        raise Problem(f"{OWN_FOLDER} names {folder}, which is no folder. Make it, or unset it.")
    return sorted(path for path in Path(folder).iterdir() if path.suffix in _FILES)


def _of_file(path: Path) -> Measure:
    """The measure of a file of the user's own."""
    if path.suffix == ".toml":
        return own_metrics.load(path)
    spec = importlib.util.spec_from_file_location(f"own_measure_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    try:
        code = digest(path.read_text(encoding="utf-8"))
        spec.loader.exec_module(module)
    except _FAULTS as error:
        raise Problem(f"{path} cannot be read as a measure: {error!r}. Correct it.") from None
    measure = getattr(module, "MEASURE", None)
    if not isinstance(measure, Measure):
        raise Problem(f"{path} declares no MEASURE. Write MEASURE = Measure(...) at its end.")
    return measure._replace(code=code)


def _unless_taken(measure: Measure, measures: dict[str, Measure]) -> Measure:
    if measure.name in measures:
        raise Problem(f"Two measures are called {measure.name}. Give one another name.")
    return measure
