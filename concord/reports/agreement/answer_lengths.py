"""Answer lengths: what the test for a length bias compares answers by."""

import numpy as np

from concord.reports.panel.panel import Panel
from concord.store import items
from concord.store.database import Store
from concord.store.units import units
from concord.text.tokens import tokens


def lengths(store: Store, panel: Panel) -> np.ndarray:
    """Return (N,) the words of each answer or unit; in scripts without spaces, its characters."""
    kind = panel.rubric.units
    texts = (
        units.texts(store, panel.sheet.id, kind) if kind else items.answers(store, panel.sheet.id)
    )
    return np.array([len(tokens(text)) for text in texts], float)
