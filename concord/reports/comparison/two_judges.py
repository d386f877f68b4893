"""Two judges: the paired test of their agreement with annotators, and where the two differ.

Always paired: both on the same answers, whole questions at a time. One test is asked for, the one
over all answers; the groups are exploratory, and their p-values are adjusted for how many
there are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from concord.messages import Said, counted, said
from concord.reports.cells import p_value, written
from concord.reports.comparison.paired_variants import Side, side_by_side, target_name, targets
from concord.reports.document import Column, Document, Table
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.variants import Variant
from concord.stats.comparison.mcnemar import McNemar, mcnemar
from concord.stats.comparison.sign_flip import SignFlip, question_sums, sign_flip
from concord.stats.core.discordant import Discordant
from concord.stats.core.estimate import Estimate
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import ranked, ratio
from concord.stats.intervals import tango
from concord.stats.intervals.multiple_testing import benjamini_hochberg
from concord.stats.intervals.resampling import jackknife, leave_out

EXACT, DISTANCE = "exact", "distance"
METRICS = {
    EXACT: said("Exact agreement with annotators"),
    DISTANCE: said("Nearness to annotators, % of the scale"),
}
EXPLORATORY = said("exploratory, adjusted by Benjamini-Hochberg over the groups")
NO_ANSWER = said("the two have scored no answer in common that annotators graded")
_THIRDS = (said("the shortest third"), said("the middle third"), said("the longest third"))
# Mapped scores are real numbers: closer than _SAME counts as the same score.
_SAME, _LEVEL = 1e-9, 0.05


class _Apart(NamedTuple):
    """Difference in agreement of two judges, answer by answer.

    Attributes:
        item: (n,) indices of the answers.
        cluster: (n,) their clusters.
        weight: (n,) their weights.
        value: (n,) from -1 to 1, above 0 where the first is nearer to annotators.
        metric: `exact` or `distance`.
    """

    item: np.ndarray
    cluster: np.ndarray
    weight: np.ndarray
    value: np.ndarray
    metric: str


@dataclass(frozen=True)
class PairedTest:
    """The paired comparison of two judges with annotators.

    Attributes:
        metric: `exact`: share of exact agreement, where both judges score on the annotators' scale;
            else `distance`: how much nearer to annotators, as a share of the scale.
        difference: First minus second; Tango's interval where `mcnemar` is given, else the
            question jackknife's.
        test: Sign flips of question sums.
        mcnemar: Where every question has one answer.
        sentence: The finding in words.
    """

    first: str
    second: str
    target: str
    metric: str
    n: int
    questions: int
    clusters: int
    difference: Estimate
    test: SignFlip
    mcnemar: McNemar | None
    sentence: str


@dataclass(frozen=True)
class Group:
    """The difference in one group of answers; exploratory, p-values adjusted over the groups."""

    by: str
    group: str
    metric: str
    n: int
    clusters: int
    difference: Estimate
    p_value: float | None
    p_adjusted: float | None = None


@dataclass(frozen=True)
class TwoJudges(PairedTest):
    """A paired test with the groups in which the two differ."""

    groups: tuple[Group, ...]
    adjusted: str


def report(
    first: Variant,
    second: Variant,
    annotators: Panel,
    target: str,
    length: np.ndarray,
    kind: str = EACH,
) -> TwoJudges:
    """Return the paired test of two judges, and where they differ.

    Args:
        first: The one judge.
        second: The other.
        annotators: The annotators' panel.
        target: A criterion of the annotators', or `composite`.
        length: (N,) the answers' lengths in words.
        kind: `each` annotator, or their `consensus`.
    """
    apart = _apart(first, second, annotators, target, kind)
    groups = [
        _group(*one) for one in _groups(first, second, annotators, target, length, kind, apart)
    ]
    known = [row.p_value for row in groups if row.p_value is not None]
    adjusted = iter(benjamini_hochberg(known))
    groups = [
        row if row.p_value is None else replace(row, p_adjusted=float(next(adjusted)))
        for row in groups
    ]
    found = _tested(first, second, annotators, target, apart)
    return TwoJudges(**vars(found), groups=tuple(groups), adjusted=EXPLORATORY)


def tested(
    first: Variant, second: Variant, annotators: Panel, target: str, kind: str = EACH
) -> PairedTest:
    """Return the same without the groups."""
    return _tested(
        first, second, annotators, target, _apart(first, second, annotators, target, kind)
    )


def _tested(
    first: Variant, second: Variant, annotators: Panel, target: str, apart: _Apart
) -> PairedTest:
    alone = _discordant(apart)
    found = PairedTest(
        first=first.label,
        second=second.label,
        target=target,
        metric=apart.metric,
        n=len(apart.item),
        questions=ranked(annotators.question[apart.item])[0],
        clusters=ranked(apart.cluster)[0],
        difference=tango.difference(alone) if alone else _difference(apart),
        test=sign_flip(question_sums(apart.value, apart.cluster, apart.weight)),
        mcnemar=mcnemar(alone) if alone else None,
        sentence="",
    )
    return replace(found, sentence=_sentence(found))


def _sentence(found: PairedTest) -> Said:
    one, other, apart = found.first, found.second, found.difference
    if apart.value is None:
        why = apart.why_none
        return said("{one} and {other} cannot be compared: {why}", one=one, other=other, why=why)
    return said(
        "{figure} on {target}, {one} minus {other}: {points} points ({verdict})",
        figure=METRICS[found.metric],
        target=target_name(found.target),
        one=one,
        other=other,
        points=written(apart, "points"),
        verdict=said("significant" if found.test.p_value < _LEVEL else "not significant"),
    )


def document(found: TwoJudges) -> Document:
    """Return the test and the exploratory differences by group."""
    columns = (
        Column(said("split by")),
        Column(said("group")),
        Column(said("answers"), "count"),
        Column(said("points"), "points"),
        Column(said("p, adjusted"), "p"),
    )
    rows = tuple(
        (
            row.by,
            said("composite") if row.group == COMPOSITE else row.group,
            row.n,
            row.difference,
            row.p_adjusted,
        )
        for row in found.groups
    )
    how = said(
        "Points are {first} minus {second}; p-values by group are {adjusted}.",
        first=found.first,
        second=found.second,
        adjusted=found.adjusted,
    )
    title = said("Differences by group")
    return Document(
        found.sentence, (_test(found),), (Table("groups", columns, rows, title),), (how,)
    )


def _test(found: PairedTest) -> str:
    if found.test.p_value is None:
        return ""
    return said(
        "{answers} to {questions} in {clusters}; sign-flip test by cluster: p {p}.",
        answers=counted(found.n, "answer"),
        questions=counted(found.questions, "question"),
        clusters=counted(found.clusters, "cluster"),
        p=p_value(found.test.p_value),
    )


def _apart(first: Variant, second: Variant, annotators: Panel, target: str, kind: str) -> _Apart:
    side = side_by_side([first, second], annotators, target, kind)
    scales = {first.rubric.scale, second.rubric.scale, annotators.rubric.scale}
    metric = EXACT if len(scales) == 1 and target != COMPOSITE else DISTANCE
    mine, theirs = (_nearness(side.pairs(place), metric) for place in (0, 1))
    pairs = side.pairs(0)
    item, weight, value = _by_item(side, pairs, mine - theirs)
    return _Apart(item, side.panel.cluster[item], weight, value, metric)


def _nearness(pairs: Pairs, metric: str) -> np.ndarray:
    """Per pair, 1 where the scores are the same; by distance, less the farther they are apart."""
    far = np.abs(pairs.judge - pairs.annotator)
    return (far < _SAME).astype(float) if metric == EXACT else 1 - far


def _by_item(side: Side, pairs: Pairs, value: np.ndarray) -> tuple[np.ndarray, ...]:
    """Items, their weights, and the values averaged over each item's annotators."""
    items = len(side.panel.items)
    weight = np.bincount(pairs.item, weights=pairs.weight, minlength=items)
    total = np.bincount(pairs.item, weights=pairs.weight * value, minlength=items)
    item = np.flatnonzero(weight > 0)
    return item, weight[item], total[item] / weight[item]


