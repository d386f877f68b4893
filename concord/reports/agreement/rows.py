"""Rows of the agreement report: one judge on one criterion or the composite.

Under `each` all pairs (judge, annotator) on the same items count, every item with total weight 1;
under `consensus` the annotators' consensus is the one reference. Intervals take whole clusters.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from concord.language.grade_statuses import status_words
from concord.messages import Said, is_message, message_of, said
from concord.model import BASELINE, Grader
from concord.reports.decision.verdict import estimate_of
from concord.reports.document import FLAT, INTERNAL, OPTIONAL
from concord.reports.panel import unit_words
from concord.reports.panel.criterion_comparison import (
    CONSENSUS,
    EACH,
    CriterionPanel,
    PairStatistics,
    Reference,
    ground,
    ground_of_mean,
    without_consensus,
)
from concord.reports.panel.panel import COMPOSITE, INCOMPLETE, OTHER, STATUS_NAMES, Panel
from concord.reports.panel.provenance import Annotator, short_label, signature
from concord.reports.panel.unit_words import UnitWords
from concord.stats import continuous as statistics
from concord.stats.agreement.failure_recall import NONE_FAILED
from concord.stats.baselines import KEYS, every_statistic
from concord.stats.continuous import CONTINUOUS
from concord.stats.core.estimate import Estimate, Statistics, Why, reason, t_quantile, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import distinct, effective_number, ranked
from concord.stats.decision.conditions import Grades, above_baseline
from concord.stats.decision.deciding_figure import EXACT
from concord.stats.decision.deciding_figure import FIGURES as DECIDING_FIGURES
from concord.stats.intervals.group_sequential import ERROR
from concord.stats.intervals.wilson import proportion
from concord.stats.reliability.alt_test import EPSILONS, AltTest, alt_test
from concord.stats.statistics import (
    BY_KEY,
    CORRELATIONS,
    NOT_FOR_COMPOSITES,
    NOTHING,
    OF_NUMBERS,
    absent,
    counts,
    floor,
)

# The statistics that have a value with unscored answers as errors: shares of answers.
AS_ERRORS = ("exact", "within_one", "failure_recall")


@dataclass(frozen=True)
class AboveBaseline:
    """Exact agreement minus that of the majority-class baseline on the same answers.

    Attributes:
        state: `clear` where it is shown to lie above, `fails` below, else `open`; `none` where it
            is not tested.
    """

    state: str
    difference: Estimate


@dataclass(frozen=True)
class BestOf:
    """Exact agreement of the best of so many `judges`, with a CI that is simultaneous over them.

    `tied` are the labels of the others that agree as often.
    """

    judges: int
    exact: Estimate
    tied: tuple[str, ...] = ()


@dataclass(frozen=True)
class MajorityBaseline:
    """A judge that always gives the most frequent score; all None for the composite or no pairs.

    Attributes:
        values: From `stats.majority_baseline.every_statistic`.
        judge: The judge compared with it.
        annotators: The annotators with one another compared with it: assay sensitivity.
    """

    why_none: str | None
    values: Mapping[str, float | int | None] = field(metadata=FLAT)
    judge: AboveBaseline
    annotators: AboveBaseline

    @property
    def exact(self) -> float | None:
        """The share of annotators' scores that it equals."""
        return self.values["exact"]

    @property
    def score(self) -> int | None:
        """The most frequent score."""
        return self.values["score"]


@dataclass(frozen=True)
class Ceiling:
    """Agreement of annotators with one another on the answers of a row that two or more graded.

    `opposed`: where one scores an answer above their own mean, others clearly score it below.
    """

    n: int
    annotators: int
    questions: int
    clusters: int
    statistics: Statistics = field(metadata=FLAT)
    failing: int | None
    judge_on_same_items: Statistics
    why_none: str | None
    opposed: bool = field(default=False, metadata=INTERNAL)


@dataclass(frozen=True)
class WorstCase:
    """The statistics with each answer that a judge was asked about and left unscored as an error.

    Attributes:
        matched: Answers scored by the judge: what its figures rest on.
        failed: Answers it was asked about and left without a score: refused, garbled, cut short.
        skipped: Answers it was not asked about; of the composite, also where a criterion is
            missing.
        statistics: Those that are shown with failures as errors.
    """

    matched: int
    failed: int
    skipped: int
    statistics: Mapping[str, Estimate] = field(metadata=FLAT)


