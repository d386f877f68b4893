"""The analyses below the agreement that are made of further reports: a file each, with its FOLD."""

import importlib
import pkgutil

from concord.ui.screens.agreement.fold import Fold


def found() -> list[Fold]:
    """Return every fold declared by a module of this folder."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    return [importlib.import_module(f"{__name__}.{name}").FOLD for name in names]
