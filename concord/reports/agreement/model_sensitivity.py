"""Sensitivity: the same figures with answering models, not questions, as what might be others.

The usual interval says where a figure would lie with other questions and the same answering models.
This one says it for other answering models, and wants enough of them to tell.
"""

import numpy as np
import pandas as pd

from concord.language.plurals import counted
from concord.messages import said
from concord.reports.panel.comparison import Ground
from concord.reports.panel.panel import COMPOSITE
from concord.stats.core.pairs import Pairs
from concord.stats.statistics import composite_figures, figures, shown

MODEL_FLOOR = 10
FIGURES = tuple(one.key for one in shown("answer models"))


def sensitivity(on: Ground, pairs: Pairs) -> dict:
    """Each of `FIGURES` clustered by answering model; `answer_models` says how many there are.

    Under ten answering models, or where answers without one would be left out, there are no figures
    and `why_none` says so.
    """
    known, nameless, code = _models(on, pairs)
    nothing = {"answer_models": known, "why_none": _why_none(known, nameless)}
    if nothing["why_none"]:
        return nothing | dict.fromkeys(FIGURES)
    moved = pairs._replace(cluster=code)
    if on.name == COMPOSITE:
        found = composite_figures(moved, names=FIGURES)
    else:
        scale, failing = on.panel.rubric.scale, on.panel.rubric.failing(on.criterion)
        found = figures(moved, scale, failing, names=FIGURES)
    return nothing | {name: _worded(found[name]._asdict()) for name in FIGURES}


def _models(on: Ground, pairs: Pairs) -> tuple[int, bool, np.ndarray]:
    """How many answering models the pairs rest on, whether some are unknown, and (n,) codes."""
    model = pd.factorize(on.panel.items["answer_model"], sort=True)
    code = model[0][pairs.item]
    used = model[1][np.bincount(code, minlength=len(model[1])) > 0]
    return int((used != "").sum()), "" in used, code


def _why_none(known: int, nameless: bool) -> str | None:
    if known == 0:
        return said("it takes the answering models' names")
    if nameless:
        return said("some answers have no answering model")
    if known < MODEL_FLOOR:
        have = counted(known, "answering model")
        return said(
            "it takes {n} answering models, and the figure rests on {have}",
            n=MODEL_FLOOR,
            have=have,
        )
    return None


def _worded(found: dict) -> dict:
    """The same with answering models named as what is resampled."""
    method = found["method"].replace("question", "answering-model")
    return found | {"method": method}
