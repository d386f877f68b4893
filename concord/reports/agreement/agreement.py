"""Agreement of judges with annotators: the report, one definition for screen and `--json`.

Rows of the agreement report: one judge on one criterion or the composite.

Under `each` all pairs (judge, annotator) on the same items count, every item with total weight 1;
under `consensus` the annotators' consensus is the one reference. Intervals take whole clusters.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from concord import metrics
from concord.messages import message_of
from concord.metrics.framework.metric import Outcome
from concord.model import BASELINE, Grader, Sheet
from concord.reports.agreement import bias_tests, judge_probabilities
from concord.reports.decision.verdict import estimate_of
from concord.reports.document import FLAT, INTERNAL, OPTIONAL
from concord.reports.metrics.metrics import replayed
from concord.reports.panel.choice import ENOUGH, of_decision
from concord.reports.panel.criterion_comparison import (
    EACH,
    CriterionPanel,
    PairStatistics,
    ground,
    ground_of_mean,
)
from concord.reports.panel.panel import COMPOSITE, INCOMPLETE, OTHER, STATUS_NAMES, Panel, read
from concord.reports.panel.wording import (
    counted_annotators,
    named,
    short_label,
    signature,
    weighting,
)
from concord.reports.reliability import annotator_alerts, reliability
from concord.reports.reliability.annotator_alerts import Alert
from concord.rubrics import list_check
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.stats import continuous as statistics
from concord.stats.agreement import rank_correlation
from concord.stats.baselines import KEYS, every_statistic
from concord.stats.core.estimate import Estimate, Reason, Statistics, reason, t_quantile, undefined
from concord.stats.core.minimums import METRIC_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import NEGLIGIBLE, distinct, effective_number, positions, ranked
from concord.stats.decision.conditions import Grades, above_baseline
from concord.stats.decision.deciding_figure import EXACT
from concord.stats.decision.deciding_figure import FIGURES as DECIDING_FIGURES
from concord.stats.intervals.group_sequential import ERROR
from concord.stats.intervals.wilson import proportion
from concord.stats.reliability.alt_test import EPSILONS, AltTest, alt_test
from concord.stats.statistics import (
    BY_KEY,
    CORRELATIONS,
    NOTHING,
    OF_NUMBERS,
    absent,
    best_exact,
    composite_figures,
    counts,
    floor,
)
from concord.store.database import Store
from concord.store.units import list_checks

NOT_JUDGED = "not graded by this judge"
NOT_WEIGHTED = reason("test_has_no_weights")
NO_CEILING = reason("mean_hides_annotators")
NO_CONSTANT = reason("composite_is_no_grade")
NO_SCORE = reason("mean_is_no_grade")
NO_PAIRS = reason("nothing_to_compare")
NO_LIST = "no annotator has checked a list yet"
NOT_LABELLED = "not fully labelled by the annotator"
NO_VERDICTS = "without all of the judge's verdicts"


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
    judge_on_same_items: Statistics
    why_none: Reason | None
    opposed: bool = field(default=False, metadata=INTERNAL)


@dataclass(frozen=True)
class AgreementRow:
    """Agreement of one judge with the annotators on one criterion or the composite.

    Attributes:
        reference: `each` annotator, the `consensus`, or a `mean` of annotators.
        answer_model: Whose answers the row is of; None for all.
        n: Answers that judge and annotators scored.
        clusters: Clusters of these, the units that are resampled.
        left_out: Answers that are not in the figures, by reason.
        statistics: Statistics of the registry by key.
        alt_test: The alternative annotator test for each epsilon.
        majority_baseline: From `majority_baseline`.
        ceiling: The annotators with one another.
        floor: The judge is the text-feature baseline.
        simulated_annotators: Names of simulated annotators.
        worst_case: With failures as errors.
        signature: How the row was made.
        continuous: Where a side gives continuous numbers, the `mean` of annotators that is the
            reference, if any, and a `note` of numbers that are on another range; else None.
        best_of: Of the judge that agrees exactly most often on the criterion: how many `judges` it
            is the best of, `exact` with a CI simultaneous over them, and the others `tied`.
    """

    sheet: str
    rubric: str
    judge: str
    criterion: str
    reference: str
    answer_model: str | None
    n: int
    annotators: int
    questions: int
    clusters: int
    left_out: dict[str, int]
    statistics: Statistics = field(metadata=FLAT)
    alt_test: tuple[AltTest, ...]
    majority_baseline: dict[str, Any]
    ceiling: Ceiling
    fingerprint: str
    simulated: bool
    floor: bool
    simulated_annotators: tuple[str, ...]
    worst_case: dict[str, Any]
    signature: str = ""
    continuous: dict[str, str | None] | None = field(default=None, metadata=OPTIONAL)
    best_of: dict[str, Any] | None = None

    def called(self) -> str:
        """The judge's label as it is read."""
        return "text model" if self.floor else short_label(self.judge)


