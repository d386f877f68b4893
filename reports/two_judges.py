"""Two judges: whether one agrees with people more than the other, and where the two differ.

Always paired: both on the same answers, whole questions at a time. One test is asked for, the one
over all answers; the groups below it are for looking around, and their p-values are adjusted for
how many there are.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from data.counted import counted
from reports.choose_reason import points
from reports.compare_words import spoken
from reports.panel import COMPOSITE, Panel
from reports.reference import EACH
from reports.side import Side, side_by_side, targets
from reports.variants import Variant
from stats import tango
from stats.discordant import Discordant
from stats.estimate import Estimate
from stats.interval import jackknife, leave_out
from stats.mcnemar import mcnemar
from stats.multiple import benjamini_hochberg
from stats.pairs import Pairs
from stats.sign_flip import question_sums, sign_flip
from stats.table import ranked, ratio
from words.said import Said, said

EXACT, DISTANCE = "exact", "distance"
EXPLORATORY = said("for looking around: adjusted by Benjamini and Hochberg over the groups")
NO_ANSWER = said("the two have scored no answer in common that people graded")
_THIRDS = (said("the shortest third"), said("the middle third"), said("the longest third"))
_SAME, _LEVEL = 1e-9, 0.05


class _Apart(NamedTuple):
    """By how much the first judge agrees more, answer by answer.

    Attributes:
        item: (n,) indices of the answers.
        cluster: (n,) their clusters.
        weight: (n,) their weights.
        value: (n,) from -1 to 1, above 0 where the first is nearer to people.
        measure: `exact` or `distance`.
    """

    item: np.ndarray
    cluster: np.ndarray
    weight: np.ndarray
    value: np.ndarray
    measure: str


def report(
    first: Variant,
    second: Variant,
    people: Panel,
    target: str,
    length: np.ndarray,
    kind: str = EACH,
) -> dict:
    """The paired test of two judges, and where they differ.

    Args:
        first: The one judge.
        second: The other.
        people: The people's panel.
        target: A criterion of the people's, or `composite`.
        length: (N,) the answers' lengths in words.
        kind: `each` person, or their `consensus`.

    Returns:
        `measure` (`exact`: share of exact agreement, where both judges score on the people's scale;
        else `distance`: how much nearer to people, as a share of the scale); `n`, `questions`,
        `clusters`; `difference` (first minus second; Tango's interval where `mcnemar` is given,
        else the question jackknife's); `test` (sign flips of question sums);
        `mcnemar` where every question has one answer; `groups` (each with `by`, `group`, `n`,
        `clusters`, `difference`, `p_value`, `p_adjusted`); and `sentence`.
    """
    apart = _apart(first, second, people, target, kind)
    groups = [_group(*one) for one in _groups(first, second, people, target, length, kind, apart)]
    known = [row for row in groups if row["p_value"] is not None]
    adjusted = benjamini_hochberg([row["p_value"] for row in known])
    for row, p_value in zip(known, adjusted, strict=True):
        row["p_adjusted"] = float(p_value)
    found = _tested(first, second, people, target, apart)
    return found | {"groups": groups, "adjusted": EXPLORATORY}


def tested(first: Variant, second: Variant, people: Panel, target: str, kind: str = EACH) -> dict:
    """The same without the groups: the difference, its tests and the sentence."""
    return _tested(first, second, people, target, _apart(first, second, people, target, kind))


def _tested(first: Variant, second: Variant, people: Panel, target: str, apart: _Apart) -> dict:
    alone = _discordant(apart)
    found = {
        "first": first.label,
        "second": second.label,
        "target": target,
        "measure": apart.measure,
        "n": len(apart.item),
        "questions": ranked(people.question[apart.item])[0],
        "clusters": ranked(apart.cluster)[0],
        "difference": (tango.difference(alone) if alone else _difference(apart))._asdict(),
        "test": sign_flip(question_sums(apart.value, apart.cluster, apart.weight))._asdict(),
        "mcnemar": mcnemar(alone)._asdict() if alone else None,
    }
    return found | {"sentence": sentence(found)}


def sentence(found: dict) -> Said:
    """Which of the two agrees with people more, whether beyond chance, in words."""
    one, other, apart = found["first"], found["second"], found["difference"]
    if apart["value"] is None:
        return said(
            "{one} and {other} cannot be told apart: {why}.",
            one=one,
            other=other,
            why=apart["why_none"],
        )
    better, worse = (one, other) if apart["value"] >= 0 else (other, one)
    p_value, of_questions = found["test"]["p_value"], found["clusters"] == found["questions"]
    return said(
        "{more} on {target}, {answers}: {verdict} ({points}, {p}, sign flips of {clusters}).",
        more=said(
            "{better} is nearer to people than {worse} by {size:.1f} points of the scale"
            if found["measure"] == DISTANCE
            else "{better} gives people's exact score {size:.1f} points more often than {worse}",
            better=better,
            worse=worse,
            size=100 * abs(apart["value"]),
        ),
        target=spoken(found["target"]),
        answers=counted(found["n"], "answer"),
        verdict=said(
            "more than chance brings" if p_value < _LEVEL else "which chance alone may bring"
        ),
        points=points(apart),
        p=said("p below .001") if p_value < 0.001 else f"p = {p_value:.3f}",
        clusters=counted(found["clusters"], "question" if of_questions else "cluster"),
    )


def _apart(first: Variant, second: Variant, people: Panel, target: str, kind: str) -> _Apart:
    side = side_by_side([first, second], people, target, kind)
    scales = {first.rubric.scale, second.rubric.scale, people.rubric.scale}
    measure = EXACT if len(scales) == 1 and target != COMPOSITE else DISTANCE
    mine, theirs = (_nearness(side.pairs(place), measure) for place in (0, 1))
    pairs = side.pairs(0)
    item, weight, value = _by_item(side, pairs, mine - theirs)
    return _Apart(item, side.panel.cluster[item], weight, value, measure)


def _nearness(pairs: Pairs, measure: str) -> np.ndarray:
    """Per pair, 1 where the scores are the same; by distance, less the farther they are apart."""
    far = np.abs(pairs.judge - pairs.person)
    return (far < _SAME).astype(float) if measure == EXACT else 1 - far


def _by_item(side: Side, pairs: Pairs, value: np.ndarray) -> tuple[np.ndarray, ...]:
    """Items, their weights, and the values averaged over each item's people."""
    items = len(side.panel.items)
    weight = np.bincount(pairs.item, weights=pairs.weight, minlength=items)
    total = np.bincount(pairs.item, weights=pairs.weight * value, minlength=items)
    item = np.flatnonzero(weight > 0)
    return item, weight[item], total[item] / weight[item]


def _groups(
    first: Variant,
    second: Variant,
    people: Panel,
    target: str,
    length: np.ndarray,
    kind: str,
    apart: _Apart,
) -> Iterator[tuple[str, str, _Apart]]:
    """Every other criterion, every answering model, and the answers by length."""
    for other in targets([first, second], people):
        if other != target and _both(first, second, people, other):
            yield said("criterion"), other, _apart(first, second, people, other, kind)
    models = people.items["answer_model"].to_numpy()[apart.item]
    for model in people.answer_models:
        yield said("answering model"), model, _only(apart, models == model)
    yield from _by_length(apart, length[apart.item])


def _both(first: Variant, second: Variant, people: Panel, target: str) -> bool:
    return None not in (first.marks(target, people), second.marks(target, people))


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
    return _Apart(*(column[keep] for column in columns), apart.measure)


def _group(by: str, name: str, apart: _Apart) -> dict:
    test = sign_flip(question_sums(apart.value, apart.cluster, apart.weight))
    return {
        "by": by,
        "group": name,
        "measure": apart.measure,
        "n": len(apart.item),
        "clusters": ranked(apart.cluster)[0],
        "difference": _difference(apart)._asdict(),
        "p_value": test.p_value,
        "p_adjusted": None,
    }


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
    """What McNemar and Tango need: one answer per question, of one weight, right or wrong."""
    n = len(apart.item)
    if apart.measure != EXACT or not n or n > ranked(apart.cluster)[0]:
        return None
    if np.ptp(apart.weight) > _SAME or not np.isin(apart.value, (-1, 0, 1)).all():
        return None
    return Discordant(int((apart.value > 0).sum()), int((apart.value < 0).sum()), n, n)
