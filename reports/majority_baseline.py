"""The majority-class baseline of a comparison, skill over it, and what withholds a headline.

The distance is a mean of absolute differences, so of all constant scores the median of the
annotators' is nearest to them; that is the baseline here. A judge that hardly varies comes as near
without telling any answer from another, which CCC and the recall of failing answers show.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from reports.ground import ground
from reports.panel import COMPOSITE
from reports.side import Side
from reports.text import number
from reports.variants import Variant
from stats.composite import lin_ccc, question_moments
from stats.constant import median
from stats.estimate import Estimate, undefined
from stats.figures import NOTHING, floor
from stats.interval import jackknife, leave_out
from stats.pairs import Pairs
from stats.table import ranked, ratio
from words.said import Said, joined, said

NO_BASELINE = said("the majority-class baseline is at no distance, so nothing can be nearer")
NO_FAILING = said("failing answers are those of a criterion that both variants grade")
NONE_FAILED = said("people failed no answer")
_NO_NEARER, _UNSURE, _CCC, _RECALL = "baseline", "baseline_unsure", "ccc", "failure_recall"


class Baseline(NamedTuple):
    """The constant score nearest to the annotators.

    Attributes:
        score: On the annotators' own scale; a real number for the composite.
        pairs: The pairs on [0, 1] with it as the judge.
    """

    score: float
    pairs: Pairs


def baseline(side: Side) -> Baseline | None:
    """The baseline on the shared answers; None where there are none."""
    pairs = side.pairs(0) if side.chosen else None
    if pairs is None or not len(pairs.item):
        return None
    at = median(pairs.person, pairs.weight)
    lowest, highest = side.people.rubric.scale[0], side.people.rubric.scale[-1]
    score = round(lowest + at * (highest - lowest), 9)
    return Baseline(score, pairs._replace(judge=np.full(len(pairs.item), at)))


def as_json(side: Side, found: Baseline | None, mapped: Sequence[str], own: Sequence[str]) -> dict:
    """Its score, the figures on [0, 1], and those on the annotators' own scale."""
    if found is None:
        nothing = undefined(NOTHING)._asdict()
        return {"score": None, **dict.fromkeys(mapped, nothing), "own": None}
    figures = dict(side.on.measured(found.pairs).figures)
    if figures["ccc"].value is not None:  # a constant's is 0, to the last digit
        figures["ccc"] = figures["ccc"]._replace(value=0.0)
    return {
        "score": int(found.score) if found.score == int(found.score) else found.score,
        **{name: figures[name]._asdict() for name in mapped},
        "own": None if side.target == COMPOSITE else _own(side, found, own),
    }


def skill(side: Side, place: int, found: Baseline | None) -> Estimate:
    """1 - distance / distance of the baseline: 1 is no distance, 0 that of the baseline."""
    if found is None:
        return undefined(NOTHING)
    sums = _by_question(found.pairs, _far(side.pairs(place)), _far(found.pairs))
    left_out = leave_out(sums)
    return jackknife(
        left_out,
        lambda rows: 1 - ratio(rows[..., 0], rows[..., 1]),
        bounds=(-np.inf, 1),
        why_none=NO_BASELINE,
    )


def ccc_difference(side: Side, place: int, other: int) -> Estimate:
    """CCC of one variant minus that of another on the same answers."""
    both = [side.pairs(one) for one in (place, other)]
    why = NOTHING if not len(both[0].item) else floor("ccc", len(both[0].item))
    if why:
        return undefined(why)
    moments = np.stack([question_moments(pairs) for pairs in both], axis=1)
    return jackknife(
        leave_out(moments), lambda m: lin_ccc(m[..., 0, :]) - lin_ccc(m[..., 1, :]), bounds=(-2, 2)
    )


def recall_difference(side: Side, place: int, other: int) -> Estimate:
    """Recall of failing answers of one variant minus another's; each fails by its own rubric."""
    chosen = [side.chosen[one] for one in (place, other)]
    pairs = side.pairs(place)
    if side.target == COMPOSITE or not len(pairs.item):
        return undefined(NO_FAILING if len(pairs.item) else NOTHING)
    failed = _failed_by_people(side, pairs)
    if not failed.any():
        return undefined(NONE_FAILED)
    calls = [_failed_by(variant, side.target, pairs.item) & failed for variant in chosen]
    sums = _by_question(pairs, *calls, failed)
    return jackknife(
        leave_out(sums[sums[:, 2] > 0]),
        lambda rows: ratio(rows[..., 0] - rows[..., 1], rows[..., 2]),
        bounds=(-1, 1),
    )


