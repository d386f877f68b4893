"""Figures: everything said about how two graders agree on one criterion, with intervals."""

from collections.abc import Callable, Collection, Sequence

import numpy as np

from stats import agreement
from stats.caught import caught
from stats.clustered import kish
from stats.estimate import Estimate, undefined
from stats.inclusion import largest
from stats.interval import FISHER, PLAIN, ROOT, LeftOut, Stretch, jackknife, leave_out
from stats.pairs import Pairs
from stats.table import Alike, alike, question_tables
from stats.wilson import proportion
from words.said import said

PAIR_FLOOR = 30
CHANCE_CORRECTED = ("kappa", "linear_kappa", "qwk", "ac2", "alpha", "ccc")
NAMES = (
    "exact",
    "within_one",
    "off_by_two",
    *CHANCE_CORRECTED,
    "tau_b",
    "spearman",
    "pearson",
    "bias",
    "mae",
    "rmse",
    "caught",
)
NOTHING = said("there is nothing to compare")
TWO_POINTS = said("on a scale of two any two scores are within one")
NEVER_TWO = said("on a scale of two no score is off by two")
NO_SIDE = said("between people there is no one side to be biased")


def figures(
    pairs: Pairs,
    scale: Sequence[int],
    failing: Collection[int],
    between_people: bool = False,
    names: Collection[str] = NAMES,
) -> dict[str, Estimate]:
    """Every figure of one judge (or of people among themselves) on one criterion.

    Shares (exact, within_one, off_by_two, caught) have Wilson's interval at the effective n, all
    others the question jackknife. Chance-corrected figures are undefined below 30 pairs, and within
    one and off by two on a scale of two, where they are always 1 and 0.

    Args:
        pairs: The weighted pairs, from `judge_pairs`, `people_pairs` or `others_pairs`.
        scale: All scores of the rubric, rising.
        failing: The scores that fail.
        between_people: The pairs come from `people_pairs`, so each stands there in both orders.
        names: Some of `NAMES`; the others are not computed.

    Returns:
        An estimate for each of `names`.
    """
    if len(pairs.item) == 0:
        return absent(NOTHING)
    tables = alike(question_tables(pairs, scale))
    count = len(pairs.item) // (2 if between_people else 1)
    found = _shares(tables, scale, pairs.item_weights())
    found |= _resampled(leave_out(tables), scale, count, names)
    found["caught"] = caught(pairs, failing).share
    if between_people:
        found["bias"] = undefined(NO_SIDE)
    return {name: found[name] for name in NAMES if name in names}


def absent(why: str) -> dict[str, Estimate]:
    """Every figure undefined for one reason: a ceiling with one person, say."""
    return dict.fromkeys(NAMES, undefined(why))


def floor(name: str, pairs: int) -> str | None:
    """Why this figure may not be given on so few pairs; None where it may."""
    if name in CHANCE_CORRECTED and pairs < PAIR_FLOOR:
        return said("under {n} pairs there is no chance-corrected figure", n=PAIR_FLOOR)
    return None


def _shares(tables: Alike, scale: Sequence[int], weight: np.ndarray) -> dict[str, Estimate]:
    heaviest = largest(weight)
    answers = len(weight) if heaviest is None else kish(weight)
    apart, cells = agreement.differences(scale), tables.rows.reshape(len(tables.rows), -1)
    hits = {"exact": apart == 0, "within_one": apart <= 1, "off_by_two": apart >= 2}
    base = cells.sum(axis=1)
    found = {
        name: proportion(cells @ hit.ravel().astype(float), base, answers, heaviest, tables.times)
        for name, hit in hits.items()
    }
    if hits["within_one"].all():
        found |= {"within_one": undefined(TWO_POINTS), "off_by_two": undefined(NEVER_TWO)}
    return found


def _resampled(
    left_out: LeftOut, scale: Sequence[int], pairs: int, names: Collection[str]
) -> dict[str, Estimate]:
    found = {}
    for name, (statistic, stretch) in _statistics(scale).items():
        if name not in names:
            continue
        why = floor(name, pairs)
        found[name] = undefined(why) if why else jackknife(left_out, statistic, stretch)
    return found


def _statistics(
    scale: Sequence[int],
) -> dict[str, tuple[Callable[[np.ndarray], np.ndarray], Stretch]]:
    return {
        "kappa": (lambda t: agreement.cohen_kappa(t, scale), FISHER),
        "linear_kappa": (lambda t: agreement.cohen_kappa(t, scale, "linear"), FISHER),
        "qwk": (lambda t: agreement.cohen_kappa(t, scale, "quadratic"), FISHER),
        "ac2": (lambda t: agreement.gwet_ac(t, scale, "quadratic"), FISHER),
        "alpha": (lambda t: agreement.krippendorff_alpha(t, scale), FISHER),
        "ccc": (lambda t: agreement.lin_ccc(t, scale), FISHER),
        "tau_b": (agreement.tau_b, FISHER),
        "spearman": (agreement.spearman, FISHER),
        "pearson": (lambda t: agreement.pearson(t, scale), FISHER),
        "bias": (lambda t: agreement.bias(t, scale), PLAIN),
        "mae": (lambda t: agreement.mae(t, scale), ROOT),
        "rmse": (lambda t: agreement.rmse(t, scale), ROOT),
    }