def rows(
    panel: Panel,
    kind: str = EACH,
    criteria: Collection[str] | None = None,
    judges: Collection[int] | None = None,
) -> list[AgreementRow]:
    """Return a row per judge and criterion: those named, else all and the composite.

    A metric has none on what it was not computed for; a judge can still grade it.
    """
    names = criteria or panel.criteria
    grounds = [ground(panel, name, kind) for name in names if panel.annotators or not panel.means]
    grounds += [
        ground_of_mean(panel, name, mean)
        for mean in panel.means
        for name in names
        if panel.is_continuous(name, mean) and panel.numbers(name, mean).scored.any()
    ]
    return [
        row(on, judge)
        for i, judge in panel.judges.items()
        for on in grounds
        if judges is None or i in judges
        if judge.kind != "metric" or (panel.numbers(on.name, i).status >= 0).any()
    ]


def row(on: CriterionPanel, judge: Grader) -> AgreementRow:
    """Return everything about one judge and one criterion (or the composite)."""
    panel, is_continuous = on.panel, _is_continuous(on, judge)
    judged = _measured(on, judge, pairs_of(on, judge))
    annotators = on.annotators_on(judged.on)
    has, without = on.left_out
    # With n these add up to the number of items (of the answering model, in a row of one).
    left_out = {why: n for why, n in without.items() if why != OTHER}
    status = panel.numbers(on.name, judge.id).status
    codes, times = np.unique(status[has & (status != 0)], return_counts=True)
    for code, n in zip(codes, times.tolist(), strict=True):
        left_out[NOT_JUDGED if code < 0 else f"judge: {STATUS_NAMES[code]}"] = n
    found = AgreementRow(
        sheet=panel.sheet.name,
        rubric=panel.rubric.name,
        judge=panel.labels[judge.id],
        criterion=on.name,
        reference=on.kind,
        answer_model=None,
        annotators=len(annotators),
        **_extent(panel, judged.on),
        left_out=left_out,
        statistics=judged.statistics,
        alt_test=_alt_test(on, judge),
        majority_baseline=majority_baseline(on, judged, is_continuous),
        ceiling=_ceiling(on, judge, judged),
        fingerprint=judge.fingerprint,
        simulated=judge.simulated,
        floor=judge.name == BASELINE,
        simulated_annotators=tuple(person.name for person in annotators if person.simulated),
        worst_case=_worst_case(on, judge, judged, has & (status > 0) & (status != _INCOMPLETE)),
        continuous={"mean": on.mean and on.mean.name, "note": panel.range_note(on.name, judge.id)}
        if is_continuous
        else None,
    )
    return replace(found, signature=signature(panel, found, annotators))


_INCOMPLETE = STATUS_NAMES.index(INCOMPLETE)


def _is_continuous(on: CriterionPanel, judge: Grader) -> bool:
    """Return True where a side of this comparison is continuous."""
    return on.mean is not None or on.panel.is_continuous(on.name, judge.id)


def pairs_of(on: CriterionPanel, judge: Grader) -> Pairs:
    """Return a judge's pairs with the reference, continuous or not."""
    numbers = _is_continuous(on, judge)
    return on.pairs(judge, on.panel.numbers(on.name, judge.id) if numbers else None)


