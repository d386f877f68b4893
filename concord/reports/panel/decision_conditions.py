"""The conditions of a decision in words: tables, reasons and forecasts iterate over `CONDITIONS`.

Each is tested in `concord.stats.decision.conditions`. A further condition is an entry there and one
here, and a line in docs/statistics.md.
"""

from dataclasses import dataclass

from concord.messages import said, short
from concord.reports.document import Kind
from concord.stats.core.estimate import Reason, reason
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

# Not the words for an answer that passes or fails: other languages say them otherwise.
MET = short("pass", said("condition met"))
NOT_MET = short("fail", said("condition not met"))
_AT_CHANCE = reason("labels_do_not_raise_agreement")


@dataclass(frozen=True)
class ConditionWords:
    """How a condition is shown.

    Attributes:
        key: Its name in JSON.
        title: Its name in a table, of the `figure` and the `unit` of differences.
        kind: How its estimate is written; `figure` as the deciding figure, `apart` as a difference
            of it.
        fails: Why a judge is not good enough.
        open: Why it is inconclusive.
        no_labels: Why more labels do not help; None where they may.
        no_power: Why the power of a decision stays low.
        left_out: It is not listed where it does not apply.
    """

    key: str
    title: str
    kind: Kind | str = "figure"
    fails: Reason | None = None
    open: Reason | None = None
    no_labels: Reason | None = None
    no_power: str = ""
    left_out: bool = False


CONDITIONS = (
    ConditionWords(
        DIFFERENCE,
        said("difference from the reference judge{unit}"),
        "apart",
        fails=reason("difference_fails"),
        open=reason("difference_open"),
        no_power=said("the candidate is worse than the reference judge by the margin"),
    ),
    ConditionWords(
        MINIMUM,
        said("{figure}: minimum"),
        fails=reason("minimum_fails"),
        open=reason("minimum_open"),
        no_labels=reason("labels_do_not_pass_minimum"),
        no_power=said("the judges' agreement is not above the minimum"),
    ),
    ConditionWords(
        KAPPA,
        said("better than chance (QWK)"),
        "number",
        fails=reason("kappa_fails"),
        open=reason("kappa_open"),
        no_labels=_AT_CHANCE,
        no_power=said("the judges' agreement is not better than chance"),
    ),
    ConditionWords(
        CEILING,
        said("difference from inter-annotator agreement{unit}"),
        "apart",
        fails=reason("ceiling_fails"),
        open=reason("ceiling_open"),
        no_labels=reason("labels_do_not_pass_ceiling"),
        no_power=said(
            "the judges agree with annotators less than annotators with one another, by at least "
            "the margin"
        ),
    ),
    ConditionWords(
        ACCURACY,
        said("better than chance (balanced accuracy)"),
        "share",
        fails=reason("balanced_accuracy_fails"),
        open=reason("balanced_accuracy_open"),
        no_labels=_AT_CHANCE,
        no_power=said("the judges tell passing from failing answers no better than chance"),
        left_out=True,
    ),
    ConditionWords(
        ANNOTATORS,
        said("inter-annotator agreement better than chance (QWK)"),
        "number",
        open=reason("annotator_agreement_open"),
        no_labels=reason("labels_do_not_raise_annotator_agreement"),
        no_power=said("inter-annotator agreement is not better than chance"),
    ),
    ConditionWords(
        RECALL,
        said("recall of failing answers: minimum"),
        "share",
        fails=reason("failure_recall_fails"),
        no_power=said("the judges' recall of failing answers is below the minimum"),
    ),
    ConditionWords(
        PRECISION,
        said("precision of failing verdicts: minimum"),
        "share",
        fails=reason("failure_precision_fails"),
        no_power=said("the judges' precision of failing verdicts is below the minimum"),
    ),
    ConditionWords(
        ASSAY,
        said("inter-annotator agreement above the majority-class baseline{unit}"),
        "apart",
        open=reason("assay_sensitivity_open"),
        no_labels=reason("labels_do_not_raise_assay_sensitivity"),
        no_power=said(
            "annotators do not agree with one another more than the majority-class baseline does"
        ),
    ),
    ConditionWords(
        MAJORITY,
        said("difference from the majority-class baseline{unit}"),
        "apart",
        fails=reason("majority_baseline_fails"),
        open=reason("majority_baseline_open"),
        no_labels=reason("labels_do_not_pass_majority_baseline"),
        no_power=said("the judges' agreement is below the majority-class baseline"),
    ),
    ConditionWords(
        REFERENCE,
        said("reference judge: {figure}"),
        no_labels=reason("labels_do_not_mend_reference"),
        no_power=said("the reference judge is not good enough itself"),
    ),
)
BY_KEY = {one.key: one for one in CONDITIONS}