@dataclass(frozen=True)
class Continuous:
    """Properties of a row of continuous grades.

    Attributes:
        mean: The mean of annotators that is the reference; None for the annotators themselves.
        low: The judge's lowest number on the answers of the sheet; None without any.
        high: The highest.
        on_range: Whether all lie on the range of the rubric's scale.
    """

    mean: str | None
    low: float | None
    high: float | None
    on_range: bool


@dataclass(frozen=True)
class AgreementRow:
    """Agreement of one judge with the annotators on one criterion or the composite.

    Attributes:
        units: What units and labels are called (`unit_words.of_rubric`); None for answers.
        reference: `each` annotator, the `consensus`, or a `mean` of annotators.
        answer_model: Whose answers the row is of; None for all.
        n: Answers that judge and annotators scored.
        clusters: Clusters of these, the units that are resampled.
        left_out: Answers that are not in the figures, by reason.
        statistics: Statistics of the registry by key.
        failing: Answers that annotators fail; None for the composite.
        alt_test: The alternative annotator test for each epsilon.
        majority_baseline: The majority-class baseline on the same answers.
        ceiling: The annotators with one another.
        fingerprint: The judge's.
        kind: `judge`, `metric` or what else the grader is.
        floor: The judge is the text-feature baseline.
        simulated_annotators: Names of simulated annotators.
        worst_case: With failures as errors.
        without_consensus: The answers that lack one (`n`) and their `share` of those that
            annotators scored; None where the reference is `each`.
        note: A warning of continuous numbers that are on another range.
        signature: How the row was made.
        continuous: Of a row in which a side gives continuous numbers; else None.
        best_of: Of the judge that agrees exactly most often on the criterion; else None.
        probabilities: From `judge_probabilities.with_probabilities`, where the judge gave any.
    """

    sheet: str
    rubric: str
    judge: str
    criterion: str
    units: UnitWords | None
    reference: str
    answer_model: str | None
    n: int
    annotators: int
    questions: int
    clusters: int
    left_out: dict[str, int]
    statistics: Statistics = field(metadata=FLAT)
    failing: int | None
    alt_test: tuple[AltTest, ...]
    majority_baseline: MajorityBaseline
    ceiling: Ceiling
    fingerprint: str
    kind: str
    simulated: bool
    floor: bool
    simulated_annotators: tuple[str, ...]
    worst_case: WorstCase
    without_consensus: dict[str, float | None] | None
    note: str | None
    signature: str = ""
    continuous: Continuous | None = field(default=None, metadata=OPTIONAL)
    best_of: BestOf | None = None
    probabilities: Any = field(default=None, metadata=OPTIONAL)

    def called(self) -> str:
        """The judge's label as it is read."""
        return "text model" if self.floor else short_label(self.judge)


