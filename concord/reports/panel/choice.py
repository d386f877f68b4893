"""A choice among judges: the candidates, the grades it rests on, and its conditions in words.

Tables, reasons and forecasts iterate over `CONDITIONS`, each of which is tested in
`concord.stats.decision.conditions`. A further condition is an entry there and one here, and a line
in docs/statistics.md.
"""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from concord.messages import Problem, joined, on_command_line
from concord.model import BASELINE, Grader
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, ground
from concord.reports.panel.panel import Panel
from concord.stats.core.estimate import Reason, reason
from concord.stats.core.pairs import Pairs
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
    Grades,
)
from concord.stats.statistics import OF_FAILING
from concord.store import graders
from concord.store.database import Store

ENOUGH = 0.8
SPARSE = "scored_too_few"  # the code of why a judge that scored fewer is left out
NOT_NAMED = reason("annotator_not_named")
IS_BASELINE = reason("baseline_is_no_candidate")
IS_SIMULATED = reason("simulated_only_with_simulated")
IS_REAL = reason("reference_is_simulated")
UNGRADED = reason("graded_none_of_these")
IS_CONTINUOUS = reason("continuous_is_no_candidate")


@dataclass(frozen=True)
class Field:
    """The judges of a decision, and the answers scored by all of them and by annotators.

    Attributes:
        judges: The reference judge first, then the candidates that scored enough of the answers.
        left_out: Why each other judge is not a candidate, by label.
        common: (N,) the answers that annotators and all of `judges` scored.
    """

    on: CriterionPanel
    reference: Grader
    judges: list[Grader]
    left_out: dict[str, Reason]
    common: np.ndarray


def of_decision(panel: Panel, annotators: Collection[int] | None) -> Panel:
    """Return the panel with those annotators alone that a decision names; unchanged for None."""
    if annotators is None:
        return panel
    named = {i: person for i, person in panel.annotators.items() if i in annotators}
    later = {one.name: NOT_NAMED for i, one in panel.annotators.items() if i not in named}
    return replace(panel, annotators=named, uncounted=panel.uncounted | later)


def field(panel: Panel, criterion: str, reference: Grader, kind: str = EACH) -> Field:
    """Return the judges to compare with the reference judge on a criterion.

    All judges are compared on the same answers, so one that scored under 80 percent of what
    annotators and the reference judge scored would shrink the sample for all; it is left out.

    `kind` is the reference: `each` annotator, or their `consensus`.

    Raises:
        Problem: The baseline is named as the reference.
    """
    if reference.name == BASELINE:
        raise Problem(
            "The baseline is the floor for every judge, so a judge as good as the baseline shows "
            "nothing. Name another judge with --against."
        )
    check_scores(panel, criterion, reference)
    on, left_out, judges = ground(panel, criterion, kind), {}, [reference]
    scored = {i: panel.of(criterion, i).scored & panel.open for i in panel.judges}
    shared = scored[reference.id] & (on.annotators.why == "")
    for i, judge in panel.judges.items():
        both = int((scored[i] & shared).sum())
        why = None
        if judge.name == BASELINE:
            why = IS_BASELINE
        elif judge.simulated != reference.simulated:
            why = IS_SIMULATED if judge.simulated else IS_REAL
        elif not both and i != reference.id:
            why = IS_CONTINUOUS if panel.is_continuous(criterion, i) else UNGRADED
        elif both < ENOUGH * shared.sum():
            names = {"n": both, "all": int(shared.sum()), "judge": panel.labels[reference.id]}
            why = reason("scored_too_few", **names)
        if why:
            left_out[panel.labels[i]] = why
        elif i != reference.id:
            judges.append(judge)
    common = np.logical_and.reduce([shared, *(scored[judge.id] for judge in judges)])
    return Field(on, reference, judges, left_out, common)


def among(found: Field, those: Collection[tuple[str, str | None]]) -> Field:
    """Return the field of these judges alone, each by its label and fingerprint."""
    panel = found.on.panel
    judges = {
        i: one
        for i, one in panel.judges.items()
        if i == found.reference.id or (panel.labels[i], one.fingerprint) in those
    }
    if judges.keys() >= {one.id for one in found.judges}:
        return found
    return field(replace(panel, judges=judges), found.on.name, found.reference)


def check_scores(panel: Panel, criterion: str, reference: Grader) -> None:
    """Raise a Problem where a choice does not apply, since there are no scores of the scale."""
    if panel.is_continuous(criterion, reference.id):
        raise Problem(
            "The grades of {judge} are continuous numbers, and a choice rests on exact scores. "
            "Import its verdicts, such as pass and fail, as scores, or choose another reference "
            "judge{on_command_line}. Agreement shows its correlations.",
            judge=panel.labels[reference.id],
            on_command_line=on_command_line("`--against`"),
        )
    if panel.means and not panel.annotators:
        raise Problem(
            "Only the mean of several annotators is known, and a choice rests on the exact scores "
            "of annotators. Import or give these first."
        )


