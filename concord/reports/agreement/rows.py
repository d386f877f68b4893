"""Rows of the agreement report: one judge on one criterion or the composite.

Under `each` all pairs (judge, annotator) on the same items count, every item with total weight 1;
under `consensus` the annotators' consensus is the one reference. Intervals take whole clusters.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np

from concord.language.grade_statuses import status_words
from concord.messages import Said, is_message, said
from concord.model import BASELINE, Grader
from concord.reports.agreement import continuous
from concord.reports.agreement.failures_as_errors import worst_case
from concord.reports.agreement.majority_baseline import majority_baseline
from concord.reports.agreement.results import (
    AgreementRow,
    Ceiling,
    WithoutConsensus,
)
from concord.reports.panel import unit_words
from concord.reports.panel.criterion_comparison import (
    CriterionPanel,
    PairStatistics,
    ground,
)
from concord.reports.panel.panel import OTHER, STATUS_NAMES, Panel
from concord.reports.panel.provenance import signature
from concord.reports.panel.reference_standard import CONSENSUS, EACH, Reference, without_consensus
from concord.stats.core.estimate import reason
from concord.stats.core.tables import distinct
from concord.stats.reliability.alt_test import AltTest, alt_test

NOT_JUDGED = said("not graded by this judge")
NOT_WEIGHTED = reason("test_has_no_weights")

Rows = Callable[[Panel, str, list[str] | None], list[AgreementRow]]


def rows(
    panel: Panel,
    kind: str = EACH,
    criteria: list[str] | None = None,
    judges: Collection[int] | None = None,
) -> list[AgreementRow]:
    """Return a row per judge and criterion: those named, else all and the composite."""
    return [_row(on, judge) for on, judge in places(panel, kind, criteria, judges)]


def rows_by_answer_model(
    panel: Panel, kind: str = EACH, criteria: list[str] | None = None, every: Rows = rows
) -> list[AgreementRow]:
    """Return the same rows for each answering model's answers alone."""
    return [
        replace(row, answer_model=model)
        for model in panel.answer_models
        for row in every(panel.within(model), kind, criteria)
    ]


def row(
    panel: Panel, judge: Grader, criterion: str, annotators: Reference, kind: str
) -> AgreementRow:
    """Return everything about one judge and one criterion (or the composite)."""
    return _row(ground(panel, criterion, kind, annotators), judge)


def places(
    panel: Panel,
    kind: str,
    criteria: list[str] | None = None,
    judges: Collection[int] | None = None,
) -> list[tuple[CriterionPanel, Grader]]:
    """Return the ground and the judge of each row, in the order of `rows`."""
    names = criteria or panel.criteria
    grounds = [ground(panel, name, kind) for name in names if panel.annotators or not panel.means]
    grounds += continuous.grounds(panel, names)
    asked = [judge for i, judge in panel.judges.items() if judges is None or i in judges]
    return [(on, judge) for judge in asked for on in grounds if _is_of(on, judge)]


def _is_of(on: CriterionPanel, judge: Grader) -> bool:
    """False for a metric on what it was not computed for: a judge can still grade it."""
    graded = on.panel.numbers(on.name, judge.id).status >= 0
    return judge.kind != "metric" or bool(graded.any())


def _row(on: CriterionPanel, judge: Grader) -> AgreementRow:
    panel, is_continuous = on.panel, continuous.concerns(on, judge)
    judged = continuous.judged(on, judge) if is_continuous else on.judged(judge)
    annotators = on.annotators_on(judged.on)
    found = AgreementRow(
        sheet=panel.sheet.name,
        rubric=panel.rubric.name,
        judge=panel.labels[judge.id],
        criterion=on.name,
        units=unit_words.of_rubric(panel.rubric),
        reference=on.kind,
        answer_model=None,
        n=judged.n,
        annotators=len(annotators),
        **_extent(panel, judged.on),
        left_out=_left_out(on, panel.numbers(on.name, judge.id).status),
        statistics=judged.statistics,
        failing=judged.failing,
        alt_test=_alt_test(on, judge),
        majority_baseline=majority_baseline(on, judged, is_continuous),
        ceiling=_ceiling(on, judge, judged),
        fingerprint=judge.fingerprint,
        kind=judge.kind,
        simulated=judge.simulated,
        floor=judge.name == BASELINE,
        simulated_annotators=tuple(person.name for person in annotators if person.simulated),
        worst_case=worst_case(on, judge, judged),
        without_consensus=WithoutConsensus(*without_consensus(on.annotators))
        if on.kind == CONSENSUS
        else None,
        note=panel.range_note(on.name, judge.id) if is_continuous else None,
        continuous=continuous.details(on, judge) if is_continuous else None,
    )
    found = unit_words.in_units_throughout(panel.rubric, found)
    return replace(found, signature=signature(panel, found, annotators))


def _left_out(on: CriterionPanel, statuses: np.ndarray) -> dict[str, int]:
    """Count the items left out of the statistics, by reason.

    The counts and n add up to the number of items (of the answering model, in a row of one).
    """
    has, without = on.left_out()
    reasons = without.copy()
    codes = statuses[has & (statuses != 0)]
    for code, count in zip(*np.unique(codes, return_counts=True), strict=True):
        reasons[NOT_JUDGED if code < 0 else _unscored(STATUS_NAMES[code])] = int(count)
    del reasons[OTHER]
    return dict(reasons)


def _unscored(status: str) -> Said:
    """That the judge gave no score, and why: as the status is called in what is exported."""
    why = status_words(status)
    known = Said(status, why.template, {}) if is_message(why) else status
    return said("judge: {status}", status=known)


def _ceiling(on: CriterionPanel, judge: Grader, judged: PairStatistics) -> Ceiling:
    """Return the annotators with one another on the items of a row, and the judge on the same."""
    if on.mean:  # how far the annotators behind it agree is unknown
        nothing = continuous.no_ceiling()
        return Ceiling(0, 0, 0, 0, nothing, None, nothing, continuous.NO_CEILING)
    annotators = on.ceiling(judged.on)
    same = judged
    if annotators.n < judged.n:
        pairs = judged.pairs.where(annotators.on[judged.pairs.item])
        same = (
            continuous.measured(on, judge, pairs, on.no_overlap)
            if continuous.concerns(on, judge)
            else on.measured(pairs, why_none=on.no_overlap)
        )
    return Ceiling(
        n=annotators.n,
        annotators=len(on.annotators_on(annotators.on)),
        **_extent(on.panel, annotators.on),
        statistics=annotators.statistics,
        failing=annotators.failing,
        judge_on_same_items=same.statistics,
        why_none=on.no_ceiling(annotators.pairs),
    )


def _extent(panel: Panel, on: np.ndarray) -> dict[str, int]:
    return {
        "questions": distinct(panel.question[on]),
        "clusters": distinct(panel.cluster[on]),
    }


def _alt_test(on: CriterionPanel, judge: Grader) -> tuple[AltTest, ...]:
    """Return the alternative annotator test per item and question on items with two annotators."""
    if continuous.concerns(on, judge):
        return continuous.no_alt_test()
    items, annotators = on.overlap()
    found = alt_test(annotators, on.scores(judge, items), cluster=on.panel.cluster[items])
    if on.panel.reweighted:
        nothing = {"omega": None, "rho": None, "omega_by_question": None}
        found = [result._replace(**nothing, why_none=NOT_WEIGHTED) for result in found]
    return tuple(found)
