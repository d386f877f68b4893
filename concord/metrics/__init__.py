"""Metrics of answers, one or a family of them per file; `available` lists them.

Those of the user lie in a folder of theirs, which the environment names, or are named by path.
"""

import importlib
import os
import pkgutil
from functools import cache
from itertools import chain
from pathlib import Path
from types import ModuleType

from concord.messages import Problem
from concord.metrics.framework.metric import Metric

FOLDER = Path(__file__).parent
OWN_FOLDER = "CONCORD_METRICS"
_FILES = (".toml", ".py")


def available() -> dict[str, Metric]:
    """Return every metric by name: those of this folder, then those in the user's folder.

    Read once per folder and process.
    """
    return _load(os.environ.get(OWN_FOLDER, ""))


def title(name: str) -> str:
    """The title of a metric; its name where its file is gone."""
    found = available().get(name)
    return found.title if found else name


def named(name: str) -> Metric:
    """The metric of that name or of that file; a Problem that lists the names otherwise."""
    metrics = available()
    if name not in metrics and name.endswith(_FILES):
        return _unless_taken(_of_file(Path(name)), metrics)
    if name not in metrics:
        raise Problem(
            "There is no metric “{name}”. Available: {metrics}. For your own, give the path of its "
            "file, or put it into the folder that {folder} names.",
            name=name,
            metrics=", ".join(metrics),
            folder=OWN_FOLDER,
        )
    return metrics[name]


@cache
def _load(folder: str) -> dict[str, Metric]:
    declared = [one for module in _modules() for one in vars(module).values()]
    loaded = sorted((one for one in declared if isinstance(one, Metric)), key=lambda one: one.name)
    loaded += [_of_file(path) for path in sorted(FOLDER.glob("*.toml"))]
    metrics: dict[str, Metric] = {}
    for metric in chain(loaded, map(_of_file, _in(folder))):
        metrics[metric.name] = _unless_taken(metric, metrics)
    return metrics


@cache
def _modules() -> list[ModuleType]:
    """The modules of this folder, each of which may declare metrics."""
    names = sorted(module.name for module in pkgutil.iter_modules([str(FOLDER)]))
    return [importlib.import_module(f"{__name__}.{name}") for name in names]


def _in(folder: str) -> list[Path]:
    """The files of the user's own metrics."""
    if not folder:
        return []
    if not Path(folder).is_dir():
        raise Problem(
            "{folder} is not a folder. Create it, or unset {variable}.",
            folder=folder,
            variable=OWN_FOLDER,
        )
    return sorted(path for path in Path(folder).iterdir() if path.suffix in _FILES)


def _of_file(path: Path) -> Metric:
    """The metric of a file of the user's own."""
    loaders = importlib.import_module(f"{__name__}.own_metrics").LOADERS
    return loaders[path.suffix](path)


def _unless_taken(metric: Metric, metrics: dict[str, Metric]) -> Metric:
    if metric.name in metrics:
        raise Problem("Two metrics are called {name}. Rename one.", name=metric.name)
    return metric
