"""Inter-rater reliability of all annotators together.

The human ceiling compares annotators in pairs, as a judge is compared with them; here any number
of annotators count together, and any of them may have left answers out.
"""

from dataclasses import dataclass, field

import numpy as np

from concord.messages import said
from concord.reports.document import FLAT
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.unit_words import ANSWER, in_units_throughout
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.minimums import PAIR_FLOOR
from concord.stats.reliability.multi_rater import gwet_ac2, krippendorff_alpha

FIGURES = ("alpha", "ac2")
TOO_FEW = said("it requires {n} {units} that two annotators graded", n=PAIR_FLOOR, **ANSWER.nouns)
UNEQUAL = said(
    "{units} were sampled with unequal inclusion probabilities, and these figures have no weights",
    **ANSWER.nouns,
)


@dataclass(frozen=True)
class PanelReliability:
    """Inter-rater reliability of all annotators on one criterion.

    Attributes:
        annotators: Annotators of answers that two or more graded.
        n: These answers.
        figures: `FIGURES` by key.
    """

    criterion: str
    annotators: int
    n: int
    figures: dict[str, Estimate] = field(metadata=FLAT)


def rows(panel: Panel) -> list[PanelReliability]:
    """Return a row per criterion."""
    names = [name for name in panel.criteria if name != COMPOSITE]
    return [_row(ground(panel, name, EACH)) for name in names]


def _row(on: CriterionPanel) -> PanelReliability:
    items, scores = on.overlap()
    cluster = on.panel.cluster[items]
    row = PanelReliability(
        criterion=on.name,
        annotators=int((~np.isnan(scores)).any(axis=1).sum()),
        n=len(items),
        figures=_figures(on, scores, cluster),
    )
    return in_units_throughout(on.panel.rubric, row)


def _figures(on: CriterionPanel, scores: np.ndarray, cluster: np.ndarray) -> dict[str, Estimate]:
    why = why_none(on, len(cluster))
    if why:
        return dict.fromkeys(FIGURES, undefined(why))
    scale = on.panel.rubric.scale
    return {
        "alpha": krippendorff_alpha(scores, scale, "ordinal", cluster),
        "ac2": gwet_ac2(scores, scale, cluster),
    }


def why_none(on: CriterionPanel, answers: int) -> str | None:
    """Return why a figure on so many answers that two annotators graded is undefined; else None."""
    if answers == 0:
        return on.no_overlap
    if on.panel.reweighted:
        return UNEQUAL
    return TOO_FEW if answers < PAIR_FLOOR else None
