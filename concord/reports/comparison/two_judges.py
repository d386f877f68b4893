"""Two judges: the paired test of their agreement with annotators, and where the two differ.

Always paired: both on the same answers, whole questions at a time. One test is asked for, the one
over all answers; the groups are exploratory, and their p-values are adjusted for how many
there are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from concord.messages import counted, said
from concord.reports.cells import p_value, written
from concord.reports.comparison.paired_differences import (
    DISTANCE,
    EXACT,
    Differences,
    by_item,
    discordant,
    mean_difference,
    nearness,
    only,
)
from concord.reports.comparison.paired_variants import side_by_side, target_name, targets
from concord.reports.comparison.results import PairedTest
from concord.reports.document import Column, Document, table_of
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.variants import Variant
from concord.stats.comparison.mcnemar import mcnemar
from concord.stats.comparison.sign_flip import question_sums, sign_flip
from concord.stats.core.estimate import Estimate
from concord.stats.core.tables import ranked
from concord.stats.intervals import tango
from concord.stats.intervals.multiple_testing import benjamini_hochberg

METRICS = {
    EXACT: said("Exact agreement with annotators"),
    DISTANCE: said("Nearness to annotators, % of the scale"),
}
EXPLORATORY = said("exploratory, adjusted by Benjamini-Hochberg over the groups")
_THIRDS = (said("the shortest third"), said("the middle third"), said("the longest third"))
_LEVEL = 0.05


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

    `target` is a criterion of the annotators' or `composite`; `length` has (N,) the answers'
    lengths in words.
    """

    def on(criterion: str) -> Differences:
        return _differences(first, second, annotators, criterion, kind)

    apart = on(target)
    model = annotators.items["answer_model"].to_numpy()[apart.item]
    others = [
        one
        for one in targets([first, second], annotators)
        if one != target and not any(v.why_not(one, annotators) for v in (first, second))
    ]
    groups = [
        *(_group(said("criterion"), one, on(one)) for one in others),
        *(
            _group(said("answering model"), one, only(apart, model == one))
            for one in annotators.answer_models
        ),
        *_by_length(apart, length[apart.item]),
    ]
    adjusted = iter(benjamini_hochberg([g.p_value for g in groups if g.p_value is not None]))
    groups = [
        group if group.p_value is None else replace(group, p_adjusted=float(next(adjusted)))
        for group in groups
    ]
    found = _tested(first, second, annotators, target, apart)
    return TwoJudges(**vars(found), groups=tuple(groups), adjusted=EXPLORATORY)


def tested(
    first: Variant, second: Variant, annotators: Panel, target: str, kind: str = EACH
) -> PairedTest:
    """Return the same without the groups."""
    return _tested(
        first, second, annotators, target, _differences(first, second, annotators, target, kind)
    )


def _tested(
    first: Variant, second: Variant, annotators: Panel, target: str, apart: Differences
) -> PairedTest:
    alone = discordant(apart)
    difference = tango.difference(alone) if alone else mean_difference(apart)
    test = sign_flip(question_sums(apart.value, apart.cluster, apart.weight))
    about = {"one": first.label, "other": second.label}
    if difference.value is None:
        why = difference.why_none
        sentence = said("{one} and {other} cannot be compared: {why}", **about, why=why)
    else:
        sentence = said(
            "{figure} on {target}, {one} minus {other}: {points} points ({verdict})",
            figure=METRICS[apart.metric],
            target=target_name(target),
            points=written(difference, "points"),
            verdict=said("significant" if test.p_value < _LEVEL else "not significant"),
            **about,
        )
    return PairedTest(
        first=first.label,
        second=second.label,
        target=target,
        metric=apart.metric,
        n=len(apart.item),
        questions=ranked(annotators.question[apart.item])[0],
        clusters=ranked(apart.cluster)[0],
        difference=difference,
        test=test,
        mcnemar=mcnemar(alone) if alone else None,
        sentence=sentence,
    )


def document(found: TwoJudges) -> Document:
    """Return the test and the exploratory differences by group."""
    parts = (
        (Column(said("split by")), lambda row: row.by),
        (
            Column(said("group")),
            lambda row: said("composite") if row.group == COMPOSITE else row.group,
        ),
        (Column(said("answers"), "count"), lambda row: row.n),
        (
            Column(said("difference, points"), "points", in_file="difference"),
            lambda row: row.difference,
        ),
        (Column(said("p, adjusted"), "p"), lambda row: row.p_adjusted),
    )
    groups = table_of("groups", found.groups, parts, said("Differences by group"))
    test = (
        said(
            "{answers} to {questions} in {clusters}; sign-flip test by cluster: p {p}.",
            answers=counted(found.n, "answer"),
            questions=counted(found.questions, "question"),
            clusters=counted(found.clusters, "cluster"),
            p=p_value(found.test.p_value),
        )
        if found.test.p_value is not None
        else ""
    )
    how = said(
        "Points are {first} minus {second}; p-values by group are {adjusted}.",
        first=found.first,
        second=found.second,
        adjusted=found.adjusted,
    )
    return Document(found.sentence, (test,), (groups,), (how,))


def _differences(
    first: Variant, second: Variant, annotators: Panel, target: str, kind: str
) -> Differences:
    """Return the differences of two judges on the answers that both scored."""
    side = side_by_side([first, second], annotators, target, kind)
    scales = {first.rubric.scale, second.rubric.scale, annotators.rubric.scale}
    numbers = target == COMPOSITE or any(one.is_continuous(target) for one in (first, second))
    metric = EXACT if len(scales) == 1 and not numbers else DISTANCE
    mine, theirs = (nearness(side.pairs(place), metric) for place in (0, 1))
    pairs = side.pairs(0)
    item, weight, value = by_item(pairs, mine - theirs)
    return Differences(item, side.panel.cluster[item], weight, value, metric)


def _by_length(apart: Differences, length: np.ndarray) -> Iterator[Group]:
    """Thirds by length; answers of one length are never parted."""
    if not len(length):
        return
    third = np.searchsorted(np.quantile(length, [1 / 3, 2 / 3]), length)
    for place, name in enumerate(_THIRDS):
        words = length[third == place]
        if len(words):
            of = {"third": name, "least": words.min(), "most": words.max()}
            named = said("{third}, {least:.0f} to {most:.0f} words", **of)
            yield _group(said("length"), named, only(apart, third == place))


def _group(by: str, name: str, apart: Differences) -> Group:
    test = sign_flip(question_sums(apart.value, apart.cluster, apart.weight))
    n, clusters = len(apart.item), ranked(apart.cluster)[0]
    return Group(by, name, apart.metric, n, clusters, mean_difference(apart), test.p_value)