@dataclass(frozen=True)
class AgreementReport:
    """Agreement of all judges with the annotators.

    Attributes:
        reliability: From `test_retest.of_annotators`.
        uncounted: Annotators whose grades do not count, with the reason.
        weighting: How answers are weighted; None where all weigh the same.
        alerts: Open ones, from `annotator_alerts.open_alerts`.
        without_alerts: The row of the headline without the annotators of these; None without any.
        segments: From `segments.agreement`, where a column was asked for.

    Of a whole report only:
        annotator_agreement: From `panel_reliability.rows`.
        bias_tests: From `bias_tests.run`.
        units: From `unit_agreement.report`; None but for a rubric of units.
        confidence: From `judge_probabilities.report`, of every criterion.
    """

    rows: tuple[AgreementRow, ...]
    reliability: tuple[Any, ...]
    annotators: tuple[Annotator, ...]
    uncounted: dict[str, str]
    weighting: str | None
    alerts: tuple[Any, ...] = ()
    without_alerts: AgreementRow | None = field(default=None, metadata=OPTIONAL)
    segments: Any | None = field(default=None, metadata=OPTIONAL)
    annotator_agreement: tuple[Any, ...] | None = field(default=None, metadata=OPTIONAL)
    bias_tests: tuple[Any, ...] | None = field(default=None, metadata=OPTIONAL)
    units: Any | None = field(default=None, metadata=OPTIONAL)
    confidence: tuple[Any, ...] | None = field(default=None, metadata=OPTIONAL)

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with one row per judge, criterion, answering model and statistic.

        `value`, `low` and `high` are in the unit of the statistic; what is undefined is NaN, with
        its reason in `why_none`. `human_ceiling` is the same statistic of annotators with one
        another, `majority_baseline` that of always giving the most frequent score.
        """
        return pd.DataFrame(
            [_line(row, key) for row in self.rows for key in row.statistics.by_key],
            columns=_COLUMNS,
        ).astype(dict.fromkeys(_NUMBERS, float))


_OF_ROW = (
    *("sheet", "rubric", "judge", "fingerprint", "simulated", "criterion", "reference"),
    *("answer_model", "n", "questions", "clusters"),
)
_NUMBERS = ("value", "low", "high", "human_ceiling", "majority_baseline")
_COLUMNS = (*_OF_ROW, "statistic", *_NUMBERS, "why_none")


def _line(row: AgreementRow, key: str) -> tuple[Any, ...]:
    """A statistic of a row as a line of `to_pandas`."""
    found, ceiling = row.statistics[key], row.ceiling.statistics.by_key.get(key)
    return (
        *(getattr(row, name) for name in _OF_ROW),
        key,
        *(found.value, found.low, found.high),
        ceiling and ceiling.value,
        row.majority_baseline.values.get(key),
        message_of(found.why_none),
    )


NO_CEILING = reason("mean_hides_annotators")


def continuous_grounds(panel: Panel, names: list[str]) -> list[CriterionPanel]:
    """Return a ground for each mean of annotators and each criterion it has numbers of."""
    return [
        ground_of_mean(panel, name, mean)
        for mean in panel.means
        for name in names
        if panel.is_continuous(name, mean) and panel.numbers(name, mean).scored.any()
    ]


def concerns(on: CriterionPanel, judge: Grader) -> bool:
    """Return True where a side of this comparison is continuous."""
    return on.mean is not None or on.panel.is_continuous(on.name, judge.id)


def continuous_judged(on: CriterionPanel, judge: Grader) -> PairStatistics:
    """Return what is said of a judge where a side is continuous."""
    return measured(on, judge, on.pairs(judge, on.panel.numbers(on.name, judge.id)))


def pairs_of(on: CriterionPanel, judge: Grader) -> Pairs:
    """Return a judge's pairs with the reference, continuous or not."""
    return continuous_judged(on, judge).pairs if concerns(on, judge) else on.pairs(judge)


def measured(
    on: CriterionPanel, judge: Grader, pairs: Pairs, why_none: str = NOTHING
) -> PairStatistics:
    """The figures of some of its pairs."""
    found = (
        _continuous_figures(on, judge, pairs) if len(pairs.item) else absent(why_none, OF_NUMBERS)
    )
    counted = on.with_figures(pairs, found)
    verdicts = counted.verdicts and counted.verdicts._replace(judge_failing=None)
    return counted._replace(verdicts=verdicts)


def details(on: CriterionPanel, judge: Grader) -> Continuous:
    """Return the range of a judge's numbers, and the mean they are compared with."""
    given = on.panel.open_numbers(on.name, judge.id)
    return Continuous(
        mean=on.mean and on.mean.name,
        low=float(given.min()) if len(given) else None,
        high=float(given.max()) if len(given) else None,
        on_range=on.panel.on_range(on.name, judge.id),
    )


def no_ceiling() -> Statistics:
    """Return every statistic between annotators as undefined, since a mean hides them."""
    return Statistics(absent(NO_CEILING, OF_NUMBERS), counts(None))


def no_alt_test() -> tuple[AltTest, ...]:
    """The alternative annotator tests, which are of scores on the scale, as undefined."""
    return tuple(AltTest(one, None, None, 0, 0, why_none=statistics.CONTINUOUS) for one in EPSILONS)


