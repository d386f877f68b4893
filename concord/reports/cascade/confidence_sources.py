"""Sources of a cheap judge's confidence in each answer, from what is stored.

The probability that the judge gave its score (native, stated, of log-probabilities, imported);
whether a second judge gives the same score; or the share of its repeats with its most frequent one.
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
from concord.reports.document import INTERNAL
from concord.reports.panel.criterion_comparison import CriterionPanel
from concord.reports.panel.panel import Panel
from concord.reports.probabilities.judge_probabilities import REPEATS, Probabilities
from concord.reports.reliability.test_retest import repeated
from concord.stats.core.estimate import Estimate
from concord.stats.core.tables import positions
from concord.stats.probabilities.scoring import RiskCoverage, risk_coverage

TWO_JUDGES = "two_judges"
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
    every = [used if _same(one, used) else one for one in every]
    return tuple(
        _curve(on, one, confidence(on.panel, given, on.name, one), one == used, tolerance, held_out)
        for one in every
    )


def _same(one: Source, other: Source) -> bool:
    return one.kind == other.kind and {one.judge, one.second} == {other.judge, other.second}


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
