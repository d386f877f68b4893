"""Cascade: accept a cheap judge where it is confident; a dearer judge or annotators get the rest.

Replayed over grades that are stored already, at no cost. The threshold of confidence is set on half
of the questions and certified on the other half, so the guarantee is honest: of the answers on
which the cheap judge is accepted, at most a given share differs from an annotator's score.

Confidence is the probability that the judge gave its score (native, stated, of log-probabilities,
imported); whether a second judge gives the same score; or the share of its repeats with its most
frequent one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from concord.messages import Problem, joined, on_command_line, said
from concord.model import BASELINE
from concord.reports.charts import CurvePoint
from concord.reports.decision.cost import Cost
from concord.reports.document import FLAT, INTERNAL
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, ground
from concord.reports.panel.panel import Panel
from concord.reports.probabilities.judge_probabilities import REPEATS, Probabilities
from concord.reports.reliability.test_retest import JudgeRetest, of_judge, repeated
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import judge_pairs
from concord.stats.core.tables import distinct, positions
from concord.stats.correction.selective_prediction import Certified, certify, halves
from concord.stats.intervals.resampling import SEED
from concord.stats.intervals.wilson import proportion
from concord.stats.probabilities.scoring import RiskCoverage, risk_coverage
from concord.stats.statistics import figures

TWO_JUDGES = "two_judges"
REPLAYED = ("cascade", "expensive", "cheap")
# From what is known of them: a pre-registered comparison found native probabilities best, then
# stated ones, log-probabilities mixed, and the votes of repeats the worst.
TRUST = ("native", "stated", "logprobs", "imported", TWO_JUDGES, REPEATS)
NO_SOURCE = said(
    "no judge gave a probability with its scores or was asked more than once about an answer, and "
    "no two judges gave scores of the scale to the same answers"
)
_DECIMALS = 9
# Below this many accepted answers a curve shows chance; more points than so many show nothing new.
_FIRST, _MOST_POINTS = 10, 100


class Source(NamedTuple):
    """A source of confidence.

    Attributes:
        judge: The id of the judge whose scores are accepted.
        second: The id of the judge it is compared with; None for all but `two_judges`.
        asks: Number of replies of `judge` to an answer; 1 for all but `repeats`.
        kind: One of `TRUST`; of a judge with probabilities of several kinds, the last.
    """

    judge: int
    second: int | None
    asks: int
    kind: str


class Confidence(NamedTuple):
    """Scores and confidences of a source; NaN where an item has too few replies.

    Attributes:
        score: (N,) the accepted score.
        share: (N,) the confidence, 0 to 1.
    """

    score: np.ndarray
    share: np.ndarray

    @property
    def known(self) -> np.ndarray:
        """(N,) True where there is a confidence."""
        return ~np.isnan(self.share)


def sources(panel: Panel, given: Probabilities, criterion: str) -> list[Source]:
    """Return every source on a criterion, the most trusted first.

    `given` are the probabilities of the panel's judges (`judge_probabilities.read`).
    """
    real = [i for i, judge in panel.judges.items() if judge.name != BASELINE]
    found = [
        Source(i, None, asks, REPEATS) for i in real if (asks := _asks(panel, i, criterion)) > 1
    ]
    for judge in real:
        own = given.get((criterion, judge))
        kinds = own.source.split(", ") if own else [REPEATS]
        one = Source(judge, None, 1, max(kinds, key=TRUST.index))
        if one.kind != REPEATS and confidence(panel, given, criterion, one).known.any():
            found.append(one)
    for one, other in combinations(real, 2):
        both = panel.of(criterion, one).scored & panel.of(criterion, other).scored & panel.open
        if both.any():
            found.append(Source(one, other, 1, TWO_JUDGES))
    return sorted(found, key=lambda source: TRUST.index(source.kind))


def confidence(panel: Panel, given: Probabilities, criterion: str, source: Source) -> Confidence:
    """Return the confidence of a source on each open item; `given` as for `sources`."""
    if source.kind == REPEATS:
        return _by_repeats(panel, criterion, source)
    one = panel.of(criterion, source.judge)
    if source.second is None:
        return _by_probability(panel, criterion, source, given)
    other = panel.of(criterion, source.second)
    both = one.scored & other.scored & panel.open
    same = (one.score == other.score).astype(float)
    return Confidence(np.where(both, one.score, np.nan), np.where(both, same, np.nan))


def choose_source(
    panel: Panel,
    given: Probabilities,
    criterion: str,
    cheap: str | None = None,
    second: str | None = None,
    kind: str | None = None,
    to: str | None = None,
) -> Source:
    """Return the most trusted source of the judges with these labels.

    Args:
        panel: Of the sheet.
        given: As for `sources`.
        criterion: Of the rubric.
        cheap: The judge that is accepted.
        second: A judge that it is compared with.
        kind: One of `TRUST`; any where None.
        to: Who gets the rest; a judge asked for that is no second judge unless `second` says so.

    Raises:
        Problem: No source is available.
    """
    every = sources(panel, given, criterion)
    if not every:
        none = said(
            "There is no cascade yet: {why}. Run a judge that gives probabilities, or one three "
            "times, under Judges{on_command_line}.",
            why=NO_SOURCE,
            on_command_line=on_command_line("`judge NAME --repeat 3`"),
        )
        raise Problem(joined(" ", filter(None, (none, panel.continuous_note()))))
    ids = {label: i for i, label in panel.labels.items()}
    for label in filter(None, (cheap, second)):
        if label not in ids:
            raise Problem(
                "No judge “{label}” graded this sheet. Choose one of: {known}.",
                label=label,
                known=joined(", ", ids),
            )
    if cheap and cheap == second:
        raise Problem(
            "{cheap} always agrees with itself. Name another judge with --second.", cheap=cheap
        )
    wanted = {ids[label] for label in (cheap, second) if label}
    busy = {ids[to]} - wanted if to in ids else set()
    fits = [
        one
        for one in every
        if wanted <= {one.judge, one.second}
        and (one.second or not second)
        and kind in (None, one.kind)
        and not busy & {one.judge, one.second}
    ]
    if not fits:
        raise _no_fit(every, cheap, second, kind)
    found = fits[0]
    turned = found.second is not None and cheap and found.judge != ids[cheap]
    return found._replace(judge=found.second, second=found.judge) if turned else found


def cheaper_first(source: Source, costs: Mapping[int, Cost]) -> Source:
    """The same source with the cheaper of two judges believed, as far as prices are known."""
    if source.second is None:
        return source
    prices = [costs[i].per_1000 if i in costs else None for i in (source.judge, source.second)]
    turned = None not in prices and prices[1] < prices[0]
    return source._replace(judge=source.second, second=source.judge) if turned else source


def _no_fit(
    every: list[Source], cheap: str | None, second: str | None, kind: str | None
) -> Problem:
    if kind:
        return Problem(
            "There is no confidence from {kind} of the judges named. Choose one of: {known}, or "
            "name "
            "another judge.",
            kind=kind,
            known=joined(", ", dict.fromkeys(one.kind for one in every)),
        )
    return Problem(
        "The confidence of {judge} is unknown. Run `judge {judge} --repeat 3`, or name a second "
        "judge that graded the same.",
        judge=cheap or second,
    )


def _asks(panel: Panel, judge: int, criterion: str) -> int:
    """Return a judge's number of replies to most of the answers with repeats."""
    times = np.bincount(repeated(panel, judge, criterion)[0])
    times = times[times > 1]
    return int(np.bincount(times).argmax()) if len(times) else 0