def _continuous_figures(on: CriterionPanel, judge: Grader, pairs: Pairs) -> dict[str, Estimate]:
    """Every statistic of the registry, in its order."""
    given, scale = on.panel.open_numbers(on.name, judge.id), on.panel.rubric.scale
    found = statistics.correlations(pairs)
    if on.panel.on_range(on.name, judge.id):
        found |= statistics.errors(pairs)
    else:
        ends = {"low": given.min(), "high": given.max(), "first": scale[0], "last": scale[-1]}
        found |= dict.fromkeys(statistics.ERRORS, undefined(reason("off_the_range", **ends)))
    for key in OF_NUMBERS:
        lacking = statistics.NEEDS_CUT if BY_KEY[key].of_failing else statistics.CONTINUOUS
        why = floor(key, distinct(pairs.item)) if key in found else lacking
        found[key] = undefined(why) if why else found[key]
    return {key: found[key] for key in OF_NUMBERS}


def worst_case(on: CriterionPanel, judge: Grader, judged: PairStatistics) -> WorstCase:
    """Return the statistics with failures as errors, and how many answers were scored and not.

    Where the judge left nothing unscored these are its own. Undefined for the composite.
    """
    status, (has, _) = on.panel.numbers(on.name, judge.id).status, on.left_out()
    # Asked about, with a reference, and left unscored.
    failed = has & (status > 0) & (status != STATUS_NAMES.index(INCOMPLETE))
    matched, lost = judged.n, int(failed.sum())
    skipped = int(has.sum()) - matched - lost
    return WorstCase(matched, lost, skipped, _with_errors(on, judge, judged, failed))


def _with_errors(
    on: CriterionPanel, judge: Grader, judged: PairStatistics, failed: np.ndarray
) -> dict[str, Estimate]:
    if on.name == COMPOSITE:
        return dict.fromkeys(AS_ERRORS, undefined(NOT_FOR_COMPOSITES))
    if not failed.any() or concerns(on, judge):  # undefined where grades are continuous
        return {name: judged.figures[name] for name in AS_ERRORS}
    pairs, items = judged.pairs, np.flatnonzero(failed)
    apart, near = np.abs(pairs.judge - pairs.annotator), judged.figures["within_one"]
    weight = on.panel.weight
    failing = list(on.panel.rubric.failing(on.criterion))
    fail = pairs.where(np.isin(pairs.annotator, failing))
    lost = failed[on.annotators.item] & np.isin(on.annotators.score, failing)
    missed, times = on.annotators.item[lost], np.bincount(on.annotators.item, minlength=len(failed))
    recall = undefined(NONE_FAILED)
    if len(fail.item) + len(missed):
        hit = np.isin(fail.judge, failing)
        recall = _share(on.panel, fail, hit, missed, weight[missed] / times[missed])
    return {
        "exact": _share(on.panel, pairs, apart == 0, items, weight[items]),
        "within_one": near
        if near.value is None
        else _share(on.panel, pairs, apart <= 1, items, weight[items]),
        "failure_recall": recall,
    }


def _share(
    panel: Panel, pairs: Pairs, hit: np.ndarray, item: np.ndarray, lost: np.ndarray
) -> Estimate:
    """Return the weight of the pairs that hit, as a share of all and of lost items' weights."""
    weight, cluster = np.r_[pairs.weight, lost], np.r_[pairs.cluster, panel.cluster[item]]
    clusters = int(panel.cluster.max()) + 1
    hits = np.bincount(pairs.cluster, pairs.weight * hit, clusters)
    whole = np.bincount(cluster, weight, clusters)
    return proportion(hits, whole, float(effective_number(weight)))


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
    tested = above_baseline(grades, DECIDING_FIGURES[EXACT], grades.judges)
    state = "clear" if tested.above[0] <= ERROR else "fails" if tested.below[0] <= ERROR else "open"
    return AboveBaseline(state, estimate_of(tested, 0))


NOT_JUDGED = "not graded by this judge"
NOT_WEIGHTED = reason("test_has_no_weights")


def rows(
    panel: Panel,
    kind: str = EACH,
    criteria: list[str] | None = None,
    judges: Collection[int] | None = None,
) -> list[AgreementRow]:
    """Return a row per judge and criterion: those named, else all and the composite."""
    return [_row(on, judge) for on, judge in places(panel, kind, criteria, judges)]


