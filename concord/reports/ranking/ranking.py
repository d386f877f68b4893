"""Ranking: the answering models by weighted composite, by people and by each judge.

`models` has each grader on all answers it gave a composite to. An order is compared on the answers
that people and the judge both gave one to, so that a swap is a difference of opinion and not of
answers; `n` says how many those are.
"""

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from concord.messages import said
from concord.reports.panel.panel import COMPOSITE, REWEIGHTED, STATUS_NAMES, Panel
from concord.reports.panel.provenance import synthetic
from concord.reports.panel.reference_standard import EACH, Reference, reference
from concord.stats.comparison.model_order import (
    Above,
    above_each,
    model_means,
    model_sums,
    order_tau_b,
    rank_sets,
    swaps,
    tau_b_interval,
)
from concord.stats.core.estimate import Estimate
from concord.stats.core.tables import ranked
from concord.stats.intervals.resampling import Draws

PEOPLE = "people"
CERTAIN = 0.95
NO_MODEL = said("no answering model is named")
NOT_GRADED = said("not graded")


class Scores(NamedTuple):
    """A grader's composites, one row each; several people share an item's weight of 1."""

    item: np.ndarray
    value: np.ndarray
    weight: np.ndarray

    def on(self, items: np.ndarray) -> "Scores":
        """The rows on items that the (N,) mask marks."""
        keep = items[self.item]
        return Scores(*(column[keep] for column in self))

    def weighing(self, weight: np.ndarray) -> "Scores":
        """The same, each item's weight multiplied by its own of the (N,) `weight`."""
        return self._replace(weight=self.weight * weight[self.item])


def report(panel: Panel, draws: Draws | None = None) -> dict:
    """Models, orders, what is left out, and how it was made; weights are the panel's.

    Returns:
        `models` [{grader, kind, answer_model, value, low, high, n, questions, ...}], people first,
        best first within a grader; `orders`, one per judge (see `_order`); `left_out` by grader;
        `weights` by criterion.
    """
    draws = draws or Draws()
    people = reference(panel, COMPOSITE, EACH)
    scored = {PEOPLE: _people(panel, people)}
    scored |= {panel.labels[judge]: _judge(panel, judge) for judge in panel.judges}
    return {
        "models": [
            row for name, scores in scored.items() for row in _models(panel, name, scores, draws)
        ],
        "orders": _orders(panel, scored, draws),
        "left_out": {PEOPLE: _people_left_out(panel, people)}
        | {panel.labels[judge]: _judge_left_out(panel, judge) for judge in panel.judges},
        "weights": {name: float(weight) for name, weight in panel.weights.items()},
        "scale": list(panel.rubric.scale),
        "people": [{"name": p.name, "simulated": p.simulated} for p in panel.people.values()],
        "signature": _signature(panel, draws),
    }


def by_criterion(panel: Panel, draws: Draws | None = None) -> dict[str, dict]:
    """`models` and `orders` of `report` for every criterion by itself, each weighing 1."""
    draws = draws or Draws()
    found = {name: report(panel.weighing({name: Fraction(1)}), draws) for name in panel.weights}
    return {
        name: {"models": one["models"], "orders": one["orders"], "left_out": one["left_out"]}
        for name, one in found.items()
    }


def _people(panel: Panel, people: Reference) -> Scores:
    weight = 1.0 / np.bincount(people.item, minlength=len(panel.items))[people.item]
    scores = Scores(people.item, people.score, weight).weighing(panel.weight)
    return _of_known_models(panel, scores)


def _judge(panel: Panel, judge: int) -> Scores:
    marks = panel.of(COMPOSITE, judge)
    item = np.flatnonzero(marks.scored & panel.open)
    return _of_known_models(panel, Scores(item, marks.score[item], np.ones(len(item))))


def _of_known_models(panel: Panel, scores: Scores) -> Scores:
    return scores.on(panel.answer_model >= 0)


