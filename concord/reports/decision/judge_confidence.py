"""Confidence of a cheap judge in each answer, from stored grades.

Either one judge has repeats, and its confidence is the share of its most frequent score; or two
judges graded the same answers, and are confident where their scores are equal.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from concord.messages import Problem, joined, said
from concord.model import BASELINE
from concord.reports.decision.cost import Cost
from concord.reports.panel.panel import Panel
from concord.reports.reliability.test_retest import repeated
from concord.stats.core.tables import positions

NO_SOURCE = said(
    "no judge was asked more than once about an answer, and no two judges gave scores of the scale "
    "to the same answers"
)


class Source(NamedTuple):
    """A source of confidence.

    Attributes:
        judge: The id of the judge whose scores are accepted.
        second: The id of the judge it is compared with; None for repeated replies of `judge`
            itself.
        asks: Number of replies of `judge` to an answer.
    """

    judge: int
    second: int | None
    asks: int


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


def sources(panel: Panel, criterion: str) -> list[Source]:
    """Return every source on a criterion: judges with repeats, then pairs of judges."""
    real = [i for i, judge in panel.judges.items() if judge.name != BASELINE]
    found = [Source(i, None, asks) for i in real if (asks := _asks(panel, i, criterion)) > 1]
    for one, other in combinations(real, 2):
        both = panel.of(criterion, one).scored & panel.of(criterion, other).scored & panel.open
        if both.any():
            found.append(Source(one, other, 1))
    return found


def confidence(panel: Panel, criterion: str, source: Source) -> Confidence:
    """Return the confidence of a source on each open item."""
    if source.second is None:
        return _by_repeats(panel, criterion, source)
    one, other = (panel.of(criterion, judge) for judge in (source.judge, source.second))
    both = one.scored & other.scored & panel.open
    same = (one.score == other.score).astype(float)
    return Confidence(np.where(both, one.score, np.nan), np.where(both, same, np.nan))


def choose_source(
    panel: Panel, criterion: str, cheap: str | None = None, second: str | None = None
) -> Source:
    """Return the source of the judges with these labels, else the first; a Problem without any."""
    every = sources(panel, criterion)
    if not every:
        none = said("There is no cascade yet: {why}. Run `judge NAME --repeat 3`.", why=NO_SOURCE)
        raise Problem(joined(" ", filter(None, (none, panel.continuous_note()))))
    ids = {label: i for i, label in panel.labels.items()}
    for label in filter(None, (cheap, second)):
        if label not in ids:
            raise Problem(
                "No judge “{label}” graded this sheet. Take one of: {known}.",
                label=label,
                known=joined(", ", ids),
            )
    if cheap and cheap == second:
        raise Problem(
            "{cheap} always agrees with itself. Name another judge with --second.", cheap=cheap
        )
    wanted = {ids[label] for label in (cheap, second) if label}
    fits = [s for s in every if wanted <= {s.judge, s.second} and (s.second or not second)]
    if not fits:
        raise Problem(
            "{cheap} was not asked more than once about {criterion}. Run `judge {cheap} --repeat "
            "3`, or name a second judge that graded the same.",
            cheap=cheap,
            criterion=criterion,
        )
    found = fits[0]
    turned = found.second is not None and cheap and found.judge != ids[cheap]
    return Source(found.second, found.judge, 1) if turned else found


def cheaper_first(source: Source, costs: Mapping[int, Cost]) -> Source:
    """The same source with the cheaper of two judges believed, as far as prices are known."""
    if source.second is None:
        return source
    prices = [costs[i].per_1000 if i in costs else None for i in (source.judge, source.second)]
    turned = None not in prices and prices[1] < prices[0]
    return Source(source.second, source.judge, 1) if turned else source


def _asks(panel: Panel, judge: int, criterion: str) -> int:
    """Return a judge's number of replies to most of the answers with repeats."""
    times = np.bincount(repeated(panel, judge, criterion)[0])
    times = times[times > 1]
    return int(np.bincount(times).argmax()) if len(times) else 0


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