def withheld(side: Side, rows: Sequence[dict], best: int, found: Baseline) -> list[dict]:
    """Why the nearest variant makes no headline, each `{code, against, difference, sentence}`.

    It is not nearer than the baseline beyond the error, or another variant has a higher CCC, or a
    higher recall of failing answers, with a 95% CI of the difference that excludes 0.
    """
    over, against = skill(side, best, found), baseline_name(found.score)
    reasons = []
    if over.value is None or over.value <= 0:
        reasons.append(_reason(_NO_NEARER, against, over, _no_nearer(found)))
    elif over.low is not None and over.low <= 0:
        reasons.append(_reason(_UNSURE, against, over, _unsure(found)))
    for place, row in enumerate(rows):
        if place == best or row["floor"]:
            continue
        for code, apart, words in (
            (_CCC, ccc_difference(side, best, place), _higher_ccc),
            (_RECALL, recall_difference(side, best, place), _higher_recall),
        ):
            if apart.high is not None and apart.high < 0:
                sentence = words(row, rows[best], apart)
                reasons.append(_reason(code, row["variant"], apart, sentence))
    return reasons


def baseline_name(score: float) -> Said:
    """What the baseline is called, with its score."""
    return said("majority-class baseline (always {score:g})", score=score)


def sentence(reasons: Sequence[dict]) -> Said:
    """The reasons as one clause."""
    return joined("; ", [reason["sentence"] for reason in reasons])


def _reason(code: str, against: str, apart: Estimate, words: Said) -> dict:
    return {
        "code": code,
        "against": against,
        "difference": apart._asdict(),
        "sentence": words,
    }


def _no_nearer(found: Baseline) -> Said:
    return said(
        "the {baseline} is {share:.1f}% of the scale away",
        baseline=baseline_name(found.score),
        share=100 * _distance(found),
    )


def _unsure(found: Baseline) -> Said:
    return said(
        "the {baseline}, {share:.1f}% of the scale away, is within the error",
        baseline=baseline_name(found.score),
        share=100 * _distance(found),
    )


def _higher_ccc(row: dict, best: dict, apart: Estimate) -> Said:
    return said(
        "{other} has the higher CCC ({ours} against {theirs})",
        other=row["variant"],
        ours=number({"value": row["ccc"]["value"], "low": None}),
        theirs=number({"value": best["ccc"]["value"], "low": None}),
    )


def _higher_recall(row: dict, best: dict, apart: Estimate) -> Said:
    return said(
        "{other} has the higher recall of failing answers, by {points:.0f} points",
        other=row["variant"],
        points=-100 * apart.value,
    )


def _own(side: Side, found: Baseline, names: Sequence[str]) -> dict:
    on = ground(side.people, side.target, side.on.kind)
    lowest, highest = side.people.rubric.scale[0], side.people.rubric.scale[-1]
    pairs = found.pairs._replace(
        judge=np.full(len(found.pairs.item), int(found.score)),
        person=np.rint(found.pairs.person * (highest - lowest) + lowest).astype(int),
    )
    measured = on.measured(pairs)
    figures = {name: measured.figures[name]._asdict() for name in names}
    return {"n": measured.n, **figures, "failing": measured.failing, "why_none": None}


def _distance(found: Baseline) -> float:
    return float(np.average(_far(found.pairs), weights=found.pairs.weight))


def _far(pairs: Pairs) -> np.ndarray:
    return np.abs(pairs.judge - pairs.person)


def _failed_by_people(side: Side, pairs: Pairs) -> np.ndarray:
    scale = side.people.rubric.scale
    failing = side.people.rubric.failing(side.people.rubric.criterion(side.target))
    scores = np.rint(pairs.person * (scale[-1] - scale[0]) + scale[0])
    return np.isin(scores, list(failing))


def _failed_by(variant: Variant, target: str, item: np.ndarray) -> np.ndarray:
    failing = variant.rubric.failing(variant.rubric.criterion(target))
    return np.isin(variant.panel.of(target, variant.judge.id).score[item], list(failing))


def _by_question(pairs: Pairs, *columns: np.ndarray) -> np.ndarray:
    """(G, C) weighted sums of each column per question."""
    questions, group = ranked(pairs.cluster)
    sums = [np.bincount(group, pairs.weight * one, questions) for one in columns]
    return np.stack(sums, axis=1)
