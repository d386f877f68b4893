"""Reliability: of annotators together (inter-rater), and of a grader asked again (test-retest).

The human ceiling compares annotators in pairs, as a judge is compared with them; here any number
of annotators count together, and any of them may have left answers out.
"""

from typing import Any

import numpy as np
import pandas as pd

from concord.model import Grader
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.stats.core.estimate import undefined
from concord.stats.core.minimums import PAIR_FLOOR
from concord.stats.reliability.multi_rater import gwet_ac2, krippendorff_alpha
from concord.stats.reliability.retest import Consistency, consistency, reliability

TOO_FEW = f"it requires {PAIR_FLOOR} items that two annotators graded"
UNEQUAL = (
    "items were sampled with unequal inclusion probabilities, and these figures have no weights"
)


def inter_rater(panel: Panel) -> list[dict[str, Any]]:
    """Return a row per criterion, as `of_criterion`."""
    names = [name for name in panel.criteria if name != COMPOSITE]
    return [of_criterion(ground(panel, name, EACH)) for name in names]


def of_criterion(on: CriterionPanel) -> dict[str, Any]:
    """Return `alpha` and `ac2` of all annotators on the `n` answers that two or more graded.

    `annotators` counts those of these answers.
    """
    (items, scores), scale = on.overlap, on.panel.rubric.scale
    cluster, why = on.panel.cluster[items], None
    if not len(items):
        why = on.no_overlap
    elif on.panel.reweighted:
        why = UNEQUAL
    elif len(items) < PAIR_FLOOR:
        why = TOO_FEW
    return {
        "criterion": on.name,
        "annotators": int((~np.isnan(scores)).any(axis=1).sum()),
        "n": len(items),
        "alpha": undefined(why) if why else krippendorff_alpha(scores, scale, "ordinal", cluster),
        "ac2": undefined(why) if why else gwet_ac2(scores, scale, cluster),
    }


def test_retest(panel: Panel) -> list[dict[str, Any]]:
    """Return a row per annotator and criterion with second grades: `Reliability` of both."""
    rows = []
    for criterion in (one.name for one in panel.rubric.criteria):
        for person in panel.annotators.values():
            second = again(panel, person, criterion)
            if not len(second):
                continue
            item, score = second["item"].to_numpy(int), second["score"].to_numpy(float)
            first, cluster = panel.of(criterion, person.id).score[item], panel.cluster[item]
            found = reliability(first, score, cluster, panel.rubric.scale, panel.weight[item])
            about = {"annotator": person.name, "simulated": person.simulated}
            rows.append(about | {"criterion": criterion} | found._asdict())
    return rows


def again(panel: Panel, person: Grader, criterion: str) -> pd.DataFrame:
    """Return the second scores of answers whose first score counts: columns item, score."""
    later = panel.repeats
    mine = (later["grader_id"] == person.id) & (later["criterion"] == criterion)
    second = later[mine & (later["repeat"] == 2) & (later["status"] == "scored")]
    return second[panel.counted(criterion, person.id)[second["item"]]]


def of_judge(panel: Panel, judge_id: int, criterion: str) -> Consistency:
    """Return how far a judge repeats its scores, on open answers it scored twice or more."""
    return consistency(*repeated(panel, judge_id, criterion), panel.cluster, panel.rubric.scale)


def repeated(panel: Panel, judge_id: int, criterion: str) -> tuple[np.ndarray, np.ndarray]:
    """Return items and scores of one criterion by one judge: first ones, then all later ones."""
    first, later = panel.numbers(criterion, judge_id), panel.repeats
    numbers = panel.is_continuous(criterion, judge_id)
    at_first = np.flatnonzero(first.scored)
    mine = (later["grader_id"] == judge_id) & (later["criterion"] == criterion)
    on_scale = later["score"].isin(panel.rubric.scale) | numbers
    later = later[mine & (later["status"] == "scored") & on_scale]
    item = np.concatenate([at_first, later["item"].to_numpy(int)])
    score = np.concatenate([first.score[at_first], later["score"].to_numpy(float)])
    return item[panel.open[item]], score[panel.open[item]]