def _by_probability(
    panel: Panel, criterion: str, source: Source, given: Probabilities
) -> Confidence:
    """The judge's score and its probability: as stated, else as a share of those of the scale."""
    marks, shares = panel.of(criterion, source.judge), given[criterion, source.judge].shares
    items = np.flatnonzero(marks.scored & panel.open)
    own = shares[items, positions(marks.score[items], panel.rubric.scale)]
    total = shares[items].sum(axis=1)  # NaN where only the probability of its score is stated
    found = np.full(len(marks.score), np.nan)
    found[items] = np.where(np.isnan(total), own, own / np.where(total > 0, total, np.nan))
    found = np.round(found, _DECIMALS)
    return Confidence(np.where(np.isnan(found), np.nan, marks.score), found)


def _by_repeats(panel: Panel, criterion: str, source: Source) -> Confidence:
    """The commonest of the first `asks` scores and its share; of several the one given first."""
    item, score = repeated(panel, source.judge, criterion)
    order = np.argsort(item, kind="stable")
    item, score = item[order], score[order]
    count, asks = len(panel.items), source.asks
    times = np.bincount(item, minlength=count)
    rank = np.arange(len(item)) - (np.cumsum(times) - times)[item]
    item, score = item[rank < asks], score[rank < asks]
    scale = np.asarray(panel.rubric.scale)
    given = np.zeros((count, len(scale)))
    np.add.at(given, (item, positions(score, panel.rubric.scale)), 1.0)
    first = np.full(count, np.nan)
    first[item[::-1]] = score[::-1]
    given += 0.5 * (scale[None, :] == first[:, None])  # breaks ties
    enough = times >= asks
    top = given.argmax(axis=1)
    share = np.floor(given.max(axis=1)) / asks
    return Confidence(np.where(enough, scale[top], np.nan), np.where(enough, share, np.nan))