def _groups(
    first: Variant,
    second: Variant,
    annotators: Panel,
    target: str,
    length: np.ndarray,
    kind: str,
    apart: _Apart,
) -> Iterator[tuple[str, str, _Apart]]:
    """Yield every other criterion, every answering model, and the answers by length."""
    for other in targets([first, second], annotators):
        if other != target and _both(first, second, annotators, other):
            yield said("criterion"), other, _apart(first, second, annotators, other, kind)
    models = annotators.items["answer_model"].to_numpy()[apart.item]
    for model in annotators.answer_models:
        yield said("answering model"), model, _only(apart, models == model)
    yield from _by_length(apart, length[apart.item])


def _both(first: Variant, second: Variant, annotators: Panel, target: str) -> bool:
    return None not in (first.marks(target, annotators), second.marks(target, annotators))


def _by_length(apart: _Apart, length: np.ndarray) -> Iterator[tuple[str, str, _Apart]]:
    """Thirds by length; answers of one length are never parted."""
    if not len(length):
        return
    edges = np.quantile(length, [1 / 3, 2 / 3])
    third = np.searchsorted(edges, length)
    for place, name in enumerate(_THIRDS):
        if (third == place).any():
            words = length[third == place]
            of = {"third": name, "least": words.min(), "most": words.max()}
            third_of = said("{third}, {least:.0f} to {most:.0f} words", **of)
            yield said("length"), third_of, _only(apart, third == place)


def _only(apart: _Apart, keep: np.ndarray) -> _Apart:
    columns = (apart.item, apart.cluster, apart.weight, apart.value)
    return _Apart(*(column[keep] for column in columns), apart.metric)


def _group(by: str, name: str, apart: _Apart) -> Group:
    test = sign_flip(question_sums(apart.value, apart.cluster, apart.weight))
    n, clusters = len(apart.item), ranked(apart.cluster)[0]
    return Group(by, name, apart.metric, n, clusters, _difference(apart), test.p_value)


def _difference(apart: _Apart) -> Estimate:
    """The mean difference with its question jackknife."""
    _, group = ranked(apart.cluster)
    sums = np.stack(
        [
            np.bincount(group, weights=apart.weight * apart.value),
            np.bincount(group, weights=apart.weight),
        ],
        axis=1,
    )
    if not len(sums):
        return Estimate(None, why_none=NO_ANSWER)
    return jackknife(
        leave_out(sums), lambda rows: ratio(rows[..., 0], rows[..., 1]), bounds=(-1, 1)
    )


def _discordant(apart: _Apart) -> Discordant | None:
    """Return the counts for McNemar and Tango: one answer per question, equal weights."""
    n = len(apart.item)
    if apart.metric != EXACT or not n or n > ranked(apart.cluster)[0]:
        return None
    if np.ptp(apart.weight) > _SAME or not np.isin(apart.value, (-1, 0, 1)).all():
        return None
    return Discordant(int((apart.value > 0).sum()), int((apart.value < 0).sum()), n, n)
