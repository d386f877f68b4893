"""Plan: before anything is labelled, how many questions it takes, how long, and what floors apply.

By formula, with answers to one question from independent to much alike; and where annotators have
graded, by resampling what they graded. The true difference of two judges is planned as zero: that
of a pilot is mostly chance.
"""

import math
from typing import NamedTuple

import numpy as np

from concord.grading import assignments
from concord.messages import joined, said
from concord.problems import Problem
from concord.reports.panel.comparison import Ground, ground
from concord.reports.panel.minimum_sizes import VERDICT_FLOOR, floors
from concord.reports.panel.panel import LEAKED, Panel
from concord.reports.panel.reference_standard import EACH
from concord.stats.core.clustered import kish
from concord.stats.core.inclusion_weights import largest
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import ranked, ratio
from concord.stats.intervals.alpha_spending import LEVEL
from concord.stats.planning import pilot, pilot_of_share, sample_size
from concord.stats.planning.pilot_of_share import Shares
from concord.store.database import Store
from concord.store.graders import BASELINE

POWER = 0.8
SIZES = (20, 30)  # questions of a usual pilot
TYPICAL_S = 60
REPEATED = 1.1  # a tenth of the answers come back hidden
ALIKE = (0.0, 0.3, 0.6)  # how alike answers to one question are, from not at all to very
RANGE = ("low", "likely", "high")
NO_JUDGE = said("annotators and a judge have not graded the same answers yet")


class Terms(NamedTuple):
    """What is wanted, and what is assumed where nothing has been labelled. All are shares.

    Attributes:
        half_width: Of the 95 percent interval of exact agreement.
        margin: How much worse than the reference judge one is ready to be.
        share: The exact agreement expected.
        discordant: The answers on which one of two judges only is expected to be right.
    """

    half_width: float = 0.05
    margin: float = 0.10
    share: float = 0.8
    discordant: float = 0.2


def plan(
    store: Store,
    panel: Panel,
    terms: Terms,
    criterion: str | None = None,
    against: str | None = None,
) -> dict:
    """What it takes, as ranges; the keys are those of `plan --json`.

    Args:
        store: For the pace of the annotators.
        panel: The grades so far; there need not be any.
        terms: What is wanted.
        criterion: The heaviest, unless another is named.
        against: The reference judge's label; the one that agrees most, unless named.
    """
    name = panel.rubric.criterion(criterion).name if criterion else panel.rubric.heaviest().name
    on, extent = ground(panel, name, EACH), extent_of(panel)
    formula = by_formula(terms, extent)
    found = _pilot(on, terms, against)
    needed = {
        target: _needed(target, formula[target], found[target], extent) for target in _TARGETS
    }
    return {
        "sheet": panel.sheet.name,
        "rubric": panel.rubric.name,
        "criterion": name,
        **terms._asdict(),
        "level": LEVEL,
        "power": POWER,
        **extent._asdict(),
        "formula": formula,
        "pilot": found,
        "needed": needed,
        "floors": [floor.as_json() for floor in floors(on)],
        "hours": _hours(store, panel, needed),
        "reweighted": panel.reweighted,
    }


class Extent(NamedTuple):
    """How large the sheet is, as far as it may be graded.

    Attributes:
        answers: Answers.
        questions: Questions.
        clusters: Clusters (documents); a question without one is its own. They are what counts as
            independent.
    """

    answers: int
    questions: int
    clusters: int


def extent_of(panel: Panel) -> Extent:
    """How large the panel's sheet is, without judges' examples; a Problem where none is left."""
    may = (panel.items["closed"] != LEAKED).to_numpy()
    if not may.any():
        raise Problem(
            said(
                "No question of sheet “{sheet}” may be graded: judges may have seen all of them as "
                "examples. Move some to evaluation, or import more.",
                sheet=panel.sheet.name,
            )
        )
    questions, clusters = (len(np.unique(index[may])) for index in (panel.question, panel.cluster))
    return Extent(int(may.sum()), questions, clusters)


_QUANTILE = 1.96  # of the normal, for 95 percent
_TARGETS = ("half_width", "margin")


def by_formula(terms: Terms, extent: Extent) -> dict:
    """Clusters and answers by formula, and the half-width that usual pilots would give."""
    per_cluster = extent.answers / extent.clusters
    effects = [1 + (per_cluster - 1) * alike for alike in ALIKE]
    share, margin = (
        [size(effect) for effect in effects]
        for size in (
            lambda effect: sample_size.for_share(terms.half_width, terms.share, effect),
            lambda effect: sample_size.for_non_inferiority(
                terms.margin, terms.discordant, 0, effect, LEVEL, POWER
            ),
        )
    )
    spread = _QUANTILE * np.sqrt(terms.share * (1 - terms.share) * np.array(effects) / per_cluster)
    return {
        "half_width": sized([n / per_cluster for n in share], extent),
        "margin": sized([n / per_cluster for n in margin], extent),
        "at": [
            dict(zip(("clusters", *RANGE), (n, *(spread / np.sqrt(n)).tolist()), strict=True))
            for n in SIZES
        ],
        "alike": list(ALIKE),
    }


def sized(clusters: list[float | None], extent: Extent) -> dict:
    """Low, likely and high in clusters, questions and answers; None for no number."""
    return {
        "clusters": [count and math.ceil(count) for count in clusters],
        "questions": [_scaled(count, extent.questions / extent.clusters) for count in clusters],
        "answers": [_scaled(count, extent.answers / extent.clusters) for count in clusters],
    }


def _scaled(clusters: float | None, each: float) -> int | None:
    return None if clusters is None else math.ceil(round(clusters * each, 6))


