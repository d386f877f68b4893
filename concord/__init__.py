"""Concord: calibrate LLM judges against human annotators.

The public names are `open_store`, `import_answers`, `import_grades`, `judge`, `agreement`, `choose`
and `Problem`; docs/library.md shows them at work. Everything else may change between versions.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concord.library.figures import agreement, choose
    from concord.library.imports import import_answers, import_grades
    from concord.library.judging import judge
    from concord.messages import Problem
    from concord.store.database import open_store

__all__ = (
    "Problem",
    "agreement",
    "choose",
    "import_answers",
    "import_grades",
    "judge",
    "open_store",
)

_MODULES = {
    "Problem": "concord.messages",
    "agreement": "concord.library.figures",
    "choose": "concord.library.figures",
    "import_answers": "concord.library.imports",
    "import_grades": "concord.library.imports",
    "judge": "concord.library.judging",
    "open_store": "concord.store.database",
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for: pandas alone takes a second."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
