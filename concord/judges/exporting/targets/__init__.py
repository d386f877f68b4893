"""Targets: one module per tool that a judge can be exported for; each declares a `TARGET`."""

import pkgutil
from importlib import import_module

from concord.judges.exporting.target import Target
from concord.messages import Problem


def known() -> dict[str, Target]:
    """Return every target by name, in alphabetical order."""
    names = sorted(name for _, name, _ in pkgutil.iter_modules(__path__))
    found = (import_module(f"{__name__}.{name}").TARGET for name in names)
    return {target.name: target for target in found}


def named(name: str) -> Target:
    """Return the target of that name; a Problem that lists them otherwise."""
    found = known()
    if name not in found:
        raise Problem(
            "There is no export for “{name}”. Name one of: {names}.",
            name=name,
            names=", ".join(found),
        )
    return found[name]