def _models(panel: Panel, grader: str, scores: Scores, draws: Draws) -> list[dict]:
    """The answering models by one grader, best first; those it has no composite of come last."""
    kinds = {panel.labels[i]: judge for i, judge in panel.judges.items()}
    judge = kinds.get(grader)
    simulated = judge.simulated if judge else any(p.simulated for p in panel.people.values())
    sums = _sums(panel, scores)
    means, ranks = _means(panel, scores), rank_sets(sums, draws)
    rows = [
        {
            "grader": grader,
            "kind": judge.kind if judge else "person",
            "simulated": simulated,
            "answer_model": model,
            **mean._asdict(),
            **_extent(panel, scores, model),
            "ranks": None if best is None else [best, worst],
            "why_no_ranks": ranks.why_none,
        }
        for model, mean, best, worst in zip(
            panel.answer_models, means, ranks.best, ranks.worst, strict=True
        )
    ]
    return sorted(rows, key=lambda row: (row["value"] is None, -(row["value"] or 0)))


def _orders(panel: Panel, scored: dict[str, Scores], draws: Draws) -> list[dict]:
    """Each judge's order of the models; all resamples are drawn at once."""
    sides = [_sides(panel, scored[PEOPLE], scored[panel.labels[judge]]) for judge in panel.judges]
    sums = [{side: _sums(panel, scores) for side, scores in pair.items()} for pair in sides]
    drawn = iter(above_each([one for pair in sums for one in pair.values()], draws))
    shares = [{side: next(drawn) for side in pair} for pair in sides]
    return [
        _order(panel, judge, scored, *found, draws)
        for judge, *found in zip(panel.judges, sides, sums, shares, strict=True)
    ]


def _sides(panel: Panel, people: Scores, own: Scores) -> dict[str, Scores]:
    """People's and the judge's composites of the answers that both gave one to."""
    shared = _marked(panel, people.item) & _marked(panel, own.item)
    return {PEOPLE: people.on(shared), "judge": own.on(shared).weighing(panel.weight)}


def _order(
    panel: Panel,
    judge: int,
    scored: dict[str, Scores],
    sides: dict[str, Scores],
    sums: dict[str, np.ndarray],
    shares: dict[str, Above],
    draws: Draws,
) -> dict:
    """A judge's order of the models beside the people's, on the answers both gave a composite to.

    Returns:
        `judge`; `tau_b` with `tau_b_low`, `tau_b_high`, `tau_b_method` and `why_none`, of tau-b or
        of its interval; `swaps`, pairs that the two put in opposite orders, each `{higher, lower,
        people_share, judge_share, certain}` with `higher` above `lower` by people, the shares of
        resamples that say so, and certain where both are sure (95 percent) of their own order;
        `models` [{answer_model, people, judge}] with both means; `neighbours` by people and by the
        judge; `n`, `questions`, `same_items`.
    """
    people, own = (_marked(panel, scored[who].item) for who in (PEOPLE, panel.labels[judge]))
    shared, same = people & own, bool((people == own).all())
    means = {side: _means(panel, scores) for side, scores in sides.items()}
    values = {side: [mean.value for mean in found] for side, found in means.items()}
    tau_b = order_tau_b(values[PEOPLE], values["judge"])
    tau_b = tau_b_interval(tau_b, sums[PEOPLE], sums["judge"], draws)
    return {
        "judge": panel.labels[judge],
        "fingerprint": panel.judges[judge].fingerprint,
        "simulated": panel.judges[judge].simulated,
        "tau_b": tau_b.value,
        "tau_b_low": tau_b.low,
        "tau_b_high": tau_b.high,
        "tau_b_method": tau_b.method,
        "why_none": tau_b.why_none,
        "swaps": [
            _swap(panel, pair, values, shares) for pair in swaps(values[PEOPLE], values["judge"])
        ],
        "models": [
            {"answer_model": model, **{side: means[side][place]._asdict() for side in sides}}
            for place, model in enumerate(panel.answer_models)
        ],
        "neighbours": {side: _neighbours(panel, values[side], shares[side]) for side in sides},
        "why_no_shares": shares[PEOPLE].why_none,
        "n": int(shared.sum()),
        "questions": ranked(panel.question[shared])[0],
        "same_items": same,
    }


