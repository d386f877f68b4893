"""Inter-rater reliability of all annotators together.

The human ceiling compares annotators in pairs, as a judge is compared with them; here any number
of annotators count together, and any of them may have left answers out.
"""

from dataclasses import dataclass, field

import numpy as np

from concord.messages import said
from concord.reports.document import FLAT
from concord.reports.panel.criterion_comparison import CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.unit_words import ANSWER, in_units_throughout
from concord.stats.agreement.icc import icc
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.minimums import PAIR_FLOOR
from concord.stats.reliability.multi_rater import gwet_ac, krippendorff_alpha

FIGURES = ("alpha_nominal", "alpha", "alpha_interval", "ac1", "ac2", "icc", "icc_mean")
TOO_FEW = said("it requires {n} {units} that two annotators graded", n=PAIR_FLOOR, **ANSWER.nouns)
ALL_TOO_FEW = said(
    "it requires {n} {units} that all annotators graded", n=PAIR_FLOOR, **ANSWER.nouns
)
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
        complete: Answers that everyone graded, on which the two ICC rest: of one annotator, and of
            their mean.
        figures: `FIGURES` by key.
    """

    criterion: str
    annotators: int
    n: int
    complete: int
    figures: dict[str, Estimate] = field(metadata=FLAT)


def rows(panel: Panel) -> list[PanelReliability]:
    """Return a row per criterion."""
    names = [name for name in panel.criteria if name != COMPOSITE]
    return [_row(ground(panel, name, EACH)) for name in names]


def _row(on: CriterionPanel) -> PanelReliability:
    items, scores = on.overlap()
    cluster = on.panel.cluster[items]
    complete = ~np.isnan(scores).any(axis=0)
    row = PanelReliability(
        criterion=on.name,
        annotators=int((~np.isnan(scores)).any(axis=1).sum()),
        n=len(items),
        complete=int(complete.sum()),
        figures=_figures(on, scores, cluster, complete),
    )
    return in_units_throughout(on.panel.rubric, row)


def _figures(
    on: CriterionPanel, scores: np.ndarray, cluster: np.ndarray, complete: np.ndarray
) -> dict[str, Estimate]:
    why = why_none(on, len(cluster))
    if why:
        return dict.fromkeys(FIGURES, undefined(why))
    scale = on.panel.rubric.scale
    whole = icc(scores[:, complete].T, cluster[complete])
    few = complete.sum() < PAIR_FLOOR
    short = undefined(ALL_TOO_FEW)
    return {
        "alpha_nominal": krippendorff_alpha(scores, scale, "nominal", cluster),
        "alpha": krippendorff_alpha(scores, scale, "ordinal", cluster),
        "alpha_interval": krippendorff_alpha(scores, scale, "interval", cluster),
        "ac1": gwet_ac(scores, scale, "none", cluster),
        "ac2": gwet_ac(scores, scale, "quadratic", cluster),
        "icc": short if few else whole.single,
        "icc_mean": short if few else whole.mean,
    }


def why_none(on: CriterionPanel, answers: int) -> str | None:
    """Return why a figure on so many answers that two annotators graded is undefined; else None."""
    if answers == 0:
        return on.no_overlap
    if on.panel.reweighted:
        return UNEQUAL
    return TOO_FEW if answers < PAIR_FLOOR else None
