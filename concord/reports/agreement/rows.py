"""Rows of the agreement report: one judge on one criterion or the composite.

Under `each` all pairs (judge, annotator) on the same items count, every item with total weight 1;
under `consensus` the annotators' consensus is the one reference. Intervals take whole clusters.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from concord.language.grade_statuses import status_words
from concord.messages import Said, is_message, said
from concord.model import BASELINE, Grader
from concord.reports.agreement import continuous
from concord.reports.agreement.results import (
    AS_ERRORS,
    AboveBaseline,
    AgreementRow,
    Ceiling,
    MajorityBaseline,
    WithoutConsensus,
    WorstCase,
)
from concord.reports.decision.verdict import estimate_of
from concord.reports.panel import unit_words
from concord.reports.panel.criterion_comparison import (
    CriterionPanel,
    PairStatistics,
    ground,
)
from concord.reports.panel.panel import COMPOSITE, INCOMPLETE, OTHER, STATUS_NAMES, Panel
from concord.reports.panel.provenance import signature
from concord.reports.panel.reference_standard import CONSENSUS, EACH, Reference, without_consensus
from concord.stats.agreement.failure_recall import NONE_FAILED
from concord.stats.baselines import KEYS, every_statistic
from concord.stats.continuous import CONTINUOUS
from concord.stats.core.estimate import Estimate, Why, reason, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import distinct, effective_number
from concord.stats.decision.conditions import Grades, above_baseline
from concord.stats.decision.deciding_figure import EXACT, FIGURES
from concord.stats.intervals.group_sequential import ERROR
from concord.stats.intervals.wilson import proportion
from concord.stats.reliability.alt_test import AltTest, alt_test
from concord.stats.statistics import NOT_FOR_COMPOSITES


class _Base(NamedTuple):
    """Denominator of a share: existing scores, and lost ones.

    Attributes:
        weight: (C,) summed weight by cluster.
        units: How many equally weighted scores it amounts to.
    """

    weight: np.ndarray
    units: float

    @classmethod
    def of(cls, panel: Panel, pairs: Pairs, item: np.ndarray, lost: np.ndarray) -> "_Base":
        """The pairs together with lost items of these weights, which may be there repeatedly."""
        weight, cluster = np.r_[pairs.weight, lost], np.r_[pairs.cluster, panel.cluster[item]]
        by_cluster = np.bincount(cluster, weight, int(panel.cluster.max()) + 1)
        return cls(by_cluster, float(effective_number(weight)))

    def share(self, pairs: Pairs, hit: np.ndarray) -> Estimate:
        """The weight of the pairs that hit, as a share of all."""
        hits = np.bincount(pairs.cluster, pairs.weight * hit, len(self.weight))
        return proportion(hits, self.weight, self.units)


def worst_case(on: CriterionPanel, judge: Grader, judged: PairStatistics) -> WorstCase:
    """Return the statistics with failures as errors, and how many answers were scored and not.

    Where the judge left nothing unscored these are its own. Undefined for the composite.
    """
    status, (has, _) = on.panel.numbers(on.name, judge.id).status, on.left_out()
    # Asked about, with a reference, and left unscored.
    failed = has & (status > 0) & (status != STATUS_NAMES.index(INCOMPLETE))
    matched, lost = judged.n, int(failed.sum())
    skipped = int(has.sum()) - matched - lost
    return WorstCase(matched, lost, skipped, _figures(on, judge, judged, failed))


def _figures(
    on: CriterionPanel, judge: Grader, judged: PairStatistics, failed: np.ndarray
) -> dict[str, Estimate]:
    if on.name == COMPOSITE:
        return dict.fromkeys(AS_ERRORS, undefined(NOT_FOR_COMPOSITES))
    numbers = on.mean is not None or on.panel.is_continuous(on.name, judge.id)
    if not failed.any() or numbers:  # undefined where grades are continuous
        return {name: judged.figures[name] for name in AS_ERRORS}
    pairs, items = judged.pairs, np.flatnonzero(failed)
    apart, near = np.abs(pairs.judge - pairs.annotator), judged.figures["within_one"]
    whole = _Base.of(on.panel, pairs, items, on.panel.weight[items])
    return {
        "exact": whole.share(pairs, apart == 0),
        "within_one": near if near.value is None else whole.share(pairs, apart <= 1),
        "failure_recall": _recall(on, judged, failed),
    }


def _recall(on: CriterionPanel, judged: PairStatistics, failed: np.ndarray) -> Estimate:
    """Return `failure_recall` with the failing answers the judge left unscored as missed."""
    failing = list(on.panel.rubric.failing(on.criterion))
    pairs = judged.pairs.where(np.isin(judged.pairs.annotator, failing))
    lost = failed[on.annotators.item] & np.isin(on.annotators.score, failing)
    item = on.annotators.item[lost]
    if not len(pairs.item) + len(item):
        return undefined(NONE_FAILED)
    annotators = np.bincount(on.annotators.item, minlength=len(failed))
    whole = _Base.of(on.panel, pairs, item, on.panel.weight[item] / annotators[item])
    return whole.share(pairs, np.isin(pairs.judge, failing))


NO_CONSTANT = reason("composite_is_no_grade")
NO_SCORE = reason("mean_is_no_grade")
NO_PAIRS = reason("nothing_to_compare")


def majority_baseline(
    on: CriterionPanel, judged: PairStatistics, continuous: bool
) -> MajorityBaseline:
    """Return the baseline on a judge's answers, and who agrees more than it; why it is undefined.

    The annotators are compared with it on the answers of the judge that two or more of them graded;
    a judge of `continuous` grades is not.
    """
    if judged.used is None or judged.used.sum() <= 0:
        why = NO_PAIRS if judged.used is not None else NO_SCORE if on.criterion else NO_CONSTANT
        none = AboveBaseline("none", undefined(why))
        return MajorityBaseline(why, dict.fromkeys(KEYS), none, none)
    between = on.overlapping(judged.on).pairs
    return MajorityBaseline(
        None,
        every_statistic(judged.used, on.panel.rubric.scale, on.panel.rubric.failing(on.criterion)),
        _tested(on, judged.pairs, CONTINUOUS if continuous else None),
        _tested(on, between, on.no_ceiling(between)),
    )


def _tested(on: CriterionPanel, pairs: Pairs, why_none: Why | None = None) -> AboveBaseline:
    """Test exact agreement of some pairs minus that of the baseline, as a decision does."""
    if why_none:
        return AboveBaseline("none", undefined(why_none))
    scale, rubric = on.panel.rubric.scale, on.panel.rubric
    tables = pairs.tables(scale)
    grades = Grades(tables[None], tables[None], tables, scale, rubric.failing(on.criterion))
    tested = above_baseline(grades, FIGURES[EXACT], grades.judges)
    state = "clear" if tested.above[0] <= ERROR else "fails" if tested.below[0] <= ERROR else "open"
    return AboveBaseline(state, estimate_of(tested, 0))


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
