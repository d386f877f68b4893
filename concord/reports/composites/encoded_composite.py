"""Encoded composite: what a cross-encoder's numbers say, and whether it reads the measures."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import expit

from concord import metrics
from concord.messages import said
from concord.reports.composites.composite_means import means
from concord.reports.composites.composite_table import ENCODED
from concord.reports.composites.encoding import CJK, CUT, PLAIN, PLAIN_CUT
from concord.reports.metrics.metric_mean import indexed
from concord.reports.metrics.metric_records import Readings, Record
from concord.stats.agreement import rank_correlation
from concord.stats.core.estimate import undefined
from concord.stats.intervals.resampling import Draws

MOVES = 0.05
WHY_NONE = said(
    "No cross-encoder has gone over these answers. Name its folder, or its name on a hub: "
    "“composites --cross-encoder PLACE”."
)
CAVEAT = said(
    "A cross-encoder learnt how well a passage fits a question, not to read “the score is 0.7”."
)
_SAID = {
    CUT: said("{answers}: the answer was cut so that the statements fit."),
    PLAIN_CUT: said("{answers}: the plain answer was cut too."),
    CJK: said(
        "{answers}: the model's vocabulary is English and the text is not: most of it is unknown "
        "to it."
    ),
}


def report(found: Readings, given: Mapping[int, tuple], draws: Draws) -> dict[str, Any]:
    """The newest reading of a cross-encoder on a sheet.

    Args:
        found: The readings.
        given: People's composites by item id, from `metrics.metric_validity.people`.
        draws: Resamples for the means.

    Returns:
        `over`, `judge`, `n`, `left_out`, `flags` (what was cut or warned of, and on how many
        answers), `mean` and `models` of the logit, `people` and `plain_people` (Spearman with
        people of the score, and of the plain answer's), `ahead` (the difference), `sensitivity`
        (one per measure), `ranked` (answers by the score, with the plain answer's), `why_none`.
    """
    every = [one for one in found.records if one.measure == ENCODED and one.repeat == 1]
    if not every:
        return _none()
    newest = every[-1].version
    mine = [one for one in every if one.version == newest]
    scored = [one for one in mine if one.value is not None]
    if not scored:
        return _none() | {"why_none": mine[0].reason}
    value = np.array([one.value for one in scored])
    cluster = indexed(one.cluster for one in scored)
    models = np.array([one.answer_model or "" for one in scored], object)
    return {
        "over": mine[0].switches["over"],
        "judge": mine[0].judge,
        "n": len(scored),
        "left_out": dict(Counter(one.status for one in mine if one.value is None)),
        "flags": _flags(scored),
        **means(value, cluster, models, draws),
        **_people(scored, given),
        "sensitivity": [_sensitivity(scored, name) for name in _measures(scored)],
        "ranked": _ranked(scored),
        "why_none": None,
    }


def flag_words(flags: Mapping[str, int]) -> list[str]:
    """What was cut or is to be warned of, in words."""
    return [said(_SAID[flag], answers=said("{n:,} answers", n=n)) for flag, n in flags.items()]


def _none() -> dict[str, Any]:
    missing = dict.fromkeys(("over", "judge", "mean", "people", "plain_people", "ahead"))
    empty: dict[str, Any] = {"models": [], "sensitivity": [], "ranked": []}
    return {"n": 0, "left_out": {}, "flags": {}, **missing, **empty, "why_none": WHY_NONE}


def _flags(scored: Sequence[Record]) -> dict[str, int]:
    counts = Counter(flag for one in scored for flag in one.flags)
    return {flag: counts[flag] for flag in _SAID if counts[flag]}


def _people(scored: Sequence[Record], given: Mapping[int, tuple]) -> dict[str, Any]:
    """The rank correlations with people, of the score and of the plain answer's."""
    mine = [one for one in scored if one.item_id in given]
    if not mine:
        none = {"n": 0, **undefined(said("no person has graded these answers"))._asdict()}
        return dict.fromkeys(("people", "plain_people", "ahead"), none)
    value, plain = (
        np.array(side) for side in zip(*((o.value, o.parts[PLAIN]) for o in mine), strict=True)
    )
    rows = zip(*(given[one.item_id] for one in mine), strict=True)
    people, cluster, weight = map(np.array, rows)
    found = {
        "people": rank_correlation.spearman(value, people, cluster, weight),
        "plain_people": rank_correlation.spearman(plain, people, cluster, weight),
        "ahead": rank_correlation.lead(value, plain, people, cluster, weight),
    }
    return {key: {"n": len(mine), **one._asdict()} for key, one in found.items()}


def _measures(scored: Sequence[Record]) -> list[str]:
    return [name.removesuffix(" at low") for name in scored[0].parts if name.endswith(" at low")]


def _sensitivity(scored: Sequence[Record], name: str) -> dict[str, Any]:
    """What the score does when one measure's number goes from its worst to its best.

    Returns:
        `measure`, `title`; `change`, the mean change of the logit from worst to best; `right_way`,
        the share of answers whose score rises; `ranks`, by what share of the list an answer moves,
        on average and upwards, when its number alone goes from worst to best; `responds`: `yes`
        where that is a twentieth of the list or more, `wrong way` where it falls as far, else `no`.
    """
    measure = metrics.named(name)
    ends = ["low", "high"] if measure.better == "higher" else ["high", "low"]
    worst, best = (np.array([one.parts[f"{name} at {end}"] for one in scored]) for end in ends)
    order = np.sort([one.value for one in scored])
    places = [np.searchsorted(order, side) for side in (worst, best)]
    others = max(1, len(scored) - 1)
    ranks = float((places[1] - places[0]).mean() / others)
    return {
        "measure": name,
        "title": measure.title,
        "change": float((best - worst).mean()),
        "right_way": float((best > worst).mean()),
        "ranks": ranks,
        "responds": _responds(ranks),
    }


def _responds(ranks: float) -> str:
    if abs(ranks) < MOVES:
        return said("no")
    return said("yes" if ranks > 0 else "wrong way")


def _ranked(scored: Sequence[Record]) -> list[dict[str, Any]]:
    """The answers by the score, the best first, with their place by the plain answer's."""
    plain = sorted(scored, key=lambda one: -one.parts[PLAIN])
    place = {one.item_id: n for n, one in enumerate(plain, 1)}
    return [
        {
            "item": one.item_id,
            "answer_model": one.answer_model,
            "place": n,
            "plain_place": place[one.item_id],
            "logit": one.value,
            "plain_logit": one.parts[PLAIN],
            "expit": float(expit(one.value)),
        }
        for n, one in enumerate(sorted(scored, key=lambda one: -one.value), 1)
    ]
