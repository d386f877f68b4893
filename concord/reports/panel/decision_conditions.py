"""The conditions of a decision in words: tables, reasons and forecasts iterate over `CONDITIONS`.

Each is tested in `concord.stats.decision.conditions`. A further condition is an entry there and one
here, and a line in docs/statistics.md.
"""

from dataclasses import dataclass

from concord.messages import said
from concord.reports.document import Kind
from concord.stats.decision.conditions import (
    ACCURACY,
    ANNOTATORS,
    CEILING,
    DIFFERENCE,
    KAPPA,
    MAJORITY,
    MINIMUM,
    PRECISION,
    RECALL,
    REFERENCE,
)

_AT_CHANCE = said("more labels do not raise agreement above chance")


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
        no_labels: Why more labels do not help; '' where they may.
        no_power: Why the power of a decision stays low.
        left_out: It is not listed where it does not apply.
    """

    key: str
    title: str
    kind: Kind | str = "figure"
    fails: str = ""
    open: str = ""
    no_labels: str = ""
    no_power: str = ""
    left_out: bool = False


CONDITIONS = (
    ConditionWords(
        DIFFERENCE,
        said("difference to the reference judge{unit}"),
        "apart",
        fails=said("it is worse than the reference judge by more than the margin"),
        open=said("it may be worse than the reference judge by more than the margin"),
        no_power=said("the candidate is worse than the reference judge by the margin"),
    ),
    ConditionWords(
        MINIMUM,
        said("{figure}: minimum"),
        fails=said("its agreement is below the minimum"),
        open=said("its agreement may be below the minimum"),
        no_labels=said("its agreement is not above the minimum, and more labels do not raise it"),
        no_power=said("the judges' agreement is not above the minimum"),
    ),
    ConditionWords(
        KAPPA,
        said("better than chance (QWK)"),
        "number",
        fails=said("its agreement is not better than chance"),
        open=said("its agreement may not be better than chance"),
        no_labels=_AT_CHANCE,
        no_power=said("the judges' agreement is not better than chance"),
    ),
    ConditionWords(
        CEILING,
        said("difference to inter-annotator agreement{unit}"),
        "apart",
        fails=said("its agreement is below inter-annotator agreement by more than the margin"),
        open=said("its agreement may be below inter-annotator agreement by more than the margin"),
        no_labels=said(
            "on the answers so far annotators agree with one another more than judges with them, "
            "by at least the margin; if that is so on all answers, no number of labels suffices"
        ),
        no_power=said(
            "the judges agree with annotators less than annotators with one another, by at least "
            "the margin"
        ),
    ),
    ConditionWords(
        ACCURACY,
        said("better than chance (balanced accuracy)"),
        "share",
        fails=said("it tells passing from failing answers no better than chance"),
        open=said("it may tell passing from failing answers no better than chance"),
        no_labels=_AT_CHANCE,
        no_power=said("the judges tell passing from failing answers no better than chance"),
        left_out=True,
    ),
    ConditionWords(
        ANNOTATORS,
        said("inter-annotator agreement better than chance (QWK)"),
        "number",
        open=said("inter-annotator agreement may not be above chance"),
        no_labels=said("more labels do not raise inter-annotator agreement above chance"),
        no_power=said("inter-annotator agreement is not better than chance"),
    ),
    ConditionWords(
        RECALL,
        said("recall of failing answers: minimum"),
        "share",
        fails=said("its recall of failing answers is below the minimum"),
        no_power=said("the judges' recall of failing answers is below the minimum"),
    ),
    ConditionWords(
        PRECISION,
        said("precision of failing verdicts: minimum"),
        "share",
        fails=said("its precision of failing verdicts is below the minimum"),
        no_power=said("the judges' precision of failing verdicts is below the minimum"),
    ),
    ConditionWords(
        MAJORITY,
        said("{figure}: majority-class baseline"),
        open=said("its agreement is below the majority-class baseline"),
        no_labels=said(
            "its agreement is below the majority-class baseline, and more labels do not raise it"
        ),
        no_power=said("the judges' agreement is below the majority-class baseline"),
    ),
    ConditionWords(
        REFERENCE,
        said("reference judge: {figure}"),
        no_labels=said(
            "more labels do not help while non-inferiority to the reference judge shows nothing: "
            "name a minimum agreement, or another reference judge"
        ),
        no_power=said("the reference judge is not good enough itself"),
    ),
)
BY_KEY = {one.key: one for one in CONDITIONS}