@dataclass(frozen=True)
class SourceCurve:
    """How well one source of confidence finds the errors of the judge that is accepted.

    Attributes:
        source: Its kind, one of `confidence_sources.TRUST`.
        judge: The label of the judge that is accepted; `second`, of the one it is compared with.
        asks: How often the judge is asked about an answer.
        used: The cascade takes this source.
        n: Answers with a confidence that annotators graded, to questions that set no threshold.
        error_rate: Of accepting all of them, 0 to 1; None without any.
        aurc: As of `selective.risk_coverage`.
        curve: Coverage and risk, from 10 accepted answers on.
    """

    source: str
    judge: str
    second: str | None
    asks: int
    used: bool
    n: int
    error_rate: float | None
    aurc: Estimate
    curve: tuple[CurvePoint, ...] = field(default=(), metadata=INTERNAL)


def compared(
    on: CriterionPanel,
    given: Probabilities,
    used: Source,
    costs: Mapping[int, Cost],
    tolerance: int,
    held_out: np.ndarray,
) -> tuple[SourceCurve, ...]:
    """Return the curve of each source of a criterion, the most trusted first.

    It is of the (N,) answers that are `held_out`: those to questions that set no threshold.

    An error is a score more than `tolerance` from an annotator's. An answer that several annotators
    graded is in error to the share of them that it differs from. Of two judges the cheaper one is
    accepted, but for the source that is `used`.
    """
    every = [cheaper_first(one, costs) for one in sources(on.panel, given, on.name)]
    every = [
        used
        if one.kind == used.kind and {one.judge, one.second} == {used.judge, used.second}
        else one
        for one in every
    ]
    return tuple(
        _curve(on, one, confidence(on.panel, given, on.name, one), one == used, tolerance, held_out)
        for one in every
    )


def _curve(
    on: CriterionPanel,
    source: Source,
    sure: Confidence,
    used: bool,
    tolerance: int,
    held_out: np.ndarray,
) -> SourceCurve:
    panel, annotators = on.panel, on.annotators
    rows = (sure.known & held_out)[annotators.item]
    item, person = annotators.item[rows], annotators.score[rows]
    apart = np.abs(sure.score[item] - person) > tolerance
    times = np.bincount(item, minlength=len(panel.items))
    items = np.flatnonzero(times)
    wrong = np.bincount(item, apart, len(times))[items] / times[items]
    found = risk_coverage(sure.share[items], wrong, panel.weight[items], panel.cluster[items])
    labels = panel.labels
    return SourceCurve(
        source=source.kind,
        judge=labels[source.judge],
        second=labels[source.second] if source.second else None,
        asks=source.asks,
        used=used,
        n=len(items),
        error_rate=float(found.risk[-1]) if len(items) else None,
        aurc=found.area,
        curve=_points(found, len(items)),
    )


def _points(found: RiskCoverage, n: int) -> tuple[CurvePoint, ...]:
    at = np.flatnonzero(np.round(found.coverage * n, 6) >= min(_FIRST, n))
    if len(at) > _MOST_POINTS:
        at = at[np.linspace(0, len(at) - 1, _MOST_POINTS).round().astype(int)]
    return tuple(CurvePoint(float(found.coverage[i]), float(found.risk[i])) for i in at)


def replay(
    panel: Panel, on: CriterionPanel, sure: Confidence, level: float | None, to: int | None
) -> dict | None:
    """Return the agreement of cascade, cheap and expensive judge; None without one or a level.

    `cascade`, `cheap` and `expensive`, each with `exact` and `failure_recall`, on the same `n`.
    """
    if to is None or level is None:
        return None
    expensive = panel.of(on.name, to)
    items = np.flatnonzero(sure.known & expensive.scored & panel.open)
    scale, failing = panel.rubric.scale, panel.rubric.failing(on.criterion)

    cascade = np.where(sure.share >= level, sure.score, expensive.score)
    found = {}
    for name, score in zip(REPLAYED, (cascade, expensive.score, sure.score), strict=True):
        annotators = on.annotators
        pairs = judge_pairs(items, score[items], annotators.item, annotators.score, panel.cluster)
        every = figures(pairs, scale, failing)
        found[name] = {key: every[key] for key in ("exact", "failure_recall")}
        found["n"] = distinct(pairs.item)
    return found