def _pilot(on: Ground, terms: Terms, against: str | None) -> dict:
    """The same from what was graded so far: each judge, and what usual sizes give them."""
    shares = _shares(on)
    graded = np.unique(on.annotators.item)
    return {
        "clusters": ranked(on.panel.cluster[graded])[0] if len(graded) else 0,
        "questions": len(np.unique(on.panel.question[graded])),
        "answers": len(graded),
        "annotators": len(on.annotators_on(np.ones(len(on.panel.items), bool))),
        "half_width": [
            {"judge": label, "value": _value(one)}
            | pilot_of_share.questions_for_half_width(one, terms.half_width)._asdict()
            for label, one in shares.items()
        ],
        "margin": _margins(on, shares, terms.margin, against),
        "at": _at(list(shares.values())) if shares else [],
        "judge": max(shares, key=lambda label: _value(shares[label]), default=None),
        "why_none": None if shares else NO_JUDGE,
    }


def _shares(on: Ground) -> dict[str, Shares]:
    """Every judge's exact agreement so far; the baseline's only without another judge."""
    judges = {
        on.panel.labels[i]: judge
        for i, judge in on.panel.judges.items()
        if judge.kind == "judge" and len(on.pairs(judge).item)
    }
    real = {label: judge for label, judge in judges.items() if judge.name != BASELINE}
    return {label: exact_shares(on.pairs(judge)) for label, judge in (real or judges).items()}


def exact_shares(pairs: Pairs) -> Shares:
    """Exact agreement per question, and what its answers are worth, as `statistics` has it."""
    weights = pairs.item_weights()
    heaviest = largest(weights)
    return Shares(_hits(pairs), len(weights) if heaviest is None else kish(weights), heaviest)


def _hits(*pairs: Pairs) -> np.ndarray:
    """(G, 1 + judges) summed hits of each judge and summed weights, on the same answers."""
    count, group = ranked(pairs[0].cluster)
    sums = [one.weight * (one.judge == one.person) for one in pairs]
    sums.append(pairs[0].weight)
    return np.stack([np.bincount(group, weights=one, minlength=count) for one in sums], axis=1)


def _value(one: Shares) -> float:
    hits, base = one.rows.sum(axis=0)
    return float(hits / base)


def _at(shares: list[Shares]) -> list[dict]:
    """The half-width that usual pilots, and as many clusters as there are, would give any judge."""
    there = max(pilot.QUESTION_FLOOR, *(len(one.rows) for one in shares))
    return [{"clusters": size} | _any(shares, size) for size in sorted({*SIZES, there})]


def _any(shares: list[Shares], size: int) -> dict:
    """Over the judges, from the least that one of them gets to the most."""
    found = [pilot_of_share.half_width(one, size) for one in shares]
    known = [one for one in found if one.why_none is None]
    if not known:
        return found[0]._asdict()
    most = max(known, key=lambda one: one.likely)
    low, high = min(one.low for one in known), max(one.high for one in known)
    return most._replace(low=low, high=high)._asdict()


def _margins(
    on: Ground, shares: dict[str, np.ndarray], margin: float, against: str | None
) -> list[dict]:
    """Questions to show each judge no worse than the reference judge by the margin."""
    if against and against not in shares:
        raise Problem(
            said(
                "“{judge}” cannot be the reference judge here. Name one of: {judges}.",
                judge=against,
                judges=joined(", ", shares) or said("none yet"),
            )
        )
    if len(shares) < 2:
        return []
    best = against or max(shares, key=lambda label: _value(shares[label]))
    found = []
    for label in shares:
        if label != best:
            rows = _paired(on, label, best)
            needed = pilot.questions_for_power(rows, _difference, -margin, 0, LEVEL, POWER)
            found.append({"judge": label, "against": best, **needed._asdict()})
    return found


def _paired(on: Ground, label: str, against: str) -> np.ndarray:
    """(G, 3) hits of one judge, of the other, and weights, on the answers both scored."""
    ids = {name: i for i, name in on.panel.labels.items()}
    pairs = [on.pairs(on.panel.judges[ids[name]]) for name in (label, against)]
    both = np.intersect1d(*(one.item for one in pairs))
    return _hits(*(one.on(both) for one in pairs))


def _difference(rows: np.ndarray) -> np.ndarray:
    """Difference of two shares from (..., 3) sums."""
    return ratio(rows[..., 0] - rows[..., 1], rows[..., 2])


def _needed(target: str, formula: dict, found: list[dict], extent: Extent) -> dict:
    """The range to plan with: that of the pilot where it says one, else the formula's.

    Over several judges, from the least any of them needs to the most; a margin takes a verdict,
    which has a floor of its own.
    """
    known = [one for one in found if one["why_none"] is None]
    clusters = formula["clusters"]
    if known:
        clusters = [_most([one[key] for one in known]) for key in RANGE]
        clusters[0] = min((one["low"] for one in known if one["low"]), default=None)
    if target == "margin":
        clusters = [count and max(count, VERDICT_FLOOR) for count in clusters]
    return {"by": "pilot" if known else "formula", **sized(clusters, extent)}


def _most(numbers: list[float | None]) -> float | None:
    return None if None in numbers else max(numbers)


def _hours(store: Store, panel: Panel, needed: dict) -> dict:
    """Hours of one annotator's grading, with the hidden repeats, at the annotators' own pace."""
    paces = [pace for i in panel.annotators if (pace := assignments.pace(store, i))]
    seconds = [min(paces, default=TYPICAL_S), max(paces, default=TYPICAL_S)]
    return {
        "seconds_per_answer": seconds,
        "measured": bool(paces),
        **{
            target: [
                None if count is None else round(count * REPEATED * pace / 3600, 1)
                for count, pace in zip(needed[target]["answers"][::2], seconds, strict=True)
            ]
            for target in needed
        },
    }