def references(panel: Panel) -> dict[str, Grader]:
    """The judges that may be a reference, by label: all but the baseline."""
    named = {panel.labels[i]: judge for i, judge in panel.judges.items()}
    return {label: judge for label, judge in named.items() if judge.name != BASELINE}


def unnamed(panel: Panel) -> Problem:
    """Return the Problem of a missing reference judge, listing the possible ones."""
    return Problem(
        "A judge is compared with a reference judge: the best one you would consider. Name it with "
        "--against JUDGE; sheet “{sheet}” is graded by: {able}.",
        sheet=panel.sheet.name,
        able=joined(", ", references(panel)) or "none but the baseline",
    )


def could_be_seen(panel: Panel, criterion: str) -> bool:
    """True where a judge's agreement with annotators on a criterion could have been seen by now.

    It could as soon as one answer has a score that counts of an annotator and of a judge other than
    the baseline: from then on the first screen shows the agreement. Unseen results cannot have
    shaped the terms; visible ones may have, so they are assumed to have.
    """
    graded = np.zeros(len(panel.items), bool)
    for person in panel.annotators:
        graded |= panel.counted(criterion, person)
    judges = [i for i, judge in panel.judges.items() if judge.name != BASELINE]
    return any((panel.of(criterion, i).scored & panel.open & graded).any() for i in judges)


def digest(found: Field) -> str:
    """A digest of every grade a choice rests on: who gave which score to which answer.

    It covers the annotators who count, whether an alert on them was accepted, and the judges
    compared, with what a judge left unscored; nothing else changes it.
    """
    panel, criterion = found.on.panel, found.on.name
    ids = panel.items["id"].to_numpy()
    running = hashlib.sha256(criterion.encode())

    def add(grader: int, these: np.ndarray) -> None:
        marks = panel.of(criterion, grader)
        scores = np.nan_to_num(marks.score[these], nan=-1e9).astype(float)
        running.update(np.int64(grader).tobytes() + ids[these].astype(np.int64).tobytes())
        running.update(marks.status[these].astype(np.int8).tobytes() + scores.tobytes())

    for person in sorted(panel.annotators):
        add(person, panel.counted(criterion, person))
        running.update(bytes([panel.alert_accepted(person)]))
    for judge in sorted(judge.id for judge in found.judges):
        add(judge, (panel.of(criterion, judge).status >= 0) & panel.open)
    return running.hexdigest()


def pairs_of(found: Field, judge: Grader) -> Pairs:
    """Return a judge's pairs on the answers that all judges scored."""
    pairs = found.on.pairs(judge)
    return pairs.where(found.common[pairs.item])


def grades_of(found: Field, pairs: Mapping[int, Pairs]) -> tuple[Grades, int]:
    """Return the tables of all judges by question, and on how many answers annotators overlap."""
    on, scale, every = found.on, found.on.panel.rubric.scale, pairs.values()
    clusters = np.unique(pairs[found.reference.id].cluster)
    between = on.ceiling(found.common)
    shared = between.on & found.common

    def tables(own: Pairs) -> np.ndarray:
        made = np.zeros((len(clusters), len(scale), len(scale)))
        if len(own.item):
            made[np.searchsorted(clusters, np.unique(own.cluster))] = own.tables(scale)
        return made

    squares = None
    if not all((one.weight == 1).all() for one in every):
        squares = np.stack([tables(one._replace(weight=one.weight**2)) for one in every])
    return Grades(
        judges=np.stack([tables(one) for one in every]),
        shared=np.stack([tables(one.where(shared[one.item])) for one in every]),
        annotators=tables(between.pairs),
        scale=scale,
        failing=on.panel.rubric.failing(on.criterion),
        squares=squares,
    ), int(shared.sum())


def judge_of(store: Store, panel: Panel, name: str) -> Grader:
    """Return the judge or metric of that name (the newest, or `name@fingerprint`) on the sheet.

    A Problem where the newest of that name did not grade it: an older one is never substituted.
    """
    judge = graders.find(store, "judge", name) or graders.find(store, "metric", name)
    if judge is None or judge.id not in panel.judges:
        raise Problem(
            "Judge “{label}” has not graded sheet “{sheet}” under rubric {rubric}. Run it, or name "
            "one that has: {there}.",
            label=judge.label() if judge else name,
            sheet=panel.sheet.name,
            rubric=panel.rubric.name,
            there=joined(", ", [one.label() for one in panel.judges.values()]) or "none yet",
        )
    return judge


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