def saving(
    sure: Confidence, level: float | None, source: Source, to: int | None, costs: Mapping[int, Cost]
) -> dict:
    """Return the USD per 1,000 answers of cascade and expensive judge, and what is `saved`.

    All None where one is unknown, with `why_none`.
    """
    nothing = dict.fromkeys(("cascade", "expensive", "saved"))
    asked = [i for i in (source.judge, source.second, to) if i]
    if to is None:
        return nothing | {"why_none": "annotators have no price"}
    if level is None:
        return nothing | {"why_none": "no threshold"}
    if any(i not in costs or costs[i].per_1000 is None for i in asked):
        return nothing | {"why_none": "the price of one of the judges is unknown"}
    cheap = source.asks * costs[source.judge].per_1000
    cheap += costs[source.second].per_1000 if source.second else 0.0
    rest = float((sure.share[sure.known] < level).mean())
    expensive = costs[to].per_1000
    prices = cheap + rest * expensive, expensive, (1 - rest) * expensive - cheap
    return dict(zip(nothing, prices, strict=True), why_none=None)


ANNOTATORS = "annotators"
MOST_LEVELS = 10
EXACT, WITHIN_ONE = "exact", "within_one"
CERTIFIED, NOTHING, SIMULATED = "certified", "nothing", "simulated"
NO_ANNOTATORS = said("no annotator graded an answer that has a confidence")
UNEQUAL = said(
    "answers were sampled with unequal inclusion probabilities, which the exact bound does not "
    "allow"
)


class Limits(NamedTuple):
    """The guarantee that is asked for.

    Attributes:
        at_most: The highest error rate among accepted answers, in (0, 1).
        certainty: The confidence of the bound, in (0, 1).
        agreement: `exact` or `within_one`: an error is an accepted score that differs (or differs
            by two or more) from that of one annotator, sampled among those who graded the answer.
    """

    at_most: float = 0.2
    certainty: float = 0.95
    agreement: str = EXACT

    @property
    def tolerance(self) -> int:
        """How far a score can be from an annotator's without an error."""
        return 1 if self.agreement == WITHIN_ONE else 0


DEFAULT = Limits()


@dataclass(frozen=True)
class Cascade:
    """A cascade from one source of confidence to a judge or to annotators, replayed.

    Attributes:
        seed: Of the split into questions that set the threshold and that test it.
        unit: `question`, or `document` where several questions share one: one answer of each
            enters the bound.
        source: The kind of confidence, one of `confidence_sources.TRUST`.
        cheap: The label of the judge that is accepted; `second`, of the one it is compared with.
        asks: How often the cheap judge is asked about an answer.
        to: Who gets the rest: a label, or `annotators`.
        simulated: The names of the graders that are.
        verdict: `certified`, `nothing`, or `simulated`, since nothing simulated is certified.
        coverage: Share of the `answers` with a confidence that would be accepted.
        most: Answers with a confidence to the question that has most of them.
        levels: Number of `answers` by `confidence`, the most confident first, and how many of them
            were `graded` and in error. Of more than ten confidences, those from `confidence` to
            `highest` are together, of about equal numbers of answers.
        sources: Every source of confidence on the sheet, the most trusted first.
        replay: None without an expensive judge.
        cost: What the cascade saves.
        ceiling: Agreement of annotators with one another on the answers of the test.
        test_retest: Test-retest agreement of the cheap judge; None unless its repeats count.
        why_none: Why nothing could be tried.
    """

    criterion: str
    limits: Limits = field(metadata=FLAT)
    seed: int
    unit: str
    source: str
    cheap: str
    second: str | None
    asks: int
    to: str
    simulated: tuple[str, ...]
    test: Certified = field(metadata=FLAT)
    verdict: str
    coverage: Estimate
    answers: int
    most: int
    levels: tuple[dict, ...]
    sources: tuple[SourceCurve, ...]
    replay: dict | None
    cost: dict
    ceiling: Estimate
    test_retest: JudgeRetest | None
    why_none: str | None


