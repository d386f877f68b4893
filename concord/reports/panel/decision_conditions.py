"""The conditions of a decision in words: tables, reasons and forecasts iterate over `CONDITIONS`.

Each is tested in `concord.stats.decision.conditions`. A further condition is an entry there and one
here, and a line in docs/statistics.md.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from concord.messages import Said, capital, said
from concord.reports.document import Column, Kind, Part
from concord.reports.panel.criterion_comparison import CriterionPanel
from concord.stats.agreement.failure_recall import VerdictCounts
from concord.stats.core.estimate import Estimate, Reason, Statistics, reason, undefined
from concord.stats.core.minimums import (
    ALT_TEST_ANNOTATORS,
    ALT_TEST_FLOOR,
    CEILING_PILOT_FLOOR,
    FAILING_FLOOR,
    ORDINAL_VERDICT_FLOOR,
    PAIR_FLOOR,
    PILOT_FLOOR,
    QUESTION_FLOOR,
    RATE_FLOOR,
    VERDICT_FLOOR,
)
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import ranked
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
from concord.stats.statistics import OF_FAILING, counts, figures

# Not the words for an answer that passes or fails: other languages say them otherwise.
MET = "pass"
NOT_MET = "fail"
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
        "difference from the reference judge{unit}",
        "apart",
        fails=reason("difference_fails"),
        open=reason("difference_open"),
        no_power="the candidate is worse than the reference judge by the margin",
    ),
    ConditionWords(
        MINIMUM,
        "{figure}: minimum",
        fails=reason("minimum_fails"),
        open=reason("minimum_open"),
        no_labels=reason("labels_do_not_pass_minimum"),
        no_power="the judges' agreement is not above the minimum",
    ),
    ConditionWords(
        KAPPA,
        "better than chance (QWK)",
        "number",
        fails=reason("kappa_fails"),
        open=reason("kappa_open"),
        no_labels=_AT_CHANCE,
        no_power="the judges' agreement is not better than chance",
    ),
    ConditionWords(
        CEILING,
        "difference from inter-annotator agreement{unit}",
        "apart",
        fails=reason("ceiling_fails"),
        open=reason("ceiling_open"),
        no_labels=reason("labels_do_not_pass_ceiling"),
        no_power=(
            "the judges agree with annotators less than annotators with one another, by at least "
            "the margin"
        ),
    ),
    ConditionWords(
        ACCURACY,
        "better than chance (balanced accuracy)",
        "share",
        fails=reason("balanced_accuracy_fails"),
        open=reason("balanced_accuracy_open"),
        no_labels=_AT_CHANCE,
        no_power="the judges tell passing from failing answers no better than chance",
        left_out=True,
    ),
    ConditionWords(
        ANNOTATORS,
        "inter-annotator agreement better than chance (QWK)",
        "number",
        open=reason("annotator_agreement_open"),
        no_labels=reason("labels_do_not_raise_annotator_agreement"),
        no_power="inter-annotator agreement is not better than chance",
    ),
    ConditionWords(
        RECALL,
        "recall of failing answers: minimum",
        "share",
        fails=reason("failure_recall_fails"),
        no_power="the judges' recall of failing answers is below the minimum",
    ),
    ConditionWords(
        PRECISION,
        "precision of failing verdicts: minimum",
        "share",
        fails=reason("failure_precision_fails"),
        no_power="the judges' precision of failing verdicts is below the minimum",
    ),
    ConditionWords(
        ASSAY,
        "inter-annotator agreement above the majority-class baseline{unit}",
        "apart",
        open=reason("assay_sensitivity_open"),
        no_labels=reason("labels_do_not_raise_assay_sensitivity"),
        no_power="annotators do not agree with one another more than the majority class",
    ),
    ConditionWords(
        MAJORITY,
        "difference from the majority-class baseline{unit}",
        "apart",
        fails=reason("majority_baseline_fails"),
        open=reason("majority_baseline_open"),
        no_labels=reason("labels_do_not_pass_majority_baseline"),
        no_power="the judges' agreement is below the majority-class baseline",
    ),
    ConditionWords(
        REFERENCE,
        "reference judge: {figure}",
        no_labels=reason("labels_do_not_mend_reference"),
        no_power="the reference judge is not good enough itself",
    ),
)
BY_KEY = {one.key: one for one in CONDITIONS}


@dataclass(frozen=True)
class Floor:
    """A minimum size.

    Attributes:
        what: The statistic that takes it.
        needs: How many it takes.
        of: Of what.
        has: How many there are.
        answers: About how many answers annotators have to grade for it, at the rate seen so far;
            None where none was seen.
    """

    what: str
    needs: int
    of: str
    has: int
    answers: int | None
    holds: bool


def floors(on: CriterionPanel) -> list[Floor]:
    """Return every minimum of one criterion, counted on the grades of annotators."""
    graded = np.unique(on.annotators.item)
    questions = ranked(on.panel.cluster[graded])[0] if len(graded) else 0
    is_failed = np.isin(on.annotators.score, list(on.panel.rubric.failing(on.criterion)))
    failed = len(np.unique(on.annotators.item[is_failed]))
    passed = len(np.unique(on.annotators.item[~is_failed]))
    several, scores = on.overlap()
    enough = int(((~np.isnan(scores)).sum(axis=1) >= ALT_TEST_FLOOR).sum())
    clustered = len(np.unique(on.panel.cluster)) < len(np.unique(on.panel.question))
    unit = "clusters of questions" if clustered else "questions"
    per_question = len(graded) / questions if questions else None

    def by_question(needs: int) -> int | None:
        return per_question and int(np.ceil(needs * per_question))

    def at_rate(needs: int, seen: int) -> int | None:
        return int(np.ceil(needs * len(graded) / seen)) if seen else None

    rows = (
        ("any interval", QUESTION_FLOOR, unit, questions, by_question(QUESTION_FLOOR)),
        ("a verdict", VERDICT_FLOOR, unit, questions, by_question(VERDICT_FLOOR)),
        (
            "a verdict on quadratic kappa or tau-b",
            ORDINAL_VERDICT_FLOOR,
            "answers",
            len(graded),
            ORDINAL_VERDICT_FLOOR,
        ),
        (
            "power planned from a pilot, once two judges graded it",
            PILOT_FLOOR,
            unit,
            questions,
            by_question(PILOT_FLOOR),
        ),
        (
            "power planned from a pilot with several annotators per answer",
            CEILING_PILOT_FLOOR,
            said("{unit} graded by two annotators", unit="clusters" if clustered else unit),
            ranked(on.panel.cluster[several])[0] if len(several) else 0,
            by_question(CEILING_PILOT_FLOOR),
        ),
        (
            "kappa and related coefficients",
            PAIR_FLOOR,
            "answers",
            len(graded),
            PAIR_FLOOR,
        ),
        (
            "a statement on the recall of failing answers",
            FAILING_FLOOR,
            "answers annotators failed",
            failed,
            at_rate(FAILING_FLOOR, failed),
        ),
        (
            "the alternative annotator test",
            ALT_TEST_ANNOTATORS,
            said("annotators with {n} shared answers each", n=ALT_TEST_FLOOR),
            enough,
            ALT_TEST_FLOOR,
        ),
        (
            "the Rogan-Gladen correction",
            RATE_FLOOR,
            "answers annotators failed",
            failed,
            at_rate(RATE_FLOOR, failed),
        ),
        (
            "the Rogan-Gladen correction",
            RATE_FLOOR,
            "answers annotators passed",
            passed,
            at_rate(RATE_FLOOR, passed),
        ),
    )
    return [Floor(*row, holds=row[3] >= row[1]) for row in rows]


_COUNTS = (
    ("failed by annotators", "failure_recall", "failing"),
    ("passed by annotators", "false_alarm_rate", "passing"),
    ("failed by the judge", "failure_precision", "judge_failing"),
)


def failing_statistics(pairs: Pairs, scale: Sequence[int], failing: Collection[int]) -> Statistics:
    """Return the figures of a judge's failing verdicts, with their counts."""
    found = figures(pairs, scale, failing, names=[one.key for one in OF_FAILING])
    return Statistics(found, counts(VerdictCounts.of(pairs, failing)))