def _swap(panel: Panel, pair: tuple[int, int], values: dict, shares: dict) -> dict:
    higher, lower = sorted(pair, key=lambda place: -values[PEOPLE][place])
    by = {side: _share(shares[side].share, higher, lower) for side in shares}
    told = None not in by.values()
    return {
        "higher": panel.answer_models[higher],
        "lower": panel.answer_models[lower],
        "people_share": by[PEOPLE],
        "judge_share": by["judge"],
        "certain": told and by[PEOPLE] >= CERTAIN and by["judge"] <= 1 - CERTAIN,
    }


def _neighbours(panel: Panel, values: list[float | None], shares) -> list[dict]:
    """Each pair of models next to each other in a grader's order, best first."""
    known = [place for place, value in enumerate(values) if value is not None]
    known.sort(key=lambda place: -values[place])
    return [
        {
            "above": panel.answer_models[one],
            "below": panel.answer_models[other],
            "share": _share(shares.share, one, other),
        }
        for one, other in pairwise(known)
    ]


def _share(share: np.ndarray | None, one: int, other: int) -> float | None:
    """The share of resamples with one model above another; None where they never meet."""
    if share is None or np.isnan(share[one, other]):
        return None
    return float(share[one, other])


def _sums(panel: Panel, scores: Scores) -> np.ndarray:
    own, cluster = panel.answer_model[scores.item], panel.cluster[scores.item]
    return model_sums(scores.value, scores.weight, own, cluster, len(panel.answer_models))


def _means(panel: Panel, scores: Scores) -> list[Estimate]:
    scale = panel.rubric.scale
    return model_means(_sums(panel, scores), (scale[0], scale[-1]))


def _marked(panel: Panel, items: np.ndarray) -> np.ndarray:
    marked = np.zeros(len(panel.items), bool)
    marked[items] = True
    return marked


def _extent(panel: Panel, scores: Scores, model: str) -> dict[str, int]:
    on = _marked(panel, scores.item) & (panel.answer_model == panel.answer_models.index(model))
    return {"n": int(on.sum()), "questions": ranked(panel.question[on])[0]}


def _people_left_out(panel: Panel, people: Reference) -> dict[str, int]:
    return _counted(panel, people.why)


def _judge_left_out(panel: Panel, judge: int) -> dict[str, int]:
    status = panel.of(COMPOSITE, judge).status
    names = np.array([*STATUS_NAMES, NOT_GRADED], dtype=object)  # -1 is the last
    why = np.where(status == 0, "", names[status])
    return _counted(panel, np.where(panel.open, why, panel.items["closed"].to_numpy()))


def _counted(panel: Panel, why: np.ndarray) -> dict[str, int]:
    """Reason -> count of the items without a composite, or without an answering model."""
    why = np.where((why == "") & (panel.answer_model < 0), NO_MODEL, why)
    return dict(sorted(Counter(why[why != ""].tolist()).items()))


def _signature(panel: Panel, draws: Draws) -> str:
    weights = ", ".join(f"{name} {weight}" for name, weight in panel.weights.items())
    drawn = f"answers: {REWEIGHTED} | " if panel.reweighted else ""
    drawn += "".join(f"{key}: {words} | " for key, words in synthetic(panel).items())
    return (
        f"rubric: {panel.rubric.name} | weights: {weights} | {drawn}"
        "intervals: question jackknife | "
        f"orders: question bootstrap, {draws.resamples} resamples, seed: {draws.seed}"
    )