def report(
    panel: Panel,
    given: Probabilities,
    source: Source,
    to: int | None,
    costs: Mapping[int, Cost],
    criterion: str,
    limits: Limits = DEFAULT,
) -> Cascade:
    """Replay the cascade from one source of confidence to a judge (or to annotators, None).

    `given` are the probabilities of the panel's judges (`judge_probabilities.read`).
    """
    _check(limits)
    on, sure = ground(panel, criterion, EACH), confidence(panel, given, criterion, source)
    item, wrong = _errors(on, sure, limits.tolerance)
    why = UNEQUAL if panel.reweighted else None if len(item) else NO_ANNOTATORS
    # 1 - 0.95 is 0.050000000000000044, which would need one more error-free answer.
    delta = round(1 - limits.certainty, 9)
    answers = np.bincount(panel.cluster[sure.known], minlength=len(panel.cluster))
    found = certify(sure.share[item], wrong, panel.cluster[item], limits.at_most, delta, answers)
    setting = panel.cluster[item[halves(panel.cluster[item], answers)[0]]] if len(item) else []
    held_out = ~np.isin(panel.cluster, setting)
    if why:  # the counts are true, the thresholds are not
        found = found._replace(threshold=None, tried=None)
    level = found.tried.confidence if found.tried else None
    own_clusters = len(np.unique(panel.cluster)) == len(np.unique(panel.question))
    simulated = _simulated(panel, source, to)
    certified = SIMULATED if simulated else CERTIFIED
    return Cascade(
        criterion=criterion,
        limits=limits,
        seed=SEED,
        unit="question" if own_clusters else "document",
        source=source.kind,
        cheap=panel.labels[source.judge],
        second=panel.labels[source.second] if source.second else None,
        asks=source.asks,
        to=panel.labels[to] if to else ANNOTATORS,
        simulated=simulated,
        test=found,
        verdict=NOTHING if found.threshold is None else certified,
        coverage=_coverage(panel, sure, level),
        answers=int(sure.known.sum()),
        most=int(answers.max(initial=0)),
        levels=_levels(sure, item, wrong),
        sources=compared(on, given, source, costs, limits.tolerance, held_out),
        replay=replay(panel, on, sure, level, to),
        cost=saving(sure, level, source, to, costs),
        ceiling=on.ceiling(panel.mask(item)).figures[limits.agreement],
        test_retest=of_judge(panel, source.judge, [criterion]) if source.kind == REPEATS else None,
        why_none=why,
    )


def dearer(panel: Panel, source: Source, named: str) -> int | None:
    """Return the judge that gets the rest, by label, or None for annotators.

    Raises:
        Problem: No judge of this label can get the rest.
    """
    if named == ANNOTATORS:
        return None
    fits = {panel.labels[i]: i for i in panel.judges if i not in (source.judge, source.second)}
    if named not in fits:
        every = joined(", ", [ANNOTATORS, *fits])
        raise Problem(
            "The rest cannot go to “{named}”. Choose one of: {every}.", named=named, every=every
        )
    return fits[named]


def _check(limits: Limits) -> None:
    if not (0 < limits.at_most < 1 and 0 < limits.certainty < 1):
        raise Problem(
            "The maximum error rate and the confidence level of a cascade lie between 0 and 1, as "
            "in 0.2 and 0.95."
        )


def _errors(on: CriterionPanel, sure: Confidence, tolerance: int) -> tuple[np.ndarray, np.ndarray]:
    """Items with the score of one annotator at random, and whether the accepted one is in error."""
    item, score = on.annotators.item, on.annotators.score
    order = np.random.default_rng([SEED, len(item)]).permutation(len(item))
    items, first = np.unique(item[order], return_index=True)
    person = score[order][first]
    known = sure.known[items]
    items, person = items[known], person[known]
    apart = np.abs(sure.score[items] - person)
    return items, apart > tolerance


def _simulated(panel: Panel, source: Source, to: int | None) -> tuple[str, ...]:
    """The names of the simulated judges and annotators."""
    judges = [panel.judges[i] for i in (source.judge, source.second, to) if i]
    every = (*judges, *panel.annotators.values())
    return tuple(one.name for one in every if one.simulated)


def _coverage(panel: Panel, sure: Confidence, level: float | None) -> Estimate:
    """Return the share accepted of the answers with a confidence."""
    if level is None:
        return undefined(said("no threshold could be tried"))
    cluster = panel.cluster[sure.known]
    base = np.bincount(cluster).astype(float)
    return proportion(np.bincount(cluster, sure.share[sure.known] >= level), base)


def _levels(sure: Confidence, item: np.ndarray, wrong: np.ndarray) -> tuple[dict, ...]:
    known, mine = sure.share[sure.known], sure.share[item]
    lowest = np.unique(known)
    if len(lowest) > MOST_LEVELS:
        shares = np.arange(MOST_LEVELS) / MOST_LEVELS
        lowest = np.unique(np.quantile(known, shares, method="lower"))
    every, graded = (np.searchsorted(lowest, one, side="right") - 1 for one in (known, mine))
    return tuple(
        {
            "confidence": float(lowest[level]),
            "highest": float(known[every == level].max()),
            "answers": int((every == level).sum()),
            "graded": int((graded == level).sum()),
            "errors": int(wrong[graded == level].sum()),
        }
        for level in reversed(range(len(lowest)))
    )