def no_failing_statistics(why: str) -> Statistics:
    """Return the same of a judge without any."""
    return Statistics({one.key: undefined(why) for one in OF_FAILING}, counts(None))


def failing_parts() -> list[Part]:
    """Return the columns of counts and figures; a row has its `statistics`."""
    counts: list[Part] = [
        (
            Column(title, "count"),
            lambda row, key=key, name=name: row.statistics.counts.get(key, {}).get(name),
        )
        for title, key, name in _COUNTS
    ]
    figures: list[Part] = [
        (
            Column(one.head, one.kind, help=one.heading),
            lambda row, key=one.key: withheld(row.statistics, key),
        )
        for one in OF_FAILING
    ]
    return [*counts, *figures]


def withheld(
    found: Statistics, key: str, other: Estimate | None = None
) -> Estimate | Said | float | None:
    """Return a figure, or the number of answers where it is a share of too few that fail.

    None where there is no such figure. `other` is the same figure counted in another way.
    """
    estimate = other or found.by_key.get(key)
    counts = [n for n in found.counts.get(key, {}).values() if n is not None]
    if counts and min(counts) < FAILING_FLOOR and estimate and estimate.value is not None:
        return said("too few ({n})", n=min(counts))
    return estimate


def counted_as_both(rows: Iterable[tuple[Statistics, int]], units: str) -> list[str]:
    """Say why failing and passing answers may be more than there are, and a share no whole number.

    Args:
        rows: The figures of each judge's failing verdicts, and the number of answers.
        units: What is graded, as `answers`.
    """
    every = ((one.counts.get("balanced_accuracy"), n) for one, n in rows)
    counts = [(one, n) for one, n in every if one]
    if all(one["failing"] + one["passing"] <= n for one, n in counts):
        return []
    return [
        said(
            "{units} that some annotators fail and others pass are counted as both, weighted by "
            "the share of annotators.",
            units=capital(units),
        )
    ]