def _measured(
    on: CriterionPanel, judge: Grader, pairs: Pairs, why_none: Reason = NOTHING
) -> PairStatistics:
    """Return the figures of some of a judge's pairs, continuous or not."""
    if not _is_continuous(on, judge):
        return on.measured(pairs, why_none=why_none)
    found = absent(why_none, OF_NUMBERS)
    if len(pairs.item):
        found = statistics.correlations(pairs)
        if on.panel.on_range(on.name, judge.id):
            found |= statistics.errors(pairs)
        else:
            given, scale = on.panel.open_numbers(on.name, judge.id), on.panel.rubric.scale
            ends = {"low": given.min(), "high": given.max(), "first": scale[0], "last": scale[-1]}
            found |= dict.fromkeys(statistics.ERRORS, undefined(reason("off_the_range", **ends)))
        for key in OF_NUMBERS:
            lacking = statistics.NEEDS_CUT if BY_KEY[key].of_failing else statistics.CONTINUOUS
            why = floor(key, distinct(pairs.item)) if key in found else lacking
            found[key] = undefined(why) if why else found[key]
    judged = on.with_figures(pairs, {key: found[key] for key in OF_NUMBERS})
    # What a number fails is unknown.
    counted = {
        key: {name: None if name == "judge_failing" else n for name, n in of.items()}
        for key, of in judged.counts.items()
    }
    return judged._replace(counts=counted)


def _extent(panel: Panel, on: np.ndarray) -> dict[str, int]:
    return {
        "n": int(on.sum()),
        "questions": distinct(panel.question[on]),
        "clusters": distinct(panel.cluster[on]),
    }


def _alt_test(on: CriterionPanel, judge: Grader) -> tuple[AltTest, ...]:
    """Return the alternative annotator test per item and question on items with two annotators."""
    if _is_continuous(on, judge):
        why = statistics.CONTINUOUS
        return tuple(AltTest(one, None, None, 0, 0, why_none=why) for one in EPSILONS)
    items, annotators = on.overlap
    found = alt_test(annotators, on.scores(judge, items), cluster=on.panel.cluster[items])
    if on.panel.reweighted:
        nothing = {"omega": None, "rho": None, "omega_by_question": None}
        found = [result._replace(**nothing, why_none=NOT_WEIGHTED) for result in found]
    return tuple(found)


def majority_baseline(
    on: CriterionPanel, judged: PairStatistics, continuous: bool = False
) -> dict[str, Any]:
    """Return a judge that always gives the most frequent score, on the answers of a judge.

    With `why_none`, the values of `stats.baselines.every_statistic` (all None for the composite),
    and of the `judge` and the `annotators` on the answers that two of them graded: exact agreement
    minus the baseline's (`difference`), and the `state` of that test: `clear` where it is shown to
    lie above, `fails` below, else `open`; `none` where it is not tested, as of a judge of
    `continuous` grades.
    """
    why = NO_SCORE if on.mean else NO_CONSTANT if on.criterion is None else None
    if why or not len(judged.pairs.item):
        none = {"state": "none", "difference": undefined(why or NO_PAIRS)}
        found = dict.fromkeys(KEYS)
        return {"why_none": why or NO_PAIRS, **found, "judge": none, "annotators": none}
    scale, failing = on.panel.rubric.scale, on.panel.rubric.failing(on.criterion)

    def tested(pairs: Pairs, why: Reason | None) -> dict[str, Any]:
        """Test exact agreement of some pairs minus that of the baseline, as a decision does."""
        if why:
            return {"state": "none", "difference": undefined(why)}
        tables = pairs.tables(scale)
        grades = Grades(tables[None], tables[None], tables, scale, failing)
        found = above_baseline(grades, DECIDING_FIGURES[EXACT], grades.judges)
        below = "fails" if found.below[0] <= ERROR else "open"
        state = "clear" if found.above[0] <= ERROR else below
        return {"state": state, "difference": estimate_of(found, 0)}

    between = on.overlapping(judged.on).pairs
    place = positions(judged.pairs.annotator, scale)
    annotators = np.bincount(place, judged.pairs.weight, len(scale))
    return {
        "why_none": None,
        **every_statistic(annotators, scale, failing),
        "judge": tested(judged.pairs, statistics.CONTINUOUS if continuous else None),
        "annotators": tested(between, on.no_ceiling(between)),
    }


