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
from concord.reports.panel.unit_words import in_units_throughout, words
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.minimums import PAIR_FLOOR
from concord.stats.reliability.multi_rater import gwet_ac2, krippendorff_alpha

FIGURES = ("alpha", "ac2")
TOO_FEW = "it requires {n} {units} that two annotators graded"
UNEQUAL = (
    "{units} were sampled with unequal inclusion probabilities, and these figures have no weights"
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
    return [of_criterion(ground(panel, name, EACH)) for name in names]


def of_criterion(on: CriterionPanel) -> PanelReliability:
    """Return the row of a criterion."""
    (items, scores), scale = on.overlap(), on.panel.rubric.scale
    cluster, why = on.panel.cluster[items], None
    if not len(items):
        why = on.no_overlap
    elif on.panel.reweighted:
        why = said(UNEQUAL, **words(on.panel.rubric).nouns)
    elif len(items) < PAIR_FLOOR:
        why = said(TOO_FEW, n=PAIR_FLOOR, **words(on.panel.rubric).nouns)
    figures = dict.fromkeys(FIGURES, undefined(why))
    if not why:
        alpha = krippendorff_alpha(scores, scale, "ordinal", cluster)
        figures = {"alpha": alpha, "ac2": gwet_ac2(scores, scale, cluster)}
    annotators = int((~np.isnan(scores)).any(axis=1).sum())
    row = PanelReliability(on.name, annotators, len(items), figures)
    return in_units_throughout(on.panel.rubric, row)
