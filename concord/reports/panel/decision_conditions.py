"""The conditions of a decision in words: tables, reasons and forecasts iterate over `CONDITIONS`.

Each is tested in `concord.stats.decision.conditions`. A further condition is an entry there and one
here, and a line in docs/statistics.md.
"""

from typing import Any, NamedTuple

import numpy as np

from concord.reports.panel.criterion_comparison import CriterionPanel
from concord.stats.core.estimate import Reason, reason
from concord.stats.core.minimums import (
    FAILING_FLOOR,
    ORDINAL_VERDICT_FLOOR,
    PAIR_FLOOR,
    QUESTION_FLOOR,
    VERDICT_FLOOR,
)
from concord.stats.core.tables import distinct
from concord.stats.decision.conditions import (
    ACCURACY,
    ANNOTATORS,
    ASSAY,
    CEILING,
    DIFFERENCE,
    KAPPA,
    MAJORITY,
    MINIMUM,
    PRECISION,
    RECALL,
    REFERENCE,
)
from concord.stats.statistics import OF_FAILING

# Not the words for an answer that passes or fails: other languages say them otherwise.
MET = "pass"
NOT_MET = "fail"
FAILING = tuple(one.key for one in OF_FAILING)
_AT_CHANCE = reason("labels_do_not_raise_agreement")


class ConditionWords(NamedTuple):
    """How a condition is shown.

    Attributes:
        key: Its name in JSON.
        title: Its name in a table, of the `figure` and the `unit` of differences.
        kind: How its estimate is written; `figure` as the deciding figure, `apart` as a difference
            of it.
        fails: Why a judge is not good enough.
        open: Why it is inconclusive.
        no_labels: Why more labels do not help; None where they may.
        left_out: It is not listed where it does not apply.
    """

    key: str
    title: str
    kind: str
    fails: Reason | None = None
    open: Reason | None = None
    no_labels: Reason | None = None
    left_out: bool = False


CONDITIONS = (
    ConditionWords(
        DIFFERENCE,
        "difference from the reference judge{unit}",
        "apart",
        reason("difference_fails"),
        reason("difference_open"),
    ),
    ConditionWords(
        MINIMUM,
        "{figure}: minimum",
        "figure",
        reason("minimum_fails"),
        reason("minimum_open"),
        reason("labels_do_not_pass_minimum"),
    ),
    ConditionWords(
        KAPPA,
        "better than chance (QWK)",
        "number",
        reason("kappa_fails"),
        reason("kappa_open"),
        _AT_CHANCE,
    ),
    ConditionWords(
        CEILING,
        "difference from inter-annotator agreement{unit}",
        "apart",
        reason("ceiling_fails"),
        reason("ceiling_open"),
        reason("labels_do_not_pass_ceiling"),
    ),
    ConditionWords(
        ACCURACY,
        "better than chance (balanced accuracy)",
        "share",
        reason("balanced_accuracy_fails"),
        reason("balanced_accuracy_open"),
        _AT_CHANCE,
        left_out=True,
    ),
    ConditionWords(
        ANNOTATORS,
        "inter-annotator agreement better than chance (QWK)",
        "number",
        None,
        reason("annotator_agreement_open"),
        reason("labels_do_not_raise_annotator_agreement"),
    ),
    ConditionWords(
        RECALL,
        "recall of failing answers: minimum",
        "share",
        reason("failure_recall_fails"),
    ),
    ConditionWords(
        PRECISION,
        "precision of failing verdicts: minimum",
        "share",
        reason("failure_precision_fails"),
    ),
    ConditionWords(
        ASSAY,
        "inter-annotator agreement above the majority-class baseline{unit}",
        "apart",
        None,
        reason("assay_sensitivity_open"),
        reason("labels_do_not_raise_assay_sensitivity"),
    ),
    ConditionWords(
        MAJORITY,
        "difference from the majority-class baseline{unit}",
        "apart",
        reason("majority_baseline_fails"),
        reason("majority_baseline_open"),
        reason("labels_do_not_pass_majority_baseline"),
    ),
    ConditionWords(
        REFERENCE,
        "reference judge: {figure}",
        "figure",
        no_labels=reason("labels_do_not_mend_reference"),
    ),
)
BY_KEY = {one.key: one for one in CONDITIONS}


def floors(on: CriterionPanel) -> list[dict[str, Any]]:
    """Return every minimum of one criterion, counted on the grades of annotators.

    `what` needs so many (`needs`) `of` something and `has` them; `answers` is about how many of
    these annotators have to grade, at the rate seen so far (None where none was seen).
    """
    graded, cluster = np.unique(on.annotators.item), on.panel.cluster
    is_failed = np.isin(on.annotators.score, list(on.panel.rubric.failing(on.criterion)))
    n, questions = len(graded), distinct(cluster[graded])
    failed = distinct(on.annotators.item[is_failed])
    clustered = distinct(cluster) < distinct(on.panel.question)
    unit = "clusters of questions" if clustered else "questions"
    rows = (
        ("any interval", QUESTION_FLOOR, unit, questions),
        ("a verdict", VERDICT_FLOOR, unit, questions),
        ("a verdict on quadratic kappa or tau-b", ORDINAL_VERDICT_FLOOR, "answers", n),
        ("kappa and related coefficients", PAIR_FLOOR, "answers", n),
        ("the recall of failing answers", FAILING_FLOOR, "answers annotators failed", failed),
    )
    return [
        {
            "what": what,
            "needs": needs,
            "of": of,
            "has": has,
            "answers": int(np.ceil(needs * n / has)) if has else None,
            "holds": has >= needs,
        }
        for what, needs, of, has in rows
    ]