def rows_by_answer_model(
    panel: Panel,
    kind: str = EACH,
    criteria: list[str] | None = None,
    judges: Collection[int] | None = None,
) -> list[AgreementRow]:
    """Return the same rows for each answering model's answers alone."""
    return [
        replace(row, answer_model=model)
        for model in panel.answer_models
        for row in rows(panel.within(model), kind, criteria, judges)
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
    grounds += continuous_grounds(panel, names)
    asked = [judge for i, judge in panel.judges.items() if judges is None or i in judges]
    return [(on, judge) for judge in asked for on in grounds if _is_of(on, judge)]


def _is_of(on: CriterionPanel, judge: Grader) -> bool:
    """False for a metric on what it was not computed for: a judge can still grade it."""
    graded = on.panel.numbers(on.name, judge.id).status >= 0
    return judge.kind != "metric" or bool(graded.any())


def _row(on: CriterionPanel, judge: Grader) -> AgreementRow:
    panel, is_continuous = on.panel, concerns(on, judge)
    judged = continuous_judged(on, judge) if is_continuous else on.judged(judge)
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
        without_consensus=dict(zip(("n", "share"), without_consensus(on.annotators), strict=True))
        if on.kind == CONSENSUS
        else None,
        note=panel.range_note(on.name, judge.id) if is_continuous else None,
        continuous=details(on, judge) if is_continuous else None,
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
        nothing = no_ceiling()
        return Ceiling(0, 0, 0, 0, nothing, None, nothing, NO_CEILING)
    annotators, same = on.ceiling(judged.on), judged
    why, between = on.no_ceiling(annotators.pairs), annotators.statistics
    if concerns(on, judge):
        known = {} if why else statistics.correlations(annotators.pairs)
        correlated = {one.key: known.get(one.key, undefined(why)) for one in CORRELATIONS}
        between = replace(between, by_key=between.by_key | correlated)
    if annotators.n < judged.n:
        pairs = judged.pairs.where(annotators.on[judged.pairs.item])
        same = (
            measured(on, judge, pairs, on.no_overlap)
            if concerns(on, judge)
            else on.measured(pairs, why_none=on.no_overlap)
        )
    return Ceiling(
        n=annotators.n,
        annotators=len(on.annotators_on(annotators.on)),
        **_extent(on.panel, annotators.on),
        statistics=between,
        failing=annotators.failing,
        judge_on_same_items=same.statistics,
        why_none=why,
        opposed=not why and _are_opposed(on, annotators),
    )


def _are_opposed(on: CriterionPanel, annotators: PairStatistics) -> bool:
    """Return True where the covariance of annotators is below 0 at 95% confidence.

    Each is taken from their own mean, since a strict and a lenient one are not opposed.
    """
    tau = annotators.figures["tau_b"].value
    if tau is None or tau >= 0:
        return False
    items, scores = on.overlap()
    scores = scores[:, annotators.on[items]]
    scores = np.nan_to_num(scores - np.nanmean(scores, axis=1, keepdims=True))
    shared = (scores.sum(axis=0) ** 2 - (scores**2).sum(axis=0)) / 2
    clusters, place = ranked(on.panel.cluster[items[annotators.on[items]]])
    each = np.bincount(place, shared, clusters)
    error = each.std(ddof=1) * np.sqrt(clusters)
    return bool(each.sum() + t_quantile(clusters - 1) * error < 0)


def _extent(panel: Panel, on: np.ndarray) -> dict[str, int]:
    return {
        "questions": distinct(panel.question[on]),
        "clusters": distinct(panel.cluster[on]),
    }


def _alt_test(on: CriterionPanel, judge: Grader) -> tuple[AltTest, ...]:
    """Return the alternative annotator test per item and question on items with two annotators."""
    if concerns(on, judge):
        return no_alt_test()
    items, annotators = on.overlap()
    found = alt_test(annotators, on.scores(judge, items), cluster=on.panel.cluster[items])
    if on.panel.reweighted:
        nothing = {"omega": None, "rho": None, "omega_by_question": None}
        found = [result._replace(**nothing, why_none=NOT_WEIGHTED) for result in found]
    return tuple(found)