def _ceiling(on: CriterionPanel, judge: Grader, judged: PairStatistics) -> Ceiling:
    """Return the annotators with one another on the items of a row, and the judge on the same."""
    if on.mean:  # how far the annotators behind it agree is unknown
        nothing = Statistics(absent(NO_CEILING, OF_NUMBERS), counts(None))
        return Ceiling(0, 0, 0, 0, nothing, nothing, NO_CEILING)
    annotators, same = on.ceiling(judged.on), judged
    why, between = on.no_ceiling(annotators.pairs), annotators.statistics
    if _is_continuous(on, judge):
        known = {} if why else statistics.correlations(annotators.pairs)
        correlated = {one.key: known.get(one.key, undefined(why)) for one in CORRELATIONS}
        between = replace(between, by_key=between.by_key | correlated)
    if annotators.n < judged.n:
        pairs = judged.pairs.where(annotators.on[judged.pairs.item])
        same = _measured(on, judge, pairs, on.no_overlap)
    return Ceiling(
        annotators=len(on.annotators_on(annotators.on)),
        **_extent(on.panel, annotators.on),
        statistics=between,
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
    items, scores = on.overlap
    scores = scores[:, annotators.on[items]]
    scores = np.nan_to_num(scores - np.nanmean(scores, axis=1, keepdims=True))
    shared = (scores.sum(axis=0) ** 2 - (scores**2).sum(axis=0)) / 2
    clusters, place = ranked(on.panel.cluster[items[annotators.on[items]]])
    each = np.bincount(place, shared, clusters)
    error = each.std(ddof=1) * np.sqrt(clusters)
    return bool(each.sum() + t_quantile(clusters - 1) * error < 0)


def _worst_case(
    on: CriterionPanel, judge: Grader, judged: PairStatistics, failed: np.ndarray
) -> dict[str, Any]:
    """Return exact agreement with `failed` answers as errors, and how many these are.

    `failed` (N,) were asked about, have a reference and no score.
    """
    found, exact = {"failed": int(failed.sum())}, judged.figures["exact"]
    if not found["failed"] or on.criterion is None or _is_continuous(on, judge):
        return found | {"exact": exact}
    pairs, panel = judged.pairs, on.panel
    weight = np.r_[pairs.weight, panel.weight[failed]]
    cluster = np.r_[pairs.cluster, panel.cluster[failed]]
    right = np.r_[pairs.judge == pairs.annotator, np.zeros(found["failed"])]
    hits, whole = np.bincount(cluster, weight * right), np.bincount(cluster, weight)
    return found | {"exact": proportion(hits, whole, float(effective_number(weight)))}


_OF_ROW = (
    *("sheet", "rubric", "judge", "fingerprint", "simulated", "criterion", "reference"),
    *("answer_model", "n", "questions", "clusters"),
)
_NUMBERS = ("value", "low", "high", "human_ceiling", "majority_baseline")


@dataclass(frozen=True)
class AgreementReport:
    """Agreement of all judges with the annotators.

    Attributes:
        reliability: From `reliability.test_retest`.
        uncounted: Annotators whose grades do not count, with the reason.
        weighting: How answers are weighted; None where all weigh the same.
        alerts: Open ones, from `annotator_alerts.open_alerts`.
        without_alerts: The row of the headline without the annotators of these; None without any.
        segments: From `segments.agreement`, where a column was asked for.

    Of a whole report only:
        annotator_agreement: From `reliability.inter_rater`.
        bias_tests: From `bias_tests.run`.
        units: From `units_report`; None but for a rubric of units.
        confidence: From `judge_probabilities.report`, of every criterion.
    """

    rows: tuple[AgreementRow, ...]
    reliability: tuple[Any, ...]
    annotators: tuple[dict[str, Any], ...]
    uncounted: dict[str, str]
    weighting: str | None
    alerts: tuple[Alert, ...] = ()
    without_alerts: AgreementRow | None = field(default=None, metadata=OPTIONAL)
    segments: dict[str, Any] | None = field(default=None, metadata=OPTIONAL)
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
        lines = [
            (
                *(getattr(row, name) for name in _OF_ROW),
                key,
                *one[:3],
                ceiling.value if (ceiling := row.ceiling.statistics.by_key.get(key)) else None,
                row.majority_baseline.get(key),
                message_of(one.why_none),
            )
            for row in self.rows
            for key, one in row.statistics.by_key.items()
        ]
        columns = [*_OF_ROW, "statistic", *_NUMBERS, "why_none"]
        return pd.DataFrame(lines, columns=columns).astype(dict.fromkeys(_NUMBERS, float))


def best_judge(on: CriterionPanel) -> tuple[Grader, PairStatistics, dict[str, Any]] | None:
    """Return the best judge, its answers and its `best_of`; the baseline only where it is alone.

    None where no judge has scores of the scale, which the composite has not.
    """
    if on.criterion is None:
        return None
    panel = on.panel
    judged = [(judge, on.judged(judge, ())) for judge in panel.judges.values()]
    judged = [(judge, one) for judge, one in judged if one.n]
    real = [pair for pair in judged if pair[0].name != BASELINE] or judged
    if not real:
        return None
    # A judge that scored the easy answers alone would lead every list by agreement.
    most = max(one.n for _, one in real)
    real = [(judge, one) for judge, one in real if one.n >= ENOUGH * most]
    pairs = [one.pairs for _, one in real]
    best, exact = best_exact(pairs, panel.rubric.scale)
    shares = [one.weight @ (one.judge == one.annotator) / one.weight.sum() for one in pairs]
    tied = tuple(
        panel.labels[judge.id]
        for n, (judge, _) in enumerate(real)
        if n != best and shares[best] - shares[n] < NEGLIGIBLE
    )
    return *real[best], {"judges": len(real), "exact": exact, "tied": tied}


def with_best(panel: Panel, kind: str, rows: Sequence[AgreementRow]) -> list[AgreementRow]:
    """Return the rows, each criterion's best judge marked as such."""
    best = {}
    for name in dict.fromkeys(row.criterion for row in rows if row.criterion != COMPOSITE):
        if found := best_judge(ground(panel, name, kind)):
            best[name, kind, panel.labels[found[0].id]] = found[2]
    places = [(row.criterion, row.reference, row.judge) for row in rows]
    return [replace(row, best_of=best.get(at)) for row, at in zip(rows, places, strict=True)]


def of_headline(rows: Iterable[AgreementRow], rubric: Rubric) -> AgreementRow | None:
    """Return the best judge's row on the heaviest criterion with grades of both.

    Else the first row there; None without rows of all answering models.
    """
    rows = [row for row in rows if not row.answer_model]
    graded = {row.criterion for row in rows if row.n}
    by_weight = [one.name for one in rubric.by_weight()]
    criterion = next((name for name in by_weight if name in graded), by_weight[0])
    mine = [row for row in rows if row.criterion == criterion]
    return max(mine, key=lambda row: (bool(row.best_of), row.n > 0), default=None)


class Headline(NamedTuple):
    """A judge and how often it gives an annotator's exact score on a criterion.

    Attributes:
        simulated: Whether the judge or one of the annotators is simulated.
        of: How many judges it is the best of, over which its interval is simultaneous; 1 for none.
        baseline: The exact agreement of the majority-class baseline on the same answers.
        above_baseline: `clear`, `open` or `fails`, as tested; `none` where it was not.
    """

    judge: str
    criterion: str
    exact: Estimate
    n: int
    simulated: bool
    of: int = 1
    baseline: float | None = None
    above_baseline: str = "none"


def best(panel: Panel) -> Headline | None:
    """The judge with the highest exact agreement (`best_judge`); None without any."""
    for on in _grounds(panel):
        if found := best_judge(on):
            judge, judged, first = found
            always = majority_baseline(on, judged)
            tested = always["judge"]["difference"].low is not None
            return _headline(on, judge, judged, first["exact"])._replace(
                of=first["judges"],
                baseline=always["exact"],
                above_baseline=always["judge"]["state"] if tested else "none",
            )
    return None


def by_judge(store: Store, sheet: Sheet, rubric: Rubric) -> dict[int, Headline]:
    """Return each judge's figure by grader id, all on the heaviest criterion that has one."""
    panel = read(store, sheet, rubric)
    for on in _grounds(panel):
        every = [(judge, on.judged(judge, ("exact",))) for judge in panel.judges.values()]
        found = {i.id: _headline(on, i, one, one.figures["exact"]) for i, one in every if one.n}
        if found:
            return found
    return {}


def _grounds(panel: Panel) -> Iterator[CriterionPanel]:
    return (ground(panel, one.name, EACH) for one in panel.rubric.by_weight())


def _headline(
    on: CriterionPanel, judge: Grader, judged: PairStatistics, exact: Estimate
) -> Headline:
    simulated = judge.simulated or any(p.simulated for p in on.annotators_on(judged.on))
    return Headline(on.panel.labels[judge.id], on.name, exact, judged.n, simulated)


def report(panel: Panel, kind: str = EACH, by_answer_model: bool = False) -> AgreementReport:
    """Return the figures that decide, each annotator's own reliability, and who counts."""
    by_model = [
        replace(row, answer_model=model)
        for model in (panel.answer_models if by_answer_model else ())
        for row in rows(panel.within(model), kind)
    ]
    return AgreementReport(
        rows=(*with_best(panel, kind, rows(panel, kind)), *by_model),
        reliability=tuple(reliability.test_retest(panel)),
        annotators=counted_annotators(panel.graded_by),
        uncounted=panel.uncounted,
        weighting=weighting(panel),
    )


def with_alerts(store: Store, panel: Panel, found: AgreementReport) -> AgreementReport:
    """Add the open alerts, and the row of the headline without the annotators of these."""
    alerts = annotator_alerts.open_alerts(store, panel)
    row = of_headline(found.rows, panel.rubric)
    return replace(found, alerts=alerts, without_alerts=row and without_alerted(panel, alerts, row))


def without_alerted(
    panel: Panel, alerts: Iterable[Alert], row: AgreementRow
) -> AgreementRow | None:
    """Return a row without the annotators who have an alert; None where that is none, or all."""
    alerted = {one.annotator for one in alerts}
    people = panel.annotators.items()
    others = [i for i, one in people if named(one.name, one.simulated) not in alerted]
    if not others or len(others) == len(people) or row.criterion not in panel.criteria:
        return None
    judge = next(i for i, label in panel.labels.items() if label == row.judge)
    found = rows(of_decision(panel, others), row.reference, [row.criterion], [judge])
    return next((one for one in found if one.reference == row.reference), None)


def whole(
    store: Store, panel: Panel, kind: str = EACH, by_answer_model: bool = False
) -> AgreementReport:
    """Return the report with alerts, probabilities, bias tests and every further analysis."""
    found = with_alerts(store, panel, report(panel, kind, by_answer_model))
    given = judge_probabilities.read(store, panel)
    return replace(
        found,
        annotator_agreement=tuple(reliability.inter_rater(panel)),
        bias_tests=tuple(bias_tests.run(panel, bias_tests.lengths(store, panel))),
        units=units_report(store, panel),
        confidence=tuple(
            row
            for one in panel.rubric.criteria
            for row in judge_probabilities.report(panel, given, one.name, kind)
        ),
    )


def units_report(store: Store, panel: Panel) -> dict[str, Any] | None:
    """Return what is said of units beyond the rows; None for a rubric of whole answers."""
    if not panel.rubric.units:
        return None
    return {"by_answer": metrics_per_answer(store, panel), "lists": list_errors(store, panel)}


def metrics_per_answer(store: Store, panel: Panel) -> list[dict[str, Any]]:
    """Return a metric by a judge's verdicts and by annotators' labels, on the answers they share.

    The first reading of the metric for both. All pairs of an annotator and the judge count, an
    answer with total weight 1; answers that either has not labelled whole are in `left_out`.
    """
    rests = [one for one in metrics.available().values() if panel.rubric.name in one.rubrics]
    item_ids, criterion = panel.items["item_id"].to_numpy(), panel.rubric.criteria[0].name
    labelled = {
        person: np.unique(item_ids[panel.counted(criterion, person)]).tolist()
        for person in panel.annotators
    }
    every = sorted({item_id for ids in labelled.values() for item_id in ids})
    rows = []
    for metric in rests if every else ():
        annotators = {i: replayed(store, metric, ids, i) for i, ids in labelled.items()}
        for judge in (one for one in panel.judges.values() if one.kind == "metric"):
            found = replayed(store, metric, every, judge.id)
            about = {"judge": panel.labels[judge.id], "metric": metric.name}
            rows.append(about | _compared(panel, found, annotators))
    return rows


def _compared(
    panel: Panel, judged: Mapping[int, Outcome], annotators: Mapping[int, Mapping[int, Outcome]]
) -> dict[str, Any]:
    """Compare a judge's outcome of each answer with each annotator's."""
    values = [
        (item_id, person, judged[item_id].value, outcome.value)
        for person, found in annotators.items()
        for item_id, outcome in found.items()
    ]
    every = pd.DataFrame(values, columns=["item_id", "person", "judge", "annotator"])
    every = every.astype({"judge": float, "annotator": float})
    unlabelled = every["annotator"].isna()
    left_out = {NOT_LABELLED: unlabelled, NO_VERDICTS: every["judge"].isna() & ~unlabelled}
    both = every.dropna()
    places = panel.items.reset_index(drop=True).loc[panel.open, "item_id"]
    item = both["item_id"].map(dict(zip(places, places.index, strict=True))).to_numpy(int)
    weight = panel.weight[item] / np.bincount(item)[item]
    scores = both["judge"].to_numpy(), both["annotator"].to_numpy()
    pairs = Pairs(*scores, weight, item, panel.cluster[item])
    figures, spearman = composite_figures(pairs), undefined(rank_correlation.TOO_FEW)
    if distinct(item) >= METRIC_FLOOR:
        spearman = rank_correlation.spearman(*scores, pairs.cluster, weight)
    return {
        "n": distinct(item),
        "annotators": both["person"].nunique(),
        "questions": distinct(pairs.cluster),
        "left_out": {why: int(rows.sum()) for why, rows in left_out.items() if rows.any()},
        "mae": figures["mae"],
        "bias": figures["bias"],
        "spearman": spearman,
    }


def list_errors(store: Store, panel: Panel) -> dict[str, int | Estimate]:
    """Return the shares of checked lists with missing, invented or non-atomic units.

    A list checked by several annotators counts once, shared by them. `any` is the share with at
    least one error; `cannot_say` counts checks that an annotator could not make. A list of unknown
    inclusion probability does not count.
    """
    found = list_checks.of_sheet(store, panel.sheet.id, panel.rubric.units)
    closed = splits.held_out(store, panel.sheet.id) | splits.leaked(store, panel.sheet.id)
    known = dict(zip(panel.items["item_id"], panel.weight, strict=True))
    found["weight"] = found["item_id"].map(known).fillna(0.0 if panel.reweighted else 1.0)
    counts = found["person"].map(panel.lets_count).astype(bool) & (found["weight"] > 0)
    found = found[counts & ~found["question_id"].isin(closed)]
    labelled = found[found["label"].notna()]
    of_item = labelled.groupby("item_id")
    size = effective_number(of_item["weight"].first().to_numpy())
    weight = labelled["weight"] / of_item["person"].transform("count")
    own = labelled["cluster"].astype(object).fillna(labelled["question_id"])
    cluster = pd.factorize(own)[0]
    base = np.bincount(cluster, weight)

    def share(hit: pd.Series) -> Estimate:
        hits = np.bincount(cluster, weight * hit)
        return proportion(hits, base, float(size)) if len(hit) else undefined(NO_LIST)

    errors = labelled["label"].str.split(", ").explode()
    return {
        "lists": int(labelled["item_id"].nunique()),
        "annotators": int(labelled["person"].nunique()),
        "cannot_say": len(found) - len(labelled),
        **{
            name.replace(" ", "_"): share((errors == name).groupby(level=0).any())
            for name in list_check.ERRORS
        },
        "any": share(labelled["label"] != list_check.RIGHT),
    }
